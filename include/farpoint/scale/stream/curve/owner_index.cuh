/// @file
/// Searches on a stream among the points that a rank owns. See owner_index.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/point_bvh.cuh>
#include <farpoint/scale/stream/curve/owner_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Queries whose neighbours are written by their names.
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
class knn_owner_index<cuda_exec, Scalar> {
 public:
  using view = point_view<Scalar>;

  knn_owner_index(cuda_exec exec, workspace_cutter& cutter, knn_owned_points<Scalar> const& owned, index_t points,
                  index_t queries) noexcept
      : owned_{owned},
        memory_{cutter.take_workspace(owner_index_bytes<Scalar>(exec, points))},
        workspace_{cutter.take_workspace(
            knn_workspace_bytes(exec, device_point_bvh<Scalar>{}, batch<view>{view{nullptr, queries}}))} {}

  result build(cuda_exec exec) noexcept { return build_point_bvh(exec, batch<view>{owned_.points}, memory_, index_); }

  template <class Queries>
  result search(cuda_exec exec, Queries const& queries, exact const& method,
                knn_stream_rows<Scalar> const& to) const noexcept {
    auto request = request_of<Scalar>(method, to.k);
    request.excluded_points = owned_.excluded_points;
    auto const answer = [&](kernel_launcher& launcher, auto const& asked) {
      launch_knn<knn_selector>(launcher,
                               knn_named_args<Queries>{{asked, asked.threads(), request, to.rows, 0}, owned_.names});
    };
    batch<Queries> const all{queries};
    if (is_same_view(owned_.points, queries)) {
      return index_search_of_points(exec, index_, all, to.rows.report, answer);
    }
    return index_search_on_device(exec, index_, all, to.rows.report, workspace_, answer);
  }

 private:
  knn_owned_points<Scalar> owned_;
  bytes memory_;
  bytes workspace_;
  device_point_bvh<Scalar> index_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE
