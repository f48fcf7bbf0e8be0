/// @file
/// Sampling of one cloud on the host, in rounds that one thread or several work on.
#pragma once

#include <farpoint/detail/fps/args.hpp>
#include <farpoint/detail/fps/host_counters.hpp>
#include <farpoint/detail/fps/host_loops.hpp>
#include <farpoint/detail/fps/host_plan.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// State that all threads of a call share.
template <class Points>
struct fps_host_task {
  fps_args<Points> args;
  fps_host_counters& counters;
  fps_host_plan<Points> const& plan;
};

/// Samples a cloud in stages: sort the points along a curve, build buckets of neighbors, then rounds.
///
/// In a round, all threads lower the distances in the chunks by the samples of the round before, and collect the points
/// above a threshold. One thread then samples from this list alone, as long as its best point is above every point
/// outside the list. next() is called by one thread while no thread is in work().
template <class Points>
class fps_host_sampler {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;

  fps_host_sampler(fps_host_task<Points> const& task, fps_host_memory<scalar, dim> const& memory, int threads) noexcept
      : task_{task}, memory_{memory}, threads_{threads} {
    no_list_.restart(0, control_.threshold());
  }

  /// Begins with cloud `b`; returns the number of units of its first round, at least 1.
  std::uint32_t begin(index_t b) noexcept {
    b_ = b;
    cloud_ = task_.args.clouds[b];
    count_ = 0;
    max_samples_ = task_.args.samples_of(b);
    next_chosen_ = 0;
    seed_ = -1;
    list_points_ = static_cast<std::uint32_t>(task_.plan.list_points(cloud_.size()));
    control_ = threshold_control<scalar>{std::max(list_points_, 2u)};
    if (task_.plan.in_rounds(cloud_.size())) {
      for (int t = 0; t < threads_; ++t)
        memory_.candidates[t].use(memory_.entries + index_t{2} * list_points_ * t, list_points_);
    }
    stage_ = stage::arrange;
    find_seed();
    constexpr index_t all = std::numeric_limits<index_t>::max();
    using order = curve_order<Points, morton_curve>;
    static_assert(sizeof(fps_bucket<scalar, dim>) >= order::sort_type::scratch_words * 4 * fps_bucket_points);
    auto* const scratch = reinterpret_cast<std::uint32_t*>(memory_.buckets);
    order_ = order{cloud_, memory_.order, scratch, memory_.curve, sorts() ? index_t{fps_bucket_points} : all};
    return order_.units();
  }

  /// Performs a unit of a round, by thread `rank`.
  void work(int rank, std::uint32_t unit) noexcept {
    if (stage_ == stage::arrange) {
      // The first sample and chosen points are no candidates.
      return order_.work(unit,
                         [this](index_t i) { return !lacks_first_ && i != seed_ && !(has_chosen() && is_marked(i)); });
    }
    index_t const first = chunks_ * unit / units_;
    index_t const last = chunks_ * (unit + 1) / units_;
    if (stage_ == stage::build) {
      for (index_t c = first; c < last; ++c) build(c);
      return;
    }
    // A thread that samples alone has only list 0, whatever its rank.
    auto& list = memory_.candidates[threads_ == 1 ? 0 : rank];
    if (list.round() != round_) list.restart(round_, threshold_);
    for (index_t c = first; c < last; ++c) {
      loops_.pass(memory_.chunks[c], memory_.buckets + c * fps_bucket_group, memory_.samples, accepted_, slot_of(c),
                  list);
    }
  }

  /// Returns the number of units of the next round; 0 if the cloud is done and its output is written.
  std::uint32_t next() noexcept {
    ++round_;
    if (stage_ == stage::arrange) {
      if (std::uint32_t const units = order_.next(); units != 0) return units;
      end_arrangement();
      stage_ = stage::build;
      if (chunks_ > 0) return units_;
    }
    bool const more = max_samples_ > 0 && (stage_ == stage::build ? take_first() : sample_round());
    stage_ = stage::rounds;
    if (more) return units_;
    finish();
    return 0;
  }

 private:
  enum class stage { arrange, build, rounds };

  static constexpr std::uint32_t slot_of(index_t chunk) noexcept {
    return static_cast<std::uint32_t>(chunk * fps_bucket_group * fps_bucket_points);
  }

  // --- arrange ---

  bool sorts() const noexcept {
    fps_params const& params = task_.args.params;
    return params.samples + params.chosen.size() >= task_.plan.tuning().sort_from_samples;
  }

  /// Finds the first sample and marks the chosen points.
  void find_seed() noexcept {
    index_t const n = cloud_.size();
    index_t const first = task_.args.first_of(b_);
    found_ = {};
    bool const started = mark_chosen(found_);
    lacks_first_ = !started && n > 0 && !is_point(first);
    if (lacks_first_) found_.first_out_of_range = 1;
    if (started || !is_point(first)) return;
    seed_ = is_finite(cloud_[first]) ? first : 0;
    while (seed_ < n && !is_finite(cloud_[seed_])) ++seed_;
    if (seed_ == n) seed_ = -1;
  }

  void end_arrangement() noexcept {
    found_.non_finite = static_cast<unsigned long long>(order_.non_finite());
    task_.counters.add(found_);
    candidates_ = order_.size();
    chunks_ = task_.plan.chunks(candidates_);
    index_t const max_units = threads_ == 1 ? 1 : std::min<index_t>(index_t{8} * threads_, 4096);
    units_ = static_cast<std::uint32_t>(std::min(chunks_, max_units));
  }

  bool has_chosen() const noexcept { return !task_.args.params.chosen.empty(); }
  index_t chosen(index_t i) const noexcept { return task_.args.params.chosen[b_ * task_.args.chosen_per_cloud() + i]; }
  bool is_point(index_t index) const noexcept { return index >= 0 && index < cloud_.size(); }
  bool is_chosen_valid(index_t index) const noexcept { return is_point(index) && is_finite(cloud_[index]); }

  bool is_marked(index_t i) const noexcept { return (memory_.marks[i / 32] >> (i % 32) & 1u) != 0; }
  void mark(index_t i) noexcept { memory_.marks[i / 32] |= 1u << (i % 32); }
  void clear_marks() noexcept { std::fill_n(memory_.marks, divide_up<index_t>(cloud_.size(), 32), 0u); }

  /// Marks the chosen points; returns false if no chosen point is valid.
  bool mark_chosen(fps_report& found) noexcept {
    if (!has_chosen()) return false;
    clear_marks();
    bool any = false;
    for (index_t i = 0; i < task_.args.chosen_per_cloud(); ++i) {
      if (chosen(i) != -1 && !is_point(chosen(i))) ++found.chosen_out_of_range;
      if (!is_chosen_valid(chosen(i))) continue;
      mark(chosen(i));
      any = true;
    }
    return any;
  }

  // --- build ---

  void build(index_t c) noexcept {
    fps_ordered_points<Points> const points{cloud_, memory_.order, candidates_, task_.plan.tuning().bucket_points};
    points.build(c, memory_.chunks[c], memory_.buckets);
  }

  // --- sample ---

  bool is_full() const noexcept { return count_ == max_samples_; }

  void pick(index_t index, scalar distance) noexcept { task_.args.write(b_, count_++, index, distance); }

  /// Makes the first sample, or the next chosen points, the samples of a round; returns false if none is left.
  bool load_given_samples() noexcept {
    accepted_ = 0;
    if (seed_ >= 0) {
      memory_.samples[0].set(0, cloud_[seed_]);
      accepted_ = 1;
      seed_ = -1;
    }
    index_t const each = has_chosen() ? task_.args.chosen_per_cloud() : 0;
    for (; next_chosen_ < each && accepted_ < list_points_; ++next_chosen_) {
      index_t const index = chosen(next_chosen_);
      if (!is_chosen_valid(index)) continue;
      memory_.samples[accepted_ / fps_bucket_group].set(static_cast<int>(accepted_ % fps_bucket_group), cloud_[index]);
      ++accepted_;
    }
    return accepted_ > 0;
  }

  /// Begins sampling once the buckets are built; returns false if the cloud is done.
  bool take_first() noexcept {
    if (seed_ >= 0) pick(seed_, not_yet_measured<scalar>);
    if (is_full() || candidates_ == 0) return false;
    if (!task_.plan.in_rounds(cloud_.size())) {
      sample_one_chunk();
      return false;
    }
    threshold_ = control_.threshold();
    load_given_samples();
    return true;
  }

  /// Samples a cloud of one chunk without rounds: the chunk is the list, and no candidate is outside it.
  void sample_one_chunk() noexcept {
    constexpr candidate_threshold<scalar> nothing_outside{no_candidate<scalar>, 0};
    auto& chunk = memory_.chunks[0];
    while (load_given_samples()) loops_.pass(chunk, memory_.buckets, memory_.samples, accepted_, 0, no_list_);
    do {
      accepted_ =
          loops_.sample(chunk, memory_.buckets, limits_above(nothing_outside), memory_.accepted, memory_.samples);
      for (std::uint32_t i = 0; i < accepted_; ++i) pick(memory_.accepted[i].index, memory_.accepted[i].distance);
    } while (accepted_ > 0 && !is_full());
    if (!is_full()) pick_duplicates();
  }

  fps_sample_limits<scalar> limits_above(candidate_threshold<scalar> const& threshold) const noexcept {
    index_t const wanted = std::min<index_t>(list_points_, max_samples_ - count_);
    return {threshold, task_.args.stop2, static_cast<std::uint32_t>(wanted)};
  }

  /// Accepts samples between two rounds; returns false if the cloud is done.
  bool sample_round() noexcept {
    fps_host_candidates<scalar>& list = merged_list();
    if (load_given_samples()) return true;
    scalar largest = no_candidate<scalar>;
    for (index_t c = 0; c < chunks_; ++c) largest = larger(largest, memory_.chunks[c].box_largest);
    if (!(largest > 0)) {
      pick_duplicates();
      return false;
    }
    if (largest < task_.args.stop2) return false;
    accept_from(list);
    if (is_full()) return false;
    control_.adapt({largest, list.found(), list.threshold()});
    threshold_ = control_.threshold();
    return true;
  }

  /// Returns the merged candidates of all threads in this round.
  fps_host_candidates<scalar>& merged_list() noexcept {
    fps_host_candidates<scalar>* all = nullptr;
    for (int t = 0; t < threads_; ++t) {
      fps_host_candidates<scalar>& list = memory_.candidates[t];
      if (list.round() + 1 != round_) continue;
      if (all == nullptr) {
        all = &list;
      } else {
        all->merge(list);
      }
    }
    all->settle();
    return *all;
  }

  /// Accepts samples from the list; they become the samples of the next round.
  void accept_from(fps_host_candidates<scalar> const& list) noexcept {
    fps_chunk_builder<scalar, dim> builder{*memory_.list, memory_.list_buckets};
    std::uint32_t const size = list.size();
    for (std::uint32_t i = 0; i < size; ++i) {
      fps_entry<scalar> const& entry = list[i];
      auto const& home = memory_.buckets[entry.slot / fps_bucket_points];
      vec<scalar, dim> p{};
      for (int k = 0; k < dim; ++k) p[k] = home.axis[k][entry.slot % fps_bucket_points];
      int const b = static_cast<int>(i / fps_bucket_points);
      int const lane = static_cast<int>(i % fps_bucket_points);
      builder.put(b, lane, p, entry.distance, entry.index);
      if (lane + 1 == fps_bucket_points || i + 1 == size) builder.close(b, lane + 1);
    }
    accepted_ = loops_.sample(*memory_.list, memory_.list_buckets, limits_above(list.threshold()), memory_.accepted,
                              memory_.samples);
    for (std::uint32_t i = 0; i < accepted_; ++i) {
      fps_entry<scalar> const& accepted = memory_.accepted[i];
      std::uint32_t const slot = list[accepted.slot].slot;
      // The next round lowers this bucket by the sample itself, and so measures its largest distance again.
      memory_.buckets[slot / fps_bucket_points].nearest[slot % fps_bucket_points] = no_candidate<scalar>;
      pick(accepted.index, accepted.distance);
    }
  }

  /// Takes the remaining candidates by ascending index: their distances are 0 and stay 0.
  void pick_duplicates() noexcept {
    if (scalar(0) < task_.args.stop2) return;
    clear_marks();
    for (index_t b = 0; b < task_.plan.buckets(candidates_); ++b) {
      auto const& bucket = memory_.buckets[b];
      for (int lane = 0; lane < fps_bucket_points; ++lane) {
        if (bucket.nearest[lane] == 0) mark(bucket.index[lane]);
      }
    }
    for (index_t word = 0; word < divide_up<index_t>(cloud_.size(), 32) && !is_full(); ++word) {
      for (std::uint32_t left = memory_.marks[word]; left != 0 && !is_full(); left &= left - 1) {
        pick(word * 32 + lowest_bit(left), 0);
      }
    }
  }

  void finish() noexcept {
    for (index_t slot = count_; slot < task_.args.params.samples; ++slot) task_.args.write_padding(b_, slot);
    task_.args.write_count(b_, count_);
  }

  fps_host_task<Points> const& task_;
  fps_host_memory<scalar, dim> memory_;
  fps_chosen_loops<scalar, dim> loops_;
  int threads_;

  index_t b_ = 0;
  Points cloud_;
  stage stage_ = stage::arrange;
  curve_order<Points, morton_curve> order_;
  fps_report found_{};
  bool lacks_first_ = false;
  index_t candidates_ = 0;
  index_t chunks_ = 0;
  std::uint32_t units_ = 1;
  std::uint32_t list_points_ = 0;
  std::uint64_t round_ = 0;

  index_t count_ = 0;  ///< number of samples so far
  index_t max_samples_ = 0;
  index_t seed_ = -1;  ///< index of the first sample; -1 once it is taken, or if the cloud has none
  index_t next_chosen_ = 0;
  std::uint32_t accepted_ = 0;  ///< number of samples of this round
  threshold_control<scalar> control_{2};
  candidate_threshold<scalar> threshold_{};
  fps_host_candidates<scalar> no_list_;  ///< empty list whose threshold admits no candidate
};

}  // namespace detail
FARPOINT_END_NAMESPACE
