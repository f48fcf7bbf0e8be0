// Prints checksums of what a camera sees and of its neighbors, exact and approximate, for every kind of cloud. Built
// by several compilers with several flags; all must print the same.
#include <farpoint/knn_screen.hpp>

#include <cstdio>

#include "../../screen/knn_screen_problem.hpp"
#include "bits_part.hpp"

using namespace farpoint_tests;

namespace {

template <class Scalar, class Camera>
void print(xyz_cloud const& cloud, Camera const& camera, int rounds) {
  std::vector<std::array<Scalar, 3>> points(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) points[i][axis] = static_cast<Scalar>(cloud[i][axis]);
  }
  screen_space method{camera, 8};
  method.rounds = rounds;
  method.layers = rounds == 3 ? 2 : 1;
  auto const found = farpoint::knn(points, method);
  auto const sum = checksum{}.add(found.visible).add(found.pixels).add(found.indices).add(found.distances);
  std::printf("%zu visible, %d rounds: %016llx\n", found.visible.size(), rounds, sum.value());
}

template <class Scalar>
void print_cameras(xyz_cloud const& cloud) {
  for (int const rounds : {0, 1, 3}) {
    print<Scalar>(cloud, camera_at_cube<Scalar>(60, 50), rounds);
    print<Scalar>(cloud, camera_all_around<Scalar>(100, 40), rounds);
  }
  print<Scalar>(cloud, camera_of_rows<Scalar>(40, 30), 0);
}

void print_all(int) {
  for (shape const which : all_shapes) {
    auto const cloud = make_cloud(which, 2000, 5);
    print_cameras<float>(cloud);
    print_cameras<double>(cloud);
  }
}

bits_part const part{"knn_screen", print_all};

}  // namespace
