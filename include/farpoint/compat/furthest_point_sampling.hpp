/// @file
/// Furthest point sampling with the arguments and results of the kernels of PointNet++, OpenPCDet and mmcv.
#pragma once

#include <farpoint/compat/execution.hpp>
#include <farpoint/compat/tie_order.hpp>
#include <farpoint/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {

/// Differences between the published kernels.
struct furthest_point_sampling_rules {
  /// True if points whose squared norm is at most 1e-3 are never picked, except as the first sample.
  bool skip_origin = false;

  /// Maximum number of threads per block of the kernel. Ties go to the point that the reduction of such a block
  /// prefers, see tie_order. 0: ties go to the lowest index, which avoids a copy of the points.
  int block_threads = 0;
};

/// Rules of OpenPCDet and mmcv.
inline constexpr furthest_point_sampling_rules openpcdet_rules{false, 1024};
/// Rules of pointnet2_ops and its copies.
inline constexpr furthest_point_sampling_rules pointnet2_ops_rules{true, 512};

namespace FARPOINT_HIDDEN detail {

/// True for a point that skip_origin leaves out. Compares in double, as the kernels do.
FARPOINT_HD inline bool is_near_origin(vec<float> const& point) noexcept {
  return static_cast<double>(distance2(point, vec<float>{})) <= 1e-3;
}

inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// A cloud whose points are reordered so that ties go to the point that the kernel prefers.
struct ordered_cloud {
  point_view<float> points;
  tie_order order;
  bool skip_origin;

  /// Copies the point of position `place` in tie order; `points` are in index order. Writes NaN if the position is
  /// padding or the point is left out.
  FARPOINT_HD void copy(index_t place, float* to) const noexcept {
    index_t const k = order.point_at(place);
    vec<float> point{{not_a_number, not_a_number, not_a_number}};
    if (k < order.points() && (k == 0 || !skip_origin || !is_near_origin(points[k]))) point = points[k];
    // The view has y first, see published_points(); the copy is read through the same kind of view.
    to[0] = point[1];
    to[1] = point[0];
    to[2] = point[2];
  }

  /// Returns the point index of a sample; `place` is its position and `points` are in tie order. If all points are at
  /// distance 0 from earlier samples, the first point that is not left out repeats: a reduction over equal distances
  /// returns it.
  FARPOINT_HD index_t sample(index_t place, float distance) const noexcept {
    return order.point_at(place < 0 || !(distance > 0) ? first_left() : place);
  }

 private:
  /// Lowest position of a finite point that skip_origin permits; 0 without such a point.
  FARPOINT_HD index_t first_left() const noexcept {
    for (index_t place = 0; place < points.size(); ++place) {
      auto const point = points[place];
      if (is_finite(point) && !(place == 0 && skip_origin && is_near_origin(point))) return place;
    }
    return 0;
  }
};

/// Copies points into tie order.
struct reorder_points {
  batch<point_view<float>> from;
  float* to;  ///< `[clouds, positions, 3]`
  tie_order order;
  bool skip_origin;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = place_of(i, order.size());
    ordered_cloud{from[at.row], order, skip_origin}.copy(at.column, to + i * std::uint64_t{3});
  }
};

/// Converts positions in tie order to point indices.
struct finish_samples {
  batch<point_view<float>> clouds;  ///< points in tie order
  float const* distances;           ///< `[clouds, samples]`
  int* idxs;                        ///< `[clouds, samples]`: positions in, indices out
  index_t samples;
  tie_order order;
  bool skip_origin;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    ordered_cloud const cloud{clouds[place_of(i, samples).row], order, skip_origin};
    idxs[i] = static_cast<int>(cloud.sample(idxs[i], distances[i]));
  }
};

/// Lays out the workspace and runs the steps.
template <class Exec>
class furthest_point_sampling_plan {
 public:
  furthest_point_sampling_plan(Exec exec, index_t b, index_t n, index_t m, furthest_point_sampling_rules rules) noexcept
      : exec_{exec},
        clouds_{b},
        samples_{m},
        skip_origin_{rules.skip_origin},
        copies_{rules.skip_origin || rules.block_threads > 0},
        order_{tie_order::of_block(n, rules.block_threads)} {
    params_.samples = m;
  }

  std::size_t bytes() const noexcept {
    launcher_memory memory;
    cut(memory);
    return memory.used() + fps_workspace_bytes(exec_, published_clouds(nullptr, clouds_, order_.size()), params_);
  }

  result run(float const* dataset, int* idxs, farpoint::bytes workspace) const noexcept {
    if (result const checked =
            farpoint::detail::check_workspace(workspace, bytes(), FARPOINT_WORKSPACE_OF("furthest_point_sampling"));
        !checked)
      return checked;
    launcher_memory memory{workspace.data()};
    auto const cuts = cut(memory);
    auto const from = published_clouds(dataset, clouds_, order_.points());
    auto const ordered = copies_ ? published_clouds(cuts.points, clouds_, order_.size()) : from;
    if (copies_) {
      result const copied =
          for_each_index(exec_, clouds_ * order_.size(), reorder_points{from, cuts.points, order_, skip_origin_}, 4);
      if (!copied) return copied;
    }
    auto const size = static_cast<std::size_t>(clouds_ * samples_);
    fps_output<float> const output{span<int>{idxs, size}, {cuts.distances, size}};
    if (result const picked = fps(exec_, ordered, params_, output, rest_of(workspace, memory)); !picked) return picked;
    return for_each_index(exec_, clouds_ * samples_,
                          finish_samples{ordered, cuts.distances, idxs, samples_, order_, skip_origin_});
  }

 private:
  struct arrays {
    float* points;
    float* distances;
  };
  arrays cut(launcher_memory& memory) const noexcept {
    auto* const points = memory.template take<float>(copies_ ? clouds_ * order_.size() * 3 : 0);
    return {points, memory.template take<float>(clouds_ * samples_)};
  }

  Exec exec_;
  index_t clouds_;
  index_t samples_;
  bool skip_origin_;
  bool copies_;
  tie_order order_;
  fps_params params_;
};

/// Rejects block sizes other than 0 and powers of two.
inline result check_rules(furthest_point_sampling_rules const& rules) noexcept {
  if (rules.block_threads >= 0 && (rules.block_threads & (rules.block_threads - 1)) == 0) return {};
  return farpoint::detail::reject("furthest_point_sampling: rules.block_threads is not 0 or a power of two");
}

}  // namespace detail

/// Returns the size in bytes of the workspace of furthest_point_sampling_kernel_launcher(); 256-byte aligned memory.
template <class Exec>
std::size_t furthest_point_sampling_workspace_bytes(Exec exec, int b, int n, int m,
                                                    furthest_point_sampling_rules rules = {}) noexcept {
  if (!detail::check_sizes(b, n, m) || !detail::check_rules(rules)) return 0;
  return detail::furthest_point_sampling_plan{detail::execution_of(exec), b, n, m, rules}.bytes();
}

/// Samples each cloud, beginning with point 0. With the rules of a kernel the indices equal the kernel's indices, for
/// clouds of finite points whose squared distances are below 1e10.
///
/// If all remaining points are at distance 0, which includes m > n, the first point in tie order repeats. Non-finite
/// points are never picked, whereas the kernels get stuck at the first NaN. A cloud that begins with non-finite points
/// starts at its first finite point; a cloud without finite points gives zeros.
///
/// @param b,n,m      number of clouds, of points per cloud and of samples per cloud
/// @param dataset    `[b, n, 3]`, meters
/// @param temp       neither read nor written, may be null: the workspace holds the distances
/// @param idxs       `[b, m]`
/// @param exec       a cudaStream_t or cuda_exec, with compat/furthest_point_sampling.cuh, and device memory; or a
///                   host_exec and host memory
/// @param workspace  at least furthest_point_sampling_workspace_bytes() bytes, 256-byte aligned
/// @param rules      openpcdet_rules or pointnet2_ops_rules to break ties as that kernel does
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result furthest_point_sampling_kernel_launcher(int b, int n, int m, float const* dataset, [[maybe_unused]] float* temp,
                                               int* idxs, Exec exec, bytes workspace,
                                               furthest_point_sampling_rules rules = {}) noexcept {
  if (result const checked = detail::check_sizes(b, n, m); !checked) return checked;
  if (result const checked = detail::check_rules(rules); !checked) return checked;
  result const checked = detail::check_arrays(exec, workspace, detail::launcher_array{dataset, index_t{b} * n * 3},
                                              detail::launcher_array{idxs, index_t{b} * m});
  if (!checked || b == 0 || m == 0) return checked;
  return detail::furthest_point_sampling_plan{detail::execution_of(exec), b, n, m, rules}.run(dataset, idxs, workspace);
}

}  // namespace compat
FARPOINT_END_NAMESPACE
