/// @file
/// How the blocks of a team tell each other of their candidates, and which of them became samples.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a message carries: three words, and a tag that tells the reader that it is there.
struct fps_words {
  std::uint32_t word[3];
};

/// Where a block's messages lie on a team's board: its header, its vote, and two messages for each candidate.
///
/// A block overwrites a message in the next round only, when every other block has read it: a block's entries of round
/// r + 1 follow on the votes of all others of round r, which follow on reading the entries of round r.
template <class Config>
struct board_slots {
  FARPOINT_HD static constexpr unsigned header(unsigned block) noexcept { return block * each; }
  FARPOINT_HD static constexpr unsigned vote(unsigned block) noexcept { return block * each + 1; }
  FARPOINT_HD static constexpr unsigned entry(unsigned block, unsigned k) noexcept { return block * each + 2 + 2 * k; }
  FARPOINT_HD static constexpr unsigned all(unsigned blocks) noexcept { return blocks * each; }

 private:
  static constexpr unsigned each = 2 + 2 * Config::listed_size;
};

/// One block's side of the exchange. A *board* `b` has
///   b.copies()                 boards that a message is written to
///   b.put(slot, copy, w, tag)  writes a message
///   b.load(slot), b.has_come(message, tag), b.words_of(message)
template <class Config, class Machine, class Board>
class candidate_exchange {
 public:
  static constexpr int dim = Config::dim;
  using ball = fps_ball<dim>;
  using slots = board_slots<Config>;

  FARPOINT_DEVICE candidate_exchange(local_maxima_shared<Config>& shared, local_maxima_lists<Config> const& lists,
                                     Board const& board, unsigned rank, unsigned blocks, unsigned most) noexcept
      : shared_{shared}, lists_{lists}, board_{board}, rank_{rank}, blocks_{blocks}, most_{most} {}

  /// Lists the best of the `found` candidates of this block, as many as there is room for, and tells the team.
  FARPOINT_DEVICE void publish(local_maxima_counters& counters, unsigned found, std::uint32_t tag) noexcept {
    listed_ = smaller(found, most_);
    for (unsigned c = thread(); c < found; c += Config::block_size) {
      unsigned const rank = found > most_ ? rank_of(c, found) : c;
      fps_key const key = shared_.found_key[c];
      shared_.rank[c] = rank;
      if (rank == listed_) Machine::max(&counters.left, key);
      if (rank >= listed_) continue;
      shared_.own[rank] = shared_.found[c];
      shared_.own_key[rank] = key;
    }
    Machine::sync();
    unsigned const copies = board_.copies();
    for (unsigned i = thread(); i < listed_ * copies; i += Config::block_size) put_entry(i / copies, i % copies, tag);
    if (thread() < copies) put_header(counters, thread(), tag);
  }

  /// Fills the team's list and counters. A barrier follows.
  FARPOINT_DEVICE void gather(local_maxima_counters& counters, std::uint32_t tag) noexcept {
    gather_headers(counters, tag);
    Machine::sync();
    unsigned const all = counters.listed;
    std::uint32_t largest = 0;
    for (unsigned begin = thread(); begin < all; begin += abreast * Config::block_size) {
      gather_entries(begin, all, tag, largest);
    }
    largest = Machine::template max<32>(largest);
    if (thread() % 32 == 0 && largest != 0) Machine::max(&counters.team_largest, largest);
  }

  /// This block's candidates that nothing keeps become samples; tells the team, and lists the samples of all blocks.
  /// Barriers stand before and after.
  FARPOINT_DEVICE void vote(local_maxima_counters& counters, std::uint32_t tag) noexcept {
    if (thread() < 32) {
      unsigned const lane = thread();
      unsigned const accepted = Machine::ballot(lane < listed_ && shared_.blocked_in[lane < listed_ ? lane : 0] != tag);
      for (unsigned copy = lane; copy < board_.copies(); copy += 32) {
        board_.put(slots::vote(rank_), copy, {{accepted, 0, 0}}, tag);
      }
    }
    for (unsigned b = thread(); b < blocks_; b += Config::block_size) take_votes(counters, b, tag);
  }

  FARPOINT_DEVICE unsigned listed() const noexcept { return listed_; }

 private:
  /// Messages that a thread waits for at once.
  static constexpr int abreast = 2;

  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }

  /// Candidates found by this block that are better than candidate c.
  FARPOINT_DEVICE unsigned rank_of(unsigned c, unsigned found) const noexcept {
    fps_key const mine = shared_.found_key[c];
    unsigned rank = 0;
    for (unsigned other = 0; other < found; ++other) rank += shared_.found_key[other] > mine;
    return rank;
  }

  FARPOINT_DEVICE void put_entry(unsigned k, unsigned copy, std::uint32_t tag) noexcept {
    ball const own = shared_.own[k];
    fps_words where{};
    FARPOINT_UNROLL
    for (int axis = 0; axis < dim; ++axis) where.word[axis] = float_bits(own.centre[axis]);
    fps_key const key = shared_.own_key[k];
    board_.put(slots::entry(rank_, k), copy, where, tag);
    board_.put(slots::entry(rank_, k) + 1, copy,
               {{static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), 0}}, tag);
  }

  /// Without a list, the largest distance; with one, the key of the best that is not in it, or 0.
  FARPOINT_DEVICE void put_header(local_maxima_counters const& counters, unsigned copy, std::uint32_t tag) noexcept {
    fps_key const left = counters.left;
    std::uint32_t const high = listed_ == 0 ? counters.largest : static_cast<std::uint32_t>(left >> 32);
    unsigned const found = smaller(counters.found, 0xffffu);
    board_.put(slots::header(rank_), copy, {{high, static_cast<std::uint32_t>(left), found << 8 | listed_}}, tag);
  }

  FARPOINT_DEVICE fps_words wait(unsigned slot, std::uint32_t tag) noexcept {
    auto message = board_.load(slot);
    while (!board_.has_come(message, tag)) {
      Machine::pause();
      message = board_.load(slot);
    }
    return board_.words_of(message);
  }

  FARPOINT_DEVICE void gather_headers(local_maxima_counters& counters, std::uint32_t tag) noexcept {
    for (unsigned b = thread(); b < blocks_; b += Config::block_size) {
      fps_words const header = wait(slots::header(b), tag);
      unsigned const listed = header.word[2] & 0xff;
      if (listed > 0) {
        unsigned const place = Machine::add(&counters.listed, listed);
        lists_.place[b] = place;
        for (unsigned k = 0; k < listed; ++k) {
          lists_.source[place + k] = static_cast<std::uint16_t>(b * Config::listed_size + k);
        }
        fps_key const left = static_cast<fps_key>(header.word[0]) << 32 | header.word[1];
        if (left != 0) Machine::max(&counters.team_left, left);
        Machine::add(&counters.team_found, header.word[2] >> 8);
      } else if (header.word[0] != 0) {
        Machine::max(&counters.team_largest, header.word[0]);
      }
    }
  }

  FARPOINT_DEVICE void gather_entries(unsigned begin, unsigned all, std::uint32_t tag,
                                      std::uint32_t& largest) noexcept {
    using message = decltype(board_.load(0));
    message where[abreast];
    message key[abreast];
    unsigned slot[abreast];
    FARPOINT_UNROLL
    for (int i = 0; i < abreast; ++i) {
      unsigned const at = begin + static_cast<unsigned>(i) * Config::block_size;
      if (at >= all) break;
      unsigned const source = lists_.source[at];
      slot[i] = slots::entry(source / Config::listed_size, source % Config::listed_size);
      where[i] = board_.load(slot[i]);
      key[i] = board_.load(slot[i] + 1);
    }
    FARPOINT_UNROLL
    for (int i = 0; i < abreast; ++i) {
      unsigned const at = begin + static_cast<unsigned>(i) * Config::block_size;
      if (at >= all) break;
      fps_words const w = board_.has_come(where[i], tag) ? board_.words_of(where[i]) : wait(slot[i], tag);
      fps_words const k = board_.has_come(key[i], tag) ? board_.words_of(key[i]) : wait(slot[i] + 1, tag);
      ball entry;
      FARPOINT_UNROLL
      for (int axis = 0; axis < dim; ++axis) entry.centre[axis] = float_of_bits(w.word[axis]);
      entry.radius2 = float_of_bits(k.word[0]);
      lists_.list[at] = entry;
      lists_.list_key[at] = static_cast<fps_key>(k.word[0]) << 32 | k.word[1];
      largest = larger(largest, k.word[0] + 1);
    }
  }

  FARPOINT_DEVICE void take_votes(local_maxima_counters& counters, unsigned b, std::uint32_t tag) noexcept {
    std::uint32_t votes = wait(slots::vote(b), tag).word[0];
    if (votes == 0) return;
    unsigned const count = count_bits(votes);
    unsigned place = Machine::add(&counters.samples, count);
    if (b < rank_) Machine::add(&counters.samples_before, count);
    for (; votes != 0; votes &= votes - 1) {
      lists_.samples[place++] = lists_.list[lists_.place[b] + static_cast<unsigned>(lowest_bit(votes))];
    }
  }

  local_maxima_shared<Config>& shared_;
  local_maxima_lists<Config> lists_;
  Board board_;
  unsigned rank_;
  unsigned blocks_;
  unsigned most_;  ///< candidates that a block lists
  unsigned listed_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
