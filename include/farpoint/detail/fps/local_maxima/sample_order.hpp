/// @file
/// The samples that fps() by local maxima accepted so far, and their place in the serial loop's order.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>
#include <farpoint/tuning/local_maxima.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Samples by key. They come in rounds, whose keys overlap only with those of a few rounds before and behind.
///
/// `keys` is memory for as many keys as the cloud has points: of the block, or, with messages, of the team. Its blocks
/// write them without waiting for each other: that memory is zero at the start, and a key of 0 has not arrived.
template <class Config, class Machine>
class sample_order {
 public:
  FARPOINT_DEVICE sample_order(local_maxima_shared<Config>& shared, fps_key* keys) noexcept
      : shared_{shared}, keys_{keys} {}

  /// Samples so far.
  FARPOINT_DEVICE unsigned size() const noexcept { return size_; }

  /// The sample that comes before all others, whatever their keys: a cloud's first.
  FARPOINT_DEVICE void add_first(std::uint32_t index, bool writes) noexcept {
    if (writes) set(0, fps_key_of(not_yet_measured<float>, index));
    size_ = first_ = 1;
  }

  FARPOINT_DEVICE void set(unsigned number, fps_key key) noexcept {
    if constexpr (!Config::by_messages) {
      keys_[number] = key;
    } else {
      Machine::write(keys_ + number, key);
    }
  }

  /// Counts the samples of a round, numbers size() to size() + count - 1: farther than `above`, no farther than `most`.
  FARPOINT_DEVICE void add_round(unsigned count, float above, float most) noexcept {
    if (count == 0) return;
    if (Machine::thread() == 0) {
      // When there is no room for another span, the last one grows.
      bool const grows = spans_ == local_maxima_shared<Config>::spans;
      auto& span = shared_.span[grows ? spans_ - 1 : spans_];
      span = {grows ? span.begin : size_, above, grows ? max_number(span.most, most) : most};
      if (grows) span.above = min_number(above, span.above);
      (&span)[1].begin = size_ + count;
    }
    if (spans_ < local_maxima_shared<Config>::spans) ++spans_;
    size_ += count;
  }

  /// How many samples are better than `best`. All threads of the block call it, and get the same.
  FARPOINT_DEVICE unsigned count_better(fps_key best) const noexcept {
    float const distance = fps_distance_of(best);
    unsigned all = first_;
    unsigned mine = 0;
    for (unsigned s = 0; s < spans_; ++s) {
      local_maxima_span const span = shared_.span[s];
      unsigned const end = (&shared_.span[s])[1].begin;
      if (span.above > distance) {
        all += end - span.begin;
      } else if (span.most >= distance) {
        for (unsigned i = span.begin + Machine::thread(); i < end; i += Config::block_size) mine += get(i) > best;
      }
    }
    return all + sum(mine);
  }

  /// Calls write(place, key) for each sample; block `rank` of `blocks` does its share.
  template <class Write>
  FARPOINT_DEVICE void for_each(unsigned rank, unsigned blocks, Write const& write) noexcept {
    Machine::sync();
    unsigned const tiles = divide_up(size_, 32u);
    unsigned const warps = blocks * Config::warps;
    // What is left when each warp has had as many tiles: too few to keep the warps busy, they are shared out.
    unsigned const rest = tiles % warps;
    unsigned const whole = 2 * rest < warps ? tiles - rest : tiles;
    for (unsigned tile = Machine::thread() / 32 * blocks + rank; tile < whole; tile += warps) {
      unsigned const number = tile * 32 + Machine::thread() % 32;
      fps_key const key = number < size_ ? get(number) : 0;
      unsigned const before = count_before(tile, key, 0, 1);
      if (number < size_) write(before, key);
    }
    for (unsigned tile = whole + rank; tile < tiles; tile += blocks) write_by_block(tile, write);
  }

 private:
  /// A key; 0: it has not arrived.
  FARPOINT_DEVICE fps_key load(unsigned number) const noexcept {
    if constexpr (!Config::by_messages) {
      return keys_[number];
    } else {
      return Machine::read(keys_ + number);
    }
  }
  /// A key, once it has arrived.
  FARPOINT_DEVICE fps_key get(unsigned number) const noexcept {
    fps_key key;
    while ((key = load(number)) == 0) Machine::pause();
    return key;
  }

  FARPOINT_DEVICE unsigned sum(unsigned mine) const noexcept {
    mine = Machine::sum(mine);
    if (Machine::thread() % 32 == 0) shared_.warp_sum[Machine::thread() / 32] = mine;
    Machine::sync();
    unsigned all = 0;
    FARPOINT_UNROLL
    for (int w = 0; w < Config::warps; ++w) all += shared_.warp_sum[w];
    Machine::sync();
    return all;
  }

  /// All warps of the block share the work for a tile.
  template <class Write>
  FARPOINT_DEVICE void write_by_block(unsigned tile, Write const& write) noexcept {
    unsigned const lane = Machine::thread() % 32;
    unsigned const number = tile * 32 + lane;
    if (Machine::thread() < 32) shared_.order[lane] = 0;
    Machine::sync();
    fps_key const key = number < size_ ? get(number) : 0;
    unsigned const before = count_before(tile, key, Machine::thread() / 32, Config::warps);
    if (before != 0) Machine::add(&shared_.order[lane], before);
    Machine::sync();
    if (Machine::thread() < 32 && number < size_) write(shared_.order[lane], key);
    Machine::sync();
  }

  /// Samples before each of the tile's 32, a lane each, as far as the warp's part goes of `parts`.
  FARPOINT_DEVICE unsigned count_before(unsigned tile, fps_key key, unsigned part, unsigned parts) const noexcept {
    unsigned const lane = Machine::thread() % 32;
    bool const is_first = tile * 32 + lane < first_;
    bool const real = key != 0 && !is_first;
    std::uint32_t const word = static_cast<std::uint32_t>(key >> 32);
    std::uint32_t const farthest = Machine::template max<32>(real ? word : 0u);
    std::uint32_t const nearest = ~Machine::template max<32>(real ? ~word : 0u);
    unsigned before = part == 0 ? first_ : 0;
    unsigned turn = 0;
    for (unsigned first = 0; first < spans_; first += 32) {
      // A lane looks at a span.
      bool const has_span = first + lane < spans_;
      local_maxima_span const* const mine = &shared_.span[has_span ? first + lane : 0];
      bool const behind = !has_span || float_bits(mine->most) < nearest;
      bool const ahead = !behind && mine->above >= 0 && float_bits(mine->above) > farthest;
      unsigned const all = Machine::sum(ahead ? mine[1].begin - mine->begin : 0u);
      if (part == 0) before += all;
      for (unsigned mixed = Machine::ballot(!behind && !ahead); mixed != 0; mixed &= mixed - 1) {
        local_maxima_span const* const span = &shared_.span[first + static_cast<unsigned>(lowest_bit(mixed))];
        for (unsigned begin = span->begin; begin < span[1].begin; begin += 32 * abreast, ++turn) {
          if (turn % parts == part) before += count_better(begin, span[1].begin, key);
        }
      }
    }
    return is_first ? 0 : before;
  }

  /// Keys that a lane loads at once.
  static constexpr unsigned abreast = maxima_keys_at_once;

  /// Samples begin to end - 1, as many as a warp loads at once, that are better than the lane's `key`.
  FARPOINT_DEVICE unsigned count_better(unsigned begin, unsigned end, fps_key key) const noexcept {
    if constexpr (!Config::by_messages) {
      // All lanes read one key of shared memory faster than they exchange it.
      end = smaller(end, begin + 32 * abreast);
      unsigned better = 0;
      for (unsigned i = begin; i < end; ++i) better += keys_[i] > key;
      return better;
    } else {
      return count_better_by_messages(begin, end, key);
    }
  }

  FARPOINT_DEVICE unsigned count_better_by_messages(unsigned begin, unsigned end, fps_key key) const noexcept {
    fps_key other[abreast];
    FARPOINT_UNROLL
    for (unsigned j = 0; j < abreast; ++j) {
      unsigned const number = begin + 32 * j + Machine::thread() % 32;
      other[j] = number < end ? load(number) : 0;
    }
    unsigned better = 0;
    FARPOINT_UNROLL
    for (unsigned j = 0; j < abreast; ++j) {
      if (begin + 32 * j >= end) break;
      unsigned const number = begin + 32 * j + Machine::thread() % 32;
      if (number < end && other[j] == 0) other[j] = get(number);
      FARPOINT_UNROLL
      for (int i = 0; i < 32; ++i) better += Machine::shuffle(other[j], i) > key;
    }
    return better;
  }

  local_maxima_shared<Config>& shared_;
  fps_key* keys_;
  unsigned size_ = 0;
  unsigned first_ = 0;
  unsigned spans_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
