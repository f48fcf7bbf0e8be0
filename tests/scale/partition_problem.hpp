// Points partitioned by small keys: stream_partition against std::stable_sort, on the host and on a GPU.
#pragma once

#include <farpoint/scale/stream/partition.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../support/random.hpp"

namespace farpoint_tests {

/// Keys of points, and marks of positions in sorted order.
struct partition_problem {
  int kinds;
  std::vector<unsigned char> keys;      ///< `[points]`
  std::vector<std::uint32_t> order;     ///< `[points]`: index of the point at each position
  std::vector<std::uint32_t> begins;    ///< `[kinds + 1]`: first position of each key
  std::vector<unsigned char> marked;    ///< `[points]`: 1 if the position is marked
  std::vector<std::uint32_t> prefixes;  ///< `[points + 1]`: number of marked positions before each

  /// @param rare  one point in `rare` has a random key, the others have key 0
  partition_problem(std::size_t size, int number_of_kinds, std::int64_t rare, random_source& random)
      : kinds{number_of_kinds}, keys(size), order(size), begins(static_cast<std::size_t>(kinds) + 1), marked(size) {
    for (auto& key : keys) key = static_cast<unsigned char>(random.below(rare) == 0 ? random.below(kinds) : 0);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [this](auto a, auto b) { return keys[a] < keys[b]; });
    for (unsigned char const key : keys) ++begins[key + std::size_t{1}];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    for (auto& mark : marked) mark = random.below(3) == 0 ? 1 : 0;
    prefixes.assign(1, 0);
    for (unsigned char const mark : marked) prefixes.push_back(prefixes.back() + mark);
  }

  std::size_t size() const { return keys.size(); }

  /// Returns for each marked position the 1-based rank of its point among the points with marked positions; 0 for other
  /// positions.
  std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> places(size());
    for (std::size_t place = 0; place < size(); ++place) places[order[place]] = static_cast<std::uint32_t>(place);
    std::vector<std::uint32_t> all(size(), 0);
    std::uint32_t number = 0;
    for (std::uint32_t const place : places) {
      if (marked[place] != 0) all[place] = ++number;
    }
    return all;
  }
};

/// Callbacks of stream_partition. Pointers are in the memory space of the execution.
struct partition_keys {
  unsigned char const* keys;
  FARPOINT_HD std::uint32_t operator()(std::uint32_t i) const noexcept { return keys[i]; }
};
struct partition_mover {
  std::uint32_t* points;
  std::uint32_t* sums;  ///< loaded value plus key, by position
  FARPOINT_HD std::uint32_t load(std::uint32_t i) const noexcept { return 7 * i; }
  FARPOINT_HD void operator()(std::uint32_t i, std::uint32_t key, std::uint32_t place,
                              std::uint32_t loaded) const noexcept {
    points[place] = i;
    sums[place] = loaded + key;
  }
};
struct partition_marks {
  std::uint32_t const* begins;
  std::uint32_t const* prefixes;
  unsigned char const* marked;
  std::uint32_t* numbers;
  FARPOINT_HD bool marks(std::uint32_t, std::uint32_t place) const noexcept { return marked[place] != 0; }
  FARPOINT_HD std::uint32_t before(std::uint32_t key, std::uint32_t place) const noexcept {
    return prefixes[place] - prefixes[begins[key]];
  }
  FARPOINT_HD void give(std::uint32_t, std::uint32_t place, std::uint32_t number) const noexcept {
    numbers[place] = number + 1;
  }
};

/// Outputs of stream_partition.
struct partition_answer {
  std::vector<std::uint32_t> points;
  std::vector<std::uint32_t> sums;
  std::vector<std::uint32_t> numbers;
  bool succeeded = false;
};

template <template <class> class Array, class Exec, class Wait>
partition_answer partition_of(Exec exec, partition_problem const& problem, Wait const& wait) {
  using partition_type = farpoint::detail::stream_partition<Exec>;
  auto const n = static_cast<farpoint::index_t>(problem.size());
  farpoint::detail::workspace_cutter sizes;
  static_cast<void>(partition_type{sizes, n, problem.kinds});
  Array<unsigned char> const memory{sizes.used()};
  farpoint::detail::workspace_cutter cutter{memory.data()};
  partition_type const partition{cutter, n, problem.kinds};
  std::vector<std::uint32_t> const zeros(problem.size(), 0);
  Array<unsigned char> const keys{problem.keys};
  Array<unsigned char> const marked{problem.marked};
  Array<std::uint32_t> const begins{problem.begins};
  Array<std::uint32_t> const prefixes{problem.prefixes};
  Array<std::uint32_t> const points{zeros};
  Array<std::uint32_t> const sums{zeros};
  Array<std::uint32_t> const numbers{zeros};
  farpoint::result done = partition.sort(exec, partition_keys{keys.data()});
  if (done) done = partition.move(exec, partition_mover{points.data(), sums.data()});
  if (done) {
    done = partition.number(exec, partition_marks{begins.data(), prefixes.data(), marked.data(), numbers.data()});
  }
  wait();
  bool const intact = memory.intact() && points.intact() && sums.intact() && numbers.intact();
  return {points.download(), sums.download(), numbers.download(), done && intact};
}

/// Calls check(problem) for sizes at the borders of warps and tiles, with few and many keys.
template <class Check>
void for_each_partition(Check const& check) {
  std::size_t const sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 5000, 4 * 2048, 20001};
  int const kinds[] = {1, 2, 3, 4, 10, 122};
  std::uint64_t seed = 0;
  for (std::size_t const size : sizes) {
    for (int const most : kinds) {
      for (std::int64_t const rare : {1, 1000}) {
        random_source random{seed++};
        check(partition_problem{size, most, rare, random}, seed - 1);
      }
    }
  }
}

inline bool is_right(partition_problem const& problem, partition_answer const& answer) {
  bool right = answer.succeeded && answer.points == problem.order && answer.numbers == problem.numbers();
  for (std::size_t place = 0; place < problem.size() && right; ++place) {
    right = answer.sums[place] == 7 * problem.order[place] + problem.keys[problem.order[place]];
  }
  return right;
}

}  // namespace farpoint_tests
