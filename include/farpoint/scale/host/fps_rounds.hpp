/// @file
/// The decisions of fps_shard() and fps_tiles(): which candidates become samples, and when the answer is complete.
#pragma once

#include <farpoint/host/float_environment.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/host/fps_memory.hpp>
#include <farpoint/types/fps_shard.hpp>

#include <algorithm>
#include <functional>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Samples found so far, and the rounds that find more from the messages in `memory.received`. All ranks that have the
/// same messages make the same decisions.
template <class Scalar, int Dim>
class fps_shard_rounds {
 public:
  using memory = fps_shard_memory<Scalar, Dim>;
  using key = fps_shard_key<Scalar>;

  /// @param ranks  number of messages
  fps_shard_rounds(int ranks, fps_params const& params, fps_shard_output<Scalar> const& output,
                   fps_shard_tuning const& tuning, memory const& arrays) noexcept
      : samples_{params.samples},
        output_{output},
        tuning_{tuning},
        memory_{arrays},
        messages_{arrays.received, ranks, tuning},
        stop2_{rounded_square<Scalar>(params.stop_below)} {}

  /// Writes a sample behind those written before.
  void write(key const& sample) noexcept { write(count_++, sample); }
  /// True if samples are to be found.
  bool goes_on() const noexcept { return count_ < samples_; }
  /// Squared distance; candidates below it need not be listed in the next round.
  Scalar cut() const noexcept { return cut_; }

  /// True if no remaining candidate can be among the requested samples.
  bool is_complete() noexcept {
    largest_ = no_candidate<Scalar>;
    key best{};
    for (index_t g = 0; g < messages_.groups(); ++g) {
      auto const& group = messages_.group(g);
      largest_ = larger(largest_, group.largest);
      if (group.best > best) best = group.best;
    }
    if (largest_ < 0 || largest_ < stop2_) return true;
    if (found_ < wanted()) return false;
    key const worst = memory_.found[wanted() - 1];
    return largest_ < worst.distance || (cut_ <= largest_ && !(best > worst));
  }

  /// Accepts candidates, and calls `take(group, i, candidate)` for each.
  template <class Rule, class Take>
  void accept(host_exec exec, Take const& take) noexcept {
    index_t const groups = messages_.groups();
    static_cast<void>(for_each_index(
        exec, groups,
        [this](std::uint64_t number) {
          auto const g = static_cast<index_t>(number);
          for (std::uint32_t i = 0; i < messages_.group(g).listed; ++i) {
            memory_.accepted[g * tuning_.listed + i] = messages_.template is_sample<Rule>(g, i) ? 1 : 0;
          }
        },
        2 * groups));
    for (index_t g = 0; g < groups; ++g) {
      for (std::uint32_t i = 0; i < messages_.group(g).listed; ++i) {
        if (memory_.accepted[g * tuning_.listed + i] == 0) continue;
        auto const& one = messages_.candidates(g)[i];
        memory_.found[found_++] = one.key();
        take(g, i, one);
      }
    }
    keep_best();
    cut_ = larger(largest_ / static_cast<Scalar>(tuning_.ahead), stop2_);
    if (found_ == wanted()) cut_ = larger(cut_, memory_.found[wanted() - 1].distance);
  }

  /// Writes the samples in order, and their number.
  void finish() noexcept {
    std::sort(memory_.found, memory_.found + found_, std::greater<>{});
    for (index_t i = 0; i < found_ && memory_.found[i].distance >= stop2_; ++i) write(memory_.found[i]);
    for (index_t slot = count_; slot < samples_; ++slot) write(slot, {no_candidate<Scalar>, -1});
    if (output_.count != nullptr) *output_.count = count_;
  }

 private:
  /// Number of samples that the rounds have to find: all but the first.
  index_t wanted() const noexcept { return samples_ - count_; }

  /// Keeps the wanted() best samples: further samples cannot move a dropped one forward.
  void keep_best() noexcept {
    if (found_ < wanted()) return;
    std::nth_element(memory_.found, memory_.found + wanted() - 1, memory_.found + found_, std::greater<>{});
    found_ = wanted();
  }

  void write(index_t slot, key const& sample) const noexcept {
    output_.indices[static_cast<std::size_t>(slot)] = sample.index;
    if (!output_.distances.empty()) output_.distances[static_cast<std::size_t>(slot)] = sample.distance;
  }

  index_t samples_;
  fps_shard_output<Scalar> const& output_;
  fps_shard_tuning tuning_;
  memory memory_;
  fps_shard_messages<Scalar, Dim> messages_;
  Scalar stop2_;

  index_t count_ = 0;                      ///< number of samples written
  index_t found_ = 0;                      ///< number of samples found in rounds
  Scalar cut_ = 0;                         ///< squared distance; candidates below it are not listed
  Scalar largest_ = no_candidate<Scalar>;  ///< squared distance of the best candidate
};

}  // namespace detail
FARPOINT_END_NAMESPACE
