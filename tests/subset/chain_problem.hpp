// Crop, draw, gather and voxelize one after another, where counts are known to the calls only, and the same by calls
// that return containers.
#pragma once

#include <farpoint/gather.hpp>
#include <farpoint/subset/crop_box.hpp>
#include <farpoint/subset/random_subset.hpp>
#include <farpoint/voxelize.hpp>

#include "../support/call_memory.hpp"
#include "../support/catch.hpp"
#include "../support/clouds.hpp"

namespace farpoint_tests {

using farpoint::index_t;

struct chain_problem {
  using view = farpoint::point_view<float>;
  using clouds = farpoint::batch<view>;

  std::vector<std::array<float, 3>> points;
  farpoint::bounding_box<float> box;
  std::size_t room = 0;  ///< for points in the box
  index_t samples = 0;
  std::uint64_t seed = 0;
  float edge = 1;

  /// Grid over the whole cloud: a part's voxels are among the cloud's.
  farpoint::voxelize_params<float> params() const {
    farpoint::voxelize_params<float> params;
    params.grid = farpoint::voxel_grid<float>::around(points, edge);
    return params;
  }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const drawn_room = static_cast<std::size_t>(samples);
    auto const map = memory.input(points);
    auto const indices = memory.template scratch<std::int32_t>(room);
    auto const offsets = memory.template scratch<index_t>(2);
    auto const kept = memory.template scratch<float>(3 * room);
    auto const draws = memory.template scratch<std::int32_t>(drawn_room);
    auto const rows = memory.template scratch<float>(3 * drawn_room);
    auto const drawn_offsets = memory.template output<index_t>(2);
    farpoint::voxelize_output<float> voxels;
    voxels.capacity = samples;
    voxels.centroid = memory.template output<float>(3 * drawn_room);
    voxels.voxel_count = memory.template output<std::int32_t>(1);
    voxels.report = memory.template output<farpoint::voxelize_report>(1).data();

    auto const size = static_cast<index_t>(points.size());
    clouds const whole{view{map.data(), size}};
    clouds const part = clouds::ragged(view{kept.data(), static_cast<index_t>(room)}, offsets);
    clouds const sample = clouds::ragged(view{rows.data(), samples}, drawn_offsets);
    farpoint::span<float const> const coordinates{reinterpret_cast<float const*>(map.data()), 3 * points.size()};

    using rows_in = farpoint::feature_rows<float const>;
    using rows_out = farpoint::feature_rows<float>;
    farpoint::result outcome =
        crop_box(exec, whole, box, {indices, offsets, nullptr}, memory.scratch(crop_box_workspace_bytes(exec, whole)));
    if (outcome) {
      outcome = farpoint::gather<float>(exec, rows_in::regular(coordinates, 1, 3), indices,
                                        rows_out::ragged(kept, offsets, 3));
    }
    if (outcome) outcome = random_subset(exec, part, samples, seed, {draws, drawn_offsets, nullptr});
    if (outcome) {
      outcome = farpoint::gather<float>(exec, rows_in::ragged(kept, offsets, 3), draws,
                                        rows_out::ragged(rows, drawn_offsets, 3));
    }
    if (!outcome) return outcome;
    return voxelize(exec, sample, params(), voxels,
                    memory.scratch(voxelize_workspace_bytes(exec, sample, params(), voxels)));
  }

  std::vector<std::vector<unsigned char>> expected() const {
    auto indices = farpoint::crop_box(points, box);
    indices.resize(std::min(indices.size(), room));
    auto const kept = farpoint::gather(points, indices);
    auto const sample = farpoint::gather(kept, farpoint::random_subset(kept, samples, seed));
    auto const found = farpoint::voxelize(sample, params());
    call_memory<host_space> memory;
    memory.output<index_t>(2)[0] = 0;
    auto const centroids = memory.output<float>(3 * static_cast<std::size_t>(samples));
    std::copy(found.centroids.begin(), found.centroids.end(), centroids.data());
    memory.output<std::int32_t>(1)[0] = static_cast<std::int32_t>(found.points_per_voxel.size());
    *memory.output<farpoint::voxelize_report>(1).data() = found.report;
    memory.rewind();
    auto const offsets = memory.output<index_t>(2);
    offsets[1] = static_cast<index_t>(sample.size());
    return memory.outputs();
  }
};

/// Calls `check(problem)` for chains whose counts are 0, all points, and more than `room`.
template <class Check>
void for_chains(Check const& check) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    chain_problem problem;
    auto const which = seed % 3 == 0 ? shape::non_finite : seed % 3 == 1 ? shape::cube : shape::lattice;
    for (auto const& p : make_cloud(which, seed % 4 == 3 ? 5 : 9000, seed)) {
      problem.points.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    }
    problem.box = {{{0.25f, 0, 0}}, {{seed == 4 ? 0.25f : 0.75f, 1, 5}}};
    problem.room = seed % 5 == 1 ? 100 : 9000;
    problem.samples = seed == 6 ? 9000 : 700;
    problem.seed = seed;
    problem.edge = 0.125f;
    check(problem);
  }
}

}  // namespace farpoint_tests
