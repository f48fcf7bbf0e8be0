/// @file
/// The searches: knn(), radius(), radius_rows(), and what stands on them.
#include "arrays.hpp"
#include "module.hpp"

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>

namespace farpoint_python {
namespace {

/// `search(clouds)`, or, with queries, `search(clouds, queries)`.
template <class Scalar, class Search>
void with_queries(char const* refusal, place const& where, input const& points, optional_input const& offsets,
                  optional_input const& queries, optional_input const& query_offsets, Search const& search) {
  auto const clouds = clouds_of<Scalar>(where, points, offsets);
  if (!queries) return search(clouds);
  if (!holds<Scalar>(*queries)) refuse(refusal);
  search(clouds, clouds_of<Scalar>(where, *queries, query_offsets));
}

void knn(place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
         optional_input const& query_offsets, index_t k, double max_radius, bool exclude_self, output const& indices,
         optional_output const& distances) {
  farpoint::exact const method{max_radius, exclude_self};
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::knn_output<scalar> const out{indices_of(indices), values_of<scalar>(distances)};
    with_queries<scalar>(
        "knn: queries have another type than points", where, points, offsets, queries, query_offsets,
        [&](auto const&... clouds) {
          call(
              where, [&](auto const& wish) { return farpoint::runtime::knn(clouds..., method, k, out, wish); },
              [&](auto exec) { return farpoint::knn_workspace_bytes(exec, clouds..., method, k); },
              [&](auto exec, auto workspace) { return farpoint::knn(exec, clouds..., method, k, out, workspace); });
        });
  });
}

farpoint::radius_params radius_params_of(double radius, bool nearest, bool exclude_self, bool exclusive) {
  farpoint::radius_params params;
  params.radius = radius;
  params.order = nearest ? farpoint::radius_order::nearest : farpoint::radius_order::index;
  params.exclude_self = exclude_self;
  params.exclusive = exclusive;
  return params;
}

void radius(place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
            optional_input const& query_offsets, farpoint::radius_params const& params, index_t max,
            optional_output const& indices, optional_output const& distances, optional_output const& counts) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::radius_output<scalar> const out{indices_of(indices), values_of<scalar>(distances), indices_of(counts)};
    with_queries<scalar>(
        "radius: queries have another type than points", where, points, offsets, queries, query_offsets,
        [&](auto const&... clouds) {
          call(
              where, [&](auto const& wish) { return farpoint::runtime::radius(clouds..., params, max, out, wish); },
              [&](auto exec) { return farpoint::radius_workspace_bytes(exec, clouds...); },
              [&](auto exec, auto workspace) {
                return farpoint::radius(exec, clouds..., params, max, out, workspace);
              });
        });
  });
}

void radius_rows(place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
                 optional_input const& query_offsets, farpoint::radius_params const& params, output const& row_offsets,
                 optional_output const& indices, optional_output const& distances) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::radius_rows_output<scalar> const out{indices_of(row_offsets), indices_of(indices),
                                                   values_of<scalar>(distances)};
    with_queries<scalar>(
        "radius: queries have another type than points", where, points, offsets, queries, query_offsets,
        [&](auto const&... clouds) {
          call(
              where, [&](auto const& wish) { return farpoint::runtime::radius_rows(clouds..., params, out, wish); },
              [&](auto exec) { return farpoint::radius_workspace_bytes(exec, clouds...); },
              [&](auto exec, auto workspace) {
                return farpoint::radius_rows(exec, clouds..., params, out, workspace);
              });
        });
  });
}

void normals(place const& where, input const& points, optional_input const& offsets,
             farpoint::normals_params const& params, output const& normals, optional_output const& curvatures) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    farpoint::normals_output<scalar> out;
    out.normals = values_of<scalar>(normals);
    out.curvatures = values_of<scalar>(curvatures);
    call(
        where, [&](auto const& wish) { return farpoint::runtime::estimate_normals(clouds, params, out, wish); },
        [&](auto exec) { return farpoint::estimate_normals_workspace_bytes(exec, clouds, params); },
        [&](auto exec, auto workspace) { return farpoint::estimate_normals(exec, clouds, params, out, workspace); });
  });
}

void mean_knn_distance(place const& where, input const& points, optional_input const& offsets, index_t k,
                       output const& means) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    auto const out = values_of<scalar>(means);
    call(
        where, [&](auto const& wish) { return farpoint::runtime::mean_knn_distance(clouds, k, out, nullptr, wish); },
        [&](auto exec) { return farpoint::mean_knn_distance_workspace_bytes(exec, clouds, k); },
        [&](auto exec, auto workspace) { return farpoint::mean_knn_distance(exec, clouds, k, out, workspace); });
  });
}

void interpolate(place const& where, input const& points, optional_input const& offsets, input const& features,
                 input const& queries, optional_input const& query_offsets, index_t channels, output const& out) {
  auto const from = values_of<float>(features);
  farpoint::interpolate_output const to{values_of<float>(out)};
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    if (!holds<scalar>(queries)) refuse("interpolate: queries have another type than points");
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    auto const asked = clouds_of<scalar>(where, queries, query_offsets);
    call(
        where,
        [&](auto const& wish) { return farpoint::runtime::interpolate(clouds, from, asked, channels, to, wish); },
        [&](auto exec) { return farpoint::interpolate_workspace_bytes(exec, clouds, asked); },
        [&](auto exec, auto workspace) {
          return farpoint::interpolate(exec, clouds, from, asked, channels, to, workspace);
        });
  });
}

}  // namespace

void add_search(nb::module_& m) {
  m.def("knn", &knn, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("queries").none(),
        nb::arg("query_offsets").none(), nb::arg("k"), nb::arg("max_radius"), nb::arg("exclude_self"),
        nb::arg("indices"), nb::arg("distances").none());
  m.def(
      "radius",
      [](place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
         optional_input const& query_offsets, double r, bool nearest, bool exclude_self, bool exclusive, index_t max,
         optional_output const& indices, optional_output const& distances, optional_output const& counts) {
        radius(where, points, offsets, queries, query_offsets, radius_params_of(r, nearest, exclude_self, exclusive),
               max, indices, distances, counts);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("queries").none(),
      nb::arg("query_offsets").none(), nb::arg("radius"), nb::arg("nearest"), nb::arg("exclude_self"),
      nb::arg("exclusive"), nb::arg("max"), nb::arg("indices").none(), nb::arg("distances").none(),
      nb::arg("counts").none());
  m.def(
      "radius_rows",
      [](place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
         optional_input const& query_offsets, double r, bool nearest, bool exclude_self, bool exclusive,
         output const& row_offsets, optional_output const& indices, optional_output const& distances) {
        radius_rows(where, points, offsets, queries, query_offsets,
                    radius_params_of(r, nearest, exclude_self, exclusive), row_offsets, indices, distances);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("queries").none(),
      nb::arg("query_offsets").none(), nb::arg("radius"), nb::arg("nearest"), nb::arg("exclude_self"),
      nb::arg("exclusive"), nb::arg("row_offsets"), nb::arg("indices").none(), nb::arg("distances").none());
  m.def(
      "normals",
      [](place const& where, input const& points, optional_input const& offsets, index_t k, double max_radius, double x,
         double y, double z, output const& out, optional_output const& curvatures) {
        farpoint::normals_params params;
        params.k = k;
        params.max_radius = max_radius;
        params.viewpoint = {{x, y, z}};
        normals(where, points, offsets, params, out, curvatures);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("k"), nb::arg("max_radius"), nb::arg("x"),
      nb::arg("y"), nb::arg("z"), nb::arg("normals"), nb::arg("curvatures").none());
  m.def("mean_knn_distance", &mean_knn_distance, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(),
        nb::arg("k"), nb::arg("means"));
  m.def("interpolate", &interpolate, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(),
        nb::arg("features"), nb::arg("queries"), nb::arg("query_offsets").none(), nb::arg("channels"), nb::arg("out"));
}

}  // namespace farpoint_python
