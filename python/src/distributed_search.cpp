/// @file
/// knn() and radius() on ranks.
#include "module.hpp"
#include "python_ranks.hpp"
#include "radius_params.hpp"
#include "shard_arrays.hpp"

#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>

namespace farpoint_python {
namespace {

/// Calls f with the part and the queries, which are the part's points if none are given.
template <class Scalar, class F>
void with_queries(part_of_cloud const& part, optional_input const& queries, F const& f) {
  auto const points = part.as<Scalar>();
  if (!queries) return f(points, points.points);
  if (!holds<Scalar>(*queries)) refuse("queries have another type than points");
  f(points, points_of<Scalar>(*queries, false));
}

void knn_shard(python_ranks& ranks, farpoint::host_exec exec, part_of_cloud const& part, optional_input const& queries,
               farpoint::knn_params const& params, output const& indices, output const& distances) {
  with_scalar(part.points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::knn_shard_output<scalar> out;
    out.indices = values_of<index_t>(indices);
    out.distances = values_of<scalar>(distances);
    with_queries<scalar>(part, queries, [&](auto const& points, auto const& asked) {
      search_on_ranks(
          ranks, [&] { return knn_shard_plan_workspace_bytes(exec, ranks.ranks(), points, asked, params, out); },
          [&](farpoint::bytes workspace) {
            return farpoint::knn_shard_plan(exec, ranks, points, asked, params, out, workspace);
          });
    });
  });
}

void radius_shard(python_ranks& ranks, farpoint::host_exec exec, part_of_cloud const& part,
                  optional_input const& queries, farpoint::radius_params const& params, output const& indices,
                  output const& distances, output const& counts) {
  with_scalar(part.points, [&](auto zero) {
    using scalar = decltype(zero);
    farpoint::radius_shard_output<scalar> out;
    out.indices = values_of<index_t>(indices);
    out.distances = values_of<scalar>(distances);
    out.counts = values_of<index_t>(counts);
    with_queries<scalar>(part, queries, [&](auto const& points, auto const& asked) {
      search_on_ranks(
          ranks, [&] { return radius_shard_plan_workspace_bytes(exec, ranks.ranks(), points, asked, params, out); },
          [&](farpoint::bytes workspace) {
            return farpoint::radius_shard_plan(exec, ranks, points, asked, params, out, workspace);
          });
    });
  });
}

}  // namespace

void add_distributed_search(nb::module_& m) {
  m.def(
      "knn_shard",
      [](nb::object transport, int threads, input const& points, index_t first_index, optional_input const& queries,
         index_t k, double max_radius, bool exclude_self, output const& indices, output const& distances) {
        python_ranks ranks{std::move(transport)};
        knn_shard(ranks, {threads}, {points, first_index}, queries, {k, max_radius, exclude_self}, indices, distances);
      },
      nb::arg("transport"), nb::arg("threads"), nb::arg("points"), nb::arg("first_index"), nb::arg("queries").none(),
      nb::arg("k"), nb::arg("max_radius"), nb::arg("exclude_self"), nb::arg("indices"), nb::arg("distances"));
  m.def(
      "radius_shard",
      [](nb::object transport, int threads, input const& points, index_t first_index, optional_input const& queries,
         double radius, bool nearest, bool exclude_self, bool exclusive, index_t max, output const& indices,
         output const& distances, output const& counts) {
        python_ranks ranks{std::move(transport)};
        radius_shard(ranks, {threads}, {points, first_index}, queries,
                     radius_params_of(radius, nearest, exclude_self, exclusive, max), indices, distances, counts);
      },
      nb::arg("transport"), nb::arg("threads"), nb::arg("points"), nb::arg("first_index"), nb::arg("queries").none(),
      nb::arg("radius"), nb::arg("nearest"), nb::arg("exclude_self"), nb::arg("exclusive"), nb::arg("max"),
      nb::arg("indices"), nb::arg("distances"), nb::arg("counts"));
}

}  // namespace farpoint_python
