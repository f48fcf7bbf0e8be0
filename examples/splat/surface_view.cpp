#include "surface_view.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace farpoint_demo {

namespace {

template <class Value>
bool equal_bytes(std::vector<Value> const& a, std::vector<Value> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

}  // namespace

surface_view view_on_host(std::vector<point3> const& cloud, camera const& looking, int k, int rounds, int threads) {
  surface_view view;
  view.looking = looking;
  auto const start = std::chrono::steady_clock::now();
  view.seen = search_view(cloud, looking, k, threads, rounds);
  view.fitted = fit_surface(cloud, view.seen.visible, view.seen.neighbours, eye_of(looking), threads);
  view.info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return view;
}

#if !defined(FARPOINT_WITH_CUDA)
surface_view view_on_cuda(std::vector<point3> const&, camera const&, int, int) {
  throw std::runtime_error{"this program was built without CUDA"};
}
#endif

bool equal_bits(surface_view const& a, surface_view const& b) {
  return equal_bytes(a.seen.visible, b.seen.visible) &&
         equal_bytes(a.seen.neighbours.indices, b.seen.neighbours.indices) &&
         equal_bytes(a.seen.neighbours.distances, b.seen.neighbours.distances) &&
         equal_bytes(a.fitted.normals, b.fitted.normals) && equal_bytes(a.fitted.radii, b.fitted.radii);
}

}  // namespace farpoint_demo
