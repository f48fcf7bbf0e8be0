/// @file
/// Build an index once on a CUDA stream, and ask it many times. See point_bvh.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/knn_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// The indices of a batch of clouds in device memory, when the stream has passed build_point_bvh(). Non-owning,
/// trivially copyable: pass it by value into kernels, whose `index[b].nearest<8>(q)` asks. Asking is thread-safe.
/// The points themselves are not needed any more.
template <class Scalar>
class device_point_bvh {
 public:
  device_point_bvh() = default;
  device_point_bvh(detail::point_bvh_arrays<Scalar> const& arrays, index_t clouds, index_t points,
                   unsigned const* bad_offsets) noexcept
      : arrays_{arrays}, clouds_{clouds}, points_{points}, bad_offsets_{bad_offsets} {}

  /// Clouds.
  FARPOINT_HD index_t size() const noexcept { return clouds_; }
  /// Points of all clouds, those that are not finite among them.
  FARPOINT_HD index_t points() const noexcept { return points_; }
#if defined(__CUDACC__)
  /// The index of cloud b, b < size(). Empty where offsets did not ascend.
  __device__ point_bvh_ref<Scalar> operator[](index_t b) const noexcept {
    return arrays_[b];
  }
#endif
  detail::point_bvh_arrays<Scalar> const& arrays() const noexcept {
    return arrays_;
  }
  unsigned const* bad_offsets() const noexcept {
    return bad_offsets_;
  }

 private:
  detail::point_bvh_arrays<Scalar> arrays_{};
  index_t clouds_ = 0;
  index_t points_ = 0;
  unsigned const* bad_offsets_ = nullptr;
};

/// Bytes of device memory that build_point_bvh() needs, for the index and the building of it; 256-byte aligned. O(1):
/// a function of the sizes; 0 for points that are refused. 29 bytes a point in float, 46 in double.
template <class Selector = knn_selector, class Points>
std::size_t point_bvh_bytes(cuda_exec, batch<Points> const& points) noexcept {
  return detail::indexed_search_bytes<Selector>(points, [](auto&) { return 0; });
}

/// Enqueues the building of the index of each cloud. A cloud that has moved is built again into the same memory.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph.
/// @param exec    the stream
/// @param points  `[clouds, n]` or ragged, metres, three coordinates, device memory
/// @param memory  at least point_bvh_bytes() bytes, 256-byte aligned, device memory; the index lives in it
/// @param index   set on success; what it refers to is there when the stream has passed the call
/// @return ok | bad_argument | workspace_too_small | cuda_failure; as knn() for the same points
/// Complexity: O(n), one launch whose blocks are all resident. Thread-safe for different memory.
template <class Selector = knn_selector, class Points>
result build_point_bvh(cuda_exec exec, batch<Points> const& points, bytes memory,
                       device_point_bvh<typename Points::scalar>& index) noexcept {
  if (result const checked = detail::check_device_search(points, points); !checked) return checked;
  return detail::indexed_search<Selector>(
      exec, points, memory, [](auto&) { return 0; },
      [&](detail::kernel_launcher&, auto const& built, int) {
        index = {built.index, points.size(), points.points().size(), &built.state->bad_offsets};
      });
}

/// Bytes of device workspace that knn() among the points of an index needs: 16 a query from 16,384 of them on, so that
/// they are answered in an order in which neighbours follow one another. 256-byte aligned memory.
template <class Queries>
std::size_t knn_workspace_bytes(cuda_exec, device_point_bvh<typename Queries::scalar> const&,
                                batch<Queries> const& queries) noexcept {
  detail::workspace_cutter cutter;
  static_cast<void>(detail::query_order_of(queries, false)(cutter));
  return cutter.used();
}

/// knn() among the points of an index, enqueued on a stream: the same answer as for the points themselves. The report
/// counts queries only.
///
/// @param exec       the stream
/// @param index      of the points; as many clouds as the queries have
/// @param queries    device memory
/// @param method     exact
/// @param k          neighbours of a query, 1 to 1,024
/// @param output     see knn_output; device memory
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, device memory; or empty: the queries are
///                   answered as they come, with the same answer
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Selector = knn_selector, class Queries>
result knn(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
           exact const& method, index_t k, knn_output<typename Queries::scalar> const& output,
           bytes workspace = {}) noexcept {
  return detail::knn_of_index_cuda<Selector>(exec, index, queries, method, k, output, workspace);
}

FARPOINT_END_NAMESPACE
