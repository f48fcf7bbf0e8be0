/// @file
/// Marks the points of a batch that were chosen before the call, so that fps() by local maxima does not sample them.
#pragma once

#include <farpoint/detail/fps/args.hpp>
#include <farpoint/detail/fps/local_maxima/point_marks.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Marks of all clouds of a batch. The marks of each cloud begin with a word of their own. `words` is null if nothing
/// was chosen.
struct batch_marks {
  std::uint32_t* words;

  /// Returns the number of words for a batch: each cloud may need one word more than its points fill.
  FARPOINT_HD static constexpr index_t words_of(index_t points, index_t clouds) noexcept {
    return points / 32 + clouds;
  }
  /// Returns the marks of cloud b, whose first point has the index `begin` in the batch.
  FARPOINT_HD point_marks of(index_t begin, index_t b) const noexcept {
    return words == nullptr ? point_marks{} : point_marks{words + begin / 32 + b};
  }
};

/// Marks the point that entry i of params.chosen names, unless it is out of range. Called for all entries.
template <class Points>
struct mark_chosen_step {
  fps_args<Points> args;
  batch_marks marks;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const b = static_cast<index_t>(i / static_cast<Number>(args.chosen_per_cloud()));
    index_t const index = args.params.chosen[static_cast<index_t>(i)];
    if (index < 0 || index >= args.clouds[b].size()) return;
    marks.of(args.clouds.begin_of(b), b).add(index);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
