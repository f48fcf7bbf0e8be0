/// @file
/// fps() and voxelize() on ranks.
#include "fps_params.hpp"
#include "module.hpp"
#include "python_ranks.hpp"
#include "shard_arrays.hpp"

#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include <utility>

namespace farpoint_python {
namespace {

void fps_shard(python_ranks& ranks, farpoint::host_exec exec, part_of_cloud const& part,
               farpoint::fps_params const& params, output const& indices, output const& distances) {
  with_scalar(part.points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const points = part.as<scalar>();
    farpoint::fps_shard_output<scalar> out;
    out.indices = values_of<index_t>(indices);
    out.distances = values_of<scalar>(distances);
    on_ranks(
        ranks, [&] { return fps_shard_workspace_bytes(exec, ranks.ranks(), points, params, out); },
        [&](farpoint::bytes workspace) { return farpoint::fps_shard(exec, ranks, points, params, out, workspace); });
  });
}

/// @return whether there was room, and the points that the rank has to receive
room_outcome voxelize_shard(python_ranks& ranks, farpoint::host_exec exec, part_of_cloud const& part,
                            voxelize_arguments const& arguments, voxel_rows const& rows) {
  room_outcome done;
  with_scalar(part.points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const points = part.as<scalar>();
    auto const params = params_of<scalar>(arguments, part.points, rows.arrays.reads_features());
    auto out = rows.of_rank<scalar>();
    out.received = &done.second;
    done.first = on_ranks(
        ranks, [&] { return voxelize_shard_workspace_bytes(exec, ranks.ranks(), points, params, out); },
        [&](farpoint::bytes workspace) {
          return farpoint::voxelize_shard(exec, ranks, points, params, out, workspace);
        });
  });
  return done;
}

bool gather_voxels(python_ranks& ranks, farpoint::host_exec exec, input const& points,
                   voxelize_arguments const& arguments, voxel_rows const& own, voxel_rows const& all) {
  bool fits = false;
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const params = params_of<scalar>(arguments, points, own.arrays.reads_features());
    auto const from = own.of_rank<scalar>();
    auto const to = all.arrays.outputs<scalar>();
    fits = on_ranks(
        ranks, [&] { return gather_voxels_workspace_bytes(ranks.ranks(), params, from, to); },
        [&](farpoint::bytes workspace) { return farpoint::gather_voxels(exec, ranks, params, from, to, workspace); });
  });
  return fits;
}

using bounds = std::array<double, 3>;

}  // namespace

void add_distributed(nb::module_& m) {
  m.def(
      "fps_shard",
      [](nb::object transport, int threads, input const& points, index_t first_index, index_t samples, index_t first,
         double stop_below, std::optional<std::uint64_t> seed, optional_input const& chosen, output const& indices,
         output const& distances) {
        python_ranks ranks{std::move(transport)};
        farpoint::fps_params params = fps_params_of(samples, first, stop_below, seed);
        params.chosen = indices_of(chosen);
        fps_shard(ranks, {threads}, {points, first_index}, params, indices, distances);
      },
      nb::arg("transport"), nb::arg("threads"), nb::arg("points"), nb::arg("first_index"), nb::arg("samples"),
      nb::arg("first"), nb::arg("stop_below"), nb::arg("seed").none(), nb::arg("chosen").none(), nb::arg("indices"),
      nb::arg("distances"));
  m.def(
      "voxelize_shard",
      [](nb::object transport, int threads, input const& points, index_t first_index, bounds const& lower,
         bounds const& upper, bounds const& size, std::optional<index_t> max_voxels, std::optional<index_t> max_points,
         bool zyx, nb::dict const& outputs, output const& numbers, index_t received_capacity) {
        python_ranks ranks{std::move(transport)};
        auto const capacity = static_cast<index_t>(numbers.size());
        return voxelize_shard(ranks, {threads}, {points, first_index}, {lower, upper, size, max_voxels, max_points},
                              {arrays_of(outputs, capacity, false, zyx), numbers, received_capacity});
      },
      nb::arg("transport"), nb::arg("threads"), nb::arg("points"), nb::arg("first_index"), nb::arg("lower"),
      nb::arg("upper"), nb::arg("size"), nb::arg("max_voxels").none(), nb::arg("max_points").none(), nb::arg("zyx"),
      nb::arg("outputs"), nb::arg("numbers"), nb::arg("received_capacity"));
  m.def(
      "gather_voxels",
      [](nb::object transport, int threads, input const& points, bounds const& lower, bounds const& upper,
         bounds const& size, std::optional<index_t> max_voxels, std::optional<index_t> max_points, bool zyx,
         nb::dict const& own, output const& numbers, nb::dict const& all, index_t capacity) {
        python_ranks ranks{std::move(transport)};
        auto const rows = static_cast<index_t>(numbers.size());
        return gather_voxels(ranks, {threads}, points, {lower, upper, size, max_voxels, max_points},
                             {arrays_of(own, rows, false, zyx), numbers}, {arrays_of(all, capacity, false, zyx), {}});
      },
      nb::arg("transport"), nb::arg("threads"), nb::arg("points"), nb::arg("lower"), nb::arg("upper"), nb::arg("size"),
      nb::arg("max_voxels").none(), nb::arg("max_points").none(), nb::arg("zyx"), nb::arg("own"), nb::arg("numbers"),
      nb::arg("all"), nb::arg("capacity"));
}

}  // namespace farpoint_python
