/// @file
/// Checks of the arguments of knn_shard().
#pragma once

#include <farpoint/knn.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>
#include <farpoint/types/knn_shard.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points, class Queries, class Scalar>
result check_knn_shard(shard<Points> const& part, Queries const& queries, knn_params const& params,
                       knn_shard_output<Scalar> const& output) noexcept {
  if (result const checked = check_bvh_points(batch<Points>{part.points}); !checked) return checked;
  if (result const checked = check_queries(batch<Queries>{queries}, 1); !checked) return checked;
  knn_output<Scalar> rows;
  rows.indices = output.indices;
  rows.distances = output.distances;
  if (result const checked = check_knn(queries.size(), params, rows); !checked) return checked;
  if (!holds(static_cast<index_t>(output.distances.size()), queries.size(), params.k)) {
    return reject("knn_shard: output.distances is smaller than queries x k");
  }
  if (queries.size() > shard_max_points || output.exchanged_capacity < 0 ||
      output.exchanged_capacity > shard_max_points) {
    return reject("knn_shard: more than 2^30 queries of a rank, or a negative exchanged_capacity");
  }
  index_t const first = part.first_index;
  if (first < 0 || first > index_t{1} << 62) return reject("knn_shard: first_index is negative, or above 2^62");
  return {};
}

/// Number that stands for the parameters that must be equal on all ranks.
template <class Scalar>
std::uint64_t digest_of(knn_params const& params) noexcept {
  digest all;
  all.add(sizeof(Scalar) + 100);
  all.add(params.max_radius);
  all.add(params.exclude_self);
  all.add(params.k);
  return all.word();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
