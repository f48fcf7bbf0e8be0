/// @file
/// knn() in screen space.
#include "arrays.hpp"
#include "module.hpp"

#include <farpoint/geometry/camera.hpp>
#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_screen.hpp>

#include <nanobind/stl/vector.h>

#include <vector>

namespace farpoint_python {
namespace {

/// A camera of the Python half.
struct camera_arguments {
  int kind;  ///< 0: pinhole, 1: spherical, 2: organized
  std::int32_t width;
  std::int32_t height;
  double nearest;
  double farthest;
  std::vector<double> numbers;  ///< its own, in the order of its fields

  void need(std::size_t count) const {
    if (numbers.size() != count) refuse("screen_knn: the camera has another number of parameters");
  }

  template <class Camera>
  Camera with_image(Camera camera) const {
    using scalar = typename Camera::scalar;
    camera.width = width;
    camera.height = height;
    camera.near_depth = static_cast<scalar>(nearest);
    camera.far_depth = static_cast<scalar>(farthest);
    return camera;
  }

  template <class Scalar, class F>
  void visit(F const& f) const {
    auto const at = [this](std::size_t i) { return static_cast<Scalar>(numbers[i]); };
    if (kind == 0) {
      need(16);
      farpoint::pinhole_camera<Scalar> camera;
      camera.focal = {{at(0), at(1)}};
      camera.center = {{at(2), at(3)}};
      for (std::size_t row = 0; row < 3; ++row) {
        camera.rotation[row] = {{at(4 + 3 * row), at(5 + 3 * row), at(6 + 3 * row)}};
      }
      camera.translation = {{at(13), at(14), at(15)}};
      f(with_image(camera));
    } else if (kind == 1) {
      need(2);
      farpoint::spherical_camera<Scalar> camera;
      camera.top = at(0);
      camera.bottom = at(1);
      f(with_image(camera));
    } else {
      need(1);
      farpoint::organized_camera<Scalar> camera;
      camera.depth_kind = numbers[0] != 0 ? farpoint::organized_depth::z : farpoint::organized_depth::range;
      f(with_image(camera));
    }
  }
};

struct screen_rules {
  index_t k;
  int rounds;
  index_t candidates;
  double max_radius;
  bool exclude_self;
  bool input_rows;
  int layers;
};

struct screen_arrays {
  output indices;
  optional_output distances;
  optional_output counts;
  optional_output pixels;
  optional_output visible;
  optional_output visible_count;
};

void screen_knn(place const& where, input const& points, camera_arguments const& arguments, screen_rules const& rules,
                screen_arrays const& arrays) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const cloud = clouds_of<scalar>(where, points, {});
    farpoint::knn_screen_output<scalar> out;
    out.indices = indices_of(arrays.indices);
    out.distances = values_of<scalar>(arrays.distances);
    out.counts = indices_of(arrays.counts);
    out.pixels = indices_of(arrays.pixels);
    out.visible = indices_of(arrays.visible);
    out.visible_count = indices_of(arrays.visible_count);
    arguments.visit<scalar>([&](auto const& camera) {
      farpoint::screen_space method{camera, rules.k};
      method.rounds = rules.rounds;
      method.candidates = rules.candidates;
      method.max_radius = rules.max_radius;
      method.exclude_self = rules.exclude_self;
      method.rows = rules.input_rows ? farpoint::screen_rows::input : farpoint::screen_rows::visible;
      method.layers = rules.layers;
      call(
          where, [&](auto const& options) { return farpoint::runtime::knn(cloud, method, out, options); },
          [&](auto exec) { return farpoint::knn_workspace_bytes(exec, cloud, method); },
          [&](auto exec, auto workspace) { return farpoint::knn(exec, cloud, method, out, workspace); });
    });
  });
}

}  // namespace

void add_screen(nb::module_& m) {
  m.def(
      "screen_knn",
      [](place const& where, input const& points, int kind, std::int32_t width, std::int32_t height, double nearest,
         double farthest, std::vector<double> numbers, index_t k, int rounds, index_t candidates, double max_radius,
         bool exclude_self, bool input_rows, int layers, output const& indices, optional_output const& distances,
         optional_output const& counts, optional_output const& pixels, optional_output const& visible,
         optional_output const& visible_count) {
        screen_knn(where, points, {kind, width, height, nearest, farthest, std::move(numbers)},
                   {k, rounds, candidates, max_radius, exclude_self, input_rows, layers},
                   {indices, distances, counts, pixels, visible, visible_count});
      },
      nb::arg("place"), nb::arg("points"), nb::arg("kind"), nb::arg("width"), nb::arg("height"), nb::arg("nearest"),
      nb::arg("farthest"), nb::arg("numbers"), nb::arg("k"), nb::arg("rounds"), nb::arg("candidates"),
      nb::arg("max_radius"), nb::arg("exclude_self"), nb::arg("input_rows"), nb::arg("layers"), nb::arg("indices"),
      nb::arg("distances").none(), nb::arg("counts").none(), nb::arg("pixels").none(), nb::arg("visible").none(),
      nb::arg("visible_count").none());
}

}  // namespace farpoint_python
