/// @file
/// fps() of zero samples.
#pragma once

#include <farpoint/detail/fps/args.hpp>
#include <farpoint/grid/bad_offsets.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Enqueues writes of zero counts and, if the caller has a report, the counting of invalid offsets.
template <class Points>
FARPOINT_HIDDEN void fps_enqueue_no_samples(kernel_launcher& launcher, batch<Points> const& clouds,
                                            fps_output<typename Points::scalar> const& output) noexcept {
  if (!output.counts.empty()) {
    std::size_t const width = output.counts.wide() ? sizeof(std::int64_t) : sizeof(std::int32_t);
    launcher.clear(output.counts.data(), static_cast<std::size_t>(clouds.size()) * width);
  }
  if (output.report != nullptr) {
    count_bad_offsets(launcher, clouds, nullptr, &output.report->bad_offsets);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
