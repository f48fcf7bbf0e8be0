// Prints a checksum of what the cameras and angle_of() give for random points. Built by several compilers with several
// flags; all must print the same.
#include <farpoint/geometry/camera.hpp>

#include <cstdio>

#include "../../support/random.hpp"
#include "bits_part.hpp"

namespace {

template <class Camera, class Scalar>
void add_pixel(farpoint_tests::checksum& sum, Camera const& camera, farpoint::vec<Scalar> const& point,
               farpoint::index_t index) {
  farpoint::camera_pixel<Scalar> pixel{-1, -1, 0};
  sum.add(camera.project(point, pixel, index)).add(pixel.x).add(pixel.y).add(pixel.depth);
}

template <class Scalar>
void print_cameras(char const* name, std::uint64_t seed) {
  farpoint_tests::checksum sum;
  farpoint_tests::random_source random{seed};
  // The callers' own products and sums must not be fused with the steps inside.
  auto const uniform = [&random](double size) {
    return static_cast<Scalar>((static_cast<double>(random.next() >> 11) * 0x1p-52 - 1) * size);
  };
  farpoint::pinhole_camera<Scalar> pinhole{{{900, 901}}, {{Scalar(959.6), Scalar(540.3)}}};
  pinhole.width = 1920;
  pinhole.height = 1080;
  farpoint::spherical_camera<Scalar> const spherical{Scalar(0.3), Scalar(-0.5), 2048, 128};
  farpoint::organized_camera<Scalar> const organized{640, 480};
  for (int round = 0; round < 300000; ++round) {
    for (auto& row : pinhole.rotation) row = {{uniform(1), uniform(1), uniform(1)}};
    pinhole.translation = {{uniform(2), uniform(2), uniform(2)}};
    farpoint::vec<Scalar> const point{{uniform(50), uniform(50), uniform(9)}};
    add_pixel(sum, pinhole, point, round);
    add_pixel(sum, spherical, point, round);
    add_pixel(sum, organized, point, round);
    sum.add(farpoint::angle_of(point[1], point[0]));
  }
  std::printf("%s %016llx\n", name, sum.value());
}

farpoint_tests::bits_part const part{"camera", [](int) {
                                       print_cameras<float>("float", 1);
                                       print_cameras<double>("double", 2);
                                     }};

}  // namespace
