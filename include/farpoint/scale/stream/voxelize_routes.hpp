/// @file
/// What a rank sends and receives in voxelize_shard() on streams, and where it lies.
#pragma once

#include <farpoint/scale/stream/flags.hpp>
#include <farpoint/scale/stream/telling.hpp>
#include <farpoint/scale/voxelize_shard_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Where a point goes: the number of the rank that owns its voxel, or this many more than there are ranks.
enum voxelize_stays : std::uint32_t { stays_outside = 0, stays_non_finite = 1, voxelize_stays_kinds };

/// Elements of a size that a message has a multiple of, so that all messages begin at 16 bytes: where one does not,
/// NCCL copies its bytes one by one.
FARPOINT_HD constexpr std::uint32_t elements_together(std::size_t size) noexcept {
  return size % 16 == 0 ? 1 : size % 8 == 0 ? 2 : size % 4 == 0 ? 4 : 16;
}
template <class Integer>
FARPOINT_HD constexpr Integer rounded_up(Integer count, Integer multiple) noexcept {
  return divide_up(count, multiple) * multiple;
}
/// More elements than there are because messages are multiples.
inline constexpr index_t most_padding = 3;

/// What is added to the place of a point that goes to a rank, modulo 2^32.
struct voxelize_segment {
  std::uint32_t record;  ///< gives the number of its record: among those that are sent, or, at home, received
  std::uint32_t flag;    ///< gives the bit that says whether it is the first of its voxel
};

/// The messages of a rank. A point goes to the owner of its voxel as a record, and a bit comes back that says whether
/// it is the first of the voxel. What a rank would send to itself as records is where it belongs from the beginning.
class voxelize_routes {
 public:
  /// @param me       the rank
  /// @param sources  `[ranks]`: the ranks in the order of their points
  voxelize_routes(int me, int ranks, int const* sources, std::size_t record_size) noexcept
      : me_{me}, ranks_{ranks}, sources_{sources}, together_{elements_together(record_size)} {}

  /// Lays out records and bits.
  /// @param headers  `[ranks]`
  /// @param begin    begin(from, key): the first place of a key among the points of a rank
  /// @param wanted   how many points come in; optional
  /// @return whether all ranks have room: they come to the same decision
  template <class Begin>
  result lay_out(shard_header const* headers, Begin const& begin, index_t* wanted) noexcept {
    std::size_t arrivals[max_stream_ranks];  // of the rank's records, where they go
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
             records <= static_cast<std::size_t>(shard_most_points);
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

  /// Lays out numbers, once it is known how many voxels begin where: firsts(from, to) of those that `to` owns.
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
  std::uint32_t const* given() const noexcept { return given_; }           ///< `[ranks]`: the first number for each
  std::size_t received() const noexcept { return received_; }              ///< records
  std::size_t groups() const noexcept { return groups_; }                  ///< of bits that come back
  index_t rows() const noexcept { return rows_; }                          ///< of the rank's own voxels

  /// Of the voxels that begin on a rank: the first row of this rank, the first number, and where numbers begin.
  index_t first_row(int from) const noexcept { return first_rows_[from]; }
  index_t base(int from) const noexcept { return bases_[from]; }
  message taken(int from) const noexcept { return room_[numbers_in][from]; }

 private:
  enum messages { out, in, flags_out, flags_in, numbers_out, numbers_in, kinds_of_messages };

  std::size_t padded(std::size_t points) const noexcept { return rounded_up<std::size_t>(points, together_); }
  /// The groups that have the bits of records.
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
