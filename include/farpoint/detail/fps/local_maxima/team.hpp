/// @file
/// fps() by local maxima, by a team of blocks that hold a cloud in their registers. One source for kernels, and for
/// tests that run it on a CPU.
#pragma once

#include <farpoint/detail/fps/args.hpp>
#include <farpoint/detail/fps/local_maxima/candidate_exchange.hpp>
#include <farpoint/detail/fps/local_maxima/list_decision.hpp>
#include <farpoint/detail/fps/local_maxima/point_chunks.hpp>
#include <farpoint/detail/fps/local_maxima/point_registers.hpp>
#include <farpoint/detail/fps/local_maxima/sample_order.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// How the blocks of a team come to know all candidates; `Peers` is no_peers, or reaches the others' memory.
template <class Config, class Machine, class Peers>
using local_maxima_exchange =
    std::conditional_t<Config::team == fps_team::block, block_exchange<Config, Machine>,
                       std::conditional_t<Config::team == fps_team::cluster, cluster_exchange<Config, Machine, Peers>,
                                          message_exchange<Config, Machine, Peers>>>;

/// One block of a team. `Machine` has the primitives of a thread (machine.cuh says which).
template <class Config, class Machine, class Points, class Peers>
class local_maxima_team {
 public:
  using ball = fps_ball<Config::dim>;
  using shared_type = local_maxima_shared<Config>;
  using lists_type = local_maxima_lists<Config>;

  FARPOINT_DEVICE local_maxima_team(fps_args<Points> const& args, local_maxima_place place, Points const& cloud,
                                    shared_type& shared, lists_type const& lists, fps_key* keys, Peers const& peers,
                                    local_maxima_lengths lengths) noexcept
      : args_{args},
        place_{place},
        cloud_{cloud},
        shared_{shared},
        lists_{lists},
        exchange_{shared, lists, peers, place, lengths},
        order_{shared, keys},
        cut_{lengths.wanted},
        points_{shared.box} {}

  FARPOINT_DEVICE void run(local_maxima_order const& order) noexcept {
    unsigned const bad = points_.load(cloud_, order, place_.rank, place_.blocks);
    Machine::count_non_finite(args_, bad);
    if (start()) {
      do {
        ++round_;
      } while (sample());
    }
    finish();
  }

 private:
  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }
  FARPOINT_DEVICE bool leads() const noexcept { return place_.rank == 0; }
  /// Samples that are asked for, and can be had at most.
  FARPOINT_DEVICE unsigned wanted() const noexcept {
    return static_cast<unsigned>(smaller<index_t>(args_.params.samples, cloud_.size()));
  }

  /// Counts the chosen points as samples, and takes the first one if there are none. False when there is no sample.
  FARPOINT_DEVICE bool start() noexcept {
    if (thread() < 2) shared_.counters[thread()] = {};
    for (unsigned k = thread(); k < shared_type::tested; k += Config::block_size) shared_.blocked_in[k] = 0;
    Machine::sync();
    // Also of an empty cloud: what is chosen there is counted as out of range.
    if (lower_to_chosen()) return true;
    if (cloud_.size() == 0) return false;
    fps_first const first = Machine::first_sample(args_, place_.b, cloud_, leads() && thread() == 0);
    if (!first.has_cloud) return false;
    if (first.index < 0) return true;
    auto const index = static_cast<std::uint32_t>(first.index);
    order_.add_first(index, (leads() || !Config::by_messages) && thread() == 0);
    points_.take_index(index, cloud_[first.index]);
    if (thread() == 0) lists_.samples[0] = {cloud_[first.index], not_yet_measured<float>};
    samples_ = 1;
    Machine::sync();
    return true;
  }

  /// False when there is none.
  FARPOINT_DEVICE bool lower_to_chosen() noexcept {
    index_t const each = args_.chosen_per_cloud();
    bool any = false;
    for (index_t i = 0; i < each; ++i) {
      index_t const index = args_.params.chosen[place_.b * each + i];
      if (!Machine::is_chosen(args_, cloud_, index, leads() && thread() == 0)) continue;
      any = true;
      if (thread() == 0) lists_.samples[0] = {cloud_[index], not_yet_measured<float>};
      Machine::sync();
      points_.lower(lists_.samples, 1);
      points_.take_index(static_cast<std::uint32_t>(index), cloud_[index]);
      Machine::sync();
    }
    return any;
  }

  /// One round. False when there is nothing more to sample.
  FARPOINT_DEVICE bool sample() noexcept {
    local_maxima_counters& now = shared_.counters[round_ % 2];
    points_.lower(lists_.samples, samples_);
    candidate_threshold<float> cut{cut_.distance(), 0};
    collect(now, cut);
    Machine::sync();
    if (thread() == Config::block_size - 1) shared_.counters[(round_ + 1) % 2] = {};
    unsigned kept = now.found;
    if (kept > Config::found_size) kept = narrow(now, cut);

    local_maxima_summary const all = exchange_.exchange(now, kept, round_);
    if (is_complete(all)) return false;
    samples_ = exchange_.decide(now, all, round_, order_);
    take(cut);
    order_.add_round(samples_, cut_.distance(), all.largest());
    // With enough above the cut it stays.
    if (order_.size() < wanted() || all.found == 0) {
      float const left = all.left == 0 ? no_candidate<float> : fps_distance_of(all.left);
      cut_.adapt({all.largest(), left, all.found, samples_});
    }
    return true;
  }

  /// Puts the block's own candidates where they are found.
  FARPOINT_DEVICE void collect(local_maxima_counters& now, candidate_threshold<float> const& cut) noexcept {
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
  FARPOINT_DEVICE unsigned narrow(local_maxima_counters& now, candidate_threshold<float>& cut) noexcept {
    unsigned const all = now.found;
    fps_key low = static_cast<fps_key>(float_bits(cut.distance < 0 ? 0 : cut.distance)) << 32;
    fps_key high = static_cast<fps_key>(now.largest - 1) << 32 | 0xffffffffu;
    unsigned count = 0;
    fps_key middle = low;
    while (count == 0 || count > Config::found_size) {
      middle = low + (high - low) / 2;
      candidate_threshold<float> const trial{fps_distance_of(middle), fps_index_of(middle)};
      count = points_.count_above(trial);
      count = block_sum(count);
      if (count == 0) {
        high = middle;
      } else {
        low = middle;
      }
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
  FARPOINT_DEVICE bool is_complete(local_maxima_summary const& all) noexcept {
    if (all.largest() < 0 || all.largest() < args_.stop2) return true;
    if (order_.size() < wanted()) return false;
    fps_key const best = all.listed > 0 ? best_listed(all.listed) : fps_key_of(all.largest(), 0);
    return order_.count_better(best) >= wanted();
  }

  FARPOINT_DEVICE fps_key best_listed(unsigned listed) noexcept {
    fps_key best = 0;
    for (unsigned i = thread(); i < listed; i += Config::block_size) best = larger(best, exchange_.list().key[i]);
    best = Machine::template max<32>(best);
    if (thread() % 32 == 0) shared_.warp_key[thread() / 32] = best;
    Machine::sync();
    for (int w = 0; w < Config::warps; ++w) best = larger(best, shared_.warp_key[w]);
    Machine::sync();
    return best;
  }

  /// The block's own samples are no candidates any more.
  FARPOINT_DEVICE void take(candidate_threshold<float> const& cut) noexcept {
    unsigned at = first_found_;
    points_.for_each_above(cut, [&](auto e) {
      if (exchange_.is_sample(at, round_)) points_.take(e);
      ++at;
    });
  }

  /// Writes the samples in the serial loop's order.
  FARPOINT_DEVICE void finish() noexcept {
    unsigned const most = static_cast<unsigned>(smaller<index_t>(order_.size(), args_.params.samples));
    order_.for_each(place_.rank, place_.blocks, [&](unsigned place, fps_key key) {
      if (place >= most) return;
      float const distance = fps_distance_of(key);
      if (distance >= args_.stop2) {
        args_.write(place_.b, place, fps_index_of(key), distance);
      } else {
        args_.write_padding(place_.b, place);
      }
    });
    if (leads()) {
      unsigned const count = args_.stop2 > 0 ? smaller(order_.count_better(key_before_stop()), most) : most;
      for (index_t slot = index_t{most} + thread(); slot < args_.params.samples; slot += Config::block_size) {
        args_.write_padding(place_.b, slot);
      }
      if (thread() == 0) args_.write_count(place_.b, count);
    }
  }

  /// Better are the keys of all distances of stop2 or more, and no others.
  FARPOINT_DEVICE fps_key key_before_stop() const noexcept { return fps_key_of(args_.stop2, 0xffffffffu) - 1; }

  fps_args<Points> const& args_;
  local_maxima_place place_;
  Points const& cloud_;
  shared_type& shared_;
  lists_type lists_;
  local_maxima_exchange<Config, Machine, Peers> exchange_;

  sample_order<Config, Machine> order_;
  local_maxima_cut cut_;
  std::conditional_t<Config::in_memory, point_chunks<Config, Machine>, point_registers<Config, Machine>> points_;
  std::uint32_t round_ = 0;
  unsigned samples_ = 0;      ///< that distances have not been lowered to
  unsigned first_found_ = 0;  ///< place of this thread's first candidate
};

}  // namespace detail
FARPOINT_END_NAMESPACE
