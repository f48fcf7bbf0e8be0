/// @file
/// Messages of one rank in voxelize_shard() on streams, and their offsets.
#pragma once

#include <farpoint/scale/stream/flags.hpp>
#include <farpoint/scale/stream/telling.hpp>
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
class voxelize_routes {
 public:
  /// @param me       this rank
  /// @param sources  `[ranks]`: ranks in the order of their points
  voxelize_routes(int me, int ranks, int const* sources, std::size_t record_size) noexcept
      : me_{me}, ranks_{ranks}, sources_{sources}, together_{elements_together(record_size)} {}

  /// Lays out records and bits, and checks that all ranks have room. All ranks get the same decision.
  /// @param headers  `[ranks]`
  /// @param begin    `begin(from, key)`: first position of a key among the points of a rank
  /// @param wanted   receives the number of points for this rank; optional
  template <class Begin>
  result lay_out(shard_header const* headers, Begin const& begin, index_t* wanted) noexcept {
    std::size_t arrivals[max_stream_ranks];  // at each destination, offset of this rank's records
    bool fits = true;
    for (int to = 0; to < ranks_; ++to) {
      std::size_t arriving = 0;
      std::size_t records = 0;
      for (int k = 0; k < ranks_; ++k) {
        int const from = sources_[k];
        std::size_t const points = begin(from, to + 1) - begin(from, to);
        if (from == me_) arrivals[to] = records;
        if (to == me_) {
          room_[in][from] = {records, padded(points)};
          room_[flags_out][from] = groups_of(records, points);
        }
        arriving += points;
        records += padded(points);
      }
      fits = fits && arriving <= static_cast<std::size_t>(headers[to].received_capacity) &&
             records <= static_cast<std::size_t>(shard_max_points);
      if (to != me_) continue;
      received_ = records;
      if (wanted != nullptr) *wanted = static_cast<index_t>(arriving);
    }
    std::size_t sent = 0;
    std::size_t groups = 0;
    for (int to = 0; to < ranks_; ++to) {
      std::size_t const points = begin(me_, to + 1) - begin(me_, to);
      message const bits = groups_of(arrivals[to], points);
      room_[out][to] = {sent, to == me_ ? 0 : padded(points)};
      room_[flags_in][to] = {groups, bits.size};
      std::size_t const record = to == me_ ? room_[in][me_].begin : sent;
      std::size_t const flag = groups * flag_group + (points == 0 ? 0 : arrivals[to] % flag_group);
      segments_[to] = {static_cast<std::uint32_t>(record) - begin(me_, to),
                       static_cast<std::uint32_t>(flag) - begin(me_, to)};
      sent += room_[out][to].size;
      groups += bits.size;
    }
    room_[in][me_].size = 0;
    groups_ = groups;
    return fits ? result{} : too_small("voxelize_shard: a rank receives more points than its received_capacity");
  }

  /// Lays out numbers. `firsts(from, to)` is the number of voxels of owner `to` whose first point is on rank `from`.
  template <class Firsts>
  void lay_out_numbers(Firsts const& firsts) noexcept {
    constexpr std::size_t together = elements_together(sizeof(std::uint32_t));
    std::size_t given = 0;
    for (int to = 0; to < ranks_; ++to) {
      room_[numbers_out][to] = {given, firsts(me_, to)};
      given_[to] = static_cast<std::uint32_t>(given);
      given += rounded_up<std::size_t>(firsts(me_, to), together);
    }
    std::size_t taken = 0;
    index_t base = 0;
    rows_ = 0;
    for (int k = 0; k < ranks_; ++k) {
      int const from = sources_[k];
      room_[numbers_in][from] = {taken, firsts(from, me_)};
      taken += rounded_up<std::size_t>(firsts(from, me_), together);
      first_rows_[from] = rows_;
      rows_ += firsts(from, me_);
      bases_[from] = base;
      for (int to = 0; to < ranks_; ++to) base += firsts(from, to);
    }
  }

  shard_messages records() noexcept { return {room_[out], room_[in], in_bytes_}; }
  shard_messages flags() noexcept { return {room_[flags_out], room_[flags_in], in_bytes_}; }
  shard_messages numbers() noexcept { return {room_[numbers_out], room_[numbers_in], in_bytes_}; }

  voxelize_segment const* segments() const noexcept { return segments_; }  ///< `[ranks]`
  std::uint32_t const* given() const noexcept { return given_; }  ///< `[ranks]`: offset of the numbers for each
  std::size_t received() const noexcept { return received_; }     ///< number of records
  std::size_t groups() const noexcept { return groups_; }         ///< number of groups of bits that come back
  index_t rows() const noexcept { return rows_; }                 ///< number of this rank's own voxels

  /// Voxels of this rank whose first point is on rank `from`: their first row, first number, and message of numbers.
  index_t first_row(int from) const noexcept { return first_rows_[from]; }
  index_t base(int from) const noexcept { return bases_[from]; }
  message taken(int from) const noexcept { return room_[numbers_in][from]; }

 private:
  enum messages { out, in, flags_out, flags_in, numbers_out, numbers_in, kinds_of_messages };

  std::size_t padded(std::size_t points) const noexcept { return rounded_up<std::size_t>(points, together_); }
  /// Groups that contain the bits of `points` records.
  static message groups_of(std::size_t first, std::size_t points) noexcept {
    if (points == 0) return {};
    return {first / flag_group, divide_up<std::size_t>(first % flag_group + points, flag_group)};
  }

  int me_;
  int ranks_;
  int const* sources_;
  std::size_t together_;
  std::size_t received_ = 0;
  std::size_t groups_ = 0;
  index_t rows_ = 0;
  voxelize_segment segments_[max_stream_ranks] = {};
  std::uint32_t given_[max_stream_ranks] = {};
  index_t first_rows_[max_stream_ranks] = {};
  index_t bases_[max_stream_ranks] = {};
  message room_[kinds_of_messages][max_stream_ranks];
  message in_bytes_[2 * max_stream_ranks];
};

}  // namespace detail
FARPOINT_END_NAMESPACE
