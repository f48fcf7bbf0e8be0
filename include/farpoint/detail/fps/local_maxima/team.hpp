/// @file
/// fps() by local maxima as one block of a team performs it. Kernels and tests on the host compile the same source.
#pragma once

#include <farpoint/detail/fps/local_maxima/call.hpp>
#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>
#include <farpoint/detail/fps/local_maxima/point_chunks.hpp>
#include <farpoint/detail/fps/local_maxima/point_registers.hpp>
#include <farpoint/detail/fps/local_maxima/sample_order.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One block of the team that samples a cloud. A round lowers the distances by the samples of the last round, collects
/// the candidates above the cut, exchanges lists with the other blocks, accepts candidates by rule 1, and adapts the
/// cut.
/// @tparam Machine  primitives of a thread, see cuda_machine
/// @tparam Call     parameters and outputs of the call, see local_maxima_call
template <class Config, class Machine, class Call, class Peers>
class local_maxima_team {
 public:
  using scalar = typename Config::scalar;
  using ball = typename Config::ball;
  using key_type = typename Config::key;

  /// @param round  number of the last round that the team's board has messages of
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

  /// Returns the number of the last round; messages of later rounds need larger numbers.
  FARPOINT_DEVICE std::uint32_t round() const noexcept { return round_; }

  /// Samples `cloud`, the points of this GPU. Returns false if a wait timed out or samples had no room.
  template <class Points>
  FARPOINT_DEVICE bool run(Points const& cloud, basic_local_maxima_order<scalar> const& order) noexcept {
    size_ = static_cast<std::uint32_t>(cloud.size());
    unsigned const bad = points_.load(cloud, order, place_.rank, place_.blocks);
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
  /// Returns true in the first block of this GPU.
  FARPOINT_DEVICE bool leads() const noexcept { return place_.rank == 0; }
  /// Has one value for all threads from a barrier to the next wait for a message.
  FARPOINT_DEVICE bool has_failed() const noexcept { return Peers::may_fail && shared_.has_failed != 0; }

  /// Lowers the distances by the chosen points, or adds the first sample. Returns false if nothing can be sampled.
  FARPOINT_DEVICE bool start() noexcept {
    if (thread() < 2) shared_.counters[thread()] = {};
    if (thread() == 0) shared_.has_failed = shared_.has_chosen = 0;
    for (unsigned k = thread(); k < Config::listed_size; k += Config::block_size) shared_.blocked_in[k] = 0;
    Machine::sync();
    // Called for an empty cloud, too: its chosen points are reported as out of range.
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

  /// Lowers the distances by the chosen points, a batch at a time. Returns false if no chosen point is valid.
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

  /// Returns the ball of entry i of the chosen points. The ball of an invalid entry reaches no point.
  FARPOINT_DEVICE ball chosen_ball(index_t i) noexcept {
    index_t const index = call_.chosen_index(i);
    if (!call_.is_chosen(i, index, leads())) return {{}, no_candidate<scalar>};
    shared_.has_chosen = 1;
    return {call_.chosen_point(i, index), not_yet_measured<scalar>};
  }

  /// Records that the point with this index became a sample, if this GPU has it.
  FARPOINT_DEVICE void take_index(index_t index, point_type const& point) noexcept {
    index_t const own = index - index_t{first_index_};
    if (own >= 0 && own < index_t{size_}) points_.take_index(static_cast<std::uint32_t>(own), point);
  }

  /// Accepts only the best candidate: early in a cloud, lists accept hardly more. Returns false when the cloud is done.
  FARPOINT_DEVICE bool sample_one() noexcept {
    if (order_.size() >= call_.wanted()) return false;
    threshold top{};
    key_type const own = find_best(top);
    key_type const own_key = own == key_type{} ? key_type{} : own - first_index_;
    if (own == key_type{} && thread() == 0) exchange_.put_best({}, key_type{}, round_);
    for_key(top, own, [&](auto e) { exchange_.put_best(points_.candidate(e), own_key, round_); });

    key_type const best = exchange_.take_best(round_);
    scalar const distance = fps_distance_of(best);
    if (has_failed() || best == key_type{} || distance < call_.stop2()) return false;
    has_room_ = call_.has_room(order_.size() + 1);
    if (!has_room_) return false;
    if (best == own_key) for_key(top, own, [&](auto e) { points_.take(e); });
    if (leads() && thread() == 0) order_.set(order_.size(), best);
    samples_ = 1;
    order_.add_round(1, distance, distance);
    cut_.adapt({distance, no_candidate<scalar>, 0, 0});
    Machine::sync();
    return true;
  }

  /// Returns the key of the block's best candidate; 0 if it has none. Sets `top` to the threshold that admits exactly
  /// the block's candidates at its largest distance.
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

  /// Calls act(e) in the one thread whose candidate e has the key, if `top` admits e.
  template <class Act>
  FARPOINT_DEVICE void for_key(threshold const& top, key_type key, Act const& act) noexcept {
    if (key == key_type{}) return;
    points_.for_each_above(top, [&](auto e) {
      if (points_.key(e) == key) act(e);
    });
  }

  /// Performs a round. Returns false when the cloud is done.
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
    // The cut stays once enough samples are accepted: only candidates above it can still matter.
    if (order_.size() < call_.wanted() || all.found == 0) {
      scalar const left = all.left == key_type{} ? no_candidate<scalar> : fps_distance_of(all.left);
      cut_.adapt({all.largest(), left, all.found, samples_});
    }
    return true;
  }

  /// Copies the block's candidates above the cut to shared memory.
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

  /// Bisects for a higher cut, for this block alone, whose candidates fit; returns their number. `now.left` becomes the
  /// cut, a key that no omitted candidate exceeds.
  FARPOINT_DEVICE unsigned narrow(counters_type& now, threshold& cut) noexcept {
    unsigned const all = now.found;
    key_type low = fps_key_with(cut.distance < 0 ? scalar{0} : cut.distance, 0u);
    key_type high = fps_key_of_bits(now.largest - 1, 0xffffffffu);
    unsigned count = 0;
    key_type middle = low;
    // Invariant: more candidates than fit are above `low`, and none is above `high`.
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

  /// Returns true if no candidate left can be among the samples: enough accepted samples have better keys.
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

  /// Removes the block's accepted candidates from the points.
  FARPOINT_DEVICE void take(threshold const& cut) noexcept {
    unsigned at = first_found_;
    points_.for_each_above(cut, [&](auto e) {
      if (exchange_.is_sample(at, round_)) points_.take(e);
      ++at;
    });
  }

  /// Writes the samples in the order of the serial loop.
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
      // Keys better than this one are exactly the keys with distances of at least stop2.
      key_type const before_stop = fps_key_of(stop2, 0xffffffffu) - 1;
      unsigned const count = stop2 > 0 ? smaller(order_.count_better(before_stop), most) : most;
      for (index_t slot = index_t{most} + thread(); slot < call_.samples(); slot += Config::block_size) {
        call_.write_padding(slot);
      }
      if (thread() == 0) call_.write_count(count);
    }
  }

  Call call_;
  local_maxima_place place_;  ///< rank among the blocks of this GPU
  std::uint32_t first_index_;
  std::uint32_t size_ = 0;  ///< number of points of this GPU
  local_maxima_shared<Config>& shared_;
  local_maxima_lists<Config> lists_;
  message_exchange<Config, Machine, Peers> exchange_;
  sample_order<Config, Machine, Peers> order_;
  basic_local_maxima_cut<scalar> cut_;
  unsigned singles_;  ///< number of samples that are taken one per round
  std::conditional_t<Config::in_memory, point_chunks<Config, Machine>, point_registers<Config, Machine>> points_;
  std::uint32_t round_;
  unsigned samples_ = 0;      ///< number of samples that distances have not been lowered by
  unsigned first_found_ = 0;  ///< index in shared memory of this thread's first candidate
  bool has_room_ = true;      ///< false once samples have no room
};

}  // namespace detail
FARPOINT_END_NAMESPACE
