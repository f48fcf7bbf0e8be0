/// @file
/// Passes of voxelize() over the points on the host, in units that threads claim.
#pragma once

#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/host_plan.hpp>

#include <atomic>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Finds the voxels of all points, and assigns the points to rows. A pass works on a chunk of the points or on a part
/// of the voxels. Calls for different chunks or parts may run at the same time; divide_parts() and divide_order() run
/// alone.
template <class Points>
class voxelize_host_passes {
 public:
  using scalar = typename Points::scalar;

  static constexpr std::uint32_t no_voxel = 0x7fffffffu;

  voxelize_host_passes(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                       voxelize_host_plan const& plan, voxelize_host_memory const& memory) noexcept
      : clouds_{clouds},
        grid_{params.grid},
        hash_{hash_seed_of(params)},
        plan_{plan},
        memory_{memory},
        cells_{params.grid.cells()} {
    if (clouds.size() > 0) {
      index_t const last = clouds.size() - 1;
      begin_ = clouds.begin_of(0);
      end_ = clouds.begin_of(last) + clouds[last].size();
    }
  }

  /// Computes the keys of a chunk's points.
  void make_keys(int number) noexcept {
    std::uint32_t sizes[voxelize_host_plan::max_threads] = {};
    for_each_key(chunk(number), [&](std::uint32_t point, std::uint64_t key) {
      memory_.keys[point] = key;
      memory_.voxel_of[point] = no_voxel;
      if (key != no_key) ++sizes[part_of(hash_(key))];
    });
    std::copy_n(sizes, plan_.parts(), memory_.part_sizes + index_t{number} * plan_.parts());
  }

  /// Computes where the numbers of each part's voxels begin.
  void divide_parts() noexcept {
    for (int part = 0; part < plan_.parts(); ++part) {
      std::uint32_t size = 0;
      for (int number = 0; number < plan_.chunks(); ++number) {
        size += memory_.part_sizes[number * plan_.parts() + part];
      }
      part_begin_[part + 1] = part_begin_[part] + size;
    }
  }

  /// Inserts the voxels of a part, and numbers them by first occurrence from the part's first number on.
  void insert(int part) noexcept {
    bool const alone = plan_.parts() == 1;
    std::uint32_t const before = part_begin_[part];
    index_t const size = alone ? end_ - begin_ : part_begin_[part + 1] - before;
    voxel_table table{memory_.slots + voxel_table::slots_per_point * index_t{before}, memory_.voxels + before, size,
                      hash_};
    block points;
    auto const add_block = [&] {
      for (int k = 0; k < points.size; ++k) table.prefetch(points.hashes[k]);
      for (int k = 0; k < points.size; ++k) {
        auto const place = table.add(points.keys[k], points.hashes[k], points.points[k]);
        memory_.voxel_of[points.points[k]] = (before + place.first) | (place.second ? first_mark : 0);
      }
      points.size = 0;
    };
    // Whether a key belongs to the part is unpredictable. A branch would be mispredicted for every other point, so the
    // point is always stored and the size grows by 0 or 1.
    auto const add = [&](std::uint32_t point, std::uint64_t key) {
      std::uint64_t const hash = hash_(key);
      points.points[points.size] = point;
      points.keys[points.size] = key;
      points.hashes[points.size] = hash;
      points.size += static_cast<int>(key != no_key) & static_cast<int>(alone || part_of(hash) == part);
      if (points.size == block_points) add_block();
    };
    if (alone) {
      for_each_key({begin_, end_}, [&](std::uint32_t point, std::uint64_t key) {
        memory_.voxel_of[point] = no_voxel;
        add(point, key);
      });
    } else {
      for_each_run({begin_, end_}, [&](index_t, index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) add(static_cast<std::uint32_t>(i), memory_.keys[i]);
      });
    }
    add_block();
    part_voxels_[part] = table.size();
  }

  /// Calls use(voxel) for each voxel, part by part.
  template <class Use>
  void for_each_voxel(Use const& use) const noexcept {
    for (int part = 0; part < plan_.parts(); ++part) {
      for (std::uint32_t k = 0; k < part_voxels_[part]; ++k) use(part_begin_[part] + k);
    }
  }

  /// Counts the voxels whose first point is in a chunk.
  void count_first_points(int number) noexcept {
    std::uint32_t count = 0;
    for_each_run(chunk(number), [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) count += memory_.voxel_of[i] >> 31;
    });
    chunk_voxels_[number] = count;
  }

  /// Computes where the voxels of each chunk begin in the order.
  /// @return number of voxels
  index_t divide_order() noexcept {
    std::uint32_t voxels = 0;
    for (int number = 0; number < plan_.chunks(); ++number) voxels += std::exchange(chunk_voxels_[number], voxels);
    return voxels;
  }

  /// Writes the chunk's voxels in the order of their first points.
  void write_order(int number) noexcept {
    std::uint32_t* place = memory_.order[0] + chunk_voxels_[number];
    for_each_run(chunk(number), [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        std::uint32_t const voxel = memory_.voxel_of[i];
        if ((voxel & first_mark) != 0) *place++ = voxel & ~first_mark;
      }
    });
  }

  /// Writes the points of a part's voxels to the list, by row.
  void scatter(int part) noexcept {
    std::uint32_t const before = part_begin_[part];
    std::uint32_t const size = part_voxels_[part];
    std::uint32_t voxels[block_points];
    std::uint32_t points[block_points];
    int waiting = 0;
    auto const append_block = [&] {
      for (int k = 0; k < waiting; ++k) {
        if (memory_.row_of[voxels[k]] != no_voxel) memory_.list[memory_.list_at[voxels[k]]++] = points[k];
      }
      waiting = 0;
    };
    for_each_run({begin_, end_}, [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        voxels[waiting] = memory_.voxel_of[i] & ~first_mark;
        points[waiting] = static_cast<std::uint32_t>(i);
        waiting += voxels[waiting] - before < size ? 1 : 0;
        if (waiting == block_points) append_block();
      }
    });
    append_block();
  }

  /// Writes the rows of a chunk's points, and -1 for the points next to the chunk that are in no cloud.
  void write_point_voxels(int number, index_span const& output) const noexcept {
    range const points = chunk(number);
    // Points of no cloud may lie before, between and behind the clouds.
    index_t const all_begin = number == 0 ? 0 : points.begin;
    index_t const all_end = number == plan_.chunks() - 1 ? clouds_.points().size() : points.end;
    for (index_t i = all_begin; i < all_end; ++i) output.set(i, -1);
    for_each_run(points, [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        std::uint32_t const voxel = memory_.voxel_of[i] & ~first_mark;
        if (voxel == no_voxel) continue;
        std::uint32_t const row = memory_.row_of[voxel];
        if (row != no_voxel) output.set(i, row);
      }
    });
  }

  unsigned long long non_finite() const noexcept { return non_finite_.load(); }
  unsigned long long outside() const noexcept { return outside_.load(); }

 private:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};
  static constexpr std::uint32_t first_mark = 0x80000000u;
  static constexpr int block_points = voxelize_host_tuning::block_points;

  /// Points and their keys, queued for insertion into a table.
  struct block {
    std::uint64_t keys[block_points];
    std::uint64_t hashes[block_points];
    std::uint32_t points[block_points];
    int size = 0;
  };

  struct range {
    index_t begin, end;
  };

  range chunk(int number) const noexcept {
    index_t const size = end_ - begin_;
    return {begin_ + size * number / plan_.chunks(), begin_ + size * (number + 1) / plan_.chunks()};
  }

  /// Calls use(cloud, begin, end) for the points of each cloud in a range of the view.
  template <class Use>
  void for_each_run(range points, Use const& use) const noexcept {
    if (points.begin >= points.end) return;
    for (index_t b = clouds_.cloud_of(points.begin); b < clouds_.size() && clouds_.begin_of(b) < points.end; ++b) {
      index_t const cloud_begin = clouds_.begin_of(b);
      index_t const begin = std::max(points.begin, cloud_begin);
      index_t const end = std::min(points.end, cloud_begin + clouds_[b].size());
      if (begin < end) use(b, begin, end);
    }
  }

  /// Filters points and computes keys: calls use(point, key), with no_key for a point in no voxel.
  template <class Use>
  void for_each_key(range points, Use const& use) noexcept {
    unsigned long long non_finite = 0;
    unsigned long long outside = 0;
    for_each_run(points, [&](index_t cloud, index_t begin, index_t end) {
      std::uint64_t const before = static_cast<std::uint64_t>(cloud) * cells_;
      for (index_t i = begin; i < end; ++i) {
        auto const point = clouds_.points()[i];
        vec<std::int32_t> at{};
        std::uint64_t key = no_key;
        if (voxel_of(grid_, point, at)) {
          key = before + cell_of(grid_, at);
        } else {
          ++(is_finite(point) ? outside : non_finite);
        }
        use(static_cast<std::uint32_t>(i), key);
      }
    });
    non_finite_ += non_finite;
    outside_ += outside;
  }

  int part_of(std::uint64_t hash) const noexcept {
    return static_cast<int>((hash >> 32) * static_cast<std::uint64_t>(plan_.parts()) >> 32);
  }

  batch<Points> const& clouds_;
  voxel_grid<scalar> const& grid_;
  voxel_hash const hash_;
  voxelize_host_plan const& plan_;
  voxelize_host_memory const& memory_;
  std::uint64_t const cells_;
  /// Range of the view from the first point of the first cloud to the end of the last cloud.
  index_t begin_ = 0;
  index_t end_ = 0;

  std::uint32_t part_begin_[voxelize_host_plan::max_threads + 1] = {};
  std::uint32_t part_voxels_[voxelize_host_plan::max_threads] = {};
  std::uint32_t chunk_voxels_[voxelize_host_plan::max_chunks] = {};
  std::atomic<unsigned long long> non_finite_{0};
  std::atomic<unsigned long long> outside_{0};
};

}  // namespace detail
FARPOINT_END_NAMESPACE
