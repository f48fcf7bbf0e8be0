/// @file
/// fps() of clouds that are too large for one block's shared memory: sort all, then sample with groups of blocks.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/grid_kernel.cuh>
#include <farpoint/detail/fps/point_order.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/tuning/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Lays out the workspace, and enqueues.
template <class Selector, class Points>
class fps_sorted_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  static constexpr int block_size = Selector::group_block_size;
  static constexpr int list_size = Selector::group_list_size;
  using chunking = fps_chunking<Selector::chunks.points, Selector::chunks.per_group>;

  /// @param cluster_size  0: grid
  fps_sorted_plan(batch<Points> const& clouds, device_properties const& device, int cluster_size) noexcept
      : clouds_{clouds}, device_{device}, cluster_size_{cluster_size}, points_{clouds.points().size()} {
    index_t const worth = points_ / Selector::grid_points_per_block;
    blocks_ = static_cast<int>(worth < 1 ? 1 : worth < device.multiprocessors ? worth : device.multiprocessors);
    index_t const leaders = blocks_ / 2 > 1 ? blocks_ / 2 : 1;
    boards_ = cluster_size > 0 ? 0 : clouds.size() < leaders ? clouds.size() : leaders;
    if (cluster_size > 0) blocks_ = static_cast<int>(clouds.size() * cluster_size);
    plan_shared_memory();
  }

  std::size_t bytes() const noexcept { return layout(nullptr).end; }

  /// True when the device can run such a cluster: 8 blocks are portable, 16 are up to the GPU, and to what a
  /// multi-instance GPU has left of it. Asks the runtime.
  bool has_cluster() const noexcept {
    auto const function = reinterpret_cast<void const*>(cluster_kernel());
    cudaLaunchConfig_t const launch = launch_of(nullptr);
    int most = 0;
    return allow_cluster(function) == cudaSuccess && allow_dynamic_shared(function, shared_bytes_) == cudaSuccess &&
           cudaOccupancyMaxPotentialClusterSize(&most, function, &launch) == cudaSuccess && most >= cluster_size_;
  }

  cudaError_t launch(fps_rounds_args<Points> const& rounds, unsigned char* workspace,
                     cudaStream_t stream) const noexcept {
    arrays const a = layout(workspace);
    cudaError_t error = cudaMemsetAsync(workspace, 0, a.zeros, stream);
    if (error != cudaSuccess) return error;
    // An odd number of passes ends in the other buffer: the order must come out in its own array.
    int const last = radix_sort_result(a.bits.all());
    std::uint32_t* const values[2] = {last == 0 ? a.order : a.other_values, last == 0 ? a.other_values : a.order};
    error =
        fps_enqueue_keys(point_order_args<Points>{clouds_, a.extents, a.keys[0], values[0], a.broken, a.bits}, stream);
    if (error != cudaSuccess) return error;
    error = radix_sort({{a.keys[0], a.keys[1]},
                        {values[0], values[1]},
                        a.sort_workspace,
                        static_cast<std::uint32_t>(points_),
                        a.bits.all()},
                       stream);
    if (error != cudaSuccess) return error;

    task_type task{rounds, {a.order, a.points, points_, a.boxes}, shared_bytes_};
    task.meetings = a.meetings;
    task.boards = a.boards;
    task.broken = a.broken;
    task.points_per_block = Selector::grid_points_per_block;
    if constexpr (fps_has_clusters<scalar>) {
      if (cluster_size_ > 0) return launch_clusters(task, stream);
    }
    return launch_grid(task, stream);
  }

 private:
  using task_type = fps_grid_args<Points, list_size, chunking>;

  static constexpr auto cluster_kernel() noexcept {
    return fps_rounds_cluster_kernel<Points, block_size, list_size, chunking>;
  }

  struct arrays {
    fps_extent<dim>* extents;
    grid_exchange<scalar>* meetings;
    unsigned* broken;
    std::size_t zeros;  ///< bytes of these three, at the front
    std::uint32_t* order;
    scalar* points;
    std::uint32_t* keys[2];  ///< these are gone when the points are written
    std::uint32_t* other_values;
    scalar* boxes;
    std::uint32_t* sort_workspace;
    round_exchange<scalar, dim, list_size>* boards;
    fps_key_bits bits;
    std::size_t end;
  };

  arrays layout(unsigned char* base) const noexcept {
    std::size_t end = 0;
    auto const take = [&end, base](std::size_t size) {
      unsigned char* const begin = base == nullptr ? nullptr : base + end;
      end += (size + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
      return begin;
    };
    auto const n = static_cast<std::size_t>(points_);
    arrays a{};
    a.extents =
        reinterpret_cast<fps_extent<dim>*>(take(static_cast<std::size_t>(clouds_.size()) * sizeof(fps_extent<dim>)));
    a.meetings = reinterpret_cast<grid_exchange<scalar>*>(
        take(static_cast<std::size_t>(boards_) * sizeof(grid_exchange<scalar>)));
    a.broken = reinterpret_cast<unsigned*>(take(sizeof(unsigned)));
    a.zeros = end;
    a.order = reinterpret_cast<std::uint32_t*>(take(4 * n));
    std::size_t const points = (dim + 1) * sizeof(scalar) * n;
    std::size_t const sorting = 3 * sizeof(std::uint32_t) * n;
    a.points = reinterpret_cast<scalar*>(take(points > sorting ? points : sorting));
    a.keys[0] = reinterpret_cast<std::uint32_t*>(a.points);
    a.keys[1] = a.keys[0] + (base == nullptr ? 0 : n);
    a.other_values = a.keys[1] + (base == nullptr ? 0 : n);
    a.boxes = reinterpret_cast<scalar*>(take(box_bytes_));
    a.sort_workspace = reinterpret_cast<std::uint32_t*>(take(radix_sort_workspace_words(n) * sizeof(std::uint32_t)));
    a.boards = reinterpret_cast<round_exchange<scalar, dim, list_size>*>(
        take(static_cast<std::size_t>(boards_) * sizeof(round_exchange<scalar, dim, list_size>)));
    // Points outside of all clouds of a ragged batch have numbers of their own.
    a.bits = fps_key_bits::of<dim>(clouds_.is_ragged() ? clouds_.size() + 2 : clouds_.size());
    a.end = end;
    return a;
  }

  /// A block's share of a cloud goes into shared memory, or else its boxes, or else nothing.
  void plan_shared_memory() noexcept {
    using memory = chunk_partition<scalar, dim, chunking>;
    std::size_t const fixed = sizeof(fps_rounds_shared<scalar, dim, list_size, block_size>) +
                              (cluster_size_ > 0 ? sizeof(round_exchange<scalar, dim, list_size>) : 0) + 1024;
    auto const device = static_cast<std::size_t>(device_.shared_bytes);
    std::size_t const limit = device > fixed ? device - fixed : 0;
    // In a ragged batch half of the blocks are shared out by points, rounded down: up to four times a fair share.
    bool const by_points = cluster_size_ == 0 && clouds_.size() > 1;
    index_t const members = cluster_size_ > 0 ? cluster_size_ : blocks_;
    index_t const fair = (chunking::chunks(by_points ? points_ : clouds_.largest()) + members - 1) / members;
    index_t const most = by_points ? 4 * fair + 1 : fair;
    std::size_t const all = memory::point_bytes(most) + memory::box_bytes(most);
    std::size_t const boxes = memory::box_bytes(most);
    shared_bytes_ = all <= limit ? all : by_points && boxes <= limit ? limit : boxes <= limit ? boxes : 0;
    if (boxes > shared_bytes_) {
      index_t const groups = fps_sorted<scalar, dim, chunking>::groups_before(points_, clouds_.size(), blocks_);
      box_bytes_ = memory::box_bytes(groups * chunking::group);
    }
  }

  static cudaError_t allow_cluster(void const* kernel) noexcept {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }

  cudaError_t launch_clusters(task_type const& task, cudaStream_t stream) const noexcept {
    if (cluster_size_ > 8) {
      cudaError_t const error = allow_cluster(reinterpret_cast<void const*>(cluster_kernel()));
      if (error != cudaSuccess) return error;
    }
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(cluster_size_);
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = 1;
    return launch_groups(cluster_kernel(), task, cluster, stream);
  }

  cudaError_t launch_grid(task_type const& task, cudaStream_t stream) const noexcept {
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    return launch_groups(fps_rounds_grid_kernel<Points, block_size, list_size, chunking>, task, cooperative, stream);
  }

  template <class Kernel>
  cudaError_t launch_groups(Kernel kernel, task_type const& task, cudaLaunchAttribute attribute,
                            cudaStream_t stream) const noexcept {
    cudaLaunchConfig_t launch = launch_of(stream);
    launch.attrs = &attribute;
    launch.numAttrs = 1;
    return launch_kernel(kernel, launch, task);
  }

  cudaLaunchConfig_t launch_of(cudaStream_t stream) const noexcept {
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(static_cast<unsigned>(blocks_));
    launch.blockDim = dim3(block_size);
    launch.dynamicSmemBytes = shared_bytes_;
    launch.stream = stream;
    return launch;
  }

  batch<Points> clouds_;
  device_properties device_;
  int cluster_size_;
  index_t points_;
  int blocks_ = 1;
  index_t boards_ = 0;
  std::size_t shared_bytes_ = 0;  ///< dynamic
  std::size_t box_bytes_ = 0;     ///< of global memory, for boxes that shared memory does not hold
};

}  // namespace detail
FARPOINT_END_NAMESPACE
