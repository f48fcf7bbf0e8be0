/// @file
/// The points of one rank in fps_shard().
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/detail/fps/host_loops.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/host/fps_memory.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A rank's points in groups of neighboring points, with their distances to the samples.
template <class Points>
class fps_shard_points {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  using memory = fps_shard_memory<scalar, dim>;

  fps_shard_points(host_exec exec, shard<Points> const& part, fps_shard_tuning const& tuning,
                   memory const& arrays) noexcept
      : exec_{exec}, cloud_{part.points}, first_index_{part.first_index}, tuning_{tuning}, memory_{arrays} {
    isa_dispatch<fps_pass<scalar, dim, fps_ball_group<scalar, dim>>>(pass_);
    std::fill_n(memory_.marks, divide_up<index_t>(cloud_.size(), 32), 0u);
  }

  /// Local index of a point; -1 if the rank does not have the point.
  index_t here(index_t index) const noexcept {
    bool const is_here = index >= first_index_ && index - first_index_ < cloud_.size();
    return is_here ? index - first_index_ : -1;
  }
  /// Excludes a point from the candidates. Call before arrange().
  void mark(index_t i) noexcept { memory_.marks[i / 32] |= 1u << (i % 32); }

  /// Sorts the points into buckets of neighboring points.
  void arrange() noexcept {
    using order_type = curve_order<Points, morton_curve>;
    static_assert(sizeof(fps_bucket<scalar, dim>) >= order_type::sort_type::scratch_words * 4 * fps_bucket_points);
    auto* const scratch = reinterpret_cast<std::uint32_t*>(memory_.buckets);
    order_type order{cloud_, memory_.order, scratch, memory_.curve, index_t{fps_bucket_points}};
    parallel_phases phases{static_cast<int>(order.units()), order.units()};
    int const threads = static_cast<int>(smaller<index_t>(resolve_threads(exec_.threads), 1 + cloud_.size() / 65536));
    run_team(exec_.pool, threads, [&](int, int) {
      phases.join([&](std::uint32_t unit) { order.work(unit, [this](index_t i) { return !is_marked(i); }); },
                  [&order] { return order.next(); });
    });
    fps_ordered_points<Points> const points{cloud_, memory_.order, order.size(), memory_.fill};
    chunks_ = points.chunks();
    buckets_ = points.buckets();
    groups_ = smaller(chunks_, tuning_.groups);
    static_cast<void>(for_each_index(
        exec_, chunks_,
        [this, &points](std::uint64_t c) { points.build(static_cast<index_t>(c), memory_.chunks[c], memory_.buckets); },
        index_t{fps_bucket_group} * memory_.fill));
    for (index_t g = 0; g < groups_; ++g)
      memory_.lists[g].use(memory_.entries + 2 * g * tuning_.listed, tuning_.listed);
  }

  /// Adds a sample to which the next call of lower() or list() lowers the distances.
  void add_sample(fps_ball<dim, scalar> const& ball) noexcept {
    memory_.samples[samples_ / fps_bucket_group].set(static_cast<int>(samples_ % fps_bucket_group), ball);
    ++samples_;
  }

  /// Takes over distances that were measured before, and samples in memory to which the next call of lower() or list()
  /// lowers them. Call after arrange().
  /// @param nearest  `[points]`: squared distances, no_candidate for points that are samples
  void resume(scalar const* nearest, std::uint32_t samples) noexcept {
    samples_ = samples;
    for_each_group([this, nearest](index_t g) {
      for (index_t c = first_chunk(g); c < first_chunk(g + 1); ++c) {
        auto& chunk = memory_.chunks[c];
        for (int b = 0; b < fps_bucket_group; ++b) {
          if (chunk.largest[b] < 0) continue;  // without points
          auto& bucket = memory_.buckets[c * fps_bucket_group + b];
          for (int i = 0; i < fps_bucket_points; ++i) {
            if (bucket.index[i] != no_point) bucket.nearest[i] = nearest[bucket.index[i]];
          }
          chunk.largest[b] = *std::max_element(bucket.nearest, bucket.nearest + fps_bucket_points);
        }
        chunk.box_largest = *std::max_element(chunk.largest, chunk.largest + fps_bucket_group);
      }
    });
  }

  /// Writes the distances of all points that have a bucket.
  void save(scalar* nearest) const noexcept {
    for_each_group([this, nearest](index_t g) {
      for (index_t c = first_chunk(g); c < first_chunk(g + 1); ++c) {
        for (int b = 0; b < fps_bucket_group && c * fps_bucket_group + b < buckets_; ++b) {
          auto const& bucket = memory_.buckets[c * fps_bucket_group + b];
          for (int i = 0; i < fps_bucket_points; ++i) {
            if (bucket.index[i] != no_point) nearest[bucket.index[i]] = bucket.nearest[i];
          }
        }
      }
    });
  }

  /// Lowers the distances of all points to the added samples.
  void lower() noexcept {
    for_each_group([this](index_t g) {
      fps_host_candidates<scalar> none;
      none.restart(0, {not_yet_measured<scalar>, 0});  // admits nothing
      for (index_t c = first_chunk(g); c < first_chunk(g + 1); ++c) lower(c, none);
    });
    samples_ = 0;
  }

  /// Lowers the distances of all points, and writes the rank's message with the candidates at `cut` or farther.
  void list(scalar cut, fps_shard_messages<scalar, dim> const& mine) noexcept {
    for_each_group([this, cut, &mine](index_t g) {
      auto& list = memory_.lists[g];
      list.restart(0, {cut, 0xffffffffu});
      for (index_t c = first_chunk(g); c < first_chunk(g + 1); ++c) lower(c, list);
      list.settle();
      describe(g, cut, mine.group(g));
      list_candidates(g, list, mine.candidates(g));
      if (list.size() > 0) mine.group(g).best = mine.candidates(g)[0].key();
    });
    for (index_t g = groups_; g < tuning_.groups; ++g) {
      mine.group(g) = {bounding_box<scalar, dim>::empty(), no_candidate<scalar>, {}, {}, 0};
    }
    samples_ = 0;
  }

  /// Excludes an accepted sample from the candidates, and updates the largest distance of its bucket and chunk.
  void take(std::uint32_t slot) noexcept {
    index_t const bucket = slot / fps_bucket_points;
    auto& home = memory_.buckets[bucket];
    auto& chunk = memory_.chunks[bucket / fps_bucket_group];
    home.nearest[slot % fps_bucket_points] = no_candidate<scalar>;
    chunk.largest[bucket % fps_bucket_group] = *std::max_element(home.nearest, home.nearest + fps_bucket_points);
    chunk.box_largest = *std::max_element(chunk.largest, chunk.largest + fps_bucket_group);
  }

 private:
  using candidate = fps_shard_candidate<scalar, dim>;
  static constexpr std::uint32_t no_point = 0xffffffffu;  ///< index in a lane without a point

  bool is_marked(index_t i) const noexcept { return (memory_.marks[i / 32] >> (i % 32) & 1u) != 0; }
  index_t first_chunk(index_t g) const noexcept { return chunks_ * g / groups_; }

  void lower(index_t c, fps_host_candidates<scalar>& list) const noexcept {
    constexpr index_t slots = index_t{fps_bucket_group} * fps_bucket_points;
    pass_(memory_.chunks[c], memory_.buckets + c * fps_bucket_group, memory_.samples, samples_,
          static_cast<std::uint32_t>(c * slots), list);
  }
  template <class Body>
  void for_each_group(Body const& body) const noexcept {
    index_t const points = groups_ > 0 ? divide_up(cloud_.size(), groups_) : 0;
    static_cast<void>(for_each_index(
        exec_, groups_, [&body](std::uint64_t g) { body(static_cast<index_t>(g)); }, points / 4));
  }

  void describe(index_t g, scalar cut, fps_shard_group<scalar, dim>& group) const noexcept {
    auto const& list = memory_.lists[g];
    group.box = bounding_box<scalar, dim>::empty();
    group.largest = no_candidate<scalar>;
    group.listed = list.size();
    group.best = {};
    group.left = {};
    auto const& left = list.threshold();
    if (list.found() > list.size()) group.left = {left.distance, first_index_ + left.index};
    for (index_t c = first_chunk(g); c < first_chunk(g + 1); ++c) {
      auto const& chunk = memory_.chunks[c];
      group.largest = larger(group.largest, chunk.box_largest);
      for (int b = 0; b < fps_bucket_group && chunk.box_largest >= cut; ++b) {
        if (chunk.largest[b] < cut) continue;
        bounding_box<scalar, dim> box;
        for (int k = 0; k < dim; ++k) box.low[k] = chunk.low[k][b], box.high[k] = chunk.high[k][b];
        group.box.grow(box);
      }
    }
  }

  void list_candidates(index_t g, fps_host_candidates<scalar> const& list, candidate* to) const noexcept {
    std::uint32_t* const slots = memory_.slots + g * tuning_.listed;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      fps_entry<scalar> const entry = list[i];
      candidate one{{{}, entry.distance}, first_index_ + entry.index};
      auto const& home = memory_.buckets[entry.slot / fps_bucket_points];
      for (int k = 0; k < dim; ++k) one.ball.center[k] = home.axis[k][entry.slot % fps_bucket_points];
      std::uint32_t place = i;
      for (; place > 0 && one.key() > to[place - 1].key(); --place) {
        to[place] = to[place - 1];
        slots[place] = slots[place - 1];
      }
      to[place] = one;
      slots[place] = entry.slot;
    }
  }

  host_exec exec_;
  Points cloud_;
  index_t first_index_;
  fps_shard_tuning tuning_;
  memory memory_;
  typename fps_pass<scalar, dim, fps_ball_group<scalar, dim>>::function pass_;

  index_t chunks_ = 0;
  index_t buckets_ = 0;
  index_t groups_ = 0;
  std::uint32_t samples_ = 0;  ///< samples to which distances have not been lowered
};

}  // namespace detail
FARPOINT_END_NAMESPACE
