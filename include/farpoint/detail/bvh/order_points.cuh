/// @file
/// Puts the points of all clouds in order along Hilbert curves: the first half of building BVHs.
#pragma once

#include <farpoint/detail/bvh/crowded_cells.cuh>
#include <farpoint/detail/bvh/point_keys.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Puts points in order. The blocks of a grid share the phases; all threads of all blocks call every function, in step.
///
/// Points are sorted by cloud and by cell, 256 cells to the longest side of a cloud. Runs of more than
/// bvh_run_points points that are in one cell are sorted again, by cells of their own. So a stray point far away, or a
/// dense part of a cloud, costs another sort of some points, and not the order.
/// @tparam Sorter  a phased_radix_sort
template <class Points, int Threads, class Sorter>
class bvh_point_sorter {
  using keys_type = bvh_point_keys<Points, Threads, Sorter>;
  using cells_type = bvh_crowded_cells<Points, Threads, Sorter>;

 public:
  /// Maximum number of phases.
  static constexpr int phase_count =
      keys_type::phase_count + (bvh_levels + 1) * (radix_passes(32) + cells_type::phase_count);

  struct storage {
    union {
      typename Sorter::storage sorter;
      typename keys_type::storage keys;
    };
    std::uint64_t curve[hilbert_table::ways];
  };

  __device__ bvh_point_sorter(bvh_build_args<Points> const& args, grid_phases& phases, storage& shared) noexcept
      : args_{args}, phases_{phases}, shared_{shared}, sorter_{args.counters, shared.sorter}, curve_{shared.curve} {
    if (threadIdx.x < hilbert_table::ways)
      shared.curve[threadIdx.x] = hilbert_table::row(static_cast<int>(threadIdx.x));
  }

  __device__ void sort() noexcept {
    // An even number of passes ends where it began.
    bool const is_even = radix_passes(args_.bits.all()) % 2 == 0;
    radix_words const home{args_.words[0].keys, args_.order};
    radix_words from = is_even ? home : args_.words[1];
    radix_words to = is_even ? args_.words[1] : home;
    bvh_sort_context<Points, Sorter> const build{args_, phases_, sorter_, curve_};
    keys_type keys{build};
    keys.measure(shared_.keys);
    keys.make(from.keys);
    cells_type cells{build};
    typename cells_type::level now{home, args_.size(), args_.bits, nullptr};
#pragma unroll 1
    for (int l = 0; true; ++l) {
      sorter_.sort(phases_, from, to, now.size, now.bits.all(), l > 0);
      if (!cells.find(now, l)) return;
      cells.gather(now, l);
      from = now.words;
      to = from.keys == args_.words[0].keys ? args_.words[1] : args_.words[0];
      if (radix_passes(now.bits.all()) % 2 != 0) now.words = to;
    }
  }

 private:
  bvh_build_args<Points> const& args_;
  grid_phases& phases_;
  storage& shared_;
  Sorter sorter_;
  hilbert_table curve_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
