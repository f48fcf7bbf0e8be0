/// @file
/// Messages of one rank in voxelize_shard(), and their offsets.
#pragma once

#include <farpoint/scale/stream/flags.hpp>
#include <farpoint/scale/stream/host_side.hpp>
#include <farpoint/scale/stream/voxelize/shard_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Key of a point: the rank that owns its voxel, or the number of ranks plus one of these.
enum voxelize_stays : std::uint32_t { stays_outside = 0, stays_non_finite = 1, voxelize_stays_kinds };

/// A message has a multiple of this number of elements of `size` bytes, so that every message begins at a multiple of
/// 16 bytes. NCCL copies other messages byte by byte.
FARPOINT_HD constexpr std::uint32_t elements_together(std::size_t size) noexcept {
  return size % 16 == 0 ? 1 : size % 8 == 0 ? 2 : size % 4 == 0 ? 4 : 16;
}
template <class Integer>
FARPOINT_HD constexpr Integer rounded_up(Integer count, Integer multiple) noexcept {
  return divide_up(count, multiple) * multiple;
}
/// Largest number of elements by which a message is padded: their size is a multiple of 4 bytes.
inline constexpr index_t max_padding = 3;

/// Offsets from the position of a point for a rank, modulo 2^32.
struct voxelize_segment {
  std::uint32_t record;  ///< offset of its record: in `sent`, or in `received` if the rank keeps the point
  std::uint32_t flag;    ///< offset of its bit: set if it is the first point of its voxel
};

/// Messages of one rank. A point goes to the owner of its voxel as a record, and one bit comes back that says whether
/// it is the first point of the voxel. Records that the rank keeps are written directly into the receive buffer.
template <class Exec>
class voxelize_routes {
 public:
  voxelize_routes(workspace_cutter& cutter, int ranks, std::size_t record_size) noexcept
      : ranks_{ranks},
        together_{elements_together(record_size)},
        segments_{cutter, ranks},
        given_{cutter, ranks},
        first_rows_{cutter, ranks},
        bases_{cutter, ranks},
        messages_{cutter, (kinds_of_messages + 2) * index_t{ranks}} {}

  /// Lays out records and bits, and checks that all ranks have room. All ranks get the same decision.
  /// @param me       this rank
  /// @param headers  `[ranks]`
  /// @param sources  `[ranks]`: ranks in the order of their points
  /// @param begin    `begin(from, key)`: first position of a key among the points of a rank
  /// @param wanted   receives the number of points for this rank; optional
  template <class Begin>
  result lay_out(int me, shard_header const* headers, int const* sources, Begin const& begin,
                 index_t* wanted) noexcept {
    message* const incoming = of(in);
    message* const outgoing = of(out);
    index_t* const arrivals = bases_.data();  // at each destination, offset of this rank's records
    bool fits = true;
    for (int to = 0; to < ranks_; ++to) {
      std::size_t arriving = 0;
      std::size_t records = 0;
      for (int k = 0; k < ranks_; ++k) {
        int const from = sources[k];
        std::size_t const points = begin(from, to + 1) - begin(from, to);
        if (from == me) arrivals[to] = static_cast<index_t>(records);
        if (to == me) {
          incoming[from] = {records, padded(points)};
          of(flags_out)[from] = groups_of(records, points);
        }
        arriving += points;
        records += padded(points);
      }
      fits = fits && arriving <= static_cast<std::size_t>(headers[to].received_capacity) &&
             records <= static_cast<std::size_t>(shard_max_points);
      if (to != me) continue;
      received_ = records;
      if (wanted != nullptr) *wanted = static_cast<index_t>(arriving);
    }
    std::size_t sent = 0;
    std::size_t groups = 0;
    for (int to = 0; to < ranks_; ++to) {
      std::size_t const points = begin(me, to + 1) - begin(me, to);
      auto const arrival = static_cast<std::size_t>(arrivals[to]);
      message const bits = groups_of(arrival, points);
      outgoing[to] = {sent, to == me ? 0 : padded(points)};
      of(flags_in)[to] = {groups, bits.size};
      std::size_t const record = to == me ? incoming[me].begin : sent;
      std::size_t const flag = groups * flag_group + (points == 0 ? 0 : arrival % flag_group);
      segments_.data()[to] = {static_cast<std::uint32_t>(record) - begin(me, to),
                              static_cast<std::uint32_t>(flag) - begin(me, to)};
      sent += outgoing[to].size;
      groups += bits.size;
    }
    incoming[me].size = 0;
    groups_ = groups;
    return fits ? result{} : too_small("voxelize_shard: a rank receives more points than its received_capacity");
  }

  /// Lays out numbers.
  /// @param firsts  `firsts(from, to)`: number of voxels of owner `to` whose first point is on rank `from`
  template <class Firsts>
  void lay_out_numbers(int me, int const* sources, Firsts const& firsts) noexcept {
    constexpr std::size_t together = elements_together(sizeof(std::uint32_t));
    std::size_t given = 0;
    for (int to = 0; to < ranks_; ++to) {
      of(numbers_out)[to] = {given, firsts(me, to)};
      given_.data()[to] = static_cast<std::uint32_t>(given);
      given += rounded_up<std::size_t>(firsts(me, to), together);
    }
    std::size_t taken = 0;
    index_t base = 0;
    rows_ = 0;
    for (int k = 0; k < ranks_; ++k) {
      int const from = sources[k];
      of(numbers_in)[from] = {taken, firsts(from, me)};
      taken += rounded_up<std::size_t>(firsts(from, me), together);
      first_rows_.data()[from] = rows_;
      rows_ += firsts(from, me);
      bases_.data()[from] = base;
      for (int to = 0; to < ranks_; ++to) base += firsts(from, to);
    }
  }

  shard_messages records() noexcept { return {of(out), of(in), in_bytes()}; }
  shard_messages flags() noexcept { return {of(flags_out), of(flags_in), in_bytes()}; }
  shard_messages numbers() noexcept { return {of(numbers_out), of(numbers_in), in_bytes()}; }

  voxelize_segment const* segments() const noexcept { return segments_.data(); }  ///< `[ranks]`
  std::uint32_t const* given() const noexcept { return given_.data(); }  ///< `[ranks]`: offset of the numbers for each
  std::size_t received() const noexcept { return received_; }            ///< number of records
  std::size_t groups() const noexcept { return groups_; }                ///< number of groups of bits that come back
  index_t rows() const noexcept { return rows_; }                        ///< number of this rank's own voxels

  /// Voxels of this rank whose first point is on rank `from`: their first row, first number, and message of numbers.
  index_t first_row(int from) const noexcept { return first_rows_.data()[from]; }
  index_t base(int from) const noexcept { return bases_.data()[from]; }
  message taken(int from) noexcept { return of(numbers_in)[from]; }

 private:
  enum messages { out, in, flags_out, flags_in, numbers_out, numbers_in, kinds_of_messages };
  static constexpr int most = shard_max_ranks<Exec>;

  message* of(int kind) noexcept { return messages_.data() + index_t{kind} * ranks_; }
  message* in_bytes() noexcept { return of(kinds_of_messages); }
  std::size_t padded(std::size_t points) const noexcept { return rounded_up<std::size_t>(points, together_); }
  /// Groups that contain the bits of `points` records.
  static message groups_of(std::size_t first, std::size_t points) noexcept {
    if (points == 0) return {};
    return {first / flag_group, divide_up<std::size_t>(first % flag_group + points, flag_group)};
  }

  int ranks_;
  std::size_t together_;
  std::size_t received_ = 0;
  std::size_t groups_ = 0;
  index_t rows_ = 0;
  host_array<Exec, voxelize_segment, most> segments_;
  host_array<Exec, std::uint32_t, most> given_;
  host_array<Exec, index_t, most> first_rows_;
  host_array<Exec, index_t, most> bases_;
  host_array<Exec, message, (kinds_of_messages + 2) * most> messages_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
