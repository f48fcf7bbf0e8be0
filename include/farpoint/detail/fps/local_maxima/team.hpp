/// @file
/// fps() by local maxima, by a team of blocks that hold a cloud in registers or memory. One source for kernels, and for
/// tests that run it on a CPU.
#pragma once

#include <farpoint/detail/fps/local_maxima/block_exchange.hpp>
#include <farpoint/detail/fps/local_maxima/call.hpp>
#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>
#include <farpoint/detail/fps/local_maxima/point_chunks.hpp>
#include <farpoint/detail/fps/local_maxima/point_registers.hpp>
#include <farpoint/detail/fps/local_maxima/sample_order.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// How the blocks of a team come to know all candidates; `Peers` is no_peers, or reaches the others' memory.
template <class Config, class Machine, class Peers>
using local_maxima_exchange =
    std::conditional_t<Config::alone, block_exchange<Config, Machine>, message_exchange<Config, Machine, Peers>>;

/// One block of a team. `Machine` has the primitives of a thread (machine.cuh says which), `Call` what is asked for
/// (see local_maxima_call).
template <class Config, class Machine, class Call, class Peers>
class local_maxima_team {
 public:
  using scalar = typename Config::scalar;
  using ball = typename Config::ball;
  using key_type = typename Config::key;

  /// @param round  the last round that the team's board has messages of
  FARPOINT_DEVICE local_maxima_team(Call const& call, local_maxima_place place, local_maxima_shared<Config>& shared,
                                    local_maxima_lists<Config> const& lists, key_type* keys, Peers const& peers,
                                    local_maxima_lengths lengths, std::uint32_t round = 0) noexcept
      : call_{call},
        place_{place},
        first_index_{peers.first_index()},
        shared_{shared},
        lists_{lists},
        exchange_{shared, lists, peers, place, lengths},
        order_{shared, keys, peers},
        cut_{lengths.wanted},
        singles_{lengths.singles},
        points_{shared.box},
        round_{round} {}

  /// The last round: messages of later ones cannot be taken for its own.
  FARPOINT_DEVICE std::uint32_t round() const noexcept { return round_; }

  /// Samples `cloud`, the points of this GPU. Returns false where other GPUs have failed, or there was no room.
  template <class Points>
  FARPOINT_DEVICE bool run(Points const& cloud, basic_local_maxima_order<scalar> const& order) noexcept {
    size_ = static_cast<std::uint32_t>(cloud.size());
    basic_local_maxima_order<scalar> arranged = order;
    if constexpr (Config::alone) arranged.chosen = mark_chosen();
    unsigned const bad = points_.load(cloud, arranged, place_.rank, place_.blocks);
    call_.count_non_finite(bad);
    if (start()) {
      do {
        ++round_;
        points_.lower(lists_.samples, samples_);
      } while (order_.size() < singles_ ? sample_one() : sample());
    }
    if (has_failed() || !has_room_) return false;
    finish();
    return true;
  }

 private:
  using point_type = vec<scalar, Config::dim>;
  using counters_type = local_maxima_counters<scalar>;
  using summary = local_maxima_summary<scalar>;
  using threshold = candidate_threshold<scalar>;

  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }
  /// Of this GPU's blocks the first.
  FARPOINT_DEVICE bool leads() const noexcept { return place_.rank == 0; }
  /// The same for all threads after a barrier, until the next wait for a message.
  FARPOINT_DEVICE bool has_failed() const noexcept { return Peers::may_fail && shared_.has_failed != 0; }

  /// Counts the chosen points as samples, and takes the first one if there are none. False when there is no sample.
  FARPOINT_DEVICE bool start() noexcept {
    if (thread() < 2) shared_.counters[thread()] = {};
    if (thread() == 0) shared_.has_failed = shared_.has_chosen = 0;
    for (unsigned k = thread(); k < Config::listed_size; k += Config::block_size) shared_.blocked_in[k] = 0;
    Machine::sync();
    // Also of an empty cloud: what is chosen there is counted as out of range.
    if (lower_to_chosen()) return true;
    if (call_.points() == 0) return false;
    fps_first const first = call_.first(leads() && thread() == 0);
    if (!first.has_cloud) return false;
    if (first.index < 0) return true;
    point_type const point = call_.first_point(first.index);
    order_.add_first(static_cast<std::uint32_t>(first.index), leads() && thread() == 0);
    take_index(first.index, point);
    if (thread() == 0) lists_.samples[0] = {point, not_yet_measured<scalar>};
    samples_ = 1;
    Machine::sync();
    return true;
  }

  /// Marks the chosen points in shared memory.
  FARPOINT_DEVICE point_marks mark_chosen() noexcept {
    index_t const count = call_.chosen();
    if (count == 0) return {};
    point_marks const marks{shared_.marks};
    for (unsigned w = thread(); w < Config::mark_words; w += Config::block_size) shared_.marks[w] = 0;
    Machine::sync();
    for (index_t i = thread(); i < count; i += Config::block_size) {
      index_t const index = call_.chosen_index(i);
      if (call_.is_chosen(i, index, false)) marks.add(index);
    }
    Machine::sync();
    return marks;
  }

  /// Lowers the distances to the chosen points, a batch after another. False when there is none.
  FARPOINT_DEVICE bool lower_to_chosen() noexcept {
    index_t const count = call_.chosen();
    unsigned const most = smaller(lists_.room, unsigned{Config::block_size});
    for (index_t begin = 0; begin < count; begin += most) {
      auto const size = static_cast<unsigned>(smaller<index_t>(most, count - begin));
      if (thread() < size) lists_.samples[thread()] = chosen_ball(begin + thread());
      Machine::sync();
      points_.lower(lists_.samples, size);
      Machine::sync();
    }
    return count > 0 && shared_.has_chosen != 0;
  }

  /// Ball of entry i of the chosen points. An entry that names no finite point of the cloud has a ball that reaches
  /// nothing.
  FARPOINT_DEVICE ball chosen_ball(index_t i) noexcept {
    index_t const index = call_.chosen_index(i);
    if (!call_.is_chosen(i, index, leads())) return {{}, no_candidate<scalar>};
    shared_.has_chosen = 1;
    return {call_.chosen_point(i, index), not_yet_measured<scalar>};
  }

  /// The point of this index became a sample, if it is one of this GPU's.
  FARPOINT_DEVICE void take_index(index_t index, point_type const& point) noexcept {
    index_t const own = index - index_t{first_index_};
    if (own >= 0 && own < index_t{size_}) points_.take_index(static_cast<std::uint32_t>(own), point);
  }

  /// A round of one sample, the best candidate of all: early in a cloud a list has hardly more. False when there is
  /// nothing more to sample.
  FARPOINT_DEVICE bool sample_one() noexcept {
    if (order_.size() >= call_.wanted()) return false;
    threshold top{};
    key_type const own = find_best(top);
    key_type const told = own == key_type{} ? key_type{} : own - first_index_;
    if (own == key_type{} && thread() == 0) exchange_.put_best({}, key_type{}, round_);
    for_key(top, own, [&](auto e) { exchange_.put_best(points_.candidate(e), told, round_); });

    key_type const best = exchange_.take_best(told, round_);
    scalar const distance = fps_distance_of(best);
    if (has_failed() || best == key_type{} || distance < call_.stop2()) return false;
    has_room_ = call_.has_room(order_.size() + 1);
    if (!has_room_) return false;
    if (best == told) for_key(top, own, [&](auto e) { points_.take(e); });
    if (leads() && thread() == 0) order_.set(order_.size(), best);
    samples_ = 1;
    order_.add_round(1, distance, distance);
    cut_.adapt({distance, no_candidate<scalar>, 0, 0});
    Machine::sync();
    return true;
  }

  /// Finds the key of the block's best candidate, which only one thread has; 0 means no candidate. Sets `top` to the
  /// threshold that admits exactly the block's candidates at its largest distance.
  FARPOINT_DEVICE key_type find_best(threshold& top) noexcept {
    counters_type& now = shared_.counters[round_ % 2];
    if (thread() % 32 == 0 && points_.largest_word() != 0) Machine::max(&now.largest, points_.largest_word());
    Machine::sync();
    if (thread() == Config::block_size - 1) shared_.counters[(round_ + 1) % 2] = {};
    typename Config::word const largest = now.largest;
    if (largest == 0) return {};
    top = {ordered_distance<scalar>(largest), 0xffffffffu};
    if (points_.count_above(top) > 0) {
      key_type mine{};
      points_.for_each_above(top, [&](auto e) { mine = larger(mine, points_.key(e)); });
      key_maximum<Machine>::at_one_distance(now.left, mine);
    }
    Machine::sync();
    return key_maximum<Machine>::found_at(largest - 1, now.left);
  }

  /// Calls act(e) in the one thread whose candidate e has `key`, if it is one of those that `top` admits.
  template <class Act>
  FARPOINT_DEVICE void for_key(threshold const& top, key_type key, Act const& act) noexcept {
    if (key == key_type{}) return;
    points_.for_each_above(top, [&](auto e) {
      if (points_.key(e) == key) act(e);
    });
  }

  /// One round. False when there is nothing more to sample.
  FARPOINT_DEVICE bool sample() noexcept {
    counters_type& now = shared_.counters[round_ % 2];
    threshold cut{cut_.distance(), 0};
    collect(now, cut);
    Machine::sync();
    if (thread() == Config::block_size - 1) shared_.counters[(round_ + 1) % 2] = {};
    unsigned kept = now.found;
    if (kept > Config::found_size) kept = narrow(now, cut);

    summary const all = exchange_.exchange(now, kept, round_);
    if (has_failed() || is_complete(all)) return false;
    if (!call_.has_room(order_.size() + all.listed)) {
      has_room_ = false;
      return false;
    }
    samples_ = exchange_.decide(now, all, round_, order_);
    take(cut);
    order_.add_round(samples_, cut_.distance(), all.largest());
    // With enough above the cut it stays.
    if (order_.size() < call_.wanted() || all.found == 0) {
      scalar const left = all.left == key_type{} ? no_candidate<scalar> : fps_distance_of(all.left);
      cut_.adapt({all.largest(), left, all.found, samples_});
    }
    return true;
  }

  /// Puts the block's own candidates where they are found.
  FARPOINT_DEVICE void collect(counters_type& now, threshold const& cut) noexcept {
    if (thread() % 32 == 0 && points_.largest_word() != 0) Machine::max(&now.largest, points_.largest_word());
    unsigned const mine = points_.count_above(cut);
    first_found_ = 0;
    if (mine == 0) return;
    first_found_ = Machine::add(&now.found, mine);
    unsigned at = first_found_;
    points_.for_each_above(cut, [&](auto e) {
      if (at < Config::found_size) {
        shared_.found[at] = points_.candidate(e);
        shared_.found_key[at] = points_.key(e);
      }
      ++at;
    });
  }

  /// More candidates than there is room for: raises the cut for this block alone, until they have room. Returns how
  /// many they are; `now.left` becomes a key that none of the others exceeds.
  FARPOINT_DEVICE unsigned narrow(counters_type& now, threshold& cut) noexcept {
    unsigned const all = now.found;
    key_type low = fps_key_with(cut.distance < 0 ? scalar{0} : cut.distance, 0u);
    key_type high = fps_key_of_bits(now.largest - 1, 0xffffffffu);
    unsigned count = 0;
    key_type middle = low;
    while (count == 0 || count > Config::found_size) {
      middle = fps_key_between(low, high);
      threshold const trial{fps_distance_of(middle), fps_index_of(middle)};
      count = points_.count_above(trial);
      count = block_sum(count);
      (count == 0 ? high : low) = middle;
    }
    cut = {fps_distance_of(middle), fps_index_of(middle)};
    if (thread() == 0) {
      now.found = 0;
      now.left = middle;
    }
    Machine::sync();
    collect(now, cut);
    Machine::sync();
    if (thread() == 0) now.found = all;
    Machine::sync();
    return count;
  }

  FARPOINT_DEVICE unsigned block_sum(unsigned mine) noexcept {
    mine = Machine::sum(mine);
    Machine::sync();
    if (thread() % 32 == 0) shared_.warp_sum[thread() / 32] = mine;
    Machine::sync();
    unsigned all = 0;
    for (int w = 0; w < Config::warps; ++w) all += shared_.warp_sum[w];
    return all;
  }

  /// True when no candidate is left that could be among the samples asked for.
  FARPOINT_DEVICE bool is_complete(summary const& all) noexcept {
    if (all.largest() < 0 || all.largest() < call_.stop2()) return true;
    if (order_.size() < call_.wanted()) return false;
    key_type const best = all.listed > 0 ? best_listed(all.listed) : fps_key_of(all.largest(), 0);
    return order_.count_better(best) >= call_.wanted();
  }

  FARPOINT_DEVICE key_type best_listed(unsigned listed) noexcept {
    key_type best{};
    for (unsigned i = thread(); i < listed; i += Config::block_size) best = larger(best, exchange_.list().key[i]);
    best = Machine::template max<32>(best);
    if (thread() % 32 == 0) shared_.warp_key[thread() / 32] = best;
    Machine::sync();
    for (int w = 0; w < Config::warps; ++w) best = larger(best, shared_.warp_key[w]);
    Machine::sync();
    return best;
  }

  /// The block's own samples are no candidates any more.
  FARPOINT_DEVICE void take(threshold const& cut) noexcept {
    unsigned at = first_found_;
    points_.for_each_above(cut, [&](auto e) {
      if (exchange_.is_sample(at, round_)) points_.take(e);
      ++at;
    });
  }

  /// Writes the samples in the serial loop's order.
  FARPOINT_DEVICE void finish() noexcept {
    unsigned const most = static_cast<unsigned>(smaller<index_t>(order_.size(), call_.samples()));
    scalar const stop2 = call_.stop2();
    order_.for_each(place_.rank, place_.blocks, [&](unsigned place, key_type key) {
      if (place >= most) return;
      scalar const distance = fps_distance_of(key);
      if (distance >= stop2) {
        call_.write(place, fps_index_of(key), distance);
      } else {
        call_.write_padding(place);
      }
    });
    if (leads()) {
      // Exactly the keys of distances of stop2 or more are better.
      key_type const before_stop = fps_key_of(stop2, 0xffffffffu) - 1;
      unsigned const count = stop2 > 0 ? smaller(order_.count_better(before_stop), most) : most;
      for (index_t slot = index_t{most} + thread(); slot < call_.samples(); slot += Config::block_size) {
        call_.write_padding(slot);
      }
      if (thread() == 0) call_.write_count(count);
    }
  }

  Call call_;
  local_maxima_place place_;  ///< among the blocks of this GPU
  std::uint32_t first_index_;
  std::uint32_t size_ = 0;  ///< points of this GPU
  local_maxima_shared<Config>& shared_;
  local_maxima_lists<Config> lists_;
  local_maxima_exchange<Config, Machine, Peers> exchange_;
  sample_order<Config, Machine, Peers> order_;
  basic_local_maxima_cut<scalar> cut_;
  unsigned singles_;  ///< samples that are taken one a round
  std::conditional_t<Config::in_memory, point_chunks<Config, Machine>, point_registers<Config, Machine>> points_;
  std::uint32_t round_;
  unsigned samples_ = 0;      ///< that distances have not been lowered to
  unsigned first_found_ = 0;  ///< place of this thread's first candidate
  bool has_room_ = true;      ///< for more samples
};

}  // namespace detail
FARPOINT_END_NAMESPACE
