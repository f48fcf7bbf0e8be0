/// @file
/// First kernels of a round of fps_shard() on streams, as one block runs them. One source serves GPUs and tests on a
/// CPU. `Machine` has the primitives of a thread, see detail/fps/local_maxima/machine.cuh.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/scale/stream/fps/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A chunk of points as one warp handles it. A lane has points_per_lane points of the chunk.
template <class Config, class Machine>
class fps_stream_chunk {
 public:
  using memory_type = fps_stream_memory<Config>;
  using point_type = vec<float, Config::dim>;

  FARPOINT_DEVICE fps_stream_chunk(memory_type const& memory, std::uint32_t number) noexcept
      : memory_{memory}, number_{number}, floats_{memory.points + number * memory_type::chunk_floats + lane()} {}

  FARPOINT_DEVICE static unsigned lane() noexcept { return Machine::thread() % 32; }
  FARPOINT_DEVICE float& at(int e, int axis) const noexcept {
    return floats_[static_cast<std::uint32_t>(axis) * memory_type::chunk_points + 32 * static_cast<unsigned>(e)];
  }
  FARPOINT_DEVICE float& distance(int e) const noexcept { return at(e, Config::dim); }
  FARPOINT_DEVICE std::uint32_t slot(int e) const noexcept {
    return number_ * memory_type::chunk_points + 32 * static_cast<unsigned>(e) + lane();
  }
  FARPOINT_DEVICE point_type point(int e) const noexcept {
    point_type p;
    FARPOINT_UNROLL
    for (int axis = 0; axis < Config::dim; ++axis) p[axis] = at(e, axis);
    return p;
  }

  /// Copies points of the cloud into the chunk, and computes their bounding box.
  template <class Points>
  FARPOINT_DEVICE void load(Points const& cloud, std::uint32_t const* order) const noexcept {
    auto box = bounding_box<float, Config::dim>::empty();
    for (int e = 0; e < Config::points_per_lane; ++e) {
      bool const exists = slot(e) < static_cast<std::uint32_t>(cloud.size());
      std::uint32_t const index = exists ? order[slot(e)] : 0;
      point_type const p = exists ? point_type(cloud[index]) : point_type{};
      bool const is_marked = exists && point_marks{memory_.marks}.has(index);
      bool const is_candidate = exists && !is_marked && is_finite(p);
      if (is_candidate) box.grow(p);
      FARPOINT_UNROLL
      for (int axis = 0; axis < Config::dim; ++axis) at(e, axis) = is_candidate ? p[axis] : 0;
      distance(e) = is_candidate ? not_yet_measured<float> : no_candidate<float>;
    }
    FARPOINT_UNROLL
    for (int axis = 0; axis < Config::dim; ++axis) {
      box.low[axis] = Machine::template min<32>(box.low[axis]);
      box.high[axis] = Machine::template max<32>(box.high[axis]);
    }
    if (lane() == 0) memory_.boxes[number_] = box;
    measure();
  }

  /// Lowers the distances of the chunk's points to `count` samples. Skips samples whose ball does not reach the box.
  /// All lanes call it.
  /// @param largest  ordered word of the largest distance in the chunk
  /// @return true if some sample reached the box
  FARPOINT_DEVICE bool lower(fps_ball<Config::dim> const* samples, unsigned count,
                             std::uint32_t largest) const noexcept {
    if (largest == 0) return false;
    auto const box = memory_.boxes[number_];
    float const farthest = ordered_distance<float>(largest);
    point_type mine[Config::points_per_lane];
    float nearest[Config::points_per_lane];
    bool is_read = false;
    for (unsigned begin = 0; begin < count; begin += 32) {
      unsigned const own = begin + lane();
      auto const candidate = samples[own < count ? own : begin];
      bool const reaches = box.distance2(candidate.center) < min_number(candidate.radius2, farthest);
      for (unsigned hits = Machine::ballot(own < count && reaches); hits != 0; hits &= hits - 1) {
        auto const sample = samples[begin + static_cast<unsigned>(lowest_bit(hits))];
        FARPOINT_UNROLL
        for (int e = 0; e < Config::points_per_lane; ++e) {
          if (!is_read) mine[e] = point(e), nearest[e] = distance(e);
          nearest[e] = fps_lowered(nearest[e], mine[e], sample);
        }
        is_read = true;
      }
    }
    if (!is_read) return false;
    FARPOINT_UNROLL
    for (int e = 0; e < Config::points_per_lane; ++e) distance(e) = nearest[e];
    return true;
  }

  /// Stores the chunk's largest distance.
  FARPOINT_DEVICE void measure() const noexcept {
    float farthest = no_candidate<float>;
    FARPOINT_UNROLL
    for (int e = 0; e < Config::points_per_lane; ++e) farthest = max_number(farthest, distance(e));
    std::uint32_t const word = Machine::template max<32>(ordered_distance_word(farthest));
    if (lane() == 0) memory_.largest[number_] = word, memory_.lost[number_] = 0;
  }

 private:
  memory_type const& memory_;
  std::uint32_t number_;
  float* floats_;
};

/// The best candidates that a warp has seen, one per lane, and a bound for the others.
template <class Config, class Machine>
class fps_stream_best {
 public:
  /// Offers one candidate per lane; key 0 means no candidate. All lanes call it.
  FARPOINT_DEVICE void offer(fps_key key, std::uint32_t slot) noexcept {
    found_ += count_bits(Machine::ballot(key != 0));
    fps_key const last = Machine::shuffle(key_, Config::kept - 1);
    if (key <= last) left_ = larger(left_, key);
    for (unsigned left = Machine::ballot(key > last); left != 0; left &= left - 1) {
      int const from = lowest_bit(left);
      insert(Machine::shuffle(key, from), Machine::shuffle(slot, from));
    }
  }

  FARPOINT_DEVICE fps_key key() const noexcept { return key_; }  ///< key of this lane; 0: no candidate
  FARPOINT_DEVICE std::uint32_t slot() const noexcept { return slot_; }
  FARPOINT_DEVICE fps_key left() const noexcept { return Machine::template max<32>(left_); }
  FARPOINT_DEVICE unsigned found() const noexcept { return found_; }

 private:
  /// Inserts a candidate. `key` and `slot` are the same in all lanes.
  FARPOINT_DEVICE void insert(fps_key key, std::uint32_t slot) noexcept {
    unsigned const lane = Machine::thread() % 32;
    unsigned const place = count_bits(Machine::ballot(lane < Config::kept && key_ > key));
    fps_key const last = Machine::shuffle(key_, Config::kept - 1);
    if (place >= Config::kept) {
      left_ = larger(left_, key);
      return;
    }
    left_ = larger(left_, last);
    int const before = static_cast<int>(lane == 0 ? 0 : lane - 1);
    fps_key const moved = Machine::shuffle(key_, before);
    std::uint32_t const moved_slot = Machine::shuffle(slot_, before);
    if (lane > place) key_ = moved, slot_ = moved_slot;
    if (lane == place) key_ = key, slot_ = slot;
  }

  fps_key key_ = 0;
  std::uint32_t slot_ = 0;
  fps_key left_ = 0;
  unsigned found_ = 0;
};

/// Shared memory of fps_stream_list.
template <class Config>
struct fps_stream_list_shared {
  static constexpr unsigned warps = Config::list_block_size / 32;

  fps_ball<Config::dim> samples[Config::samples_at_once];
  fps_key key[warps * Config::kept];
  std::uint32_t slot[warps * Config::kept];
  std::uint32_t largest;
  std::uint32_t found;
  std::uint32_t listed;
  fps_key left;
  fps_key best;
};

/// First half of a round: updates the state from the previous round's counters, lowers the rank's points, and lists the
/// block's best candidates.
template <class Config, class Machine, class Points>
class fps_stream_list {
 public:
  using shared_type = fps_stream_list_shared<Config>;
  using args_type = fps_stream_args<Config, Points>;
  using chunk = fps_stream_chunk<Config, Machine>;

  FARPOINT_DEVICE fps_stream_list(args_type const& args, unsigned block, shared_type& shared) noexcept
      : args_{args}, block_{block}, shared_{shared}, state_{args.memory.states[(args.round - 1) % 2]} {}

  FARPOINT_DEVICE void run() noexcept {
    if (args_.round > 1 && state_.done == 0) conclude();
    if (block_ == 0 && thread() == 0) {
      args_.memory.states[args_.round % 2] = state_;
      args_.memory.counters[args_.round % 2] = {};
    }
    if (state_.done != 0) return;
    lower();
    list();
  }

 private:
  static constexpr unsigned warps = shared_type::warps;
  static constexpr unsigned block_size = Config::list_block_size;

  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }

  /// Computes the state after the previous round. All blocks of all ranks get the same state.
  FARPOINT_DEVICE void conclude() noexcept {
    auto const counted = args_.memory.counters[(args_.round - 1) % 2];
    auto const all = *args_.memory.summary;
    float const largest = all.largest == 0 ? no_candidate<float> : ordered_distance<float>(all.largest);
    bool const has_enough = state_.size >= args_.wanted;
    state_.done = largest < 0 || largest < args_.stop2 || (has_enough && counted.better >= args_.wanted) ? 1 : 0;
    state_.samples = counted.accepted;
    state_.size += counted.accepted - counted.counted;
    // The cut adapts until there are enough samples. Afterwards it adapts only if no candidate was above it.
    if (state_.size < args_.wanted || all.found == 0) {
      float const left = all.left == 0 ? no_candidate<float> : fps_distance_of(all.left);
      state_.cut.adapt({largest, left, all.found, counted.accepted});
    }
  }

  template <class Act>
  FARPOINT_DEVICE void for_each_chunk(Act const& act) const noexcept {
    // Neighboring chunks belong to different blocks, which spreads the candidates of one region.
    for (index_t c = index_t{thread() / 32} * Config::blocks + block_; c < args_.memory.chunks;
         c += index_t{Config::blocks} * warps) {
      act(static_cast<std::uint32_t>(c));
    }
  }

  FARPOINT_DEVICE void lower() noexcept {
    for (unsigned begin = 0; begin < state_.samples; begin += Config::samples_at_once) {
      unsigned const count = smaller(state_.samples - begin, unsigned{Config::samples_at_once});
      Machine::sync();
      for (unsigned i = thread(); i < count; i += block_size) shared_.samples[i] = args_.memory.samples[begin + i];
      Machine::sync();
      for_each_chunk([&](std::uint32_t c) {
        chunk const points{args_.memory, c};
        bool const lost = args_.memory.lost[c] != 0;
        if (points.lower(shared_.samples, count, args_.memory.largest[c]) || lost) points.measure();
      });
    }
  }

  FARPOINT_DEVICE void list() noexcept {
    if (thread() == 0) shared_.largest = shared_.found = shared_.listed = 0, shared_.left = shared_.best = 0;
    Machine::sync();
    fps_stream_best<Config, Machine> best;
    std::uint32_t largest = 0;
    float const cut = state_.cut.distance();
    for_each_chunk([&](std::uint32_t c) {
      std::uint32_t const word = args_.memory.largest[c];
      largest = larger(largest, word);
      if (word == 0 || !(ordered_distance<float>(word) > cut)) return;
      chunk const points{args_.memory, c};
      for (int e = 0; e < Config::points_per_lane; ++e) {
        float const distance = points.distance(e);
        bool const is_above = distance > cut && distance >= 0;
        best.offer(is_above ? fps_key_of(distance, args_.first_index + args_.order[points.slot(e)]) : 0,
                   points.slot(e));
      }
    });
    unsigned const lane = thread() % 32;
    if (lane < Config::kept) {
      shared_.key[thread() / 32 * Config::kept + lane] = best.key();
      shared_.slot[thread() / 32 * Config::kept + lane] = best.slot();
    }
    fps_key const left = best.left();
    if (lane == 0) {
      Machine::max(&shared_.largest, largest);
      if (best.found() > 0) Machine::add(&shared_.found, best.found());
      if (left != 0) Machine::max(&shared_.left, left);
    }
    Machine::sync();
    write();
  }

  /// Lists the best of the candidates that the warps kept.
  FARPOINT_DEVICE void write() noexcept {
    auto& listing = args_.memory.sent[block_];
    constexpr unsigned all = warps * Config::kept;
    for (unsigned i = thread(); i < all; i += block_size) {
      fps_key const key = shared_.key[i];
      if (key == 0) continue;
      // The rank of a key is the number of better keys. Keys are distinct, because they contain the index.
      unsigned place = 0;
      for (unsigned other = 0; other < all; ++other) place += shared_.key[other] > key;
      if (place == 0) shared_.best = key;
      if (place == Config::listed) Machine::max(&shared_.left, key);
      if (place >= Config::listed) continue;
      Machine::add(&shared_.listed, 1u);
      std::uint32_t const slot = shared_.slot[i];
      float const* const floats = args_.memory.points + slot / chunk_points * fps_stream_memory<Config>::chunk_floats;
      FARPOINT_UNROLL
      for (int axis = 0; axis < Config::dim; ++axis) {
        listing.ball[place].center[axis] = floats[static_cast<unsigned>(axis) * chunk_points + slot % chunk_points];
      }
      listing.ball[place].radius2 = fps_distance_of(key);
      listing.key[place] = key;
      args_.memory.slots[block_ * Config::listed + place] = slot;
    }
    Machine::sync();
    if (thread() != 0) return;
    listing.largest = shared_.largest;
    listing.found = shared_.found;
    listing.listed = shared_.listed;
    listing.left = shared_.left;
    listing.best = shared_.best;
  }

  static constexpr std::uint32_t chunk_points = fps_stream_memory<Config>::chunk_points;

  args_type const& args_;
  unsigned block_;
  shared_type& shared_;
  fps_stream_state state_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
