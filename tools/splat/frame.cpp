#include "frame.hpp"

#include <farpoint/knn_screen.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>

#include <cstdio>
#include <cstring>

#include "frame_maker.hpp"

namespace farpoint_tools {

namespace {

class host_side {
 public:
  static constexpr int repeats = 1;
  template <class T>
  using array = std::vector<T>;

  explicit host_side(int threads) : exec_{threads} {}

  farpoint::host_exec exec() const { return exec_; }
  void wait() const {}
  template <class T>
  static T* pointer(std::vector<T>& values) {
    return values.data();
  }
  template <class From, class To>
  static void copy_n(From from, std::size_t count, To to) {
    std::copy_n(from, count, to);
  }
  /// A part of the search.
  template <class... Arguments>
  double index_seconds(Arguments const&...) const {
    return 0;
  }
  template <class Work>
  double frame_seconds(Work const& work) const {
    auto const start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  farpoint::host_exec exec_;
};

template <class Value>
bool equal_bytes(std::vector<Value> const& a, std::vector<Value> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

}  // namespace

splat_frame frame_on_host(std::vector<point3> const& cloud, frame_request const& request, int threads,
                          std::vector<float> const& colors) {
  host_side side{threads};
  auto made = frame_maker<host_side>{side, cloud, request, colors}.make();
  int const used = farpoint::resolve_threads(threads);
  std::snprintf(made.info.device, sizeof made.info.device, "%d host thread%s", used, used == 1 ? "" : "s");
  return made;
}

#if !defined(FARPOINT_WITH_CUDA)
splat_frame frame_on_cuda(std::vector<point3> const&, frame_request const&, std::vector<float> const&) {
  throw std::runtime_error{"this program was built without CUDA"};
}
#endif

bool equal_bits(splat_frame const& a, splat_frame const& b) {
  return equal_bytes(a.seen.visible, b.seen.visible) &&
         equal_bytes(a.seen.neighbors.indices, b.seen.neighbors.indices) &&
         equal_bytes(a.seen.neighbors.distances, b.seen.neighbors.distances) && equal_bytes(a.normals, b.normals) &&
         equal_bytes(a.extents, b.extents) && equal_bytes(a.picture.depths, b.picture.depths) &&
         equal_bytes(a.picture.colors, b.picture.colors);
}

}  // namespace farpoint_tools
