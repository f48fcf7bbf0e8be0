/// @file
/// The steps of fps_shard() on the host.
#pragma once

#include <farpoint/detail/fps/check.hpp>
#include <farpoint/host/float_environment.hpp>
#include <farpoint/scale/host/fps_points.hpp>
#include <farpoint/scale/host/fps_rounds.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>
#include <farpoint/types/fps_shard.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// One rank's part of a call, after the ranks have agreed on the arguments.
///
/// In each round a rank lowers its points' distances to the samples of the previous round. It then sends all ranks the
/// best candidates of its groups, with a bound for the candidates that it does not send. All ranks apply the same rule
/// to the same messages and accept the same samples, so a round needs one exchange.
/// @tparam Rule  fps_shard_rule, or another rule in tests
template <class Communicator, class Points, class Rule>
class fps_shard_task {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  using output_type = fps_shard_output<scalar>;
  using memory = fps_shard_memory<scalar, dim>;

  fps_shard_task(host_exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                 output_type const& output, fps_shard_tuning const& tuning, memory const& arrays) noexcept
      : exec_{exec},
        communicator_{communicator},
        cloud_{part.points},
        first_index_{part.first_index},
        points_{exec, part, tuning, arrays},
        params_{params},
        output_{output},
        tuning_{tuning},
        memory_{arrays},
        rounds_{communicator.ranks(), params, output, tuning, arrays} {
    std::fill_n(memory_.sent, messages::bytes(tuning), static_cast<unsigned char>(0));
  }

  /// @param first  index of the first sample if no point was chosen; negative if the cloud is empty
  result run(index_t first) noexcept {
    default_float_environment const environment;
    if (params_.samples == 0) return finish();
    result done = exchange_starts(first);
    if (!done) return done;
    if (!started_ && first >= 0 && !has_first_) return reject("fps_shard: params.first is not a point of any rank");
    points_.arrange();
    if (started_) {
      done = take_chosen();
    } else {
      take_first();
    }
    while (done && rounds_.goes_on()) {
      points_.list(rounds_.cut(), {memory_.sent, 1, tuning_});
      done = exchange(memory_.sent, memory_.received, messages::bytes(tuning_));
      if (!done || rounds_.is_complete()) break;
      accept();
    }
    return done ? finish() : done;
  }

 private:
  using point = vec<scalar, dim>;
  using messages = fps_shard_messages<scalar, dim>;
  using candidate = fps_shard_candidate<scalar, dim>;
  using start = fps_shard_start<scalar, dim>;

  template <class Value>
  result exchange(Value const* mine, void* all, std::size_t size) noexcept {
    ++exchanges_;
    return communicator_.all_gather(mine, all, size);
  }

  // --- before the rounds ---

  start look_at_points(index_t first) noexcept {
    start mine{};
    mine.lowest = -1;
    for (index_t i = 0; i < cloud_.size(); ++i) {
      bool const finite = is_finite(cloud_[i]);
      mine.non_finite += finite ? 0 : 1;
      if (!finite || mine.lowest >= 0) continue;
      mine.lowest = first_index_ + i;
      mine.lowest_point = cloud_[i];
    }
    index_t const own = points_.here(first);
    mine.has_first = own >= 0 ? 1 : 0;
    if (own >= 0 && is_finite(cloud_[own])) {
      mine.first_counts = 1;
      mine.first_point = cloud_[own];
    }
    for (index_t i = 0; i < params_.chosen.size(); ++i) {
      index_t const at = points_.here(params_.chosen[i]);
      if (at < 0) continue;
      ++mine.chosen;
      if (!is_finite(cloud_[at])) continue;
      ++mine.chosen_counts;
      points_.mark(at);
    }
    return mine;
  }

  /// Finds the first sample: the requested one if it is finite, otherwise the finite point of lowest index.
  result exchange_starts(index_t first) noexcept {
    start const mine = look_at_points(first);
    if (result const done = exchange(&mine, memory_.starts, sizeof mine); !done) return done;
    for (index_t i = 0; i < params_.chosen.size(); ++i)
      report_.chosen_out_of_range += params_.chosen[i] != -1 ? 1u : 0u;
    for (int r = 0; r < communicator_.ranks(); ++r) {
      start const& one = memory_.starts[r];
      report_.non_finite += one.non_finite;
      report_.chosen_out_of_range -= one.chosen;
      started_ = started_ || one.chosen_counts > 0;
      has_first_ = has_first_ || one.has_first != 0;
      bool const is_first = one.first_counts != 0;
      bool const is_lowest = one.lowest >= 0 && (seed_ < 0 || one.lowest < seed_);
      if (!is_first && (first_counts_ || !is_lowest)) continue;
      first_counts_ = is_first;
      seed_ = is_first ? first : one.lowest;
      seed_point_ = is_first ? one.first_point : one.lowest_point;
    }
    if (!started_ && points_.here(seed_) >= 0) points_.mark(points_.here(seed_));
    return {};
  }

  void take_first() noexcept {
    if (seed_ < 0) return;
    rounds_.write({not_yet_measured<scalar>, seed_});
    points_.add_sample({seed_point_, not_yet_measured<scalar>});
  }

  /// Lowers all distances to the chosen points, one message of chosen points at a time: each rank sends the coordinates
  /// of the points that it has.
  result take_chosen() noexcept {
    auto* const mine = reinterpret_cast<candidate*>(memory_.sent);
    auto* const all = reinterpret_cast<candidate*>(memory_.received);
    index_t const most = tuning_.groups * tuning_.listed;
    for (index_t begin = 0; begin < params_.chosen.size(); begin += most) {
      points_.lower();
      index_t const size = smaller(most, params_.chosen.size() - begin);
      for (index_t i = 0; i < size; ++i) {
        index_t const at = points_.here(params_.chosen[begin + i]);
        bool const counts = at >= 0 && is_finite(cloud_[at]);
        mine[i] = {{counts ? point{cloud_[at]} : point{}, not_yet_measured<scalar>}, counts ? at : -1};
      }
      if (result const done = exchange(mine, all, static_cast<std::size_t>(size) * sizeof *mine); !done) return done;
      for (index_t i = 0; i < size * communicator_.ranks(); ++i) {
        if (all[i].index >= 0) points_.add_sample(all[i].ball);
      }
    }
    return {};
  }

  // --- a round ---

  void accept() noexcept {
    index_t const own = index_t{communicator_.rank()} * tuning_.groups;
    rounds_.template accept<Rule>(exec_, [this, own](index_t g, std::uint32_t i, candidate const& one) {
      points_.add_sample(Rule::lowers(one));
      if (g >= own && g < own + tuning_.groups) points_.take(memory_.slots[(g - own) * tuning_.listed + i]);
    });
  }

  result finish() noexcept {
    rounds_.finish();
    if (output_.exchanges != nullptr) *output_.exchanges = exchanges_;
    if (output_.report != nullptr) *output_.report = report_;
    return {};
  }

  host_exec exec_;
  Communicator& communicator_;
  Points cloud_;
  index_t first_index_;
  fps_shard_points<Points> points_;
  fps_params const& params_;
  output_type const& output_;
  fps_shard_tuning tuning_;
  memory memory_;
  fps_shard_rounds<scalar, dim> rounds_;

  fps_report report_{};
  index_t exchanges_ = 1;  ///< 1: the agreement on the arguments
  bool started_ = false;   ///< a chosen point counts as a sample
  bool has_first_ = false;
  bool first_counts_ = false;
  index_t seed_ = -1;  ///< index of the first sample
  point seed_point_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE
