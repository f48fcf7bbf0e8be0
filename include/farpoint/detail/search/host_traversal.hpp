/// @file
/// Passes the queries of a cloud to a task, in blocks.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/host/kd_phases.hpp>
#include <farpoint/host/query_window.hpp>
#include <farpoint/spatial/query_packet.hpp>

#include <algorithm>
#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Queries that are answered together.
template <class Scalar>
struct query_block {
  static constexpr int most = 64;

  int count;
  vec<Scalar, 3> at[most];
  std::uint32_t start[most];  ///< first leaf to search; no_index: the nearest leaf
  index_t index[most];        ///< index in the cloud

  // State that is kept from block to block.
  std::uint32_t last_leaf = no_index;  ///< leaf near the last query; no_index: unknown
  int alone = 0;                       ///< number of next queries to answer one by one
  int setback = 0;                     ///< value of `alone` at the next setback

  /// First leaf to search. Only loops that are compiled for the processor call it, as it needs vector instructions.
  FARPOINT_ALWAYS_INLINE std::uint32_t start_of(int i, point_bvh_ref<Scalar> const& points) const noexcept {
    return start[i] != no_index ? start[i] : points.leaf_near(at[i]);
  }
  /// Leaf that is likely to be near a query; no_index: unknown.
  FARPOINT_ALWAYS_INLINE std::uint32_t home_of(int i) const noexcept {
    return start[i] != no_index ? start[i] : last_leaf;
  }
};

/// Memory in which queries are sorted. Without it, each thread sorts windows of some thousand queries on its stack.
template <class Scalar>
struct host_query_memory {
  kd_point<Scalar>* sorted = nullptr;  ///< `[queries]` of all clouds; null: no memory
  kd_parts parts{};

  template <class Cutter>
  static host_query_memory take(Cutter& cutter, index_t queries, std::uint32_t max_units) noexcept {
    auto* const sorted = cutter.template take<kd_point<Scalar>>(queries);
    return {sorted, kd_parts::take(cutter, max_units)};
  }
  /// Memory of one thread; with rank -1, of the team.
  host_query_memory of_rank(int rank) const noexcept { return {sorted, parts.of_rank(rank)}; }
};

/// Queries of one cloud as units of work: units that sort the queries, then units that answer them.
///
/// A task has block_size(), answer(b, index, block) for finite queries, and leave_empty(b, i) for others. Several
/// threads call it at once.
template <class Queries, class Task>
class host_search {
 public:
  using scalar = typename Queries::scalar;

  /// @param self    true if the queries are the points of the index; they are answered in the order of its leaves
  /// @param memory  memory to sort other queries
  host_search(batch<Queries> const& queries, point_bvh_arrays<scalar> const& index, bool self, Task const& task,
              std::atomic<unsigned long long>& non_finite, int threads,
              host_query_memory<scalar> const& memory = {}) noexcept
      : queries_{queries},
        arrays_{index},
        task_{task},
        non_finite_{non_finite},
        self_{self},
        threads_{threads},
        memory_{memory} {}

  std::uint32_t begin(index_t b) noexcept {
    b_ = b;
    cloud_ = queries_[b];
    index_ = arrays_[b];
    // A thread by itself needs units only for host_stop: 1,024 queries take some milliseconds.
    index_t const most = threads_ == 1 ? 1 + cloud_.size() / 1024 : index_t{64} * threads_;
    units_ = static_cast<std::uint32_t>(std::clamp<index_t>(cloud_.size() / 256, 1, std::min<index_t>(most, 65536)));
    // Sorted queries have 32-bit indices.
    sorts_ = !self_ && memory_.sorted != nullptr && cloud_.size() < index_t{no_index};
    is_sorting_ = sorts_;
    if (!sorts_) return units_;
    order_ = {cloud_, memory_.sorted + queries_.begin_of(b), memory_.parts};
    return order_.units();
  }

  void work(int, std::uint32_t unit) noexcept {
    if (is_sorting_) return order_.work(unit, [this](index_t i) { task_.leave_empty(b_, i); });
    if (sorts_) return ask_sorted(unit);
    if (self_) {
      ask_leaves(first_of(unit, index_.leaf_count()), first_of(unit + 1, index_.leaf_count()));
      if (index_.size() == cloud_.size()) return;
    }
    ask_queries(first_of(unit, cloud_.size()), first_of(unit + 1, cloud_.size()));
  }

  std::uint32_t next() noexcept {
    if (!is_sorting_) return 0;
    if (std::uint32_t const units = order_.next(); units != 0) return units;
    is_sorting_ = false;
    non_finite_.fetch_add(static_cast<unsigned long long>(cloud_.size() - order_.size()), std::memory_order_relaxed);
    return units_;
  }

 private:
  using order = kd_phases<Queries, packet_lanes>;

  index_t first_of(std::uint32_t unit, index_t size) const noexcept { return size * unit / units_; }

  void put(query_block<scalar>& block, vec<scalar, 3> const& q, std::uint32_t start, index_t i) noexcept {
    block.at[block.count] = q;
    block.start[block.count] = start;
    block.index[block.count] = i;
    if (++block.count == task_.block_size()) flush(block);
  }
  void flush(query_block<scalar>& block) noexcept {
    if (block.count > 0) task_.answer(b_, index_, block);
    block.count = 0;
  }

  /// Answers the queries that are points of the leaves [first, last).
  FARPOINT_NO_INLINE void ask_leaves(index_t first, index_t last) noexcept {
    query_block<scalar> block;
    block.count = 0;
    for (index_t leaf = first; leaf < last; ++leaf) {
      auto const& home = index_.leaf(static_cast<std::uint32_t>(leaf));
      for (int lane = 0; lane < point_bvh_width; ++lane) {
        if (home.index[lane] != no_index) {
          put(block, home.at(lane), static_cast<std::uint32_t>(leaf), index_t{home.index[lane]});
        }
      }
    }
    flush(block);
  }

  /// Answers a unit of the sorted queries; units consist of whole leaves of the tree that sorts them.
  FARPOINT_NO_INLINE void ask_sorted(std::uint32_t unit) noexcept {
    query_block<scalar> block;
    block.count = 0;
    index_t const leaves = divide_up<index_t>(order_.size(), packet_lanes);
    index_t const last = std::min(first_of(unit + 1, leaves) * packet_lanes, order_.size());
    for (index_t i = first_of(unit, leaves) * packet_lanes; i < last; ++i) {
      put(block, order_.at(i), no_index, index_t{order_.index(i)});
    }
    flush(block);
  }

  /// Answers the queries [first, last) window by window. If the queries are the points, ask_leaves() answers the finite
  /// ones, and this call only leaves the rows of the others empty.
  FARPOINT_NO_INLINE void ask_queries(index_t first, index_t last) noexcept {
    query_block<scalar> block;
    block.count = 0;
    unsigned long long bad = 0;
    while (first < last) {
      query_window<Queries> window{cloud_, first};
      for (; first < last && !window.is_full(); ++first) {
        if (!is_finite(cloud_[first])) {
          ++bad;
          task_.leave_empty(b_, first);
        } else if (!self_) {
          window.add(first);
        }
      }
      window.sort();
      for (index_t i = 0; i < window.size(); ++i) put(block, cloud_[window[i]], no_index, window[i]);
    }
    flush(block);
    if (bad != 0) non_finite_.fetch_add(bad, std::memory_order_relaxed);
  }

  batch<Queries> const& queries_;
  point_bvh_arrays<scalar> arrays_;
  Task const& task_;
  std::atomic<unsigned long long>& non_finite_;
  bool self_;
  int threads_;
  host_query_memory<scalar> memory_;

  index_t b_ = 0;
  Queries cloud_;
  point_bvh_ref<scalar> index_;
  std::uint32_t units_ = 1;
  bool sorts_ = false;
  bool is_sorting_ = false;
  order order_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
