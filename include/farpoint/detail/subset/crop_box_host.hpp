/// @file
/// The host backend of crop_box().
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/subset/crop_box_call.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points that a thread works on before it takes others: worth the start of a thread.
inline constexpr index_t crop_box_host_chunk = 65536;

/// Points of a chunk on each side; `before` is the number inside in all chunks before.
struct crop_box_chunk {
  index_t inside = 0;
  index_t outside = 0;
  index_t non_finite = 0;
  index_t before = 0;
};

/// Chunks of the view; 0 for arguments that are refused.
inline index_t crop_box_host_chunks(index_t points) noexcept {
  return divide_up(bounded_points(points), crop_box_host_chunk);
}

inline std::size_t crop_box_host_bytes(index_t points) noexcept {
  workspace_cutter cutter;
  cutter.take<crop_box_chunk>(crop_box_host_chunks(points));
  return workspace_aligned(cutter.used());
}

/// Two passes over the view, chunk by chunk: count, and write. Offsets are right, and there are clouds and points.
template <class Points>
class crop_box_passes {
 public:
  crop_box_passes(crop_box_call<Points> const& call, host_exec exec, crop_box_chunk* chunks) noexcept
      : call_{call}, exec_{exec}, chunks_{chunks}, points_{call.clouds.points().size()} {}

  crop_box_report run() const noexcept {
    for_each_chunk([this](index_t c) { count(c); });
    crop_box_report report;
    index_t before = 0;
    for (index_t c = 0; c < chunk_count(); ++c) {
      chunks_[c].before = before;
      before += chunks_[c].inside;
      report.outside += static_cast<unsigned long long>(chunks_[c].outside);
      report.non_finite += static_cast<unsigned long long>(chunks_[c].non_finite);
    }
    index_t const written = std::min(before, call_.capacity());
    report.written = static_cast<unsigned long long>(written);
    report.over_capacity = static_cast<unsigned long long>(before - written);
    for_each_chunk([this](index_t c) { write(c); });
    return report;
  }

 private:
  index_t chunk_count() const noexcept { return crop_box_host_chunks(points_); }

  template <class Work>
  void for_each_chunk(Work const& work) const noexcept {
    index_t const chunks = chunk_count();
    run_team(exec_.pool, static_cast<int>(std::min<index_t>(resolve_threads(exec_.threads), chunks)),
             [&](int rank, int threads) {
               for (index_t c = rank; c < chunks; c += threads) work(c);
             });
  }

  /// Calls `visit(i, index of i in its cloud)` for the points of clouds in `[begin, end)`, in order.
  /// @param passes  `passes(b)`: called before the first point at or behind boundary(b) is visited
  template <class Passes, class Visit>
  void walk(index_t c, Passes const& passes, Visit const& visit) const noexcept {
    index_t const begin = c * crop_box_host_chunk;
    index_t const end = std::min(begin + crop_box_host_chunk, points_);
    // The last chunk has the boundaries at the end of the view, too.
    index_t const boundary_end = end == points_ ? end + 1 : end;
    auto const& clouds = call_.clouds;
    index_t b = first_boundary_from(begin);
    if (b > 0 && b <= clouds.size()) visit_cloud(b - 1, begin, end, visit);
    for (; b <= clouds.size() && call_.boundary(b) < boundary_end; ++b) {
      passes(b);
      if (b < clouds.size()) visit_cloud(b, begin, end, visit);
    }
  }

  /// The part of a cloud that lies in `[begin, end)`.
  template <class Visit>
  void visit_cloud(index_t b, index_t begin, index_t end, Visit const& visit) const noexcept {
    index_t const first = call_.clouds.begin_of(b);
    index_t const last = std::min(first + call_.clouds[b].size(), end);
    for (index_t i = std::max(first, begin); i < last; ++i) visit(i, i - first);
  }

  /// The first boundary that is not below `begin`.
  index_t first_boundary_from(index_t begin) const noexcept {
    index_t low = 0;
    for (index_t high = call_.clouds.size() + 1; low < high;) {
      index_t const middle = (low + high) / 2;
      if (call_.boundary(middle) < begin) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  void count(index_t c) const noexcept {
    crop_box_chunk found;
    walk(
        c, [](index_t) {},
        [&](index_t i, index_t) {
          crop_side const side = call_.side_of(call_.clouds.points()[i]);
          found.inside += side == crop_side::inside ? 1 : 0;
          found.outside += side == crop_side::outside ? 1 : 0;
          found.non_finite += side == crop_side::non_finite ? 1 : 0;
        });
    chunks_[c] = found;
  }

  void write(index_t c) const noexcept {
    index_t at = chunks_[c].before;
    index_t const capacity = call_.capacity();
    walk(
        c, [&](index_t b) { call_.output.offsets[static_cast<std::size_t>(b)] = std::min(at, capacity); },
        [&](index_t i, index_t in_cloud) {
          if (call_.side_of(call_.clouds.points()[i]) != crop_side::inside) return;
          if (at < capacity) call_.output.indices.set(at, in_cloud);
          ++at;
        });
  }

  crop_box_call<Points> const& call_;
  host_exec exec_;
  crop_box_chunk* chunks_;
  index_t points_;
};

/// crop_box() for host_exec.
template <class Points>
result crop_box_host(host_exec exec, crop_box_call<Points> const& call, bytes workspace) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = call.check(); !checked) return checked;
  std::size_t const needed = crop_box_host_bytes(call.clouds.points().size());
  if (result const checked = check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("crop_box")); !checked) {
    return checked;
  }
  crop_box_report report;
  report.bad_offsets = static_cast<unsigned long long>(count_bad_offsets(call.clouds));
  if (report.bad_offsets > 0 || crops_nothing(call.clouds)) {
    std::fill_n(call.output.offsets.data(), call.output.offsets.size(), index_t{0});
  } else {
    workspace_cutter cutter{workspace.data()};
    auto* const chunks = cutter.take<crop_box_chunk>(crop_box_host_chunks(call.clouds.points().size()));
    report = crop_box_passes<Points>{call, exec, chunks}.run();
  }
  if (call.output.report != nullptr) *call.output.report = report;
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
