/// @file
/// Search for a long list: a warp answers one query, its list in shared memory.
///
/// `Warp` is cuda_warp, or on a CPU a test's warp of 32 fibers.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/search/neighbor_lists.hpp>
#include <farpoint/warp/bitonic_sort.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The k smallest of many keys, kept by a warp. Collects candidates behind the list; when they fill the memory, sorts
/// all and keeps the k smallest.
template <class Warp, class Key>
class collected_topk {
 public:
  /// Keys that a list of k has room for: a power of two, for the sorting network.
  FARPOINT_HD static constexpr int room_for(int k) noexcept {
    int room = 4 * Warp::lanes;
    while (room < 2 * k) room *= 2;
    return room;
  }

  /// @param at  `[room_for(k)]`, shared memory
  FARPOINT_DEVICE collected_topk(Key* at, int k, Key const& limit) noexcept
      : at_{at}, k_{k}, room_{room_for(k)}, limit_{limit}, worst_{limit} {}

  /// Only keys below this are needed.
  FARPOINT_DEVICE Key const& worst() const noexcept { return worst_; }

  /// All lanes call it; each says whether it has a key.
  FARPOINT_DEVICE void offer(bool has_key, Key const& candidate) noexcept {
    unsigned const offering = Warp::ballot(has_key && candidate < worst_);
    if (offering == 0) return;
    unsigned const before = offering & ((1u << Warp::lane()) - 1);
    if ((offering >> Warp::lane() & 1u) != 0) at_[count_ + static_cast<int>(count_bits(before))] = candidate;
    count_ += static_cast<int>(count_bits(offering));
    Warp::sync();
    if (count_ > room_ - Warp::lanes) shrink();
  }

  /// Sorts the list; returns its length, at most k. All lanes see it.
  FARPOINT_DEVICE int finish() noexcept {
    shrink();
    return count_;
  }

 private:
  FARPOINT_DEVICE void shrink() noexcept {
    int size = room_;
    while (size > 1 && size / 2 >= count_) size /= 2;
    for (int i = count_ + Warp::lane(); i < size; i += Warp::lanes) at_[i] = limit_;
    Warp::sync();
    bitonic_sort<Warp>(at_, size);
    if (count_ < k_) return;
    count_ = k_;
    worst_ = at_[k_ - 1];
  }

  Key* at_;
  int k_;
  int room_;
  Key limit_;
  Key worst_;
  int count_ = 0;
};

/// Visitor for point_bvh_ref::visit() by a warp with one query: keeps the points within a radius whose keys are lowest,
/// which are the nearest or those of the lowest indices.
template <class Warp, class Key>
class warp_visitor {
 public:
  using scalar = decltype(Key{}.distance2());

  FARPOINT_DEVICE warp_visitor(collected_topk<Warp, Key>& found, scalar radius2, std::uint32_t excluded) noexcept
      : list_{found}, radius2_{radius2}, excluded_{excluded} {}

  FARPOINT_DEVICE std::uint32_t choose(point_boxes<scalar> const& boxes, vec<scalar, 3> const& q) const noexcept {
    Key const least{box_distance2_of(boxes, in_group(), q), boxes.lowest[in_group()]};
    return Warp::ballot(is_needed(least)) & ((1u << point_bvh_width) - 1);
  }
  FARPOINT_DEVICE void look_at(point_leaf<scalar> const& leaf, vec<scalar, 3> const& q) noexcept {
    Key const candidate{distance2(leaf.at(in_group()), q), leaf.index[in_group()]};
    bool const is_there = Warp::lane() < point_bvh_width && candidate.index() != excluded_;
    list_.offer(is_there && is_needed(candidate), candidate);
  }

 private:
  /// Box of a group, or point of a leaf, that the calling lane tests.
  FARPOINT_DEVICE static int in_group() noexcept { return Warp::lane() % point_bvh_width; }
  FARPOINT_DEVICE bool is_needed(Key const& key) const noexcept {
    return key.distance2() <= radius2_ && key < list_.worst();
  }

  collected_topk<Warp, Key>& list_;
  scalar radius2_;
  std::uint32_t excluded_;
};

/// Finds the first request.k points within a radius, in the order of `Key`. All lanes call it, for the same query.
/// @param radius2  squared radius; a point at exactly this squared distance is found
/// @param keys     `[collected_topk::room_for(request.k)]`, shared memory; set to the list, for all lanes to see
/// @return length of the list
template <class Warp, class Key, class Scalar>
FARPOINT_DEVICE int search_by_warp(point_bvh_ref<Scalar> const& index, search_query<Scalar> const& query,
                                   knn_request<Scalar> const& request, Scalar radius2, Key* keys) noexcept {
  collected_topk<Warp, Key> found{keys, request.k, list_order<Key>::limit(radius2)};
  warp_visitor<Warp, Key> visitor{found, radius2, request.excluded(query.index)};
  index.visit(query.at, start_of(query, index), visitor);
  return found.finish();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
