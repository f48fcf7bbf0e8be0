/// @file
/// Search on a stream among the points that a rank owns. See owner_index.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/point_bvh.cuh>
#include <farpoint/scale/stream/curve/owner_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of a search whose rows have positions in the whole cloud (`names`).
template <class Queries>
struct knn_named_args : knn_cuda_args<Queries> {
  index_view names;

  __device__ FARPOINT_ALWAYS_INLINE index_t written(std::uint32_t index) const noexcept {
    return index == no_index ? -1 : names[index_t{index}];
  }
  template <int Capacity>
  __device__ FARPOINT_ALWAYS_INLINE void finish(
      search_query<typename Queries::scalar> const& mine, warp_topk<typename Queries::scalar, Capacity> const& found,
      typename warp_topk<typename Queries::scalar, Capacity>::storage& free) const noexcept {
    write_rows<Capacity>(*this, mine.exists() ? static_cast<std::uint32_t>(mine.row) : no_row, free, found);
  }
};

template <class Scalar>
struct owner_search<cuda_exec, Scalar> {
  using bvh = device_point_bvh<Scalar>;

  static std::size_t workspace_bytes(cuda_exec exec, index_t queries) noexcept {
    return knn_workspace_bytes(exec, bvh{}, batch<point_view<Scalar>>{point_view<Scalar>{nullptr, queries}});
  }

  template <class Queries>
  static result search(cuda_exec exec, knn_owner<Scalar, bvh> const& owner, Queries const& queries,
                       knn_params const& params, query_rows<knn_output<Scalar>> const& to) noexcept {
    auto request = request_of<Scalar>(params);
    request.excluded_points = owner.owned.excluded_points;
    auto const answer = [&](kernel_launcher& launcher, auto const& asked, bytes) {
      launch_knn<knn_selector>(
          launcher, knn_named_args<Queries>{{asked, request, to.rows, non_finite_counter(to.rows.report), 0, to.limits},
                                            owner.owned.names});
    };
    bool const self = is_same_view(owner.owned.points, queries);
    return search_on_device<knn_selector>(exec, owner.bvh, batch<Queries>{queries}, self, to.rows.report,
                                          self ? bytes{} : owner.workspace, params.k, answer);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
