/// @file
/// Puts the points of all clouds in order along Hilbert curves: the first half of building indices.
#pragma once

#include <farpoint/detail/grid_team.cuh>
#include <farpoint/detail/index_task.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The blocks of a grid work on it together; every function is called by all threads of all of them, in step.
///
/// Points are sorted by cloud and by cell, 256 cells to the longest side of a cloud. Runs of more than
/// index_enough points that are in one cell are sorted again, by cells of their own: so a stray point far away, or a
/// cloud that is dense in places, costs a sort of some points more, and not the order.
/// @tparam Items  keys that a thread sorts at a time
template <class Points, int Items>
class index_sorter {
 public:
  using scalar = typename Points::scalar;
  using steps = radix_steps<Items>;

  __device__ index_sorter(index_task<Points> const& task, grid_team& team, typename steps::storage& shared) noexcept
      : task_{task}, team_{team}, shared_{shared} {}

  __device__ void sort() noexcept {
    measure();
    team_.sync();
    // An even number of passes ends where it began.
    index_words const home{task_.words[0].keys, task_.order};
    bool const is_even = radix_passes(task_.bits.all()) % 2 == 0;
    make_keys(is_even ? home : task_.words[1]);
    team_.sync();
    sort_words(is_even ? home : task_.words[1], is_even ? task_.words[1] : home, task_.size(), task_.bits.all());
    sort_crowded(home);
  }

 private:
  using run = index_run<scalar>;

  /// Positions of a level, and what their keys are made of.
  struct level {
    index_words words;
    std::uint32_t size;
    index_key_bits bits;
    run const* runs;  ///< null: the first level, whose positions are those of the order

    __device__ std::uint32_t place_of(std::uint32_t i) const noexcept {
      if (runs == nullptr) return i;
      run const& of = runs[bits.set_of(words.keys[i])];
      return of.begin + (i - of.offset);
    }
  };

  __device__ std::uint32_t first_thread() const noexcept {
    return static_cast<std::uint32_t>(team_.rank()) * radix_threads + threadIdx.x;
  }
  __device__ std::uint32_t threads() const noexcept { return static_cast<std::uint32_t>(team_.size()) * radix_threads; }

  /// Calls `function(i, point)` for the thread's share of all points; loads some at a time.
  template <class Function>
  __device__ void for_each_point(Function&& function) const noexcept {
    constexpr int at_once = 4;
    std::uint32_t const size = task_.size();
    for (std::uint32_t first = first_thread(); first < size; first += at_once * threads()) {
      vec<scalar, 3> p[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * threads();
        if (i < size) p[j] = task_.points.points()[i];
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * threads();
        if (i < size) function(i, p[j]);
      }
    }
  }

  /// Finds the extent of each cloud, its finite points, and whether the offsets ascend.
  __device__ void measure() noexcept {
    using tally_type = set_tally<scalar, index_extent<scalar>, radix_threads>;
    __shared__ typename tally_type::storage shared;
    tally_type tally{task_.extents};
    for_each_point([&](std::uint32_t i, vec<scalar, 3> const& p) {
      index_t const b = cloud_of(task_.points, i);
      if (is_finite(p) && is_inside(b, i)) tally.add(static_cast<std::uint32_t>(b), p);
    });
    tally.flush_over_block(shared);
    if (!task_.points.is_ragged()) return;
    auto const offsets = task_.points.offsets();
    for (index_t b = first_thread(); b <= task_.points.size(); b += threads()) {
      auto const at = static_cast<std::size_t>(b);
      if (offsets[at] < (b == 0 ? 0 : offsets[at - 1]) || offsets[at] > index_t{task_.most()})
        task_.state->bad_offsets = 1;
    }
  }
  __device__ bool is_inside(index_t b, std::uint32_t i) const noexcept {
    index_t const begin = task_.points.begin_of(b);
    return i >= begin && i - begin < task_.points[b].size();
  }

  /// Points that are not finite come last in their cloud, and those of no cloud before the first or behind the last.
  __device__ void make_keys(index_words const& to) noexcept {
    bool const is_bad = task_.state->bad_offsets != 0;
    std::uint32_t const none = task_.bits.none();
    index_t known = -1;
    hilbert_grid<scalar> grid;
    for_each_point([&](std::uint32_t i, vec<scalar, 3> const& p) {
      index_t const b = cloud_of(task_.points, i);
      std::uint32_t code = none;
      if (!is_bad && is_finite(p) && is_inside(b, i)) {
        if (b != known) {
          auto const& box = task_.extents[b].box;
          grid = hilbert_grid<scalar>::over(box.lowest(), box.highest(), task_.bits.axis);
          known = b;
        }
        code = grid.has_extent() ? grid.code(p) : none - 1;
      }
      bool const is_before = task_.points.is_ragged() && i < task_.points.begin_of(0);
      auto const number = static_cast<std::uint32_t>(task_.points.is_ragged() && !is_before ? b + 1 : b);
      to.keys[i] = task_.bits.key(is_before ? 0 : number, code);
      to.values[i] = i;
    });
    for (index_t b = first_thread(); b < task_.points.size(); b += threads()) {
      task_.index.clouds[b] = {is_bad ? 0 : task_.points.begin_of(b), is_bad ? 0 : index_t{task_.extents[b].count}};
    }
  }

  /// Sorts; the result is in `from` after an even number of passes.
  __device__ void sort_words(index_words from, index_words to, std::uint32_t size, int bits) noexcept {
    std::uint32_t const tiles = steps::tiles_of(size);
    auto const rank = static_cast<std::uint32_t>(team_.rank());
    auto const blocks = static_cast<std::uint32_t>(team_.size());
    for (int shift = 0; shift < bits; shift += radix_bits) {
      radix_pass const pass{from.keys,      from.values, to.keys, to.values, task_.counters + radix_digits,
                            task_.counters, size,        shift};
      for (std::uint32_t tile = rank; tile < tiles; tile += blocks) steps::count(pass, tile, shared_);
      team_.sync();
      constexpr std::uint32_t digits = steps::digits_at_once;
      for (std::uint32_t digit = rank * digits; digit < radix_digits; digit += blocks * digits)
        steps::scan(pass, digit);
      team_.sync();
      std::uint32_t const begin = steps::begin_of_digits(pass, shared_);
      for (std::uint32_t tile = rank; tile < tiles; tile += blocks) steps::scatter(pass, tile, begin, shared_);
      team_.sync();
      index_words const other = from;
      from = to;
      to = other;
    }
  }

  __device__ void sort_crowded(index_words const& home) noexcept {
    level now{home, task_.size(), task_.bits, nullptr};
#pragma unroll 1
    for (int l = 0; l < index_levels; ++l) {
      run* const runs = task_.runs[l % 2];
      // The first level's values are the order itself, and must stay.
      index_words const to = now.words.keys == task_.words[0].keys ? task_.words[1] : task_.words[0];
      index_words const other = now.words.keys == task_.words[0].keys ? task_.words[0] : task_.words[1];
      number_runs(now, runs, l);
      team_.sync();
      unsigned long long const crowded = task_.state->crowded[l];
      if (crowded == 0) break;
      unsigned const pieces = task_.state->pieces[l];
      gather_runs(now, runs, pieces, to);
      team_.sync();
      auto const size = static_cast<std::uint32_t>(crowded);
      level next{to, size, index_key_bits::of_runs(static_cast<std::uint32_t>(crowded >> 32), size), runs};
      make_keys(next, pieces);
      team_.sync();
      sort_words(to, other, size, next.bits.all());
      if (radix_passes(next.bits.all()) % 2 != 0) next.words = other;
      for (std::uint32_t i = first_thread(); i < size; i += threads()) {
        task_.order[next.place_of(i)] = next.words.values[i];
      }
      now = next;
    }
    team_.sync();
  }

  /// Gives numbers to the runs of crowded cells, in any order: their points go back to where they were.
  __device__ void number_runs(level const& now, run* runs, int l) noexcept {
    std::uint32_t const* const keys = now.words.keys;
    for (std::uint32_t i = first_thread(); i < now.size; i += threads()) {
      std::uint32_t const key = keys[i];
      if (i > 0 && keys[i - 1] == key) continue;
      if (now.size - i <= index_enough || keys[i + index_enough] != key || now.bits.is_none(key)) continue;
      std::uint32_t const count = end_of(now, i) - i;
      unsigned long long const before = atomicAdd(&task_.state->crowded[l], 1ull << 32 | count);
      auto const number = static_cast<std::uint32_t>(before >> 32);
      runs[number] = {{}, count, now.place_of(i), i, static_cast<std::uint32_t>(before)};
      std::uint32_t const pieces = (count + index_piece_points - 1) / index_piece_points;
      index_piece* const mine = task_.pieces + atomicAdd(&task_.state->pieces[l], pieces);
      for (std::uint32_t piece = 0; piece < pieces; ++piece) mine[piece] = {number, piece * index_piece_points};
    }
  }
  /// First position whose key is another than that of i: by steps that double, then by halves.
  __device__ static std::uint32_t end_of(level const& now, std::uint32_t i) noexcept {
    std::uint32_t const* const keys = now.words.keys;
    std::uint32_t same = i;
    std::uint32_t step = index_enough;
    while (step < now.size - same && keys[same + step] == keys[i]) {
      same += step;
      step *= 2;
    }
    std::uint32_t other = step < now.size - same ? same + step : now.size;
    while (other - same > 1) {
      std::uint32_t const middle = same + (other - same) / 2;
      (keys[middle] == keys[i] ? same : other) = middle;
    }
    return other;
  }

  /// Calls `function(run, number, first, end)` with a warp for each piece.
  template <class Function>
  __device__ void for_each_piece(run const* runs, unsigned pieces, Function&& function) const noexcept {
    for (std::uint32_t piece = first_thread() / cuda_warp::lanes; piece < pieces;
         piece += threads() / cuda_warp::lanes) {
      index_piece const part = task_.pieces[piece];
      run const of = runs[part.run];
      std::uint32_t const end = part.first + index_piece_points;
      function(of, part.run, part.first + cuda_warp::lane(), end < of.count ? end : of.count);
    }
  }

  /// Puts the points of the runs together, and finds the runs' extents.
  __device__ void gather_runs(level const& now, run* runs, unsigned pieces, index_words const& to) noexcept {
    for_each_piece(runs, pieces, [&](run const& of, std::uint32_t number, std::uint32_t first, std::uint32_t end) {
      growing_box<scalar> box{};
#pragma unroll 4
      for (std::uint32_t i = first; i < end; i += cuda_warp::lanes) {
        std::uint32_t const value = now.words.values[of.source + i];
        to.values[of.offset + i] = value;
        box.add(task_.points.points()[value]);
      }
      __syncwarp();
      box.reduce_over_warp();
      if (cuda_warp::lane() == 0) box.grow(runs[number].box);
    });
  }

  /// Points of one place have no order: they go no further.
  __device__ void make_keys(level const& next, unsigned pieces) noexcept {
    for_each_piece(next.runs, pieces, [&](run const& of, std::uint32_t number, std::uint32_t first, std::uint32_t end) {
      auto const grid = hilbert_grid<scalar>::over(of.box.lowest(), of.box.highest(), next.bits.axis);
#pragma unroll 2
      for (std::uint32_t i = first; i < end; i += cuda_warp::lanes) {
        std::uint32_t const at = of.offset + i;
        std::uint32_t const code =
            grid.has_extent() ? grid.code(task_.points.points()[next.words.values[at]]) : next.bits.none();
        next.words.keys[at] = next.bits.key(number, code);
      }
    });
  }

  index_task<Points> const& task_;
  grid_team& team_;
  typename steps::storage& shared_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
