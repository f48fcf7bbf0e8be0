/// @file
/// PointIndex: the BVHs of clouds, built once and searched often.
#include "arrays.hpp"
#include "module.hpp"
#include "radius_params.hpp"

#include <farpoint/runtime/host_index.hpp>
#include <farpoint/runtime/stream_calls.hpp>

#include <memory>
#include <variant>

namespace farpoint_python {
namespace {

/// Index of points of one scalar type: on the host the library's own, on a device in memory that this object owns.
template <class Scalar>
struct index_of {
  using clouds = farpoint::batch<farpoint::point_view<Scalar>>;

  farpoint::runtime::point_index<Scalar> host;
  device_memory memory;
  farpoint::device_point_bvh<Scalar> device;

  void build(place const& where, clouds const& points) {
    if (where.on_host()) {
      farpoint::result built;
      signal_stop stop;
      auto options = where.options();
      options.stop = &stop;
      {
        nb::gil_scoped_release const unlocked;
        built = host.build(points, options);
      }
      if (stop.requested()) throw nb::python_error();
      check(built);
      return;
    }
    current_device const current{where};
    memory = device_memory{where, farpoint::point_bvh_bytes(where.exec(), points)};
    check(farpoint::build_point_bvh(where.exec(), points, memory.bytes(), device));
    finish(where);
  }

  /// Builds again, of other points of the same number, in the same memory of a device.
  void rebuild(place const& where, clouds const& points) {
    current_device const current{where};
    check(farpoint::build_point_bvh(where.exec(), points, memory.bytes(), device));
    finish(where);
  }
};

class point_index {
 public:
  point_index(place const& where, input const& points, optional_input const& offsets) : device_{where.device} {
    with_scalar(points, [&](auto zero) {
      using scalar = decltype(zero);
      auto built = std::make_unique<index_of<scalar>>();
      built->build(where, clouds_of<scalar>(where, points, offsets));
      index_ = std::move(built);
    });
  }

  /// Builds again, on a device: only enqueues, and allocates nothing.
  /// @param points  the number of points must be that of the first build
  void rebuild(place const& where, input const& points, optional_input const& offsets) {
    if (where.on_host()) refuse("PointIndex: an index in host memory is not built again");
    visit(where, points,
          [&](auto& index, auto zero) { index.rebuild(where, clouds_of<decltype(zero)>(where, points, offsets)); });
  }

  void knn(place const& where, input const& queries, optional_input const& offsets, index_t k, double max_radius,
           bool exclude_self, output const& indices, optional_output const& distances) const {
    farpoint::knn_params const params{k, max_radius, exclude_self};
    visit(where, queries, [&](auto const& index, auto zero) {
      using scalar = decltype(zero);
      auto const asked = clouds_of<scalar>(where, queries, offsets);
      farpoint::knn_output<scalar> const out{indices_of(indices), values_of<scalar>(distances)};
      call(
          where, [&](auto const& options) { return index.host.knn(asked, params, out, nullptr, options.stop); },
          [&](auto exec) { return farpoint::knn_workspace_bytes(exec, index.device, asked); },
          [&](auto exec, auto workspace) { return farpoint::knn(exec, index.device, asked, params, out, workspace); });
    });
  }

  void radius(place const& where, input const& queries, optional_input const& offsets,
              farpoint::radius_params const& params, optional_output const& indices, optional_output const& distances,
              optional_output const& counts) const {
    visit(where, queries, [&](auto const& index, auto zero) {
      using scalar = decltype(zero);
      auto const asked = clouds_of<scalar>(where, queries, offsets);
      farpoint::radius_output<scalar> const out{indices_of(indices), values_of<scalar>(distances), indices_of(counts)};
      call(
          where, [&](auto const& options) { return index.host.radius(asked, params, out, nullptr, options.stop); },
          [&](auto exec) { return farpoint::radius_workspace_bytes(exec, index.device, asked); },
          [&](auto exec, auto workspace) {
            return farpoint::radius(exec, index.device, asked, params, out, workspace);
          });
    });
  }

  /// Lists of all neighbors, on a device.
  /// @param points         that the index was built from
  /// @param point_offsets  that the index was built with
  void radius_rows(place const& where, input const& points, optional_input const& point_offsets, input const& queries,
                   optional_input const& offsets, farpoint::radius_params const& params, output const& row_offsets,
                   optional_output const& indices, optional_output const& distances) const {
    if (where.on_host()) refuse("PointIndex: lists of all neighbors are on a device");
    visit(where, queries, [&](auto const& index, auto zero) {
      using scalar = decltype(zero);
      if (!holds<scalar>(points)) refuse("PointIndex: the points have another type than the index");
      auto const clouds = clouds_of<scalar>(where, points, point_offsets);
      auto const asked = clouds_of<scalar>(where, queries, offsets);
      farpoint::radius_rows_output<scalar> const out{indices_of(row_offsets), indices_of(indices),
                                                     values_of<scalar>(distances)};
      call(
          where, [](auto const&) { return farpoint::result{}; },
          [&](auto exec) { return farpoint::radius_workspace_bytes(exec, index.device, clouds, asked); },
          [&](auto exec, auto workspace) {
            return farpoint::radius_rows(exec, index.device, clouds, asked, params, out, workspace);
          });
    });
  }

  void interpolate(place const& where, input const& features, input const& queries, optional_input const& offsets,
                   index_t channels, output const& out) const {
    auto const from = values_of<float>(features);
    farpoint::interpolate_output const to{values_of<float>(out)};
    visit(where, queries, [&](auto const& index, auto zero) {
      auto const asked = clouds_of<decltype(zero)>(where, queries, offsets);
      call(
          where,
          [&](auto const& options) { return index.host.interpolate(from, asked, channels, to, nullptr, options.stop); },
          [&](auto exec) { return farpoint::interpolate_workspace_bytes(exec, index.device, asked); },
          [&](auto exec, auto workspace) {
            return farpoint::interpolate(exec, index.device, from, asked, channels, to, workspace);
          });
    });
  }

 private:
  template <class F>
  void visit(place const& where, input const& queries, F const& f) const {
    if (where.device != device_) refuse("PointIndex: queries are on another device than the index");
    std::visit(
        [&](auto const& index) {
          with_scalar(queries, [&](auto zero) {
            using scalar = decltype(zero);
            using index_type = typename std::decay_t<decltype(index)>::element_type;
            if constexpr (std::is_same_v<index_type, index_of<scalar>>) {
              f(*index, zero);
            } else {
              refuse("PointIndex: queries have another type than the points");
            }
          });
        },
        index_);
  }

  int device_;
  std::variant<std::unique_ptr<index_of<float>>, std::unique_ptr<index_of<double>>> index_;
};

}  // namespace

void add_index(nb::module_& m) {
  nb::class_<point_index>(m, "PointIndex")
      .def(nb::init<place const&, input const&, optional_input const&>(), nb::arg("place"), nb::arg("points"),
           nb::arg("offsets").none())
      .def("rebuild", &point_index::rebuild, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none())
      .def("knn", &point_index::knn, nb::arg("place"), nb::arg("queries"), nb::arg("offsets").none(), nb::arg("k"),
           nb::arg("max_radius"), nb::arg("exclude_self"), nb::arg("indices"), nb::arg("distances").none())
      .def(
          "radius",
          [](point_index const& self, place const& where, input const& queries, optional_input const& offsets,
             double radius, bool nearest, bool exclude_self, bool exclusive, index_t max,
             optional_output const& indices, optional_output const& distances, optional_output const& counts) {
            farpoint::radius_params const params = radius_params_of(radius, nearest, exclude_self, exclusive, max);
            self.radius(where, queries, offsets, params, indices, distances, counts);
          },
          nb::arg("place"), nb::arg("queries"), nb::arg("offsets").none(), nb::arg("radius"), nb::arg("nearest"),
          nb::arg("exclude_self"), nb::arg("exclusive"), nb::arg("max"), nb::arg("indices").none(),
          nb::arg("distances").none(), nb::arg("counts").none())
      .def(
          "radius_rows",
          [](point_index const& self, place const& where, input const& points, optional_input const& point_offsets,
             input const& queries, optional_input const& offsets, double radius, bool nearest, bool exclude_self,
             bool exclusive, output const& row_offsets, optional_output const& indices,
             optional_output const& distances) {
            self.radius_rows(where, points, point_offsets, queries, offsets,
                             radius_params_of(radius, nearest, exclude_self, exclusive), row_offsets, indices,
                             distances);
          },
          nb::arg("place"), nb::arg("points"), nb::arg("point_offsets").none(), nb::arg("queries"),
          nb::arg("offsets").none(), nb::arg("radius"), nb::arg("nearest"), nb::arg("exclude_self"),
          nb::arg("exclusive"), nb::arg("row_offsets"), nb::arg("indices").none(), nb::arg("distances").none())
      .def("interpolate", &point_index::interpolate, nb::arg("place"), nb::arg("features"), nb::arg("queries"),
           nb::arg("offsets").none(), nb::arg("channels"), nb::arg("out"));
}

}  // namespace farpoint_python
