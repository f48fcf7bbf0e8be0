/// @file
/// The arguments of random_subset(), their checks, and the two loops that it is, for every backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/subset/random_permutation.hpp>
#include <farpoint/types/random_subset.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A batch of points that are not read: one type for all views.
using cloud_sizes = batch<point_view<float>>;

template <class Points>
cloud_sizes sizes_of(batch<Points> const& clouds) noexcept {
  static constexpr float nothing = 0;
  point_view<float> const points{&nothing, clouds.points().size(), 0};
  return clouds.is_ragged() ? cloud_sizes::ragged(points, clouds.offsets(), clouds.largest())
                            : cloud_sizes::regular(points, clouds.size());
}

struct random_subset_call {
  cloud_sizes clouds;
  index_t samples;
  std::uint64_t seed;
  random_subset_output output;

  index_t rows() const noexcept { return clouds.size() * samples; }
  FARPOINT_HD index_t samples_of(index_t b) const noexcept { return smaller(samples, clouds[b].size()); }

  /// Checks what can be checked without reading the arrays, which may be in device memory.
  result check() const noexcept {
    constexpr batch_reasons reasons{
        "random_subset: the number of clouds is negative", "random_subset: the number of points is negative",
        "random_subset: the points are a null pointer",
        "random_subset: the points of a regular batch cannot be divided evenly among its clouds",
        "random_subset: more than 2^31 - 1 clouds, or 2^48 points"};
    if (result const checked = check_batch(clouds, reasons); !checked) return checked;
    if (samples < 0) return reject("random_subset: the number of samples is negative");
    if (!holds(output.indices.size(), clouds.size(), samples)) {
      return reject("random_subset: output.indices is smaller than clouds x samples");
    }
    if (static_cast<index_t>(output.offsets.size()) != clouds.size() + 1) {
      return reject("random_subset: output.offsets does not have clouds + 1 entries");
    }
    if (!output.indices.wide() && output.indices.size() > 0 && clouds.largest() > max_narrow_points) {
      return reject("random_subset: more than 2^31 - 1 points in a cloud need 64-bit indices");
    }
    return {};
  }
};

/// Offset `b` of the output, 0 <= b <= clouds, as a sum of its own: there are few clouds, and no memory to meet at. The
/// first one writes the report.
struct random_subset_offset {
  random_subset_call call;

  template <class Number>
  FARPOINT_HD void operator()(Number b) const noexcept {
    cloud_sizes const& clouds = call.clouds;
    bool const is_wrong =
        clouds.is_ragged() && clouds.size() > 0 && any_bad_offset(clouds.offsets(), clouds.points().size());
    index_t sum = 0;
    if (!clouds.is_ragged()) {
      sum = static_cast<index_t>(b) * smaller(call.samples, clouds.largest());
    } else if (!is_wrong) {
      for (Number c = 0; c < b; ++c) sum += call.samples_of(static_cast<index_t>(c));
    }
    call.output.offsets[b] = sum;
    if (b == 0 && call.output.report != nullptr) {
      call.output.report->bad_offsets = static_cast<unsigned long long>(count_bad_offsets(clouds));
    }
  }
};

/// Entry `row` of the indices; the offsets have been written.
struct random_subset_row {
  random_subset_call call;

  template <class Number>
  FARPOINT_HD void operator()(Number row) const noexcept {
    auto const at = static_cast<index_t>(row);
    span<index_t> const offsets = call.output.offsets;
    if (at >= offsets[offsets.size() - 1]) {
      call.output.indices.set(at, -1);
      return;
    }
    index_t const b =
        segment_of(call.clouds.size(), at, [&offsets](index_t c) { return offsets[static_cast<std::size_t>(c)]; });
    random_permutation const permutation{call.clouds[b].size(), split_mix(call.seed, static_cast<std::uint64_t>(b))};
    call.output.indices.set(at, permutation(at - offsets[static_cast<std::size_t>(b)]));
  }
};

/// Runs both loops of random_subset() by `for_each(exec, count, body, work)`.
template <class Exec, class ForEachIndex>
result random_subset_by(Exec exec, random_subset_call const& call, ForEachIndex const& for_each) noexcept {
  if (result const checked = call.check(); !checked) return checked;
  index_t const offsets = call.clouds.size() + 1;
  result const summed = for_each(exec, offsets, random_subset_offset{call}, call.clouds.is_ragged() ? offsets : 1);
  if (!summed) return summed;
  return for_each(exec, call.rows(), random_subset_row{call}, 2 * random_permutation::rounds);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
