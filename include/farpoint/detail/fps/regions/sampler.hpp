/// @file
/// fps() of a cloud in the registers of one block, by local maxima in regions. Kernels and tests on the host compile
/// the same source.
#pragma once

#include <farpoint/detail/fps/local_maxima/call.hpp>
#include <farpoint/detail/fps/local_maxima/point_marks.hpp>
#include <farpoint/detail/fps/regions/order.hpp>
#include <farpoint/detail/fps/regions/round.hpp>
#include <farpoint/detail/fps/regions/sort.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Samples a cloud of at most Shape::capacity points by one block.
/// @tparam Machine  primitives of a thread, see cuda_machine
/// @tparam Call     parameters and output of one cloud, see local_maxima_call
template <class Shape, class Machine, class Call>
class region_sampler {
 public:
  using scalar = typename Shape::scalar;
  using ball = typename Shape::ball;
  using key_type = typename Shape::key;

  FARPOINT_DEVICE region_sampler(Call const& call, region_memory<Shape>& shared) noexcept
      : call_{call}, shared_{shared}, order_{shared} {}

  template <class Points>
  FARPOINT_DEVICE void run(Points const& cloud) noexcept {
    bool const any_chosen = mark_chosen();
    fps_first first{-1, true};
    if (!any_chosen) first = call_.points() == 0 ? fps_first{-1, false} : call_.first(Machine::thread() == 0);
    load(cloud, first.index);
    key_type left{};
    if (first.has_cloud) {
      take_first(first.index);
      if (any_chosen) lower_to_chosen();
      left = sample();
    }
    // One call: its code is a third of the kernel's.
    finish(samples_, left);
  }

 private:
  /// Sets a bit for each chosen point, which is never a candidate. Returns true if any chosen point is valid.
  FARPOINT_DEVICE bool mark_chosen() noexcept {
    if (call_.chosen() == 0) return false;
    for (unsigned w = Machine::thread(); w < region_memory<Shape>::chosen_words; w += Shape::block_size) {
      shared_.chosen[w] = 0;
    }
    Machine::sync();
    bool any = false;
    for (index_t i = Machine::thread(); i < call_.chosen(); i += Shape::block_size) {
      index_t const index = call_.chosen_index(i);
      if (!call_.is_chosen(i, index, true)) continue;
      any = true;
      point_marks{shared_.chosen}.add(index);
    }
    return Machine::count(any) != 0;
  }

  /// Loads the points that can become samples: all candidates except the first sample.
  template <class Points>
  FARPOINT_DEVICE void load(Points const& cloud, index_t first) noexcept {
    point_marks const chosen = call_.chosen() > 0 ? point_marks{shared_.chosen} : point_marks{};
    unsigned bad = 0;
    candidates_ = region_sort<Shape, Machine>{shared_}.run(cloud, [&](std::uint32_t index, auto const& point) {
      bool const finite = is_finite(point);
      bad += !finite;
      return finite && index_t{index} != first && !chosen.has(index);
    });
    call_.count_non_finite(bad);
    points_.take_share(shared_, candidates_);
    if (Machine::thread() < 2 * Shape::warps) {
      shared_.received[Machine::thread() / Shape::warps][Machine::thread() % Shape::warps] = 0;
    }
    Machine::sync();
    for (unsigned i = Machine::thread(); i < unsigned{Shape::capacity}; i += Shape::block_size) {
      shared_.keys.accepted[i] = {};
    }
  }

  /// Takes the given first sample; -1: none is given.
  FARPOINT_DEVICE void take_first(index_t index) noexcept {
    if (index < 0) return;
    samples_ = 1;
    points_.lower({call_.first_point(index), not_yet_measured<scalar>});
    if (Machine::thread() == 0) call_.write(0, index, not_yet_measured<scalar>);
  }

  /// Lowers the distances by the chosen points, in batches that the inboxes hold.
  FARPOINT_DEVICE void lower_to_chosen() noexcept {
    constexpr index_t room = index_t{Shape::warps} * index_t{region_memory<Shape>::inbox_size};
    constexpr index_t most = room < Shape::block_size ? room : Shape::block_size;
    ball* const batch = shared_.inbox[0];
    for (index_t begin = 0; begin < call_.chosen(); begin += most) {
      index_t const i = begin + Machine::thread();
      index_t const count = smaller(call_.chosen() - begin, most);
      if (index_t{Machine::thread()} < count) {
        index_t const index = call_.chosen_index(i);
        bool const is_one = call_.is_chosen(i, index, false);
        if (is_one) batch[Machine::thread()] = {call_.chosen_point(i, index), not_yet_measured<scalar>};
        if (!is_one) batch[Machine::thread()] = {{}, no_candidate<scalar>};
      }
      Machine::sync();
      points_.lower_where_near(batch, static_cast<unsigned>(count));
      Machine::sync();
    }
  }

  /// Accepts samples until enough accepted samples are better than every candidate left. Returns the best key left.
  FARPOINT_DEVICE key_type sample() noexcept {
    unsigned const wanted = static_cast<unsigned>(smaller<index_t>(call_.wanted(), samples_ + candidates_));
    unsigned accepted = samples_;
    region_round<Shape, Machine> round{shared_};
    for (unsigned parity = 0;; parity = 1 - parity) {
      lower_to_inbox(1 - parity);
      points_.list(shared_);
      Machine::sync();
      round.read_list();
      if (accepted >= wanted || call_.stop2() > 0) {
        key_type const left = round.best();
        if (left == key_type{} || fps_distance_of(left) < call_.stop2()) return left;
        if (accepted >= wanted && samples_ + order_.count_better(left) >= wanted) return left;
      }
      unsigned const ranks = round.test(parity);
      if (ranks != 0) points_.accept(shared_, ranks);
      accepted += Machine::count((ranks >> Machine::thread() % 32 & 1) != 0);
    }
  }

  /// Lowers the distances by the samples of the last round, which had this parity. The other counter is free: all lanes
  /// read it a round ago, before a barrier.
  FARPOINT_DEVICE void lower_to_inbox(unsigned parity) noexcept {
    unsigned const warp = Machine::thread() / 32;
    unsigned const count = shared_.received[parity][warp];
    if (Machine::thread() % 32 == 0) shared_.received[1 - parity][warp] = 0;
    for (unsigned i = 0; i < count; ++i) points_.lower(shared_.inbox[warp][i]);
  }

  /// Writes the samples better than `left` from slot `before` on, then padding.
  FARPOINT_DEVICE void finish(unsigned before, key_type left) noexcept {
    auto const samples = static_cast<unsigned>(call_.samples());
    unsigned written = 0;
    unsigned counted = 0;
    if (candidates_ > 0) {
      Machine::sync();
      order_.for_each_better(left, [&](unsigned rank, key_type key) {
        unsigned const slot = before + rank;
        if (slot >= samples) return;
        scalar const distance = fps_distance_of(key);
        ++written;
        if (distance >= call_.stop2()) {
          ++counted;
          call_.write(slot, fps_index_of(key), distance);
        } else {
          call_.write_padding(slot);
        }
      });
      Machine::sync();
      written = block_sum<Shape, Machine>(shared_, written);
      Machine::sync();
      counted = block_sum<Shape, Machine>(shared_, counted);
    }
    for (unsigned slot = before + written + Machine::thread(); slot < samples; slot += Shape::block_size) {
      call_.write_padding(slot);
    }
    if (Machine::thread() == 0) call_.write_count(before + counted);
  }

  Call call_;
  region_memory<Shape>& shared_;
  region_points<Shape, Machine> points_;
  region_order<Shape, Machine> order_;
  unsigned candidates_ = 0;
  unsigned samples_ = 0;  ///< 1 if the cloud begins with a given first sample
};

}  // namespace detail
FARPOINT_END_NAMESPACE
