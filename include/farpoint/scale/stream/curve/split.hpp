/// @file
/// Divides the points of all ranks along the Hilbert curve into parts of equal size.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/curve/borders.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Finds the borders: part r of R has the finite points from n r / R to n (r + 1) / R of the n finite points in the
/// order of their keys; points of equal key are ordered by rank and index. Enqueues only: the host does not wait.
///
/// Keys are found digit by digit. In a round each rank counts its points by the next digit, for every border among the
/// points that share the digits found so far, and all ranks gather the counts. A round is one pass over the rank's keys
/// and an all-gather of 16 KiB. On a GPU the pass is skipped once all borders have offset 0.
///
/// Example: rank 0 has the keys 12 and 31 (two hexadecimal digits), rank 1 has 12 and 15. The border lies before point
/// 2 of 4.
///
///   round   points counted       digit counts   border
///   1       all                  1: 3, 3: 1     first digit 1, 2 of its 3 points before the border
///   2       first digit 1        2: 2, 5: 1     key 15, 0 of its points before the border
///
/// Part 0 has both points of key 12, part 1 the points of the keys 15 and 31.
template <class Exec, class Communicator, class Scalar>
class curve_split {
 public:
  using backend = shard_backend<Exec>;

  curve_split(Exec exec, Communicator& communicator, curve_memory<Scalar> const& memory) noexcept
      : exec_{exec}, communicator_{communicator}, memory_{memory}, borders_{communicator.ranks() - 1} {}

  /// @param points       points of the rank
  /// @param queries      only counted
  /// @param has_queries  the queries are not the points
  template <class Points, class Queries>
  result run(Points const& points, Queries const& queries, bool has_queries) noexcept {
    int const ranks = communicator_.ranks();
    result done = measure(points, 0);
    if (done && has_queries) done = measure(queries, 1);
    if (done) done = for_each_index(exec_, 1, curve_describe_step<Scalar>{memory_, ranks, points.size(), has_queries});
    if (done) done = communicator_.all_gather(memory_.summaries + ranks, memory_.summaries, sizeof *memory_.summaries);
    if (done) done = for_each_index(exec_, 1, curve_begin_step<Scalar>{memory_, ranks}, ranks);
    if (done) {
      curve_key_step<Points> const keys{points, memory_.frame, memory_.keys};
      done = for_each_index(exec_, points.size(), keys, 3 * curve_axis_bits);
    }
    if (done && borders_ > 0) done = find_keys(points.size());
    return done;
  }

  /// The borders that run() has found.
  curve_borders borders() const noexcept { return {memory_.borders[now_], memory_.ties[tie_], borders_}; }

 private:
  template <class Points>
  result measure(Points const& points, int which) const noexcept {
    auto* const extent = memory_.extents + which;
    auto* const non_finite = memory_.non_finite + which;
    result done = backend::fill(exec_, extent, 0xff, sizeof *extent);
    if (done) done = backend::fill(exec_, non_finite, 0, sizeof *non_finite);
    if (!done) return done;
    return for_each_index(exec_, smaller(points.size(), extent_strides),
                          extent_step<Points>{points, extent, non_finite}, 64);
  }

  /// Number of bits per digit, so that the counters suffice for all borders.
  int digit_bits() const noexcept {
    int bits = 1;
    while (borders_ << (bits + 1) <= curve_counters) ++bits;
    return bits;
  }

  result find_keys(index_t points) noexcept {
    result done;
    curve_round round{nullptr, nullptr, memory_.matrix, memory_.groups, communicator_.ranks(), borders_, true, {}};
    for (int left = curve_key_bits; left > 0 && done;) {
      bool const is_first = left == curve_key_bits;
      int bits = digit_bits();
      // All borders share the counters of the first round, so its digit may be longer.
      for (; is_first && 1 << (bits + 1) <= curve_counters; ++bits) {
      }
      bits = smaller(bits, left);
      left -= bits;
      round.digit = {left, bits};
      round.rows = is_first ? 1 : borders_;
      done = count(points, round);
      round.now = memory_.borders[now_];
      round.next = memory_.borders[1 - now_];
      if (done) done = choose(round);
      now_ = 1 - now_;
    }
    return done ? find_ties(points, round) : done;
  }

  result count(index_t points, curve_round const& round) const noexcept {
    auto const size = static_cast<std::size_t>(round.rows) * sizeof *memory_.counts
                      << static_cast<unsigned>(round.digit.bits);
    result done = backend::fill(exec_, memory_.counts, 0, size);
    if (done) done = curve_counter<Exec>::run(exec_, count_args(points, round.digit));
    return done ? communicator_.all_gather(memory_.counts, memory_.matrix, size) : done;
  }
  curve_count_args count_args(index_t points, curve_digit const& digit) const noexcept {
    return {memory_.keys, points, memory_.borders[now_], borders_, digit, memory_.counts};
  }

  result choose(curve_round const& round) const noexcept {
    result done = for_each_index(exec_, borders_ * round.digit.group_count(), curve_group_step{round}, 64);
    return done ? for_each_index(exec_, borders_ * round.digit.size(), curve_digit_step{round}, 64) : done;
  }

  /// Finds the borders among this rank's own points of a border's key, by the digits of their index. Needs no exchange.
  /// @param last  the last round of the keys
  result find_ties(index_t points, curve_round const& last) noexcept {
    result done = for_each_index(exec_, borders_,
                                 curve_tie_step{last, communicator_.rank(), memory_.ties[tie_], memory_.open_ties});
    int const bits = digit_bits();
    int left = 0;
    while (points >> left != 0) left += bits;
    while (left > 0 && done) {
      left -= bits;
      curve_digit const digit{left, bits};
      auto const size = static_cast<std::size_t>(borders_) * sizeof *memory_.counts << static_cast<unsigned>(bits);
      done = backend::fill(exec_, memory_.counts, 0, size);
      curve_tie_count_step const step{count_args(points, digit), memory_.ties[tie_], memory_.open_ties};
      if (done) done = for_each_index(exec_, smaller(points, extent_strides), step, 64);
      curve_round const round{
          memory_.ties[tie_], memory_.ties[1 - tie_], memory_.counts, memory_.groups, 1, borders_, false, digit};
      if (done) done = choose(round);
      tie_ = 1 - tie_;
    }
    return done;
  }

  Exec exec_;
  Communicator& communicator_;
  curve_memory<Scalar> memory_;
  int borders_;
  int now_ = 0;  ///< buffer with the current borders
  int tie_ = 0;  ///< buffer with the current ties
};

}  // namespace detail
FARPOINT_END_NAMESPACE
