// Prints checksums of what a camera sees and of its neighbours, exact and approximate, for every kind of cloud. Built
// by several compilers with several flags; all must print the same.
#include <farpoint/knn_screen.hpp>

#include <cstdio>

#include "../shared/knn_screen_problem.hpp"

using namespace farpoint_tests;

namespace {

/// FNV-1a.
template <class T>
void add(std::uint64_t& hash, std::vector<T> const& values) {
  auto const* const data = reinterpret_cast<unsigned char const*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ data[i]) * 1099511628211u;
}

template <class Scalar, class Camera>
void print(xyz_cloud const& cloud, Camera const& camera, int rounds) {
  std::vector<std::array<Scalar, 3>> points(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) points[i][axis] = static_cast<Scalar>(cloud[i][axis]);
  }
  screen_space method{camera};
  method.rounds = rounds;
  method.layers = rounds == 3 ? 2 : 1;
  auto const found = farpoint::knn(points, 8, method);
  std::uint64_t hash = 1469598103934665603u;
  add(hash, found.visible);
  add(hash, found.pixels);
  add(hash, found.indices);
  add(hash, found.distances);
  std::printf("%zu visible, %d rounds: %016llx\n", found.visible.size(), rounds, static_cast<unsigned long long>(hash));
}

template <class Scalar>
void print_all(xyz_cloud const& cloud) {
  for (int const rounds : {0, 1, 3}) {
    print<Scalar>(cloud, camera_at_cube<Scalar>(60, 50), rounds);
    print<Scalar>(cloud, camera_all_around<Scalar>(100, 40), rounds);
  }
  print<Scalar>(cloud, camera_of_rows<Scalar>(40, 30), 0);
}

}  // namespace

int main() {
  for (shape const which : all_shapes) {
    auto const cloud = make_cloud(which, 2000, 5);
    print_all<float>(cloud);
    print_all<double>(cloud);
  }
}
