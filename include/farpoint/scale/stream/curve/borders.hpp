/// @file
/// Borders along the Hilbert curve between parts of all ranks' points: the arrays, and the steps that find the borders.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/stream/extent_step.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bits of a cell's coordinate. With a stray point at a thousand times the spread of the others, the others still have
/// about 1,000 cells per axis.
inline constexpr int curve_axis_bits = 20;
inline constexpr int curve_key_bits = 3 * curve_axis_bits;

/// Key of a non-finite point; larger than all keys.
inline constexpr std::uint64_t no_curve_key = ~std::uint64_t{0};

/// Number of counters in a round: they fit into a block's shared memory.
inline constexpr int curve_counters = 4096;
inline constexpr int curve_groups = 64;

/// The known part of a border: the high bits of its key, and the number of points with these high bits before it. In
/// the later search among points of equal keys, `key` is an index.
struct curve_border {
  std::uint64_t key;
  std::uint64_t offset;
};

/// Points and queries of a rank, which it sends to all ranks.
template <class Scalar>
struct curve_summary {
  bounding_box<Scalar> box;  ///< around the finite points
  std::uint64_t points;      ///< number of finite points
  std::uint64_t non_finite_points;
  std::uint64_t non_finite_queries;
};

/// Maps points to keys.
template <class Scalar>
struct curve_frame {
  curve_grid<Scalar> grid;
  std::uint64_t table[hilbert_table::ways];

  FARPOINT_HD std::uint64_t key_of(vec<Scalar> const& point) const noexcept {
    if (!is_finite(point)) return no_curve_key;
    auto const cell = grid.cell_of(point, curve_axis_bits);
    return hilbert_table{table}.encode(std::uint64_t{cell[0]}, std::uint64_t{cell[1]}, std::uint64_t{cell[2]},
                                       curve_axis_bits);
  }
};

/// Arrays for `n` points of the rank.
template <class Scalar>
struct curve_memory {
  std::uint64_t* keys;               ///< `[n]`
  stream_extent<Scalar>* extents;    ///< `[2]`: of the points, and of the queries
  std::uint64_t* non_finite;         ///< `[2]`
  curve_summary<Scalar>* summaries;  ///< `[ranks + 1]`: of all ranks, then this rank's own
  curve_frame<Scalar>* frame;        ///< `[1]`
  curve_border* borders[2];          ///< `[ranks]` each: before and after a round
  curve_border* ties[2];             ///< `[ranks]` each: border among this rank's points of equal key
  std::uint32_t* open_ties;          ///< `[1]`: number of ties that are not final
  std::uint32_t* counts;             ///< `[curve_counters]`
  std::uint32_t* matrix;             ///< `[ranks, curve_counters]`
  std::uint64_t* groups;             ///< `[ranks, curve_groups]`

  curve_memory(workspace_cutter& cutter, int ranks, index_t n) noexcept {
    keys = cutter.take<std::uint64_t>(n);
    extents = cutter.take<stream_extent<Scalar>>(2);
    non_finite = cutter.take<std::uint64_t>(2);
    summaries = cutter.take<curve_summary<Scalar>>(ranks + 1);
    frame = cutter.take<curve_frame<Scalar>>(1);
    for (auto& now : borders) now = cutter.take<curve_border>(ranks);
    for (auto& now : ties) now = cutter.take<curve_border>(ranks);
    open_ties = cutter.take<std::uint32_t>(1);
    counts = cutter.take<std::uint32_t>(curve_counters);
    matrix = cutter.take<std::uint32_t>(index_t{ranks} * curve_counters);
    groups = cutter.take<std::uint64_t>(index_t{ranks} * curve_groups);
  }
};

/// Borders, once found, as they divide the points of one rank.
struct curve_borders {
  curve_border const* keys;
  curve_border const* ties;
  int count;

  /// Part of a point of the rank.
  /// @param index  index of the point; decides if the key equals a border's
  FARPOINT_HD std::uint32_t part_of(std::uint64_t key, std::uint64_t index) const noexcept {
    int low = 0;
    int high = count;
    while (low < high) {
      int const middle = (low + high) / 2;
      bool const is_before = keys[middle].key < key || (keys[middle].key == key && ties[middle].key <= index);
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    return static_cast<std::uint32_t>(low);
  }
};

/// Digit of the keys that a round determines.
struct curve_digit {
  int shift;
  int bits;

  FARPOINT_HD std::uint64_t of(std::uint64_t key) const noexcept { return key >> shift & ((1u << bits) - 1); }
  FARPOINT_HD std::uint64_t before(std::uint64_t key) const noexcept { return key >> (shift + bits); }
  FARPOINT_HD int size() const noexcept { return 1 << bits; }
  FARPOINT_HD int group_size() const noexcept { return size() > curve_groups ? size() / curve_groups : 1; }
  FARPOINT_HD int group_count() const noexcept { return size() / group_size(); }
};

/// Counts the points that share the high bits of a border by their next digit. Borders with equal high bits share the
/// counters of the first.
struct curve_count_args {
  std::uint64_t const* keys;
  index_t size;
  curve_border const* borders;
  int border_count;
  curve_digit digit;
  std::uint32_t* counts;  ///< `[borders, digits]`; zero before

  /// Counter of a key, or -1 if no border has its high bits.
  /// @param own  the borders, in any memory that the caller can read
  FARPOINT_HD int counter_of(std::uint64_t key, curve_border const* own) const noexcept {
    std::uint64_t const prefix = digit.before(key);
    int low = 0;
    int high = border_count;
    while (low < high) {
      int const middle = (low + high) / 2;
      bool const is_before = digit.before(own[middle].key) < prefix;
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    if (low == border_count || digit.before(own[low].key) != prefix) return -1;
    return low << digit.bits | static_cast<int>(digit.of(key));
  }
};

/// Counts all points. A border with offset 0 precedes all points that share its high bits and needs no counts.
template <class Exec>
struct curve_counter;

template <>
struct curve_counter<host_exec> {
  static result run(host_exec, curve_count_args const& args) noexcept {
    for (index_t i = 0; i < args.size; ++i) {
      int const counter = args.counter_of(args.keys[i], args.borders);
      if (counter >= 0) ++args.counts[counter];
    }
    return {};
  }
};

/// Sets this rank's entry of `summaries`. Runs once.
template <class Scalar>
struct curve_describe_step {
  curve_memory<Scalar> memory;
  int ranks;
  index_t points;
  bool has_queries;  ///< the queries are not the points

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    std::uint64_t const bad = memory.non_finite[0];
    memory.summaries[ranks] = {memory.extents[0].box(), static_cast<std::uint64_t>(points) - bad, bad,
                               has_queries ? memory.non_finite[1] : bad};
  }
};

/// Sets the frame of all points, and borders with no known digit. Runs once.
template <class Scalar>
struct curve_begin_step {
  curve_memory<Scalar> memory;
  int ranks;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto box = bounding_box<Scalar>::empty();
    std::uint64_t all = 0;
    for (int r = 0; r < ranks; ++r) {
      box.grow(memory.summaries[r].box);
      all += memory.summaries[r].points;
    }
    memory.frame->grid = curve_grid<Scalar>{box, curve_axis_bits};
    for (int way = 0; way < hilbert_table::ways; ++way) memory.frame->table[way] = hilbert_table::row(way);
    auto const parts = static_cast<std::uint64_t>(ranks);
    for (std::uint64_t b = 0; b + 1 < parts; ++b) memory.borders[0][b] = {0, all * (b + 1) / parts};
    *memory.open_ties = 0;
  }
};

/// Computes the keys. Runs for the points.
template <class Points>
struct curve_key_step {
  using scalar = typename Points::scalar;

  Points points;
  curve_frame<scalar> const* frame;
  std::uint64_t* keys;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const point = points[static_cast<index_t>(i)];
    keys[i] = frame->key_of(vec<scalar>{{point[0], point[1], point[2]}});
  }
};

/// Counts of one round, and the borders before and after it.
struct curve_round {
  curve_border const* now;
  curve_border* next;
  std::uint32_t const* matrix;  ///< `[ranks, rows, digits]`
  std::uint64_t* groups;        ///< `[borders, groups of digits]`
  int ranks;
  int rows;           ///< rows of counters per rank: one per border, or one in all
  bool shares_rows;   ///< see curve_count_args
  curve_digit digit;  ///< digit that this round determines

  FARPOINT_HD int row_of(int border) const noexcept {
    while (shares_rows && border > 0 && now[border - 1].key == now[border].key) --border;
    return border;
  }
  FARPOINT_HD std::uint64_t count_of(int rank, int row, int value) const noexcept {
    index_t const size = digit.size();
    return matrix[(index_t{rank} * rows + row) * size + value];
  }
  /// Count of all ranks.
  FARPOINT_HD std::uint64_t count(int row, int value) const noexcept {
    std::uint64_t sum = 0;
    for (int r = 0; r < ranks; ++r) sum += count_of(r, row, value);
    return sum;
  }
};

/// Adds up the counts of each group of digits. Runs for the groups of all borders.
struct curve_group_step {
  curve_round round;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const border = static_cast<int>(i) / round.digit.group_count();
    int const group = static_cast<int>(i) % round.digit.group_count();
    int const row = round.row_of(border);
    int const size = round.digit.group_size();
    std::uint64_t sum = 0;
    for (int value = group * size; value < (group + 1) * size; ++value) sum += round.count(row, value);
    round.groups[i] = sum;
    // If nothing was counted, the digit stays zero.
    if (group == 0) round.next[border] = round.now[border];
  }
};

/// Finds the digit of each border. Runs for all digits of all borders.
struct curve_digit_step {
  curve_round round;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    curve_digit const digit = round.digit;
    auto const border = static_cast<int>(i >> digit.bits);
    int const value = static_cast<int>(i) & (digit.size() - 1);
    int const group = value / digit.group_size();
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): at most 64 borders
    std::uint64_t const* const groups = round.groups + border * digit.group_count();
    curve_border const now = round.now[border];
    // At most one digit's points include the point at the border's offset. Its thread alone writes the border.
    std::uint64_t before = 0;
    for (int g = 0; g < group; ++g) before += groups[g];
    if (now.offset < before || now.offset - before >= groups[group]) return;
    int const row = round.row_of(border);
    for (int other = group * digit.group_size(); other < value; ++other) before += round.count(row, other);
    if (now.offset < before || now.offset - before >= round.count(row, value)) return;
    round.next[border] = {now.key | static_cast<std::uint64_t>(value) << digit.shift, now.offset - before};
  }
};

/// Finds where a border divides this rank's points with the border's key; points of lower ranks come first. Runs for
/// the borders, after the last round of keys.
struct curve_tie_step {
  curve_round last;
  int rank;
  curve_border* ties;
  std::uint32_t* open;

  FARPOINT_HD void operator()(std::uint64_t border) const noexcept {
    curve_border const found = last.next[border];
    int const row = last.row_of(static_cast<int>(border));
    auto const value = static_cast<int>(last.digit.of(found.key));
    std::uint64_t earlier = 0;
    for (int r = 0; r < rank; ++r) earlier += last.count_of(r, row, value);
    if (found.offset <= earlier) {
      ties[border] = {0, 0};
    } else if (found.offset - earlier >= last.count_of(rank, row, value)) {
      ties[border] = {~std::uint64_t{0}, 0};
    } else {
      ties[border] = {0, found.offset - earlier};
      atomic_add(open, std::uint32_t{1});
    }
  }
};

/// Counts the points of a border's key by a digit of their index. Runs for extent_strides, or for the points if they
/// are fewer. Nearly always no tie is open, and a stride returns at once.
struct curve_tie_count_step {
  curve_count_args args;  ///< `digit` is a digit of the index
  curve_border const* ties;
  std::uint32_t const* open;

  FARPOINT_HD void operator()(std::uint64_t stride) const noexcept {
    if (*open == 0) return;
    for (auto i = static_cast<index_t>(stride); i < args.size; i += extent_strides)
      count(static_cast<std::uint64_t>(i));
  }

 private:
  FARPOINT_HD void count(std::uint64_t i) const noexcept {
    std::uint64_t const key = args.keys[i];
    curve_digit const digit = args.digit;
    for (int b = 0; b < args.border_count; ++b) {
      if (args.borders[b].key != key || ties[b].offset == 0 || digit.before(ties[b].key) != digit.before(i)) continue;
      atomic_add(args.counts + (static_cast<std::uint64_t>(b) << digit.bits | digit.of(i)), std::uint32_t{1});
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
