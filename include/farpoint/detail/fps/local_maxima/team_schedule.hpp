/// @file
/// Schedule of a grid's blocks for clouds of different sizes: large clouds get teams of several blocks, and the other
/// clouds are dealt out to single blocks.
///
/// Example: 8 blocks; clouds of 9,000, 1,000, 500, 500 and 200 points; a cloud that is dealt out counts for up to 2,000
/// points more. The smallest target is 11,200 / 8 = 1,400 points per block. It gives the first cloud 7 blocks (9,000 /
/// 1,400, rounded up) and leaves 1 block for the other clouds, which count for 4,400 points and need 4. Larger targets
/// follow, and 1,842 is the first that works: 5 blocks for the first cloud, and 3 for the others.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Rule for the sizes of teams.
///
/// The slowest block determines the time of a call. A schedule therefore has the smallest *target* that works, where
/// the target is the number of points that a block may have: a large cloud gets a block for each target's worth of its
/// points, and so do all small clouds together, up to a block each.
struct team_limits {
  std::uint32_t blocks;    ///< number of blocks of the grid, at least 1
  std::uint32_t most;      ///< maximum number of blocks of a team, 1 to `blocks`
  std::uint32_t capacity;  ///< maximum number of points of a cloud in one block, at least 1
  std::uint32_t worth;     ///< number of points, at least 1, below which another block makes a team no faster
  /// Number of points that a cloud may count for in addition to its own if it is dealt out: a round takes its time
  /// however few points there are.
  std::uint32_t extra;

  /// Number of targets that are tried, in ascending order.
  static constexpr unsigned targets = 32;

  /// Returns the number of points that a cloud counts for if it is dealt out.
  FARPOINT_HD constexpr std::uint32_t load(std::uint32_t size) const noexcept {
    return larger(std::uint32_t{1}, size + smaller(size, extra));
  }
  /// Returns the minimum number of blocks that hold the cloud.
  FARPOINT_HD constexpr std::uint32_t needed(std::uint32_t size) const noexcept {
    return size <= capacity ? 1 : (size - 1) / capacity + 1;
  }
  /// Returns the number of blocks of a cloud's team; 1 if the cloud is dealt out.
  FARPOINT_HD constexpr std::uint32_t team(std::uint32_t size, std::uint32_t target) const noexcept {
    std::uint32_t const useful = larger(std::uint32_t{1}, smaller(most, size / worth));
    return larger(needed(size), smaller(useful, size <= target ? 1 : (size - 1) / target + 1));
  }

  /// Returns target number i of a batch of `all` points. The last target is unlimited: it gives each cloud only the
  /// blocks that hold it.
  FARPOINT_HD constexpr std::uint32_t target(std::uint64_t all, unsigned i) const noexcept {
    std::uint64_t const share = larger(divide_up(all, std::uint64_t{blocks}), std::uint64_t{worth});
    std::uint64_t const least = smaller(share, std::uint64_t{no_limit});
    // The smallest target hardly ever works, and a slightly larger one mostly does: the first steps are small.
    std::uint64_t const target = i < fine_targets ? least + least * i * i / 256 : least << (i - fine_targets + 2);
    return i + 1 >= targets || target > no_limit ? no_limit : static_cast<std::uint32_t>(target);
  }

  /// Returns true if the grid has enough blocks for a target.
  /// @param in_teams  number of blocks of all teams
  /// @param clouds    number of clouds that are dealt out
  /// @param load      number of points that they count for
  FARPOINT_HD constexpr bool admit(std::uint64_t in_teams, std::uint64_t clouds, std::uint64_t load,
                                   std::uint32_t target) const noexcept {
    return in_teams <= blocks && smaller(clouds, divide_up(load, std::uint64_t{target})) <= blocks - in_teams;
  }

 private:
  static constexpr unsigned fine_targets = 24;
  static constexpr std::uint32_t no_limit = 0xffffffffu;
};

/// Returns an upper bound of the number of blocks that all teams of a batch need together, for any offsets, if a block
/// holds `capacity` points.
template <class Points>
constexpr index_t max_needed_blocks(batch<Points> const& clouds, index_t capacity) noexcept {
  index_t const largest = clouds.largest();
  if (largest <= capacity || clouds.size() == 0) return 0;
  index_t const of_largest = divide_up(largest, capacity);
  if (!clouds.is_ragged()) return clouds.size() * of_largest;
  // A cloud of s points needs (s - 1) / capacity + 1 blocks; the sizes add up to at most the number of all points.
  index_t const points = clouds.points().size();
  index_t const large = smaller(clouds.size(), points / (capacity + 1));
  return smaller((points - large) / capacity + large, large * of_largest);
}

/// A schedule in memory that all blocks read; null if all clouds have teams of equal sizes.
struct team_schedule {
  /// `[blocks]`, initially zero: rank of each block in its team; zero blocks mean that it is in no team.
  local_maxima_place* place;
  /// `[2]`, initially zero: number of clouds to deal out, and of clouds dealt out so far.
  std::uint32_t* counts;
  /// `[clouds]`: clouds to deal out, in descending order of size class.
  std::uint32_t* rest;

  static constexpr index_t count_words = 2;
  FARPOINT_HD bool is_null() const noexcept { return place == nullptr; }
  FARPOINT_HD std::uint32_t& rest_count() const noexcept { return counts[0]; }
  FARPOINT_HD std::uint32_t& dealt() const noexcept { return counts[1]; }
};

/// Makes a schedule, by one block.
template <class Machine, int BlockSize>
class team_scheduler {
 public:
  static constexpr int warps = BlockSize / 32;
  static constexpr unsigned classes = 32;  ///< number of size classes
  static_assert(BlockSize % 32 == 0);

  struct shared_type {
    std::uint64_t load[std::size_t{warps}];
    std::uint32_t best;  ///< `targets` minus the number of the smallest target that works
    std::uint32_t in_teams;
    std::uint32_t begin[classes];  ///< number of clouds of a class, then the next free entry of the class in `rest`
  };

  FARPOINT_DEVICE team_scheduler(team_limits limits, team_schedule schedule, shared_type& shared) noexcept
      : limits_{limits}, schedule_{schedule}, shared_{shared} {}

  /// Makes the schedule. All threads of the block call it. Clouds have at most 2^32 - 1 points. If teams need more
  /// blocks than the grid has, some clouds get none: works() of the plan rules this out unless offsets are invalid.
  template <class Points>
  FARPOINT_DEVICE void run(batch<Points> const& clouds) noexcept {
    unsigned const thread = Machine::thread();
    if (thread == 0) shared_.best = shared_.in_teams = 0;
    if (thread < classes) shared_.begin[thread] = 0;
    std::uint64_t mine = 0;
    for_each(clouds, thread, BlockSize, [&](index_t, std::uint32_t size) { mine += size; });
    mine = sum(mine);
    if (thread % 32 == 0) shared_.load[thread / 32] = mine;
    Machine::sync();
    std::uint64_t all = 0;
    for (int w = 0; w < warps; ++w) all += shared_.load[w];

    for (unsigned i = thread / 32; i < team_limits::targets; i += warps) try_target(clouds, all, i);
    Machine::sync();
    unsigned const best = shared_.best;
    std::uint32_t const target = limits_.target(all, team_limits::targets - larger(best, 1u));
    for_each(clouds, thread, BlockSize, [&](index_t b, std::uint32_t size) {
      std::uint32_t const blocks = limits_.team(size, target);
      if (blocks > 1) {
        place(b, blocks);
      } else {
        Machine::add(&shared_.begin[class_of(size)], 1);
      }
    });
    Machine::sync();
    if (thread < 32) {
      unsigned const count = shared_.begin[thread];
      unsigned const before = Machine::exclusive_sum(count);
      shared_.begin[thread] = before;
      if (thread == 31) schedule_.rest_count() = before + count;
    }
    Machine::sync();
    for_each(clouds, thread, BlockSize, [&](index_t b, std::uint32_t size) {
      if (limits_.team(size, target) > 1) return;
      schedule_.rest[Machine::add(&shared_.begin[class_of(size)], 1)] = static_cast<std::uint32_t>(b);
    });
  }

 private:
  /// Calls act(b, size) for clouds first, first + step, ...
  template <class Points, class Act>
  FARPOINT_DEVICE static void for_each(batch<Points> const& clouds, unsigned first, unsigned step,
                                       Act const& act) noexcept {
    for (index_t b = first; b < clouds.size(); b += step) act(b, static_cast<std::uint32_t>(clouds[b].size()));
  }

  /// Tests target number i, by one warp.
  template <class Points>
  FARPOINT_DEVICE void try_target(batch<Points> const& clouds, std::uint64_t all, unsigned i) noexcept {
    std::uint32_t const target = limits_.target(all, i);
    std::uint64_t in_teams = 0;
    std::uint64_t rest = 0;
    std::uint64_t load = 0;
    for_each(clouds, Machine::thread() % 32, 32, [&](index_t, std::uint32_t size) {
      std::uint32_t const blocks = limits_.team(size, target);
      if (blocks > 1) {
        in_teams += blocks;
      } else {
        ++rest;
        load += limits_.load(size);
      }
    });
    in_teams = sum(in_teams);
    rest = sum(rest);
    load = sum(load);
    if (Machine::thread() % 32 == 0 && limits_.admit(in_teams, rest, load, target)) {
      Machine::max(&shared_.best, team_limits::targets - i);
    }
  }

  /// Assigns the next blocks of the grid to cloud b.
  FARPOINT_DEVICE void place(index_t b, std::uint32_t blocks) noexcept {
    std::uint32_t const first = Machine::add(&shared_.in_teams, blocks);
    // Only invalid offsets need more blocks than the grid has.
    if (first >= limits_.blocks || blocks > limits_.blocks - first) return;
    for (std::uint32_t rank = 0; rank < blocks; ++rank) schedule_.place[first + rank] = {b, rank, blocks};
  }

  /// Returns the size class of a cloud, by powers of two: larger clouds have lower classes.
  FARPOINT_DEVICE static unsigned class_of(std::uint32_t size) noexcept {
    for (unsigned step = 1; step < 32; step *= 2) size |= size >> step;
    return size == 0 ? classes - 1 : smaller(32 - count_bits(size), classes - 1);
  }

  FARPOINT_DEVICE static std::uint64_t sum(std::uint64_t value) noexcept {
    unsigned const lane = Machine::thread() % 32;
    for (unsigned step = 16; step > 0; step /= 2) value += Machine::shuffle(value, static_cast<int>(lane ^ step));
    return value;
  }

  team_limits limits_;
  team_schedule schedule_;
  shared_type& shared_;
};

/// Deals clouds to one block of a grid: first its team's cloud, if it is in a team; then clouds that are dealt out,
/// until none is left. Without a schedule, the block has the cloud of its team only. Timing decides which block samples
/// a cloud, and does not affect the samples.
template <class Machine>
class cloud_dealer {
 public:
  /// @param team    number of blocks of each team, if the schedule is null
  /// @param ticket  word of shared memory
  FARPOINT_DEVICE cloud_dealer(team_schedule const& schedule, unsigned team, unsigned block,
                               std::uint32_t& ticket) noexcept
      : schedule_{schedule}, team_{team}, block_{block}, ticket_{ticket} {}

  /// Finds the block's next cloud and its rank in the cloud's team; returns false after the last cloud. All threads of
  /// the block call it, and get the same result. It begins with a barrier.
  FARPOINT_DEVICE bool next(local_maxima_place& place) noexcept {
    // The barrier ends the previous cloud: no thread reads its shared memory any more.
    Machine::sync();
    if (is_first_) {
      is_first_ = false;
      place = schedule_.is_null() ? local_maxima_place{block_ / team_, block_ % team_, team_} : schedule_.place[block_];
      if (place.blocks > 0) return true;
    }
    if (schedule_.is_null()) return false;
    if (Machine::thread() == 0) ticket_ = Machine::add(&schedule_.dealt(), 1);
    Machine::sync();
    std::uint32_t const ticket = ticket_;
    if (ticket >= schedule_.rest_count()) return false;
    place = {static_cast<index_t>(schedule_.rest[ticket]), 0, 1};
    return true;
  }

 private:
  team_schedule schedule_;
  unsigned team_;
  unsigned block_;
  std::uint32_t& ticket_;
  bool is_first_ = true;
};

/// Slots on the boards of a grid: the boards of teams, `[blocks]`, and with a schedule a board for each block alone,
/// `[blocks]`. A block goes on to other clouds while its team may still read its messages: a team's slots are therefore
/// used only once. The board of a block alone is reused, with tags that continue from cloud to cloud.
template <class Config>
struct dealt_boards {
  FARPOINT_HD static constexpr unsigned slots(unsigned grid_blocks) noexcept { return board_slots_of(2 * grid_blocks); }
  /// @param of_teams  number of blocks that have boards of teams in front of the boards of blocks alone; 0 without a
  ///                  schedule
  FARPOINT_HD static constexpr unsigned begin(local_maxima_place const& place, unsigned block,
                                              unsigned of_teams) noexcept {
    return board_slots_of(place.blocks > 1 ? block - place.rank : of_teams + block);
  }

 private:
  FARPOINT_HD static constexpr unsigned board_slots_of(unsigned blocks) noexcept {
    return board_slots<Config>::all(blocks);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
