/// @file
/// A hash table from the keys of voxels to their numbers, for one host thread.
#pragma once

#include <farpoint/detail/voxelize/random_priority.hpp>
#include <farpoint/tuning/voxelize.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A voxel with at least one point.
struct host_voxel {
  std::uint64_t key;    ///< cloud * cells of the grid + cell
  std::uint32_t first;  ///< lowest index of a point
  std::uint32_t count;  ///< of points
};

/// Spreads keys, which in a grid differ in few bits, over all 64.
struct voxel_hash {
  std::uint64_t seed;

  constexpr std::uint64_t operator()(std::uint64_t key) const noexcept {
    return random_priority(seed, static_cast<index_t>(key));
  }
};

/// Finds the voxel of a key, or adds it. Open addressing with linear probing, for one thread.
///
/// The table starts with about a slot for each point and grows with the voxels, so that at most half of it is full: its
/// cost depends on the points of the call, not on the size of the workspace. A slot holds half of the hash and the
/// voxel's number + 1, so that a voxel is read only if it is most likely the right one.
class voxel_table {
 public:
  static constexpr index_t slots_per_point = voxelize_host_tuning::slots_per_point;

  /// @param slots   `[slots_per_point * points]`
  /// @param voxels  `[points]`, filled from the start
  /// @param points  that will be added at most, less than 2^31
  /// @param hash    of the keys
  voxel_table(std::uint64_t* slots, host_voxel* voxels, index_t points, voxel_hash hash) noexcept
      : slots_{slots}, voxels_{voxels}, hash_{hash} {
    std::size_t size = 1;
    while (2 * size <= static_cast<std::size_t>(points)) size *= 2;
    clear(points > 1 ? size : 2 * static_cast<std::size_t>(points));
  }

  /// Adds a point to the voxel of `key`. Returns its number, and whether it is the voxel's first point.
  std::pair<std::uint32_t, bool> add(std::uint64_t key, std::uint64_t hash, std::uint32_t point) noexcept {
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      std::uint64_t const slot = slots_[at];
      if (slot == 0) return {insert(at, key, hash, point), true};
      if ((slot ^ hash) >> 32 != 0) continue;
      auto const number = static_cast<std::uint32_t>(slot) - 1;
      if (voxels_[number].key != key) continue;
      ++voxels_[number].count;
      return {number, false};
    }
  }

  /// Prefetches the slot that add() reads first.
  void prefetch(std::uint64_t hash) const noexcept { FARPOINT_PREFETCH(slots_ + (hash & mask_)); }

  std::uint32_t size() const noexcept { return size_; }

 private:
  void clear(std::size_t size) noexcept {
    std::fill_n(slots_, size, std::uint64_t{0});
    mask_ = size - 1;
  }

  std::uint32_t insert(std::size_t at, std::uint64_t key, std::uint64_t hash, std::uint32_t point) noexcept {
    if (2 * (std::size_t{size_} + 1) > mask_ + 1) {
      grow();
      at = free_slot(hash);
    }
    voxels_[size_] = {key, point, 1};
    slots_[at] = hash >> 32 << 32 | (size_ + 1);
    return size_++;
  }

  void grow() noexcept {
    clear(2 * (mask_ + 1));
    for (std::uint32_t number = 0; number < size_; ++number) {
      std::uint64_t const hash = hash_(voxels_[number].key);
      slots_[free_slot(hash)] = hash >> 32 << 32 | (number + 1);
    }
  }

  std::size_t free_slot(std::uint64_t hash) const noexcept {
    std::size_t at = hash & mask_;
    while (slots_[at] != 0) at = (at + 1) & mask_;
    return at;
  }

  std::uint64_t* slots_;
  host_voxel* voxels_;
  voxel_hash hash_;
  std::size_t mask_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
