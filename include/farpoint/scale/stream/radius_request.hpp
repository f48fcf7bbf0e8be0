/// @file
/// Arguments of radius_shard(), and their checks.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/scale/indexed_shard.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>
#include <farpoint/types/radius_shard.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// Arguments of a call.
/// @tparam Part  shard or indexed_shard
template <class Part, class Queries>
struct radius_shard_request {
  using part_type = Part;
  using points_type = points_of<Part>;
  using scalar = typename points_type::scalar;
  static constexpr char const* too_small = FARPOINT_WORKSPACE_OF("radius_shard");

  Part const& source;
  Queries const& queries;
  radius_params const& params;
  radius_shard_output<scalar> const& output;

  shard<points_type> const& part() const noexcept { return part_of(source); }
  index_t each() const noexcept { return params.max_neighbors; }
  result check() const noexcept;
  /// Calls `visit(arrays...)` with all arrays but the workspace.
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    return visit(batch<points_type>{part().points}, names_of(source), batch<Queries>{queries}, output.indices,
                 output.distances, output.counts, output.report);
  }
  /// Number that stands for the parameters that must be equal on all ranks.
  std::uint64_t digest_of_parameters() const noexcept {
    digest all;
    all.add(sizeof(scalar) + 200);
    all.add(params.radius);
    all.add(params.order);
    all.add(params.exclude_self);
    all.add(params.exclusive);
    all.add(each());
    return all.word();
  }
};

template <class Part, class Queries>
result radius_shard_request<Part, Queries>::check() const noexcept {
  static_assert(std::is_same_v<scalar, typename Queries::scalar>,
                "farpoint: points and queries must both be double, or neither");
  index_t const asked = queries.size();
  if (result const checked = check_bvh_points(batch<points_type>{part().points}); !checked) return checked;
  if (result const checked = check_queries(batch<Queries>{queries}, 1); !checked) return checked;
  radius_output<scalar> rows;
  rows.indices = output.indices;
  rows.distances = output.distances;
  rows.counts = output.counts;
  if (result const checked = check_radius(asked, params, rows); !checked) return checked;
  if (!holds(static_cast<index_t>(output.distances.size()), asked, each())) {
    return reject("radius_shard: output.distances is smaller than queries x max_neighbors");
  }
  if (!holds(static_cast<index_t>(output.counts.size()), asked, 1)) {
    return reject("radius_shard: output.counts is smaller than the number of queries");
  }
  if (asked > shard_max_points || output.exchanged_capacity < 0 || output.exchanged_capacity > shard_max_points) {
    return reject("radius_shard: more than 2^30 queries of a rank, or an exchanged_capacity that is negative or above");
  }
  index_t const first = part().first_index;
  if (first < 0 || first > index_t{1} << 62) return reject("radius_shard: first_index is negative, or above 2^62");
  return check_built(source);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
