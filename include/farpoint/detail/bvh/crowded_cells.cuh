/// @file
/// Sorts the points of crowded cells again, by finer cells that span each crowded cell's own points.
#pragma once

#include <farpoint/detail/bvh/build_args.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points that are sorted together, and the layout of their keys.
template <class Scalar>
struct bvh_sort_level {
  radix_words words;
  std::uint32_t size;
  bvh_key_bits bits;
  bvh_run<Scalar> const* runs;  ///< runs that the points belong to; null on the first level, whose positions are final

  /// Maximum number of points of a cell that may stay in the order of their indices.
  __device__ std::uint32_t enough() const noexcept { return runs == nullptr ? bvh_run_points : bvh_run_points_again; }
  /// Position in the final order that belongs to position `i` of this level.
  __device__ std::uint32_t place_of(std::uint32_t i) const noexcept {
    if (runs == nullptr) return i;
    bvh_run<Scalar> const& of = runs[bits.set_of(words.keys[i])];
    return of.begin + (i - of.offset);
  }
};

/// Finds cells with too many points and sorts their points as the next level. All threads of all blocks call it, in
/// step.
/// @tparam Sorter  a phased_radix_sort, which counts the keys while they are made
template <class Points, int Threads, class Sorter>
class bvh_crowded_cells {
 public:
  using scalar = typename Points::scalar;
  using context = bvh_sort_context<Points, Sorter>;
  using level = bvh_sort_level<scalar>;

  /// Number of phases of a level.
  static constexpr int phase_count = 3;

  __device__ explicit bvh_crowded_cells(context const& build) noexcept : build_{build} {}

  /// Runs one phase: moves the points of a sorted level to their final positions and finds crowded cells among them.
  /// @param l  number of the level; on the last level no cell counts as crowded
  /// @return true in all blocks if there are crowded cells
  __device__ bool find(level const& now, int l) noexcept {
    run_shares<Threads>(build_.phases, [&](share_type const& share) {
      if (l > 0) put_back(now, share);
      if (l < bvh_levels) number_runs(now, build_.args.runs[l % 2], l, share);
    });
    return l < bvh_levels && build_.args.state->crowded[l] != 0;
  }

  /// Gathers the points of crowded cells and gives them keys of their own, in two phases.
  /// @param now  replaced by the next level
  __device__ void gather(level& now, int l) noexcept {
    run* const runs = build_.args.runs[l % 2];
    unsigned long long const crowded = build_.args.state->crowded[l];
    unsigned const pieces = build_.args.state->pieces[l];
    // The values of the first level are args.order itself, which later levels must not overwrite.
    radix_words const to = now.words.keys == build_.args.words[0].keys ? build_.args.words[1] : build_.args.words[0];
    run_shares<Threads>(build_.phases, [&](share_type const& share) {
      if (share.number() == 0) build_.sorter.clear_counts();
      gather_runs(now, runs, pieces, to, share);
    });
    auto const size = static_cast<std::uint32_t>(crowded);
    now = {to, size, bvh_key_bits::of_runs(static_cast<std::uint32_t>(crowded >> 32), size), runs};
    build_.sorter.start_counting();
    run_shares<Threads>(
        build_.phases,
        [&](share_type const& share) {
          build_.sorter.clear_sums(size, share.number(), share_type::count());
          make_keys(now, share);
        },
        [&] { build_.sorter.add_counts(now.bits.all()); });
  }

 private:
  using run = bvh_run<scalar>;
  using grid = curve_grid<scalar>;
  using share_type = bvh_share<Threads>;

  /// Number of keys that a thread compares before it uses the results, so that several loads are in flight.
  static constexpr int at_once = bvh_keys_at_once;

  /// Moves points that have been sorted again to their positions in the order.
  __device__ void put_back(level const& now, share_type const& share) const noexcept {
    for (std::uint32_t i = share.thread(); i < now.size; i += share_type::threads()) {
      build_.args.order[now.place_of(i)] = now.words.values[i];
    }
  }

  /// Numbers the runs of crowded cells. The numbers may depend on thread order, as each run returns to its own
  /// positions.
  __device__ void number_runs(level const& now, run* runs, int l, share_type const& share) noexcept {
    std::uint32_t const* const keys = now.words.keys;
    std::uint32_t const enough = now.enough();
    std::uint32_t const lane = static_cast<std::uint32_t>(cuda_warp::lane());
    for (std::uint32_t first = share.thread() - lane; first < now.size; first += at_once * share_type::threads()) {
      bool is_crowded[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * share_type::threads() + lane;
        is_crowded[j] = i < now.size && now.size - i > enough && keys[i] == keys[i + enough];
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * share_type::threads() + lane;
        bool const is_first = is_crowded[j] && (i == 0 || keys[i - 1] != keys[i]) && !now.bits.is_none(keys[i]);
        for (unsigned left = cuda_warp::ballot(is_first); left != 0; left &= left - 1) {
          number(now, first + j * share_type::threads() + static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1),
                 runs, l);
        }
      }
    }
  }
  /// Records the run that begins at position `i`, and its pieces. All lanes call it.
  __device__ void number(level const& now, std::uint32_t i, run* runs, int l) noexcept {
    std::uint32_t const count = end_of(now, i) - i;
    std::uint32_t const pieces = divide_up(count, bvh_piece_points);
    std::uint32_t number = 0;
    std::uint32_t first_piece = 0;
    if (cuda_warp::lane() == 0) {
      unsigned long long const before = atomicAdd(&build_.args.state->crowded[l], 1ull << 32 | count);
      first_piece = atomicAdd(&build_.args.state->pieces[l], pieces);
      number = static_cast<std::uint32_t>(before >> 32);
      runs[number] = {{}, count, now.place_of(i), i, static_cast<std::uint32_t>(before)};
    }
    number = cuda_warp::shuffle(number, 0);
    bvh_piece* const mine = build_.args.pieces + cuda_warp::shuffle(first_piece, 0);
    for (std::uint32_t piece = static_cast<std::uint32_t>(cuda_warp::lane()); piece < pieces;
         piece += cuda_warp::lanes) {
      mine[piece] = {number, piece * bvh_piece_points};
    }
  }
  /// Returns the first position whose key differs from the key at `i`. The lanes test distances that double, then split
  /// the remaining interval by 32 until one position is left.
  ///
  /// Invariant: distance `same` is inside the run, distance `other` is not.
  __device__ static std::uint32_t end_of(level const& now, std::uint32_t i) noexcept {
    std::uint32_t const* const keys = now.words.keys;
    std::uint32_t const key = keys[i];
    std::uint32_t const most = now.size - i;
    auto const lane = static_cast<std::uint32_t>(cuda_warp::lane());
    // Number of lanes whose distance is inside the run.
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

  /// Copies the points of the runs to consecutive positions, with run numbers as keys, and finds the extent of each
  /// run. A warp handles one piece.
  __device__ void gather_runs(level const& now, run* runs, unsigned pieces, radix_words const& to,
                              share_type const& share) noexcept {
    constexpr std::uint32_t lanes = cuda_warp::lanes;
    for (std::uint32_t at = share.thread() / lanes; at < pieces; at += share_type::threads() / lanes) {
      bvh_piece const piece = build_.args.pieces[at];
      run const of = runs[piece.run];
      std::uint32_t const end = ::min(piece.first + bvh_piece_points, of.count);
      auto seen = bounding_box<scalar>::empty();
#pragma unroll 4
      for (std::uint32_t i = piece.first + cuda_warp::lane(); i < end; i += lanes) {
        std::uint32_t const value = now.words.values[of.source + i];
        to.keys[of.offset + i] = piece.run;
        to.values[of.offset + i] = value;
        seen.grow(build_.args.points.points()[value]);
      }
      __syncwarp();
      auto box = atomic_bounding_box<scalar>::of(seen);
      box.reduce_over_warp();
      if (cuda_warp::lane() == 0) box.grow(runs[piece.run].box);
    }
  }

  /// Turns run numbers into keys. A run whose points coincide has no extent: its keys are none(), and no later level
  /// sorts it.
  __device__ void make_keys(level const& now, share_type const& share) noexcept {
    auto const part = share.part_of(now.size);
#pragma unroll 4
    for (std::uint32_t at = part.begin + threadIdx.x; at < part.end; at += Threads) {
      std::uint32_t const number = now.words.keys[at];
      grid const cells{now.runs[number].box.get(), now.bits.axis};
      std::uint32_t const code =
          cells.has_extent()
              ? bvh_code_of(cells, build_.args.points.points()[now.words.values[at]], build_.curve, now.bits.axis)
              : now.bits.none();
      std::uint32_t const key = now.bits.key(number, code);
      now.words.keys[at] = key;
      build_.sorter.count(key, now.bits.all());
    }
  }

  context build_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
