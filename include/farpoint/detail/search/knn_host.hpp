/// @file
/// The host backend of knn() and of the functions that are built on its lists.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/detail/search/host_plan.hpp>
#include <farpoint/detail/search/host_traversal.hpp>
#include <farpoint/detail/search/neighbor_lists.hpp>
#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/spatial/query_packet.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar, class Key>
using knn_function = void (*)(point_bvh_ref<Scalar> const&, query_block<Scalar>&, knn_request<Scalar> const&,
                              Key*) noexcept;

/// k up to which queries are answered in packets.
inline constexpr int packet_rows = 32;

/// Number of queries of a block, from `first` on, that are answered as a packet. The packet ends before the longest
/// step between successive queries if the square of this step exceeds the sum of the others' squares.
template <class Scalar>
FARPOINT_ALWAYS_INLINE int packet_size(query_block<Scalar> const& queries, int first) noexcept {
  int const most = std::min(queries.count - first, packet_lanes);
  Scalar longest = 0;
  Scalar sum = 0;
  int end = most;
  for (int i = 1; i < most; ++i) {
    Scalar const step = distance2(queries.at[first + i - 1], queries.at[first + i]);
    sum += step;
    if (step > longest) {
      longest = step;
      end = i;
    }
  }
  return longest > sum - longest ? end : most;
}

/// Fills `keys`, `[queries of the block, k]`, ascending, with no_index past the last neighbor. Needs room for another
/// k keys behind them.
/// @tparam List    a list that works in the memory of the answer
/// @tparam Packet  k up to which queries are answered in packets; 0: never
template <class Scalar, class List, int Packet = 0>
struct knn_pass {
  using key = neighbor_key<Scalar>;
  using request_type = knn_request<Scalar>;
  using function = knn_function<Scalar, key>;

  FARPOINT_ALWAYS_INLINE static void run(point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries,
                                         request_type const& request, key* keys) noexcept {
    for (int i = 0; i < queries.count;) {
      int count = 0;
      if constexpr (Packet > 0) {
        if (queries.alone == 0 && request.k <= Packet) count = answer_packet(index, queries, i, request, keys);
      }
      if (count == 0) answer_one(index, queries, i, request, {request.radius2, no_index}, keys);
      i += std::max(count, 1);
    }
  }

 private:
  FARPOINT_ALWAYS_INLINE static void answer_one(point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries, int i,
                                                request_type const& request, key const& limit, key* keys) noexcept {
    if (queries.alone > 0) --queries.alone;
    key* const mine = keys + i * request.k;
    List list{mine, request.k, limit};
    std::uint32_t const excluded = request.excluded(queries.index[i]);
    // The farther the neighbors of a point are spread, the less is gained by going to the nearest first.
    if (queries.start[i] != no_index && request.k > 16) {
      index.search(queries.at[i], queries.start[i], list, excluded);
    } else {
      queries.last_leaf = search_nearest_first(index, queries.at[i], queries.home_of(i), list, excluded);
    }
    list.sort();
  }

  /// Answers the queries from the first on; returns how many, 0 if they are to be answered one by one.
  FARPOINT_ALWAYS_INLINE static int answer_packet(point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries,
                                                  int first, request_type const& request, key* keys) noexcept {
    int const count = packet_size(queries, first);
    if (count < 4) return 0;
    query_packet<Scalar, Packet> packet{index, queries.at + first, count, request.k, {request.radius2, no_index}};
    for (int lane = 0; lane < count; ++lane) packet.exclude(lane, request.excluded(queries.index[first + lane]));
    if (std::uint32_t const home = queries.home_of(first); home != no_index) packet.begin(home);
    bool const came_to_end = visit_nearest_first(index, packet);
    if (came_to_end) queries.last_leaf = packet.last();
    int unclear = 0;
    for (int lane = 0; lane < count; ++lane) {
      key* const mine = keys + (first + lane) * request.k;
      if (packet.write(lane, mine) && came_to_end) continue;
      ++unclear;
      key const last = mine[request.k - 1];
      key const limit = last.index() == no_index ? last : key{last.distance2(), last.index() + 1};
      answer_one(index, queries, first + lane, request, limit, keys);
    }
    if (4 * unclear <= count) {
      queries.setback = 0;
      return count;
    }
    // Each packet that fails doubles the number of queries that are answered one by one before the next packet, up to
    // 512.
    queries.alone = queries.setback;
    queries.setback = std::clamp(2 * queries.setback, packet_lanes, 512);
    return count;
  }
};

/// The pass for k on this processor. Xeon with AVX-512, 115,200 points of a simulated sweep, doubles, ms without and
/// with packets: k = 1: 61 and 39, k = 10: 241 and 71, k = 32: 494 and 133. 100,000 points of a sphere, floats, one
/// thread, ms by topk_buffer and by topk_heap in its place: k = 65: 428 and 416, k = 100: 632 and 789, k = 128: 763 and
/// 1,046, k = 1,024: 5,518 and 12,638; in a cube the buffer is faster at each k.
template <class Scalar>
knn_function<Scalar, neighbor_key<Scalar>> choose_knn_pass(int k) noexcept {
  using key = neighbor_key<Scalar>;
  if (k > 64) return isa_dispatch<knn_pass<Scalar, topk_buffer<key>>>();
  return isa_dispatch<knn_pass<Scalar, topk_sorted<key>, packet_rows>>();
}

/// Calls `consumer(b, i, keys, count)` with the list of each query i of cloud b: keys ascending, none for queries that
/// are not finite. Several threads call it at once.
template <class Key, class Scalar, class Consumer>
class knn_task {
 public:
  knn_task(knn_request<Scalar> const& request, Consumer const& consumer, knn_function<Scalar, Key> const pass) noexcept
      : request_{request}, consumer_{consumer}, pass_{pass} {}

  /// Whole packets, if there is one.
  int block_size() const noexcept {
    int const most = std::clamp(keys_at_once / request_.k, 1, query_block<Scalar>::most);
    return most < packet_lanes ? most : most / packet_lanes * packet_lanes;
  }

  void answer(index_t b, point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries) const noexcept {
    Key keys[2 * keys_at_once];
    pass_(index, queries, request_, keys);
    for (int i = 0; i < queries.count; ++i) {
      Key const* const mine = keys + i * request_.k;
      consumer_(b, queries.index[i], mine, count_keys(mine, request_.k));
    }
  }
  void leave_empty(index_t b, index_t i) const noexcept {
    Key const* const none = nullptr;
    consumer_(b, i, none, 0);
  }

 private:
  static constexpr int keys_at_once = static_cast<int>(max_neighbors);

  knn_request<Scalar> request_;
  Consumer const& consumer_;
  knn_function<Scalar, Key> pass_;
};

/// The task of the k nearest of each query.
template <class Scalar, class Consumer>
auto nearest_task(knn_params const& params, Consumer const& consumer) noexcept {
  auto const request = request_of<Scalar>(params);
  return knn_task<neighbor_key<Scalar>, Scalar, Consumer>{request, consumer, choose_knn_pass<Scalar>(request.k)};
}

/// A consumer of lists, and what it does for all rows of the queries' view where offsets are wrong: `leave_empty(row)`.
template <class Write, class LeaveEmpty>
struct list_consumer {
  Write write;
  LeaveEmpty leave_empty;

  template <class Key>
  void operator()(index_t b, index_t i, Key const* keys, int count) const noexcept {
    write(b, i, keys, count);
  }
};
template <class Write, class LeaveEmpty>
list_consumer(Write, LeaveEmpty) -> list_consumer<Write, LeaveEmpty>;

/// Writes lists to a knn_output.
template <class Queries>
class knn_writer {
 public:
  using scalar = typename Queries::scalar;

  knn_writer(batch<Queries> const& queries, index_t k, knn_output<scalar> const& output) noexcept
      : queries_{queries}, rows_{k, output.indices, output.distances, output.counts} {}

  template <class Key>
  void operator()(index_t b, index_t i, Key const* keys, int count) const noexcept {
    search_query<scalar> query;
    query.row = queries_.begin_of(b) + i;
    rows_(query, keys, count);
  }
  void leave_empty(index_t row) const noexcept { rows_.leave_empty(row); }

 private:
  batch<Queries> const& queries_;
  row_writer<scalar> rows_;
};

/// Hands the k nearest of each query to a consumer; see knn_task and list_consumer.
/// @param search  search_of_points or search_of_index
template <class Scalar, class Search, class Consumer>
void neighbors_by(Search const& search, knn_params const& params, Consumer const& consumer,
                  knn_report* report) noexcept {
  search_counts const found =
      search(nearest_task<Scalar>(params, consumer), [&](index_t row) { consumer.leave_empty(row); });
  if (report != nullptr) *report = {found.non_finite_points, found.non_finite_queries, found.bad_offsets};
}

/// knn() for host_exec.
/// @param source  points, or a point_bvh
template <class Source, class Queries>
result knn_host(host_exec exec, Source const& source, batch<Queries> const& queries, bool self,
                knn_params const& params, knn_output<typename Queries::scalar> const& output, bytes workspace,
                for_each_cloud_tuning const& tuning = {}) noexcept {
  auto const check = [&] { return check_knn(queries.points().size(), params, output); };
  auto const answer = [&](auto const& search) {
    neighbors_by<typename Queries::scalar>(search, params, knn_writer<Queries>{queries, params.k, output},
                                           output.report);
  };
  return search_on_host(exec, source, queries, self, workspace, check, answer, tuning);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
