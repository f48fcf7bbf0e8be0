// crop_box() on the arrays of a call_memory, so that one body runs on both backends, and a plain loop as its oracle.
#pragma once

#include <farpoint/subset/crop_box.hpp>

#include "../support/call_memory.hpp"
#include "../support/catch.hpp"
#include "../support/clouds.hpp"
#include "../support/garbage_offsets.hpp"

namespace farpoint_tests {

using farpoint::index_t;

template <class Coord, class Index = std::int32_t>
struct crop_box_problem {
  using scalar = farpoint::scalar_of<Coord>;
  using view = farpoint::point_view<Coord>;

  std::vector<Coord> points;  ///< records of four numbers: three coordinates and one other
  farpoint::bounding_box<scalar> box;
  std::size_t capacity = 0;
  index_t clouds = 1;            ///< number of clouds of a regular batch
  std::vector<index_t> offsets;  ///< offsets of a ragged batch; empty: a regular batch
  index_t largest = -1;

  index_t size() const { return static_cast<index_t>(points.size() / 4); }
  index_t cloud_count() const { return offsets.empty() ? clouds : static_cast<index_t>(offsets.size()) - 1; }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const records = memory.input(points);
    auto const begins = memory.input(offsets);
    view const all{records.data(), size(), 4 * sizeof(Coord)};
    auto const batch = offsets.empty() ? farpoint::batch<view>::regular(all, clouds)
                                       : farpoint::batch<view>::ragged(all, begins, largest);
    farpoint::crop_box_output output;
    output.indices = memory.template output<Index>(capacity);
    output.offsets = memory.template output<index_t>(static_cast<std::size_t>(cloud_count()) + 1);
    output.report = memory.template output<farpoint::crop_box_report>(1).data();
    return crop_box(exec, batch, box, output, memory.scratch(crop_box_workspace_bytes(exec, batch)));
  }

  /// Returns the expected bytes of the outputs, in the order of run(), computed by a loop over each cloud. Entries that
  /// the call does not write are poison.
  std::vector<std::vector<unsigned char>> expected() const {
    std::vector<Index> indices;
    std::vector<index_t> ends{0};
    farpoint::crop_box_report report;
    if (!offsets.empty()) {
      for (std::size_t b = 0; b < offsets.size(); ++b) {
        bool const descends = b > 0 && offsets[b] < offsets[b - 1];
        report.bad_offsets += descends || offsets[b] < 0 || offsets[b] > size() ? 1u : 0u;
      }
    }
    for (index_t b = 0; b < cloud_count(); ++b) {
      if (report.bad_offsets == 0) add_cloud(b, indices, report);
      ends.push_back(static_cast<index_t>(indices.size()));
    }
    call_memory<host_space> memory;
    auto const written = memory.output<Index>(capacity);
    std::copy(indices.begin(), indices.end(), written.data());
    auto const written_ends = memory.output<index_t>(ends.size());
    std::copy(ends.begin(), ends.end(), written_ends.data());
    *memory.output<farpoint::crop_box_report>(1).data() = report;
    return memory.outputs();
  }

 private:
  void add_cloud(index_t b, std::vector<Index>& indices, farpoint::crop_box_report& report) const {
    index_t const begin = offsets.empty() ? b * (size() / clouds) : offsets[static_cast<std::size_t>(b)];
    index_t end = offsets.empty() ? begin + size() / clouds : offsets[static_cast<std::size_t>(b) + 1];
    if (!offsets.empty() && largest >= 0) end = std::min(end, begin + largest);
    for (index_t i = begin; i < end; ++i) {
      bool finite = true, inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        auto const x = static_cast<scalar>(points[static_cast<std::size_t>(4 * i + axis)]);
        finite = finite && std::isfinite(x);
        inside = inside && x >= box.low[axis] && x < box.high[axis];
      }
      if (!finite) {
        ++report.non_finite;
      } else if (!inside) {
        ++report.outside;
      } else if (indices.size() == capacity) {
        ++report.over_capacity;
      } else {
        ++report.written;
        indices.push_back(static_cast<Index>(i - begin));
      }
    }
  }
};

/// Makes a problem with a box that has about half of the points or has points on its faces, in batches of all kinds,
/// also invalid ones.
template <class Coord, class Index = std::int32_t>
crop_box_problem<Coord, Index> random_crop_box(std::uint64_t seed, shape which, std::size_t n) {
  random_source random{seed};
  crop_box_problem<Coord, Index> problem;
  auto const cloud = make_cloud(which, n, seed);
  for (auto const& point : cloud) {
    for (double const x : {point[0], point[1], point[2], std::nan("")}) problem.points.push_back(static_cast<Coord>(x));
  }
  using scalar = typename crop_box_problem<Coord, Index>::scalar;
  auto const count = static_cast<index_t>(n);
  for (int axis = 0; axis < 3; ++axis) {
    auto const bound = [&]() -> scalar {
      if (n == 0) return static_cast<scalar>(random.uniform());
      auto const i = static_cast<std::size_t>(random.below(count));
      auto const x = static_cast<scalar>(problem.points[4 * i + static_cast<std::size_t>(axis)]);
      return std::isnan(x) ? scalar(0) : x;
    };
    scalar const a = bound(), b = bound();
    constexpr scalar infinity = std::numeric_limits<scalar>::infinity();
    bool const limits = random.below(3) != 0;
    problem.box.low[axis] = limits ? std::min(a, b) : -infinity;
    problem.box.high[axis] = limits ? std::max(a, b) : infinity;
  }
  problem.capacity = random.below(3) == 0 ? static_cast<std::size_t>(random.below(count + 1)) : n;
  switch (random.below(5)) {
    case 0: break;
    case 1: problem.clouds = n % 4 == 0 ? 4 : 1; break;
    case 2: problem.offsets = garbage_offsets(random, count, 1 + random.below(40)); break;
    default:
      // Many clouds are empty, or begin at a tile of the device or at a chunk of the host.
      for (index_t b = random.below(60); b >= 0; --b) {
        index_t const at = random.below(count + 1);
        problem.offsets.push_back(random.below(2) == 0 ? at : at / 2048 * 2048);
      }
      if (random.below(2) == 0) problem.offsets.insert(problem.offsets.end(), 3, count);
      std::sort(problem.offsets.begin(), problem.offsets.end());
      if (random.below(3) == 0) problem.largest = random.below(count + 1);
  }
  return problem;
}

/// Calls `check(problem)` for problems of all shapes and sizes.
template <class Check>
void for_crop_boxes(Check const& check) {
  std::uint64_t seed = 0;
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 31u, 300u, 2048u, 10000u}) {
      CAPTURE(static_cast<int>(which), n, seed);
      check(random_crop_box<float>(++seed, which, n));
      check(random_crop_box<float>(++seed, which, n));
      check(random_crop_box<double, std::int64_t>(++seed, which, n));
    }
  }
}

}  // namespace farpoint_tests
