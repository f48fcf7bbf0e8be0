/// @file
/// Decision about candidates in fps() by local maxima where one block samples a whole cloud: nothing is exchanged.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Decides which candidates of a block become samples. The block holds the whole cloud, so that its own candidates are
/// the list of all. The members are the same as in message_exchange.
template <class Config, class Machine>
class block_exchange {
 public:
  using ball = typename Config::ball;
  using key_type = typename Config::key;
  using counters_type = local_maxima_counters<typename Config::scalar>;
  using summary = local_maxima_summary<typename Config::scalar>;

  FARPOINT_DEVICE block_exchange(local_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists,
                                 no_peers const&, local_maxima_place, local_maxima_lengths) noexcept
      : shared_{shared}, list_{shared.found, shared.found_key}, samples_{lists.samples} {}

  /// Returns the summary of the round. @param kept  number of candidates in shared memory
  FARPOINT_DEVICE summary exchange(counters_type& now, unsigned kept, std::uint32_t) noexcept {
    return {now.largest, now.found, now.left, kept};
  }
  /// Round of one sample: see message_exchange.
  FARPOINT_DEVICE void put_best(ball const& candidate, key_type key, std::uint32_t) noexcept {
    if (key != key_type{}) samples_[0] = candidate;
  }
  FARPOINT_DEVICE key_type take_best(key_type own, std::uint32_t) noexcept { return own; }

  FARPOINT_DEVICE local_maxima_list<Config> list() const noexcept { return list_; }

  /// Tests each candidate against all, and writes the accepted ones to the block's samples and to `order`, in any
  /// order. Eight lanes of a warp test one candidate, so that the result needs no exchange between warps. Returns the
  /// number of accepted candidates. All threads call it, with a barrier before the call; it ends with a barrier.
  template <class Order>
  FARPOINT_DEVICE unsigned decide(counters_type& now, summary const& round, std::uint32_t number,
                                  Order& order) noexcept {
    constexpr unsigned share = 8;  // lanes per candidate
    unsigned const all = round.listed;
    unsigned const lane = Machine::thread() % 32;
    unsigned const part = lane % share;
    for (unsigned first = Machine::thread() / 32 * (32 / share); first < all; first += Config::block_size / share) {
      unsigned const c = smaller(first + lane / share, all - 1);
      ball const one = list_.ball[c];
      key_type const key = list_.key[c];
      bool blocked = key <= round.left;
      // Two tests per step, for two independent chains of instructions. A candidate that is tested twice at the end of
      // the list changes nothing.
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

  /// True if candidate `c` of the list was accepted in round `number`, once decide() has returned.
  FARPOINT_DEVICE bool is_sample(unsigned c, std::uint32_t number) const noexcept {
    return shared_.blocked_in[c] != number;
  }

 private:
  local_maxima_shared<Config>& shared_;
  local_maxima_list<Config> list_;
  ball* samples_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
