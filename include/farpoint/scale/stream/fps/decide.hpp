/// @file
/// Second kernel of a round of fps_shard() on streams, as one block runs it. One source serves GPUs and tests on a CPU.
/// `Machine` has the primitives of a thread, see detail/fps/local_maxima/machine.cuh.
#pragma once

#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/scale/stream/fps/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Shared memory of fps_stream_decide.
template <class Config>
struct fps_stream_decide_shared {
  static constexpr unsigned places = Config::listings_at_once * Config::listed;

  fps_ball<Config::dim> ball[places];
  fps_key key[places];
  std::uint32_t begin[Config::listings_at_once + 1];
  fps_ball<Config::dim> own_ball[Config::listed];
  fps_key own_key[Config::listed];
  std::uint32_t blocked[Config::listed];
  fps_stream_summary all;
  std::uint32_t better;
};

/// Second half of a round: decides which candidates of one listing become samples. All ranks get the same decision.
template <class Config, class Machine, class Points>
class fps_stream_decide {
 public:
  using shared_type = fps_stream_decide_shared<Config>;
  using args_type = fps_stream_args<Config, Points>;

  FARPOINT_DEVICE fps_stream_decide(args_type const& args, unsigned block, shared_type& shared) noexcept
      : args_{args}, block_{block}, shared_{shared}, own_{args.memory.received[block]} {}

  /// @param state  state of this round
  FARPOINT_DEVICE void run(fps_stream_state const& state) noexcept {
    if (state.done != 0) return;
    if (thread() == 0) shared_.all = {}, shared_.better = 0;
    for (unsigned k = thread(); k < Config::listed; k += block_size) {
      shared_.blocked[k] = 0;
      shared_.own_ball[k] = own_.ball[k < own_.listed ? k : 0];
      shared_.own_key[k] = own_.key[k < own_.listed ? k : 0];
    }
    unsigned const listings = args_.ranks * Config::blocks;
    for (unsigned first = 0; first < listings; first += Config::listings_at_once) {
      unsigned const count = smaller(listings - first, unsigned{Config::listings_at_once});
      Machine::sync();
      look_at(args_.memory.received + first, count);
      Machine::sync();
      if (own_.listed > 0) test(args_.memory.received + first, count);
    }
    Machine::sync();
    if (state.size >= args_.wanted) count_better(state.size);
    accept(state.size);
    if (block_ == 0 && thread() == 0) *args_.memory.summary = shared_.all;
  }

 private:
  static constexpr unsigned block_size = Config::decide_block_size;
  using listing = fps_stream_listing<Config>;

  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }

  /// Combines the summaries of some listings, and computes the offset of each listing's candidates. One warp runs it.
  FARPOINT_DEVICE void look_at(listing const* listings, unsigned count) noexcept {
    if (thread() >= 32) return;
    unsigned before = 0;
    for (unsigned begin = 0; begin < count; begin += 32) {
      unsigned const i = begin + thread();
      bool const exists = i < count;
      unsigned const listed = exists ? listings[i].listed : 0u;
      if (exists) {
        Machine::max(&shared_.all.largest, listings[i].largest);
        if (listings[i].found > 0) Machine::add(&shared_.all.found, listings[i].found);
        if (listings[i].left != 0) Machine::max(&shared_.all.left, listings[i].left);
        if (listings[i].best != 0) Machine::max(&shared_.all.best, listings[i].best);
      }
      unsigned sum = listed;
      for (unsigned step = 1; step < 32; step *= 2) {
        unsigned const other = Machine::shuffle(sum, static_cast<int>(thread() < step ? 0 : thread() - step));
        if (thread() >= step) sum += other;
      }
      if (exists) shared_.begin[i] = before + sum - listed;
      before += Machine::shuffle(sum, 31);
    }
    if (thread() == 0) shared_.begin[count] = before;
  }

  /// Tests whether candidates of some listings block the block's own candidates.
  FARPOINT_DEVICE void test(listing const* listings, unsigned count) noexcept {
    for (unsigned i = thread(); i < count * Config::listed; i += block_size) {
      unsigned const from = i / Config::listed;
      unsigned const k = i % Config::listed;
      if (k >= shared_.begin[from + 1] - shared_.begin[from]) continue;
      shared_.ball[shared_.begin[from] + k] = listings[from].ball[k];
      shared_.key[shared_.begin[from] + k] = listings[from].key[k];
    }
    Machine::sync();
    for (unsigned i = thread(); i < shared_.begin[count]; i += block_size) {
      auto const ball = shared_.ball[i];
      fps_key const key = shared_.key[i];
      for (unsigned k = 0; k < own_.listed; ++k) {
        if (fps_blocks(ball, key, shared_.own_ball[k], shared_.own_key[k])) shared_.blocked[k] = 1;
      }
    }
  }

  /// Counts the samples that are better than every remaining candidate. Blocks share out the samples.
  FARPOINT_DEVICE void count_better(std::uint32_t size) noexcept {
    fps_key const best = shared_.all.best != 0      ? shared_.all.best
                         : shared_.all.largest == 0 ? 0
                                                    : fps_key_of(ordered_distance<float>(shared_.all.largest), 0);
    unsigned mine = 0;
    std::uint32_t const step = args_.ranks * Config::blocks * block_size;
    for (std::uint32_t i = block_ * block_size + thread(); i < size; i += step) mine += args_.found[i] > best;
    mine = Machine::sum(mine);
    if (thread() % 32 == 0 && mine > 0) Machine::add(&shared_.better, mine);
    Machine::sync();
    if (thread() == 0 && shared_.better > 0) Machine::add(&counters().better, shared_.better);
  }

  FARPOINT_DEVICE void accept(std::uint32_t size) noexcept {
    unsigned const k = thread();
    if (k >= own_.listed || shared_.blocked[k] != 0) return;
    // A better candidate that is not listed may be inside the ball.
    if (shared_.own_key[k] <= shared_.all.left) return;
    unsigned const place = Machine::add(&counters().accepted, 1u);
    args_.memory.samples[place] = shared_.own_ball[k];
    args_.found[size + place] = shared_.own_key[k];
    if (block_ / Config::blocks != args_.rank) return;
    using memory_type = fps_stream_memory<Config>;
    constexpr std::uint32_t chunk_points = memory_type::chunk_points;
    std::uint32_t const slot = args_.memory.slots[block_ % Config::blocks * Config::listed + k];
    std::uint32_t const chunk = slot / chunk_points;
    args_.memory.points[chunk * memory_type::chunk_floats + Config::dim * chunk_points + slot % chunk_points] =
        no_candidate<float>;
    args_.memory.lost[chunk] = 1;
  }

  FARPOINT_DEVICE fps_stream_counters& counters() const noexcept { return args_.memory.counters[args_.round % 2]; }

  args_type const& args_;
  unsigned block_;
  shared_type& shared_;
  listing const& own_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
