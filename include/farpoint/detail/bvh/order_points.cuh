/// @file
/// Puts the points of all clouds in order along Hilbert curves: the first half of building BVHs.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/bvh/build_args.cuh>
#include <farpoint/grid/cooperative_radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The blocks of a grid work on it together; every function is called by all threads of all of them, in step.
///
/// Points are sorted by cloud and by cell, 256 cells to the longest side of a cloud. Runs of more than
/// bvh_run_points points that are in one cell are sorted again, by cells of their own. So a stray point far away, or a
/// dense part of a cloud, costs another sort of some points, and not the order.
/// @tparam Items  keys that a thread sorts at a time
template <class Points, int Threads, int Items>
class bvh_point_sorter {
 public:
  using scalar = typename Points::scalar;
  using sorter = cooperative_radix_sort<Threads, Items>;

  struct storage {
    typename sorter::storage words;
    std::uint64_t curve[hilbert_table::ways];
  };

  __device__ bvh_point_sorter(bvh_build_args<Points> const& args, grid_barrier& barrier, storage& shared) noexcept
      : args_{args}, barrier_{barrier}, sorter_{barrier, args.counters, shared.words}, curve_{shared.curve} {
    if (threadIdx.x < hilbert_table::ways)
      shared.curve[threadIdx.x] = hilbert_table::row(static_cast<int>(threadIdx.x));
  }

  __device__ void sort() noexcept {
    measure();
    barrier_.sync();
    // An even number of passes ends where it began.
    bool const is_even = radix_passes(args_.bits.all()) % 2 == 0;
    radix_words const home{args_.words[0].keys, args_.order};
    radix_words from = is_even ? home : args_.words[1];
    radix_words to = is_even ? args_.words[1] : home;
    make_keys(from.keys);
    level now{home, args_.size(), args_.bits, nullptr};
#pragma unroll 1
    for (int l = 0; true; ++l) {
      // The block sorts keys that it made itself, so it need not wait for others.
      __syncthreads();
      sorter_.sort(from, to, now.size, now.bits.all(), l > 0);
      if (l > 0) put_back(now);
      if (l == bvh_levels) return barrier_.sync();
      if (!gather_crowded(now, l)) return;
      from = now.words;
      to = from.keys == args_.words[0].keys ? args_.words[1] : args_.words[0];
      if (radix_passes(now.bits.all()) % 2 != 0) now.words = to;
    }
  }

 private:
  using run = bvh_run<scalar>;
  using grid = curve_grid<scalar>;

  /// Positions of a level, and what their keys are made of.
  struct level {
    radix_words words;
    std::uint32_t size;
    bvh_key_bits bits;
    run const* runs;  ///< null: the first level, whose positions are those of the order

    /// Points of a cell that may stay in the order of their indices.
    __device__ std::uint32_t enough() const noexcept { return runs == nullptr ? bvh_run_points : bvh_run_points_again; }
    __device__ std::uint32_t place_of(std::uint32_t i) const noexcept {
      if (runs == nullptr) return i;
      run const& of = runs[bits.set_of(words.keys[i])];
      return of.begin + (i - of.offset);
    }
  };

  __device__ std::uint32_t first_thread() const noexcept {
    return static_cast<std::uint32_t>(barrier_.block_rank()) * Threads + threadIdx.x;
  }
  __device__ std::uint32_t threads() const noexcept {
    return static_cast<std::uint32_t>(barrier_.num_blocks()) * Threads;
  }

  /// Points that a thread loads and finds codes for at a time.
  static constexpr int at_once = Items < 8 ? Items : 8;
  static constexpr int codes_at_once = Items < 4 ? Items : 4;

  /// Calls `function(first, end, points)` for the thread's part of the block's share of all points, some at a time:
  /// those with the numbers first + j * Threads that are below the end.
  template <int AtOnce, class Function>
  __device__ void for_points(Function&& function) const noexcept {
    auto const share = sorter_.share_of(args_.size());
    for (std::uint32_t first = share.begin + threadIdx.x; first < share.end; first += AtOnce * Threads) {
      vec<scalar, 3> p[AtOnce] = {};
#pragma unroll
      for (int j = 0; j < AtOnce; ++j) {
        std::uint32_t const i = first + j * Threads;
        if (i < share.end) p[j] = args_.points.points()[i];
      }
      function(first, share.end, p);
    }
  }

  /// Finds the extent of each cloud, its finite points, and the wrong offsets.
  __device__ void measure() noexcept {
    using accumulator = set_accumulator<scalar, bvh_extent<scalar>, Threads>;
    __shared__ typename accumulator::storage shared;
    accumulator extents{args_.extents};
    cloud_cursor<Points> cloud{args_.points};
    for_points<at_once>([&](std::uint32_t first, std::uint32_t end, auto const& p) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * Threads;
        if (i >= end) break;
        cloud.go_to(i);
        if (is_finite(p[j]) && cloud.has(i)) extents.add(cloud.number(), p[j]);
      }
    });
    extents.flush_over_block(shared);
    if (!args_.points.is_ragged()) return;
    for (index_t b = first_thread(); b <= args_.points.size(); b += threads()) {
      if (is_bad_offset(args_.points, b)) atomicAdd(&args_.state->bad_offsets, 1u);
    }
  }

  __device__ std::uint32_t code_of(grid const& cells, vec<scalar, 3> const& p, int bits) const noexcept {
    return bvh_key_bits::below_none(cells.key_of(p, curve_, bits), bits);
  }

  /// The codes of all points, without branches, so that their steps overlap.
  __device__ void find_codes(grid const (&grids)[codes_at_once], vec<scalar, 3> const (&p)[codes_at_once],
                             std::uint32_t (&codes)[codes_at_once]) const noexcept {
    // The usual number of bits is a compile-time constant.
    if (args_.bits.axis == 8) {
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) codes[j] = code_of(grids[j], p[j], 8);
    } else {
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) codes[j] = code_of(grids[j], p[j], args_.bits.axis);
    }
  }

  /// Points that are not finite come last in their cloud, and those of no cloud before the first or behind the last.
  __device__ void make_keys(std::uint32_t* keys) noexcept {
    bool const is_bad = args_.state->bad_offsets != 0;
    std::uint32_t const none = args_.bits.none();
    cloud_cursor<Points> cloud{args_.points};
    std::uint32_t known = ~0u;
    grid known_grid{};
    for_points<codes_at_once>([&](std::uint32_t first, std::uint32_t end, auto const& p) {
      std::uint32_t sets[codes_at_once];
      bool goes_on[codes_at_once];
      grid grids[codes_at_once];
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) {
        std::uint32_t const i = first + j * Threads;
        cloud.go_to(i < end ? i : first);
        if (cloud.number() != known) {
          known = cloud.number();
          known_grid = {args_.extents[known].box.get(), args_.bits.axis};
        }
        grids[j] = known_grid;
        goes_on[j] = !is_bad && is_finite(p[j]) && cloud.has(i);
        // Cloud 0 has the number 1 where points may come before it.
        sets[j] = cloud.number() + (args_.points.is_ragged() && !cloud.is_before(i) ? 1 : 0);
      }
      std::uint32_t codes[codes_at_once];
      find_codes(grids, p, codes);
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) {
        std::uint32_t const code = !goes_on[j] ? none : grids[j].has_extent() ? codes[j] : none - 1;
        if (first + j * Threads < end) keys[first + j * Threads] = args_.bits.key(sets[j], code);
      }
    });
    for (index_t b = first_thread(); b < args_.points.size(); b += threads()) {
      args_.index.clouds[b] = {is_bad ? 0 : args_.points.begin_of(b), is_bad ? 0 : index_t{args_.extents[b].count}};
    }
  }

  /// Puts the points of crowded cells together, with keys of their own.
  /// @param now  set to the next level
  /// @return false: there are no such cells, and all blocks know it
  __device__ bool gather_crowded(level& now, int l) noexcept {
    run* const runs = args_.runs[l % 2];
    number_runs(now, runs, l);
    barrier_.sync();
    unsigned long long const crowded = args_.state->crowded[l];
    if (crowded == 0) return false;
    unsigned const pieces = args_.state->pieces[l];
    // The first level's values are the order itself, and must stay.
    radix_words const to = now.words.keys == args_.words[0].keys ? args_.words[1] : args_.words[0];
    gather_runs(now, runs, pieces, to);
    barrier_.sync();
    auto const size = static_cast<std::uint32_t>(crowded);
    now = {to, size, bvh_key_bits::of_runs(static_cast<std::uint32_t>(crowded >> 32), size), runs};
    make_keys(now);
    return true;
  }

  /// Where the points of the first level's order go that have been sorted again.
  __device__ void put_back(level const& now) const noexcept {
    for (std::uint32_t i = first_thread(); i < now.size; i += threads()) {
      args_.order[now.place_of(i)] = now.words.values[i];
    }
  }

  /// Gives numbers to the runs of crowded cells, in any order: their points go back to where they were.
  __device__ void number_runs(level const& now, run* runs, int l) noexcept {
    std::uint32_t const* const keys = now.words.keys;
    std::uint32_t const enough = now.enough();
    std::uint32_t const lane = static_cast<std::uint32_t>(cuda_warp::lane());
    for (std::uint32_t first = first_thread() - lane; first < now.size; first += at_once * threads()) {
      bool is_crowded[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * threads() + lane;
        is_crowded[j] = i < now.size && now.size - i > enough && keys[i] == keys[i + enough];
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * threads() + lane;
        bool const is_first = is_crowded[j] && (i == 0 || keys[i - 1] != keys[i]) && !now.bits.is_none(keys[i]);
        for (unsigned left = cuda_warp::ballot(is_first); left != 0; left &= left - 1) {
          number(now, first + j * threads() + static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1), runs, l);
        }
      }
    }
  }
  /// All lanes call it.
  __device__ void number(level const& now, std::uint32_t i, run* runs, int l) noexcept {
    std::uint32_t const count = end_of(now, i) - i;
    std::uint32_t const pieces = divide_up(count, bvh_piece_points);
    std::uint32_t number = 0;
    std::uint32_t first_piece = 0;
    if (cuda_warp::lane() == 0) {
      unsigned long long const before = atomicAdd(&args_.state->crowded[l], 1ull << 32 | count);
      first_piece = atomicAdd(&args_.state->pieces[l], pieces);
      number = static_cast<std::uint32_t>(before >> 32);
      runs[number] = {{}, count, now.place_of(i), i, static_cast<std::uint32_t>(before)};
    }
    number = cuda_warp::shuffle(number, 0);
    bvh_piece* const mine = args_.pieces + cuda_warp::shuffle(first_piece, 0);
    for (std::uint32_t piece = static_cast<std::uint32_t>(cuda_warp::lane()); piece < pieces;
         piece += cuda_warp::lanes) {
      mine[piece] = {number, piece * bvh_piece_points};
    }
  }
  /// First position whose key is another than that of i: the lanes look at distances that double, and then divide what
  /// is left.
  __device__ static std::uint32_t end_of(level const& now, std::uint32_t i) noexcept {
    std::uint32_t const* const keys = now.words.keys;
    std::uint32_t const key = keys[i];
    std::uint32_t const most = now.size - i;
    auto const lane = static_cast<std::uint32_t>(cuda_warp::lane());
    // Lanes whose distance is in the run.
    auto const inside = [&](std::uint64_t distance) {
      return static_cast<std::uint32_t>(__popc(cuda_warp::ballot(distance < most && keys[i + distance] == key)));
    };
    std::uint32_t const doubled = inside(std::uint64_t{bvh_run_points} << lane);
    std::uint32_t same = doubled == 0 ? 0 : bvh_run_points << (doubled - 1);
    std::uint32_t other = doubled == 0 ? bvh_run_points : same * 2;
    while (other - same > 1) {
      std::uint32_t const step = divide_up<std::uint32_t>(other - same, cuda_warp::lanes);
      std::uint32_t const more = inside(std::uint64_t{same} + step * (lane + 1));
      same += step * more;
      other = ::min(other, same + step);
    }
    return i + other;
  }

  /// Puts the points of the runs together, with the numbers of the runs as keys, and finds the runs' extents: a warp
  /// for each piece.
  __device__ void gather_runs(level const& now, run* runs, unsigned pieces, radix_words const& to) noexcept {
    for (std::uint32_t at = first_thread() / cuda_warp::lanes; at < pieces; at += threads() / cuda_warp::lanes) {
      bvh_piece const piece = args_.pieces[at];
      run const of = runs[piece.run];
      std::uint32_t const end = ::min(piece.first + bvh_piece_points, of.count);
      auto seen = bounding_box<scalar>::empty();
#pragma unroll 4
      for (std::uint32_t i = piece.first + cuda_warp::lane(); i < end; i += cuda_warp::lanes) {
        std::uint32_t const value = now.words.values[of.source + i];
        to.keys[of.offset + i] = piece.run;
        to.values[of.offset + i] = value;
        seen.grow(args_.points.points()[value]);
      }
      __syncwarp();
      auto box = atomic_bounding_box<scalar>::of(seen);
      box.reduce_over_warp();
      if (cuda_warp::lane() == 0) box.grow(runs[piece.run].box);
    }
  }

  /// Turns the numbers of runs into keys. Points of one place have no order: they go no further.
  __device__ void make_keys(level const& now) noexcept {
    auto const share = sorter_.share_of(now.size);
#pragma unroll 4
    for (std::uint32_t at = share.begin + threadIdx.x; at < share.end; at += Threads) {
      std::uint32_t const number = now.words.keys[at];
      grid const cells{now.runs[number].box.get(), now.bits.axis};
      std::uint32_t const code = cells.has_extent()
                                     ? code_of(cells, args_.points.points()[now.words.values[at]], now.bits.axis)
                                     : now.bits.none();
      now.words.keys[at] = now.bits.key(number, code);
    }
  }

  bvh_build_args<Points> const& args_;
  grid_barrier& barrier_;
  sorter sorter_;
  hilbert_table curve_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
