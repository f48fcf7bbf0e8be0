/// @file
/// BVHs that are built once, of points in host memory, and searched for queries in host memory, by the compiled
/// library.
#pragma once

#include <farpoint/runtime/host_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace runtime {

/// Owner of the BVHs of a batch of clouds, in the memory of a GPU or of the host.
///
/// Its functions are the functions of <farpoint/point_bvh.hpp>, with the promises of the calls on host memory
/// (host_calls.hpp): the same answers on every backend. The points are not needed after build(). Movable. Searches are
/// thread-safe; build() must not run concurrently with another call. An index on a GPU is searched while its device is
/// the current one.
/// @tparam Scalar  float or double
template <class Scalar>
class FARPOINT_API point_index {
 public:
  using clouds = batch<point_view<Scalar>>;

  point_index() noexcept;
  point_index(point_index&& other) noexcept;
  point_index& operator=(point_index&& other) noexcept;
  ~point_index();

  /// Builds the BVH of each cloud. Its memory is used again where that is large enough. After a failure, and after a
  /// build that call_options.stop ended, it has no BVH.
  /// @return ok | bad_argument | unavailable | out_of_memory | cuda_failure
  result build(clouds const& points, options const& call_options = {}, run_info* info = nullptr) noexcept;

  /// Clouds; 0 before build().
  index_t size() const noexcept;
  /// Backend that holds the BVHs; backend::automatic before build().
  backend where() const noexcept;

  /// @name knn(), radius() and interpolate() among the points of a BVH: see <farpoint/point_bvh.hpp>
  ///
  /// A batch of queries has one cloud for each of the index. Searches run on the backend that holds the BVHs. `stop`
  /// ends them on the host; see host_stop.
  /// @{
  result knn(clouds const& queries, knn_params const& params, knn_output<Scalar> const& output,
             run_info* info = nullptr, host_stop* stop = nullptr) const noexcept;
  result radius(clouds const& queries, radius_params const& params, radius_output<Scalar> const& output,
                run_info* info = nullptr, host_stop* stop = nullptr) const noexcept;
  result interpolate(span<float const> features, clouds const& queries, index_t channels,
                     interpolate_output const& output, run_info* info = nullptr,
                     host_stop* stop = nullptr) const noexcept;
  /// @}

  /// @cond
  FARPOINT_LOOSE_K(knn)
  result knn(clouds const& queries, neighborhood_params const& params, index_t k, knn_output<Scalar> const& output,
             run_info* info = nullptr, host_stop* stop = nullptr) const noexcept {
    return knn(queries, params.with_k(k), output, info, stop);
  }
  FARPOINT_LOOSE_K(radius)
  result radius(clouds const& queries, radius_params const& params, index_t max, radius_output<Scalar> const& output,
                run_info* info = nullptr, host_stop* stop = nullptr) const noexcept {
    return radius(queries, detail::with_k(params, max), output, info, stop);
  }
  /// @endcond

 private:
  struct state;
  state* state_ = nullptr;
};

#if !defined(FARPOINT_BUILDS_LIBRARY)
extern template class point_index<float>;
extern template class point_index<double>;
#endif

}  // namespace runtime
FARPOINT_END_NAMESPACE
