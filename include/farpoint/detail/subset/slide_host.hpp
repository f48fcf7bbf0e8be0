/// @file
/// The host backend of point_window_slide(), up to the BVH.
#pragma once

#include <farpoint/detail/subset/slide_call.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Erases and appends in place: a row is written once all rows up to it have been read.
template <class Points>
void slide_on_host(slide_call<Points> const& call) noexcept {
  using call_type = slide_call<Points>;
  index_t const bad_window = count_bad_offsets(call.window.clouds());
  index_t const bad_scan = count_bad_offsets(call.scan);
  auto const rows = call.window_rows(bad_window > 0);
  auto const points = call.scan_points(bad_scan > 0);
  // Calls `visit(state, point, source)` for the window's points, then the scan's.
  auto const walk = [&](auto const& visit) {
    auto const show = [&](index_t entry) {
      typename call_type::point p{};
      std::uint32_t source = 0;
      slide_state const state = call.find(entry, rows, points, p, source);
      visit(state, p, source);
    };
    for (index_t row = rows.begin; row < rows.end; ++row) show(row);
    for (index_t i = points.begin; i < points.end; ++i) show(call.window.capacity() + i);
  };
  slide_report report;
  report.bad_offsets = static_cast<unsigned long long>(bad_window + bad_scan);
  walk([&](slide_state state, auto const&, std::uint32_t) {
    report.kept += state == slide_state::kept ? 1u : 0u;
    report.erased += state == slide_state::erased ? 1u : 0u;
    report.appended += state == slide_state::appended ? 1u : 0u;
    report.outside += state == slide_state::outside ? 1u : 0u;
    report.non_finite += state == slide_state::non_finite ? 1u : 0u;
  });
  auto const total = static_cast<index_t>(report.kept + report.appended);
  index_t const dropped = std::max(index_t{0}, total - call.window.capacity());
  report.dropped = static_cast<unsigned long long>(dropped);
  index_t rank = 0;
  walk([&](slide_state state, auto const& p, std::uint32_t source) {
    if (!is_in_window(state)) return;
    if (rank >= dropped) call.write(rank - dropped, p, source);
    ++rank;
  });
  call.finish(total - dropped);
  if (call.output.report != nullptr) *call.output.report = report;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
