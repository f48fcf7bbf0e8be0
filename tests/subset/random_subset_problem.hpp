// random_subset() on the arrays of a call_memory, so that one body runs on both backends, and an independent oracle.
#pragma once

#include <farpoint/subset/random_subset.hpp>

#include "../support/call_memory.hpp"
#include "../support/catch.hpp"
#include "../support/garbage_offsets.hpp"

namespace farpoint_tests {

using farpoint::index_t;

/// Computes the permutation that the header's comment defines, with division instead of masks: SplitMix64, a Feistel
/// network of 16 rounds over 2^bits numbers, repeated until the number is an index.
inline index_t permuted_index(index_t size, std::uint64_t seed, index_t i) {
  unsigned bits = 0;
  for (index_t most = size - 1; most > 0; most /= 2) ++bits;
  bits = std::max(bits, 4u);
  std::uint64_t const lows = std::uint64_t{1} << (bits / 2);
  std::uint64_t const highs = std::uint64_t{1} << (bits - bits / 2);
  auto const number = [seed](std::uint64_t at) {
    random_source stream{seed + at * 0x9e3779b97f4a7c15u};
    return stream.next();
  };
  if (size == 1) return 0;
  // The number before the stream's first one decides whether values 0 and 1 are swapped.
  bool const swaps = number(~std::uint64_t{0}) % 2 == 1;
  auto value = static_cast<std::uint64_t>(swaps && i == 0 ? 1 : swaps && i == 1 ? 0 : i);
  do {
    std::uint64_t low = value % lows, high = value / lows;
    for (unsigned round = 0; round < 16; ++round) {
      if (round % 2 == 0) {
        high ^= number(low * 16 + round) % highs;
      } else {
        low ^= number(high * 16 + round) % lows;
      }
    }
    value = high * lows + low;
  } while (value >= static_cast<std::uint64_t>(size));
  return static_cast<index_t>(value);
}

template <class Index = std::int32_t>
struct random_subset_problem {
  using view = farpoint::point_view<double>;

  index_t points = 0;
  index_t samples = 0;
  std::uint64_t seed = 0;
  index_t clouds = 1;            ///< number of clouds of a regular batch
  std::vector<index_t> offsets;  ///< offsets of a ragged batch; empty: a regular batch
  index_t largest = -1;

  index_t cloud_count() const { return offsets.empty() ? clouds : static_cast<index_t>(offsets.size()) - 1; }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const begins = memory.input(offsets);
    // An invalid address: random_subset() does not read points.
    view const all{reinterpret_cast<void const*>(std::uintptr_t{8}), points};
    auto const batch = offsets.empty() ? farpoint::batch<view>::regular(all, clouds)
                                       : farpoint::batch<view>::ragged(all, begins, largest);
    farpoint::random_subset_output output;
    output.indices = memory.template output<Index>(static_cast<std::size_t>(cloud_count() * samples));
    output.offsets = memory.template output<index_t>(static_cast<std::size_t>(cloud_count()) + 1);
    output.report = memory.template output<farpoint::random_subset_report>(1).data();
    return random_subset(exec, batch, samples, seed, output);
  }

  /// Returns the expected bytes of the outputs, in the order of run().
  std::vector<std::vector<unsigned char>> expected() const {
    std::vector<Index> indices;
    std::vector<index_t> ends{0};
    farpoint::random_subset_report report;
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      bool const descends = b > 0 && offsets[b] < offsets[b - 1];
      report.bad_offsets += descends || offsets[b] < 0 || offsets[b] > points ? 1u : 0u;
    }
    for (index_t b = 0; b < cloud_count(); ++b) {
      auto const at = static_cast<std::size_t>(b);
      index_t size = offsets.empty() ? points / clouds : report.bad_offsets > 0 ? 0 : offsets[at + 1] - offsets[at];
      if (!offsets.empty() && largest >= 0) size = std::min(size, largest);
      random_source seeds{seed + static_cast<std::uint64_t>(b) * 0x9e3779b97f4a7c15u};
      std::uint64_t const own_seed = seeds.next();
      for (index_t i = 0; i < std::min(size, samples); ++i) {
        indices.push_back(static_cast<Index>(permuted_index(size, own_seed, i)));
      }
      ends.push_back(static_cast<index_t>(indices.size()));
    }
    indices.resize(static_cast<std::size_t>(cloud_count() * samples), -1);
    call_memory<host_space> memory;
    auto const written = memory.output<Index>(indices.size());
    std::copy(indices.begin(), indices.end(), written.data());
    auto const written_ends = memory.output<index_t>(ends.size());
    std::copy(ends.begin(), ends.end(), written_ends.data());
    *memory.output<farpoint::random_subset_report>(1).data() = report;
    return memory.outputs();
  }
};

template <class Index = std::int32_t>
random_subset_problem<Index> random_subset_of(std::uint64_t seed) {
  random_source random{seed};
  random_subset_problem<Index> problem;
  problem.seed = random.next();
  problem.points = random.below(3) == 0 ? random.below(20) : random.below(5000);
  problem.samples = random.below(random.below(2) == 0 ? 10 : 600);
  switch (random.below(5)) {
    case 0: break;
    case 1:
      problem.clouds = 1 + random.below(5);
      problem.points *= problem.clouds;
      break;
    case 2: problem.offsets = garbage_offsets(random, problem.points, 1 + random.below(40)); break;
    default:
      for (index_t b = random.below(60); b >= 0; --b) problem.offsets.push_back(random.below(problem.points + 1));
      if (random.below(2) == 0) problem.offsets.insert(problem.offsets.end(), 3, problem.points);
      std::sort(problem.offsets.begin(), problem.offsets.end());
      if (random.below(3) == 0) problem.largest = random.below(problem.points + 1);
  }
  return problem;
}

/// Calls `check(problem)` for batches of all kinds.
template <class Check>
void for_random_subsets(Check const& check) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check(random_subset_of<>(seed));
    check(random_subset_of<std::int64_t>(seed + 1000));
  }
  for (auto const& [points, samples] : {std::pair<index_t, index_t>{0, 0}, {0, 3}, {1, 3}, {16, 16}, {17, 16}}) {
    random_subset_problem<> problem;
    problem.points = points;
    problem.samples = samples;
    check(problem);
    problem.clouds = points == 0 ? 0 : 1;
    check(problem);
  }
  // Clouds that exceed any memory.
  for (index_t const points : {index_t{1} << 48, (index_t{1} << 40) + 1}) {
    random_subset_problem<std::int64_t> problem;
    problem.points = points;
    problem.samples = 100;
    check(problem);
  }
}

}  // namespace farpoint_tests
