/// @file
/// Truncation of each cloud's row of samples to the number that was requested for the cloud.
#pragma once

#include <farpoint/detail/fps/args.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Truncates rows. The first k of m samples are the result for k, so that kernels sample every cloud params.samples
/// times, and surplus samples become padding. Called for each entry of the output; each cloud has a row.
template <class Points>
struct fps_cut_rows {
  fps_args<Points> args;

  template <class Number>
  FARPOINT_HD void operator()(Number entry) const noexcept {
    auto const samples = static_cast<Number>(args.params.samples);
    auto const b = static_cast<index_t>(entry / samples);
    index_t const slot = static_cast<index_t>(entry) - b * args.params.samples;
    index_t const most = args.samples_of(b);
    if (slot >= most) args.write_padding(b, slot);
    if (slot != 0 || args.output.counts.empty()) return;
    if (args.output.counts.get(b) > most) args.write_count(b, most);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
