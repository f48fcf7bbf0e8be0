/// @file
/// The inner loops of knn() on the host, compiled for several processors and ranges of k.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/detail/search/host_traversal.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/spatial/query_packet.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar, class Key>
using knn_function = void (*)(point_bvh_ref<Scalar> const&, query_block<Scalar>&, knn_request<Scalar> const&,
                              Key*) noexcept;

/// k up to which queries are answered in packets.
inline constexpr int packet_rows = 32;

/// Queries of a block from the first on that are answered as a packet. It ends before the longest step between two of
/// them if that is longer than all others together, by their squares.
FARPOINT_ALWAYS_INLINE int packet_size(query_block<float> const& queries, int first) noexcept {
  int const most = std::min(queries.count - first, packet_lanes);
  float longest = 0;
  float sum = 0;
  int end = most;
  for (int i = 1; i < most; ++i) {
    float const step = distance2(queries.at[first + i - 1], queries.at[first + i]);
    sum += step;
    if (step > longest) {
      longest = step;
      end = i;
    }
  }
  return longest > sum - longest ? end : most;
}

/// Fills `keys`, `[queries of the block, k]`, ascending, with no_index past the last neighbour. Needs room for another
/// k keys behind them.
/// @tparam List    topk_list, or a list that works in the memory of the answer
/// @tparam Packet  k up to which queries are answered in packets; 0: never
template <class Scalar, class List, int Packet = 0>
struct knn_pass {
  using key = neighbour_key<Scalar>;
  using request_type = knn_request<Scalar>;

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
    if constexpr (std::is_constructible_v<List, key*, int, key>) {
      List list{mine, request.k, limit};
      search(index, queries, i, request, list);
      list.sort();
    } else {
      List list{request.k, limit};
      search(index, queries, i, request, list);
      list.write(mine, request.k);
    }
  }

  template <class Queried>
  FARPOINT_ALWAYS_INLINE static void search(point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries, int i,
                                            request_type const& request, Queried& list) noexcept {
    std::uint32_t const excluded = request.excluded(queries.index[i]);
    // The farther the neighbours of a point are spread, the less is gained by going to the nearest first.
    if (queries.start[i] != no_index && request.k > 16) {
      index.search(queries.at[i], queries.start[i], list, excluded);
    } else {
      queries.last_leaf = search_nearest_first(index, queries.at[i], queries.home_of(i), list, excluded);
    }
  }

  /// Answers the queries from the first on; returns how many, 0 if they are to be answered one by one.
  FARPOINT_ALWAYS_INLINE static int answer_packet(point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries,
                                                  int first, request_type const& request, key* keys) noexcept {
    int const count = packet_size(queries, first);
    if (count < 4) return 0;
    query_packet<Packet> packet{index, queries.at + first, count, request.k, {request.radius2, no_index}};
    for (int lane = 0; lane < count; ++lane) packet.exclude(lane, request.excluded(queries.index[first + lane]));
    if (std::uint32_t const home = queries.home_of(first); home != no_index) packet.begin(home);
    if (visit_nearest_first(index, packet)) {
      for (int lane = 0; lane < count; ++lane) packet.write(lane, keys + (first + lane) * request.k);
      queries.last_leaf = packet.last();
      queries.setback = 0;
      return count;
    }
    for (int lane = 0; lane < count; ++lane) {
      answer_one(index, queries, first + lane, request, packet.limit_of(lane), keys);
    }
    // Where packet after packet fails, fewer are tried.
    queries.alone = queries.setback;
    queries.setback = std::clamp(2 * queries.setback, packet_lanes, 512);
    return count;
  }
};

/// The pass for k on this processor. AMD EPYC with AVX-512, 60,000 points of a cube, ms: k = 16: 62 with a list
/// in registers, 111 in memory; k = 32: 176 and 126; k = 64: 264 in memory, 306 with a buffer; k = 160: 1,080 and 700.
template <class Scalar>
knn_function<Scalar, neighbour_key<Scalar>> choose_knn_pass(int k) noexcept {
  using key = neighbour_key<Scalar>;
  knn_function<Scalar, key> pass = nullptr;
  if (k > 64) {
    isa_dispatch<knn_pass<Scalar, topk_buffer<key>>>(pass);
  } else if (std::is_same_v<Scalar, float> || k > 16) {
    // Of floats a list is alone only where queries are far apart.
    isa_dispatch<knn_pass<Scalar, topk_sorted<key>, std::is_same_v<Scalar, float> ? packet_rows : 0>>(pass);
  } else if constexpr (!std::is_same_v<Scalar, float>) {
    if (k <= 1) {
      isa_dispatch<knn_pass<Scalar, topk_list<key, 1>>>(pass);
    } else if (k <= 4) {
      isa_dispatch<knn_pass<Scalar, topk_list<key, 4>>>(pass);
    } else if (k <= 8) {
      isa_dispatch<knn_pass<Scalar, topk_list<key, 8>>>(pass);
    } else {
      isa_dispatch<knn_pass<Scalar, topk_list<key, 16>>>(pass);
    }
  }
  return pass;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
