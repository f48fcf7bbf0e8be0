/// @file
/// Exchange of candidates and votes between the blocks of a team by messages on a board in memory. A reader spins until
/// a message has the tag of its round: no barrier. Example, where candidate a of block 0 blocks candidate b of block 1:
///
///   step     block 0                           block 1
///   gather   writes header and a, waits for b  writes header and b, waits for a
///   vote     nothing blocks a: writes 1        a blocks b: writes 0
///   accept   samples = {a}                     samples = {a}
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>
#include <farpoint/tuning/local_maxima.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Slots of a team's board: for each block a header, a vote, the messages of each listed candidate, and two copies of
/// its best candidate, which rounds of one sample use alternately. A message is overwritten only after every other
/// block has read it. A block writes the entries of round r + 1 after it has read all votes of round r, and votes
/// follow on reading all entries of round r. Rounds of one sample have no votes: a block writes its best candidate of
/// round r + 2 after it has read the best candidates of all other blocks in round r + 1, which these wrote after
/// reading round r.
template <class Config>
struct board_slots {
  FARPOINT_HD static constexpr unsigned header(unsigned block) noexcept { return block * each; }
  FARPOINT_HD static constexpr unsigned vote(unsigned block) noexcept { return block * each + of_header; }
  FARPOINT_HD static constexpr unsigned entry(unsigned block, unsigned k) noexcept {
    return block * each + of_header + 1 + of_candidate * k;
  }
  FARPOINT_HD static constexpr unsigned best(unsigned block, std::uint32_t tag) noexcept {
    return entry(block, Config::listed_size + tag % 2);
  }
  FARPOINT_HD static constexpr unsigned all(unsigned blocks) noexcept { return blocks * each; }

 private:
  using scalar = typename Config::scalar;
  static constexpr unsigned of_header = header_message<scalar>::count;
  static constexpr unsigned of_candidate = candidate_message<Config::dim, scalar>::count;
  static constexpr unsigned each = of_header + 1 + of_candidate * (Config::listed_size + 2);
};

/// The exchange as one block of a team performs it. A `Board` has the members of team_of_one_gpu, and
///   Board::message             a message as load() returns it
///   b.copies()                 number of boards that a message is written to
///   b.put(slot, copy, w, tag)  writes a message
///   b.load(slot), b.has_come(message, tag), b.words_of(message)
template <class Config, class Machine, class Board>
class message_exchange {
 public:
  static constexpr int dim = Config::dim;
  using scalar = typename Config::scalar;
  using ball = typename Config::ball;
  using key_type = typename Config::key;
  using word = typename Config::word;
  using counters_type = local_maxima_counters<scalar>;
  using summary = local_maxima_summary<scalar>;
  using slots = board_slots<Config>;

  FARPOINT_DEVICE message_exchange(local_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists,
                                   Board const& board, local_maxima_place place, local_maxima_lengths lengths) noexcept
      : shared_{shared},
        own_{shared.listing},
        lists_{lists},
        board_{board},
        place_{board.in_team(place)},
        max_listed_{smaller(lengths.listed, unsigned{Config::listed_size})} {}

  /// Lists the best of the block's `found` candidates, up to the capacity, and gathers the lists of all blocks. Returns
  /// the summary of the round. All threads call it; barriers stand before and at the end.
  FARPOINT_DEVICE summary exchange(counters_type& now, unsigned found, std::uint32_t tag) noexcept {
    listed_ = list_candidates<Config, Machine>(shared_, own_, now, found, max_listed_, board_.first_index());
    if (found <= max_listed_) Machine::sync();
    unsigned const copies = board_.copies();
    for (unsigned i = thread(); i < listed_ * copies; i += Config::block_size) {
      unsigned const k = i / copies;
      put(slots::entry(place_.rank, k), i % copies, own_.entry[k], own_.key[k], tag);
    }
    if (thread() < copies) put_header(now, thread(), tag);
    gather(now, tag);
    Machine::sync();
    return {now.team_largest, now.team_found, now.team_left, now.listed};
  }

  /// Publishes the block's best candidate. Called by one thread; key 0 means no candidate.
  FARPOINT_DEVICE void put_best(ball const& candidate, key_type key, std::uint32_t tag) noexcept {
    unsigned const copies = board_.copies();
    for (unsigned copy = 0; copy < copies; ++copy) put(slots::best(place_.rank, tag), copy, candidate, key, tag);
  }
  /// Makes the best candidate of all blocks the only sample of the round. Returns its key, or 0 if no block has a
  /// candidate. A barrier follows before the sample is read.
  FARPOINT_DEVICE key_type take_best(std::uint32_t tag) noexcept {
    unsigned const warp = thread() / 32;
    key_type mine{};
    ball candidate{};
    for (unsigned b = thread(); b < place_.blocks; b += Config::block_size) {
      loaded_candidate const loaded = load(slots::best(b, tag));
      ball one;
      key_type const key = receive(loaded, tag, one);
      if (key > mine) {
        mine = key;
        candidate = one;
      }
    }
    key_type const best = Machine::template max<32>(mine);
    if (mine == best && mine != key_type{}) shared_.found[warp] = candidate;
    if (thread() % 32 == 0) shared_.warp_key[warp] = best;
    Machine::sync();
    unsigned first = 0;
    for (unsigned w = 1; w < Config::warps && 32 * w < place_.blocks; ++w) {
      if (shared_.warp_key[w] > shared_.warp_key[first]) first = w;
    }
    if (thread() == 0) lists_.samples[0] = shared_.found[first];
    return shared_.warp_key[first];
  }

  FARPOINT_DEVICE local_maxima_list<Config> list() const noexcept { return {lists_.list, lists_.list_key}; }

  /// Tests this block's candidates, and writes the samples of all blocks to lists_.samples. Returns their number. All
  /// threads call it; barriers stand before and after the samples are written.
  template <class Order>
  FARPOINT_DEVICE unsigned decide(counters_type& now, summary const& round, std::uint32_t number,
                                  Order& order) noexcept {
    test(round, number);
    Machine::sync();
    return accept(now, number, order);
  }
  FARPOINT_DEVICE bool is_sample(unsigned found, std::uint32_t number) const noexcept {
    unsigned const rank = shared_.rank[found];
    return rank < listed_ && is_sample_of_rank(rank, number);
  }

 private:
  /// Number of candidates that a thread loads before it waits.
  static constexpr int abreast = maxima_messages_at_once;

  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }

  /// Tests each own candidate against the list by rule 1, and records the blocked ones. A key not above the team's best
  /// unlisted key is blocked, too: an unlisted candidate could be in its ball.
  FARPOINT_DEVICE void test(summary const& round, std::uint32_t number) noexcept {
    pair_share<Config> const share{thread(), round.listed};
    for (unsigned i = share.first; i < round.listed; i += share.step) {
      ball const one = lists_.list[i];
      key_type const key = lists_.list_key[i];
      for (unsigned k = share.part; k < listed_; k += share.parts) {
        key_type const own = own_.key[k];
        bool const is_near = fps_blocks(one, key, own_.entry[k], own);
        bool const is_blocked = (own <= round.left) | is_near;  // | instead of ||: no branch
        if (is_blocked) shared_.blocked_in[k] = number;
      }
    }
  }

  /// Publishes this block's votes, a bit per listed candidate, gathers the votes of all blocks, and stores the keys of
  /// the accepted candidates. Samples of blocks of lower rank come first in the order of acceptance.
  template <class Order>
  FARPOINT_DEVICE unsigned accept(counters_type& now, std::uint32_t tag, Order& order) noexcept {
    unsigned const lane = thread() % 32;
    bool const accepted = thread() < 32 && lane < listed_ && is_sample_of_rank(lane, tag);
    unsigned votes = 0;
    if (thread() < 32) {
      votes = Machine::ballot(accepted);
      for (unsigned copy = lane; copy < board_.copies(); copy += 32) {
        board_.put(slots::vote(place_.rank), copy, {{votes, 0, 0}}, tag);
      }
    }
    for (unsigned b = thread(); b < place_.blocks; b += Config::block_size) take_votes(now, b, tag);
    Machine::sync();
    if (accepted) {
      unsigned const number = order.size() + now.samples_before + count_bits(votes & ((1u << lane) - 1));
      order.set(number, own_.key[lane]);
      board_.put_key(number, own_.key[lane]);
    }
    return now.samples;
  }

  FARPOINT_DEVICE bool is_sample_of_rank(unsigned rank, std::uint32_t number) const noexcept {
    return shared_.blocked_in[rank] != number;
  }

  /// Gathers the headers and candidates of all blocks into the team's list and counters.
  FARPOINT_DEVICE void gather(counters_type& counters, std::uint32_t tag) noexcept {
    key_type const left = gather_headers(counters, tag);
    Machine::sync();
    key_maximum<Machine>::second(counters.team_left, left);
    unsigned const all = counters.listed;
    word largest = 0;
    for (unsigned begin = thread(); begin < all; begin += abreast * Config::block_size) {
      gather_entries(begin, all, tag, largest);
    }
    largest = Machine::max_word(largest);
    if (thread() % 32 == 0 && largest != 0) Machine::max(&counters.team_largest, largest);
  }

  using entry_words = candidate_message<dim, scalar>;
  using header_words = header_message<scalar>;

  FARPOINT_DEVICE void put(unsigned slot, unsigned copy, ball const& entry, key_type key, std::uint32_t tag) noexcept {
    fps_words words[entry_words::count] = {};
    entry_words::pack(entry, key, words);
    FARPOINT_UNROLL
    for (unsigned i = 0; i < entry_words::count; ++i) board_.put(slot + i, copy, words[i], tag);
  }

  using message = typename Board::message;
  /// Messages of a candidate as loaded, perhaps with an old tag.
  struct loaded_candidate {
    unsigned slot;
    message part[entry_words::count];
  };
  FARPOINT_DEVICE loaded_candidate load(unsigned slot) const noexcept {
    loaded_candidate loaded;
    loaded.slot = slot;
    FARPOINT_UNROLL
    for (unsigned i = 0; i < entry_words::count; ++i) loaded.part[i] = board_.load(slot + i);
    return loaded;
  }
  FARPOINT_DEVICE key_type receive(loaded_candidate const& loaded, std::uint32_t tag, ball& entry) noexcept {
    fps_words words[entry_words::count];
    FARPOINT_UNROLL
    for (unsigned i = 0; i < entry_words::count; ++i) words[i] = words_of(loaded.part[i], loaded.slot + i, tag);
    return entry_words::unpack(words, entry);
  }
  FARPOINT_DEVICE fps_words words_of(message const& loaded, unsigned slot, std::uint32_t tag) noexcept {
    return board_.has_come(loaded, tag) ? board_.words_of(loaded) : wait(slot, tag);
  }

  FARPOINT_DEVICE void put_header(counters_type const& counters, unsigned copy, std::uint32_t tag) noexcept {
    // Published keys have indices of the whole cloud. A key ends with the complement of the index, hence the minus.
    key_type const own_left = counters.left;
    key_type const first = fps_key_of_bits(word{0}, board_.first_index());
    key_type const left = own_left > first ? own_left - board_.first_index() : key_type{};
    word const high = listed_ == 0 ? counters.largest : fps_distance_bits(left);
    fps_words words[header_words::count] = {};
    header_words{high, fps_low_of(left), smaller(counters.found, 0xffffu), listed_}.pack(words);
    FARPOINT_UNROLL
    for (unsigned i = 0; i < header_words::count; ++i) board_.put(slots::header(place_.rank) + i, copy, words[i], tag);
  }

  /// Waits for a message. On a timeout sets has_failed and returns zeros.
  FARPOINT_DEVICE fps_words wait(unsigned slot, std::uint32_t tag) noexcept {
    auto watch = board_.watch();
    message loaded = board_.load(slot);
    while (!board_.has_come(loaded, tag)) {
      if (watch.is_over()) {
        shared_.has_failed = 1;
        return {};
      }
      Machine::pause();
      loaded = board_.load(slot);
    }
    return board_.words_of(loaded);
  }

  FARPOINT_DEVICE header_words wait_for_header(unsigned b, std::uint32_t tag) noexcept {
    fps_words words[header_words::count];
    unsigned const slot = slots::header(b);
    if constexpr (header_words::count == 1) {
      words[0] = wait(slot, tag);
    } else {
      // Load the second message first: the latencies overlap.
      message const second = board_.load(slot + 1);
      words[0] = wait(slot, tag);
      words[1] = words_of(second, slot + 1, tag);
    }
    return header_words::unpack(words);
  }

  /// Reads this thread's share of the headers, and assigns each of these blocks a range of the team's list. Returns the
  /// best key that these blocks do not list, this thread's part of the maximum `team_left`.
  FARPOINT_DEVICE key_type gather_headers(counters_type& counters, std::uint32_t tag) noexcept {
    key_type best_left{};
    for (unsigned b = thread(); b < place_.blocks; b += Config::block_size) {
      header_words const h = wait_for_header(b, tag);
      unsigned const listed = h.listed;
      if (listed > 0) {
        unsigned const place = Machine::add(&counters.listed, listed);
        lists_.place[b] = place;
        for (unsigned k = 0; k < listed; ++k) {
          lists_.source[place + k] = static_cast<std::uint16_t>(b * Config::listed_size + k);
        }
        key_maximum<Machine>::first(counters.team_left, h.left());
        best_left = larger(best_left, h.left());
        Machine::add(&counters.team_found, h.found);
      } else if (h.high != 0) {
        Machine::max(&counters.team_largest, h.high);
      }
    }
    return best_left;
  }

  /// Gathers at most `abreast` candidates: numbers begin, begin + block_size, ... of the list.
  FARPOINT_DEVICE void gather_entries(unsigned begin, unsigned all, std::uint32_t tag, word& largest) noexcept {
    loaded_candidate loaded[abreast];
    FARPOINT_UNROLL
    for (int i = 0; i < abreast; ++i) {
      unsigned const at = begin + static_cast<unsigned>(i) * Config::block_size;
      if (at >= all) break;
      unsigned const source = lists_.source[at];
      loaded[i] = load(slots::entry(source / Config::listed_size, source % Config::listed_size));
    }
    FARPOINT_UNROLL
    for (int i = 0; i < abreast; ++i) {
      unsigned const at = begin + static_cast<unsigned>(i) * Config::block_size;
      if (at >= all) break;
      ball entry;
      key_type const key = receive(loaded[i], tag, entry);
      lists_.list[at] = entry;
      lists_.list_key[at] = key;
      largest = larger(largest, fps_distance_bits(key) + 1);
    }
  }

  FARPOINT_DEVICE void take_votes(counters_type& counters, unsigned b, std::uint32_t tag) noexcept {
    std::uint32_t votes = wait(slots::vote(b), tag).word[0];
    if (votes == 0) return;
    unsigned const count = count_bits(votes);
    unsigned place = Machine::add(&counters.samples, count);
    if (b < place_.rank) Machine::add(&counters.samples_before, count);
    for (; votes != 0; votes &= votes - 1) {
      lists_.samples[place++] = lists_.list[lists_.place[b] + static_cast<unsigned>(lowest_bit(votes))];
    }
  }

  local_maxima_shared<Config>& shared_;
  local_maxima_listing<Config>& own_;
  local_maxima_lists<Config> lists_;
  Board board_;
  local_maxima_place place_;
  unsigned max_listed_;  ///< maximum number of candidates that this block lists
  unsigned listed_ = 0;  ///< number of candidates that this block lists in this round
};

}  // namespace detail
FARPOINT_END_NAMESPACE
