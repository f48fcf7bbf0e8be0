// Prints a checksum of what the cameras and angle_of() give for random points. Built by several compilers with several
// flags; all must print the same.
#include <farpoint/geometry/camera.hpp>

#include <cstdio>
#include <cstring>

#include "../shared/random.hpp"

namespace {

std::uint64_t hash = 1469598103934665603u;  // FNV-1a

template <class Value>
void add(Value value) {
  unsigned char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  for (unsigned char const byte : bytes) hash = (hash ^ byte) * 1099511628211u;
}

template <class Camera, class Scalar>
void add_pixel(Camera const& camera, farpoint::vec<Scalar> const& point, farpoint::index_t index) {
  farpoint::camera_pixel<Scalar> pixel{-1, -1, 0};
  add(camera.project(point, pixel, index));
  add(pixel.x);
  add(pixel.y);
  add(pixel.depth);
}

template <class Scalar>
void add_cameras(std::uint64_t seed) {
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
    add_pixel(pinhole, point, round);
    add_pixel(spherical, point, round);
    add_pixel(organized, point, round);
    add(farpoint::angle_of(point[1], point[0]));
  }
}

}  // namespace

int main() {
  add_cameras<float>(1);
  std::printf("float %016llx\n", static_cast<unsigned long long>(hash));
  add_cameras<double>(2);
  std::printf("double %016llx\n", static_cast<unsigned long long>(hash));
}
