/// @file
/// fps() by local maxima where every block has the list of all candidates: a block alone, or one of a cluster.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/sample_order.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The list of all candidates, and which of them become samples; every block of a team comes to the same result.
template <class Config, class Machine>
class list_decision {
 public:
  using ball = fps_ball<Config::dim>;

  /// @param samples  where samples are written
  FARPOINT_DEVICE list_decision(local_maxima_shared<Config>& shared, local_maxima_list<Config> list,
                                ball* samples) noexcept
      : shared_{shared}, list_{list}, samples_{samples} {}

  FARPOINT_DEVICE local_maxima_list<Config> list() const noexcept { return list_; }

  /// Finds out which candidates are samples, and writes them to the samples and to `order`, in the order of the list.
  /// Returns how many. Barriers stand before and after.
  FARPOINT_DEVICE unsigned decide(local_maxima_counters&, local_maxima_summary const& round, std::uint32_t number,
                                  sample_order<Config, Machine>& order) noexcept {
    test(round, number);
    Machine::sync();
    return accept(round, number, order);
  }

  /// Of candidate c of the list, which has been tested.
  FARPOINT_DEVICE bool is_sample(unsigned c, std::uint32_t number) const noexcept {
    return shared_.blocked_in[c] != number;
  }

 protected:
  local_maxima_shared<Config>& shared_;
  local_maxima_list<Config> list_;
  ball* samples_;

 private:
  /// Finds out which candidates are kept by others. Threads share out the pairs.
  FARPOINT_DEVICE void test(local_maxima_summary const& round, std::uint32_t number) noexcept {
    unsigned const all = round.listed;
    // A power of two of threads for each part of the pairs; or all.
    pair_share<Config> const share{Machine::thread(), all};
    for (unsigned i = share.first; i < all; i += share.step) {
      ball const one = list_.ball[i];
      fps_key const key = list_.key[i];
      bool blocked = key <= round.left;
      for (unsigned j = share.part; j < all; j += share.parts) {
        blocked |= fps_blocks(list_.ball[j], list_.key[j], one, key);
      }
      if (blocked) shared_.blocked_in[i] = number;
    }
  }

  FARPOINT_DEVICE unsigned accept(local_maxima_summary const& round, std::uint32_t number,
                                  sample_order<Config, Machine>& order) noexcept {
    unsigned const all = round.listed;
    unsigned const lane = Machine::thread() % 32;
    unsigned const warp = Machine::thread() / 32;
    unsigned before = 0;
    for (unsigned group = 0; 32 * group < all; ++group) {
      unsigned const c = 32 * group + lane;
      bool const accepted = c < all && is_sample(c, number);
      unsigned const votes = Machine::ballot(accepted);
      if (accepted && group % Config::warps == warp) {
        unsigned const place = before + count_bits(votes & ((1u << lane) - 1));
        samples_[place] = list_.ball[c];
        order.set(order.size() + place, list_.key[c]);
      }
      before += count_bits(votes);
    }
    Machine::sync();
    return before;
  }
};

/// What a block alone finds is the list.
template <class Config, class Machine>
class block_exchange : public list_decision<Config, Machine> {
 public:
  FARPOINT_DEVICE block_exchange(local_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists,
                                 no_peers const&, local_maxima_place, local_maxima_lengths) noexcept
      : list_decision<Config, Machine>{shared, {shared.found, shared.found_key}, lists.samples} {}

  FARPOINT_DEVICE local_maxima_summary exchange(local_maxima_counters& now, unsigned kept, std::uint32_t) noexcept {
    return {now.largest, now.found, now.left, kept};
  }

  /// The same, with samples in any order: some lanes of a warp find out about a candidate, and nobody else has to know.
  FARPOINT_DEVICE unsigned decide(local_maxima_counters& now, local_maxima_summary const& round, std::uint32_t number,
                                  sample_order<Config, Machine>& order) noexcept {
    constexpr unsigned share = 8;  // lanes of a candidate
    unsigned const all = round.listed;
    unsigned const lane = Machine::thread() % 32;
    unsigned const part = lane % share;
    for (unsigned first = Machine::thread() / 32 * (32 / share); first < all; first += Config::block_size / share) {
      unsigned const c = smaller(first + lane / share, all - 1);
      ball const one = list_.ball[c];
      fps_key const key = list_.key[c];
      bool blocked = key <= round.left;
      // Two at once; the last one twice or more, which changes nothing.
      for (unsigned j = part; j < all; j += 2 * share) {
        unsigned const other = smaller(j + share, all - 1);
        blocked |= fps_blocks(list_.ball[j], list_.key[j], one, key);
        blocked |= fps_blocks(list_.ball[other], list_.key[other], one, key);
      }
      unsigned const votes = Machine::ballot(blocked) >> (lane - part) & ((1u << share) - 1);
      bool const leads = part == 0 && first + lane / share < all;
      bool const accepted = leads && votes == 0;
      unsigned const together = Machine::ballot(accepted);
      unsigned place = 0;
      if (lane == 0) place = Machine::add(&now.samples, count_bits(together));
      place = Machine::shuffle(place, 0) + count_bits(together & ((1u << lane) - 1));
      if (accepted) {
        samples_[place] = one;
        order.set(order.size() + place, key);
      } else if (leads) {
        shared_.blocked_in[c] = number;
      }
    }
    Machine::sync();
    return now.samples;
  }

 private:
  using decision = list_decision<Config, Machine>;
  using decision::list_;
  using decision::samples_;
  using decision::shared_;
  using typename decision::ball;
};

/// The blocks of a cluster read each other's candidates, one barrier a round. `Peers` p has
///   p.of(rank)  the local_maxima_shared of a block
///   p.sync()    a barrier of all threads of the cluster
template <class Config, class Machine, class Peers>
class cluster_exchange : public list_decision<Config, Machine> {
 public:
  using decision = list_decision<Config, Machine>;

  FARPOINT_DEVICE cluster_exchange(local_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists,
                                   Peers const& peers, local_maxima_place place, local_maxima_lengths lengths) noexcept
      : decision{shared, {lists.list, lists.list_key}, lists.samples},
        peers_{peers},
        place_{place},
        most_{lengths.listed} {}

  /// Lists the best candidates of this block, and gathers those of all.
  FARPOINT_DEVICE local_maxima_summary exchange(local_maxima_counters& now, unsigned found,
                                                std::uint32_t number) noexcept {
    // Another block may still read the listing of the round before.
    auto& listing = shared_.listing[number % 2];
    unsigned const listed = list_candidates<Config, Machine>(shared_, listing, now, found, most_);
    if (Machine::thread() == 0) {
      listing.left = now.left;
      listing.largest = now.largest;
      listing.found = static_cast<std::uint16_t>(smaller(now.found, 0xffffu));
      listing.listed = static_cast<std::uint16_t>(listed);
    }
    peers_.sync();
    local_maxima_summary const all = gather(number);
    Machine::sync();
    return all;
  }
  /// Of candidate `found` of this block's own.
  FARPOINT_DEVICE bool is_sample(unsigned found, std::uint32_t number) const noexcept {
    unsigned const rank = shared_.rank[found];
    return rank < listed_ && decision::is_sample(first_ + rank, number);
  }

 private:
  using decision::list_;
  using decision::shared_;

  /// Every warp looks at what all blocks listed, a lane a block, and copies the lists of some.
  FARPOINT_DEVICE local_maxima_summary gather(std::uint32_t number) noexcept {
    unsigned const lane = Machine::thread() % 32;
    auto const& mine = peers_.of(lane < place_.blocks ? lane : 0).listing[number % 2];
    bool const real = lane < place_.blocks;
    unsigned const listed = real ? mine.listed : 0u;
    fps_key left = real ? mine.left : 0;
    local_maxima_summary all;
    all.largest_word = Machine::template max<32>(real ? mine.largest : 0u);
    all.found = Machine::sum(real ? unsigned{mine.found} : 0u);
    all.left = Machine::ballot(left != 0) == 0 ? 0 : Machine::template max<32>(left);
    all.listed = Machine::sum(listed);
    first_ = Machine::sum(lane < place_.rank ? listed : 0u);
    listed_ = Machine::shuffle(listed, static_cast<int>(place_.rank));
    for (unsigned b = Machine::thread() / 32; b < place_.blocks; b += Config::warps) {
      auto const& other = peers_.of(b).listing[number % 2];
      unsigned const count = Machine::shuffle(listed, static_cast<int>(b));
      unsigned const place = Machine::sum(lane < b ? listed : 0u) + lane;
      if (lane < count) {
        list_.ball[place] = other.entry[lane];
        list_.key[place] = other.key[lane];
      }
    }
    return all;
  }

  Peers peers_;
  local_maxima_place place_;
  unsigned most_;        ///< candidates that a block lists
  unsigned first_ = 0;   ///< place of this block's candidates in the list
  unsigned listed_ = 0;  ///< and how many they are
};

}  // namespace detail
FARPOINT_END_NAMESPACE
