/// @file
/// The searches: knn(), radius(), radius_rows(), and what stands on them.
#include "arrays.hpp"
#include "module.hpp"
#include "quick.hpp"
#include "radius_params.hpp"

#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/three_nn.hpp>
#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_rows.hpp>

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
  farpoint::knn_params const params{k, max_radius, exclude_self};
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::knn_output<scalar> const out{indices_of(indices), values_of<scalar>(distances)};
    with_queries<scalar>(
        "knn: queries have another type than points", where, points, offsets, queries, query_offsets,
        [&](auto const&... clouds) {
          call(
              where, [&](auto const& options) { return farpoint::runtime::knn(clouds..., params, out, options); },
              [&](auto exec) { return farpoint::knn_workspace_bytes(exec, clouds..., params); },
              [&](auto exec, auto workspace) { return farpoint::knn(exec, clouds..., params, out, workspace); });
        });
  });
}

/// knn() of three neighbors, with distances in meters, and index 0 for neighbors that are missing.
void three_nn(place const& where, input const& points, optional_input const& offsets, input const& queries,
              optional_input const& query_offsets, output const& indices, output const& distances) {
  constexpr farpoint::knn_params params{3};
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    if (!holds<scalar>(queries)) refuse("three_nn: unknown points have another type than known ones");
    farpoint::knn_output<scalar> const out{indices_of(indices), values_of<scalar>(distances)};
    farpoint::compat::detail::root_of_distance<scalar> const root{out.distances, out.indices};
    if (out.indices.size() != static_cast<index_t>(out.distances.size())) {
      refuse("three_nn: outputs have different sizes");
    }
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    auto const asked = clouds_of<scalar>(where, queries, query_offsets);
    call(
        where,
        [&](auto const& options) {
          auto const found = farpoint::runtime::knn(clouds, asked, params, out, options);
          return found ? for_each_index(farpoint::host_exec{options.threads}, out.indices.size(), root) : found;
        },
        [&](auto exec) { return farpoint::knn_workspace_bytes(exec, clouds, asked, params); },
        [&](auto exec, auto workspace) {
          auto const found = farpoint::knn(exec, clouds, asked, params, out, workspace);
          return found ? farpoint::library::root_of_distances(exec, out.indices, out.distances) : found;
        });
  });
}

template <class Index>
farpoint::result repeat_first_of(farpoint::span<Index> rows, index_t columns, int threads) {
  farpoint::compat::detail::fill_by_first<Index> const fill{rows.data(), columns, false, 0};
  return for_each_index(farpoint::host_exec{threads}, static_cast<index_t>(rows.size()) / columns, fill, columns);
}

farpoint::result repeat_first(output const& rows, index_t columns, int threads) {
  if (holds<std::int32_t>(rows)) return repeat_first_of(values_of<std::int32_t>(rows), columns, threads);
  return repeat_first_of(values_of<std::int64_t>(rows), columns, threads);
}

/// Neighbors within a radius, in rows of params.max_neighbors each.
/// @param repeats_first  rows are filled with their first neighbor, or zeros; then `indices` are needed
void radius_lists(place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
                  optional_input const& query_offsets, farpoint::radius_params const& params, bool repeats_first,
                  optional_output const& indices, optional_output const& distances, optional_output const& counts) {
  index_t const columns = params.max_neighbors;
  bool const fills = repeats_first && columns > 0 && indices;
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::radius_output<scalar> const out{indices_of(indices), values_of<scalar>(distances), indices_of(counts)};
    with_queries<scalar>("radius: queries have another type than points", where, points, offsets, queries,
                         query_offsets, [&](auto const&... clouds) {
                           call(
                               where,
                               [&](auto const& options) {
                                 auto const found = farpoint::runtime::radius(clouds..., params, out, options);
                                 return found && fills ? repeat_first(*indices, columns, options.threads) : found;
                               },
                               [&](auto exec) { return farpoint::radius_workspace_bytes(exec, clouds...); },
                               [&](auto exec, auto workspace) {
                                 auto const found = farpoint::radius(exec, clouds..., params, out, workspace);
                                 return found && fills ? farpoint::library::repeat_first(exec, out.indices, columns)
                                                       : found;
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
              where,
              [&](auto const& options) { return farpoint::runtime::radius_rows(clouds..., params, out, options); },
              [&](auto exec) { return farpoint::radius_workspace_bytes(exec, clouds...); },
              [&](auto exec, auto workspace) {
                return farpoint::radius_rows(exec, clouds..., params, out, workspace);
              });
        });
  });
}

void normals(place const& where, input const& points, optional_input const& offsets,
             farpoint::normals_params const& params, output const& normals, optional_output const& curvatures,
             optional_output const& covariances) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    farpoint::normals_output<scalar> out;
    out.normals = values_of<scalar>(normals);
    out.curvatures = values_of<scalar>(curvatures);
    out.covariances = values_of<scalar>(covariances);
    call(
        where, [&](auto const& options) { return farpoint::runtime::estimate_normals(clouds, params, out, options); },
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
        where, [&](auto const& options) { return farpoint::runtime::mean_knn_distance(clouds, {k}, {out}, options); },
        [&](auto exec) { return farpoint::mean_knn_distance_workspace_bytes(exec, clouds, {k}); },
        [&](auto exec, auto workspace) { return farpoint::mean_knn_distance(exec, clouds, {k}, {out}, workspace); });
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
        [&](auto const& options) { return farpoint::runtime::interpolate(clouds, from, asked, channels, to, options); },
        [&](auto exec) { return farpoint::interpolate_workspace_bytes(exec, clouds, asked); },
        [&](auto exec, auto workspace) {
          return farpoint::interpolate(exec, clouds, from, asked, channels, to, workspace);
        });
  });
}

/// Arguments of quick_knn() that are no tensors.
struct quick_knn_arguments {
  nb::handle k;
  nb::handle max_radius;
  bool exclude_self = false;
};

nb::object quick_knn(nb::handle points, nb::handle queries, quick_knn_arguments const& arguments, nb::handle index_type,
                     nb::handle threads) {
  tensor_call on{points, threads};
  quick_queries asked;
  tensor_type_id type{};
  index_t most = 0;
  double within = 0;
  if (!on || !are_points(on.first()) || !asked.read(on, queries)) return nb::none();
  if (!read_neighbors(arguments.k, most) || !read_number(arguments.max_radius, within) ||
      !read_index_type(index_type, type)) {
    return nb::none();
  }
  nb::object indices;
  nb::object distances;
  auto const& rows = asked.or_points(on);
  auto const which = on.make_rows(indices, rows, most, type);
  auto const how_far = on.make_rows(distances, rows, most, type_id_of(rows.dtype()));
  knn(on.where(), on.first(), {}, asked.given, {}, most, within, arguments.exclude_self, which, how_far);
  return nb::make_tuple(indices, distances);
}

nb::object quick_three_nn(nb::handle unknown, nb::handle known, nb::handle index_type, nb::handle threads) {
  tensor_call on{known, threads, true};
  quick_queries asked;
  tensor_type_id type{};
  if (!on || unknown.is_none() || !are_points(on.first()) || !asked.read(on, unknown)) return nb::none();
  if (!read_index_type(index_type, type)) return nb::none();
  nb::object indices;
  nb::object distances;
  auto const which = on.make_rows(indices, *asked.given, 3, type);
  auto const how_far = on.make_rows(distances, *asked.given, 3, type_id_of(on.first().dtype()));
  three_nn(on.where(), on.first(), {}, *asked.given, {}, which, how_far);
  return nb::make_tuple(distances, indices);
}

nb::object quick_radius(nb::handle points, nb::handle queries, nb::handle radius, nb::handle capacity,
                        nb::handle index_type, nb::handle threads) {
  tensor_call on{points, threads};
  quick_queries asked;
  tensor_type_id type{};
  index_t room = 0;
  farpoint::radius_params params;
  if (!on || !are_points(on.first()) || !asked.read(on, queries) || !read_index_type(index_type, type)) {
    return nb::none();
  }
  if (!read_number(capacity, room) || room < 0 || !read_number(radius, params.radius)) return nb::none();
  nb::object offsets;
  nb::object indices;
  nb::object distances;
  auto const& rows = asked.or_points(on);
  auto const cuts = on.make(offsets, {rows_of(rows) + 1}, type);
  auto const which = on.make(indices, {room}, type);
  auto const how_far = on.make(distances, {room}, type_id_of(rows.dtype()));
  radius_rows(on.where(), on.first(), {}, asked.given, {}, params, cuts, which, how_far);
  return nb::make_tuple(offsets, indices, distances);
}

nb::object quick_ball_query(nb::handle radius_of_ball, nb::handle nsample, nb::handle points, nb::handle queries,
                            nb::handle index_type, nb::handle threads) {
  tensor_call on{points, threads, true};
  quick_queries asked;
  tensor_type_id type{};
  index_t most = 0;
  double within = 0;
  if (!on || !are_points(on.first()) || !asked.read(on, queries) || !holds<float>(on.first())) return nb::none();
  if (!read_neighbors(nsample, most) || !read_number(radius_of_ball, within)) return nb::none();
  auto const narrow = static_cast<float>(within);
  // The square of a smaller radius is 0 as a float.
  if (!(narrow > 1e-22F) || !read_index_type(index_type, type)) return nb::none();
  nb::object indices;
  auto const which = on.make_rows(indices, asked.or_points(on), most, type);
  radius_lists(on.where(), on.first(), {}, asked.given, {}, radius_params_of(within, false, false, true, most), true,
               which, {}, {});
  return indices;
}

}  // namespace

void add_search(nb::module_& m) {
  m.def(
      "quick_knn",
      [](nb::handle points, nb::handle k, nb::handle queries, nb::handle max_radius, bool exclude_self,
         nb::handle index_type, nb::handle threads) {
        return quick_knn(points, queries, {k, max_radius, exclude_self}, index_type, threads);
      },
      nb::arg("points").none(), nb::arg("k").none(), nb::arg("queries").none(), nb::arg("max_radius").none(),
      nb::arg("exclude_self"), nb::arg("index_dtype").none(), nb::arg("threads").none());
  m.def("quick_radius", &quick_radius, nb::arg("points").none(), nb::arg("queries").none(), nb::arg("radius").none(),
        nb::arg("capacity").none(), nb::arg("index_dtype").none(), nb::arg("threads").none());
  m.def("quick_ball_query", &quick_ball_query, nb::arg("radius").none(), nb::arg("nsample").none(),
        nb::arg("xyz").none(), nb::arg("new_xyz").none(), nb::arg("index_dtype").none(), nb::arg("threads").none());
  m.def("quick_three_nn", &quick_three_nn, nb::arg("unknown").none(), nb::arg("known").none(),
        nb::arg("index_dtype").none(), nb::arg("threads").none());
  m.def("three_nn", &three_nn, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("queries"),
        nb::arg("query_offsets").none(), nb::arg("indices"), nb::arg("distances"));
  m.def("knn", &knn, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("queries").none(),
        nb::arg("query_offsets").none(), nb::arg("k"), nb::arg("max_radius"), nb::arg("exclude_self"),
        nb::arg("indices"), nb::arg("distances").none());
  m.def(
      "radius",
      [](place const& where, input const& points, optional_input const& offsets, optional_input const& queries,
         optional_input const& query_offsets, double r, bool nearest, bool exclude_self, bool exclusive, index_t max,
         bool fill, optional_output const& indices, optional_output const& distances, optional_output const& counts) {
        radius_lists(where, points, offsets, queries, query_offsets,
                     radius_params_of(r, nearest, exclude_self, exclusive, max), fill, indices, distances, counts);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("queries").none(),
      nb::arg("query_offsets").none(), nb::arg("radius"), nb::arg("nearest"), nb::arg("exclude_self"),
      nb::arg("exclusive"), nb::arg("max"), nb::arg("repeat_first"), nb::arg("indices").none(),
      nb::arg("distances").none(), nb::arg("counts").none());
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
         double y, double z, output const& out, optional_output const& curvatures, optional_output const& covariances) {
        farpoint::normals_params params;
        params.k = k;
        params.max_radius = max_radius;
        params.viewpoint = {{x, y, z}};
        normals(where, points, offsets, params, out, curvatures, covariances);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("k"), nb::arg("max_radius"), nb::arg("x"),
      nb::arg("y"), nb::arg("z"), nb::arg("normals"), nb::arg("curvatures").none(), nb::arg("covariances").none());
  m.def("mean_knn_distance", &mean_knn_distance, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(),
        nb::arg("k"), nb::arg("means"));
  m.def("interpolate", &interpolate, nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(),
        nb::arg("features"), nb::arg("queries"), nb::arg("query_offsets").none(), nb::arg("channels"), nb::arg("out"));
}

}  // namespace farpoint_python
