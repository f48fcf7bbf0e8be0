/// @file
/// fps() by local maxima: chooses a shape of kernel, lays out the workspace, and enqueues.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/cell_order.cuh>
#include <farpoint/detail/fps/local_maxima/kernel.cuh>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/tuning/local_maxima.hpp>

#include <cmath>
#include <iterator>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Keys are 64 bits wide: a distance of 32, and an index.
template <class Points>
inline constexpr bool fps_has_local_maxima = Points::dim <= 3 && sizeof(typename Points::scalar) == 4;

/// How kernels of one shape are launched.
template <class Config>
class local_maxima_launch {
 public:
  /// @param blocks  of a cloud
  local_maxima_launch(index_t clouds, index_t largest, unsigned blocks, cudaStream_t stream) noexcept
      : config_{launch_config(static_cast<unsigned>(clouds) * blocks, Config::block_size, stream)} {
    config_.dynamicSmemBytes = local_maxima_layout<Config>::bytes(blocks, largest);
    if constexpr (Config::by_messages) {
      attribute_.id = cudaLaunchAttributeCooperative;
      attribute_.val.cooperative = 1;
    } else {
      attribute_.id = cudaLaunchAttributeClusterDimension;
      attribute_.val.clusterDim.x = blocks;
      attribute_.val.clusterDim.y = 1;
      attribute_.val.clusterDim.z = 1;
    }
    config_.attrs = &attribute_;
    config_.numAttrs = Config::alone ? 0 : 1;
  }
  local_maxima_launch(local_maxima_launch const&) = delete;
  local_maxima_launch& operator=(local_maxima_launch const&) = delete;

  template <class Args>
  void enqueue(kernel_launcher& launcher, void (*kernel)(Args), std::remove_const_t<Args> const& args) const noexcept {
    if (is_large_cluster()) launcher.then([&] { return allow_large_cluster(kernel); });
    launcher.launch(kernel, config_, args);
  }

  /// True when the device can run such a cluster: 8 blocks are portable, 16 are up to the GPU, and both to what a
  /// multi-instance GPU or a share of MPS has left of it. Asks the runtime.
  bool has_cluster() const noexcept {
    auto const kernel = local_maxima_probe_kernel<Config::block_size>;
    auto const function = reinterpret_cast<void const*>(kernel);
    int most = 0;
    return allow_large_cluster(kernel) == cudaSuccess &&
           allow_dynamic_shared(function, config_.dynamicSmemBytes) == cudaSuccess &&
           cudaOccupancyMaxPotentialClusterSize(&most, function, &config_) == cudaSuccess &&
           static_cast<unsigned>(most) >= attribute_.val.clusterDim.x;
  }

 private:
  bool is_large_cluster() const noexcept {
    return Config::team == fps_team::cluster && attribute_.val.clusterDim.x > 8;
  }
  template <class Args>
  static cudaError_t allow_large_cluster(void (*kernel)(Args)) noexcept {
    auto const function = reinterpret_cast<void const*>(kernel);
    return set_kernel_attribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }

  cudaLaunchConfig_t config_;
  cudaLaunchAttribute attribute_{};
};

/// Enqueues the kernel of one shape.
template <class Config, class Points>
FARPOINT_HIDDEN void fps_enqueue_local_maxima(kernel_launcher& launcher,
                                              local_maxima_args<Points> const& args) noexcept {
  auto const& clouds = args.call.clouds;
  local_maxima_launch<Config> const launch{clouds.size(), clouds.largest(), args.blocks, launcher.stream()};
  launch.enqueue(launcher, local_maxima_kernel<Config, Points>, args);
}

template <class Selector, class Points>
class local_maxima_plan {
 public:
  static constexpr int dim = Points::dim;

  local_maxima_plan(batch<Points> const& clouds, device_properties const& device, fps_choice const& choice) noexcept
      : clouds_{clouds}, device_{device}, choice_{choice}, points_{clouds.points().size()} {
    if (choice.kernel == fps_kernel::maxima_in_block) choice_.blocks = 1;
  }

  /// Points of a cloud that each block has room for in memory.
  static constexpr index_t chunk_points() noexcept { return largest_chunks::capacity(1); }

  /// False when the clouds, the device or the choice of blocks rule it out.
  bool works() const noexcept {
    bool works = false;
    with_config([&](auto config) { works = fits<decltype(config)>(); });
    return works;
  }

  /// Enough also for a grid with boxes, or what else serves a call with fewer multiprocessors.
  std::size_t bytes() const noexcept {
    if (choice_.kernel == fps_kernel::maxima_in_block || (has_own_keys() && clouds_.largest() <= maxima_grid_from)) {
      return choice_.boxes ? layout_of(cutter{}).size : 0;
    }
    local_maxima_plan grid = *this;
    grid.choice_.kernel = fps_kernel::maxima_in_grid;
    grid.choice_.boxes = true;
    index_t const worth = divide_up(clouds_.largest(), index_t{Selector::maxima_blocks[0].capacity()});
    index_t const most = smaller(worth, device_.multiprocessors / larger<index_t>(clouds_.size(), 1));
    grid.choice_.blocks = static_cast<int>(larger<index_t>(choice_.blocks, most));
    return grid.layout_of(cutter{}).size;
  }

  cudaError_t launch(fps_args<Points> const& args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    kernel_launcher launcher{stream};
    arrays const a = layout_of(cutter{workspace});
    launcher.clear(workspace, a.zeros);
    if (choice_.boxes) fps_enqueue_cell_order(launcher, cell_order_args<Points>{clouds_, a.order});
    local_maxima_args<Points> const all{
        args,   team_blocks(), {wanted(), static_cast<unsigned>(choice_.listed)}, {a.order.order, a.chunks},
        a.keys, a.board};
    with_config([&](auto config) { fps_enqueue_local_maxima<decltype(config)>(launcher, all); });
    return launcher.error();
  }

 private:
  /// In the shared memory of each block.
  bool has_own_keys() const noexcept { return choice_.kernel != fps_kernel::maxima_in_grid; }

  using cutter = basic_workspace_cutter<workspace_alignment>;

  struct arrays {
    fps_key* keys;
    grid_board::message* board;
    cell_order_memory<dim> order;
    float* chunks;
    std::size_t zeros;  ///< bytes of all that must be zero, at the front
    std::size_t size;
  };

  arrays layout_of(cutter memory) const noexcept {
    arrays a{};
    if (!has_own_keys()) {
      index_t const slots = static_cast<index_t>(board_slots<grid_config>::all(team_blocks()));
      a.keys = memory.template take<fps_key>(points_);
      a.board = memory.template take<grid_board::message>(clouds_.size() * slots);
    }
    if (choice_.boxes) a.order.take_zeros(memory, clouds_);
    a.zeros = memory.used();
    if (choice_.boxes) {
      a.order.take_rest(memory, clouds_);
      // What the order was found with is not needed any more when the chunks are filled.
      cutter chunks = memory;
      a.order.take_scratch(memory, clouds_);
      if (!has_own_keys()) {
        // Smaller chunks leave less of a cloud's last one empty.
        a.chunks = chunks.template take<float>(largest_chunks::chunks(points_, clouds_.size()) *
                                               static_cast<index_t>(largest_chunks::chunk_floats));
        if (chunks.used() > memory.used()) memory = chunks;
      }
    }
    a.size = memory.used();
    return a;
  }

  unsigned team_blocks() const noexcept { return static_cast<unsigned>(choice_.blocks); }
  float wanted() const noexcept {
    return static_cast<float>(choice_.wanted) * std::sqrt(static_cast<float>(choice_.blocks));
  }

  template <fps_team Team, std::size_t Shape, bool Boxes>
  using config_of = local_maxima_config<Team, dim, Selector::maxima_blocks[Shape].block_size,
                                        Selector::maxima_blocks[Shape].points_per_thread, Boxes>;
  using grid_config = config_of<fps_team::grid, 0, false>;
  template <std::size_t Shape>
  using chunk_config = local_maxima_chunk_config<fps_team::grid, dim, Selector::maxima_chunks[Shape].block_size,
                                                 Selector::maxima_chunks[Shape].points_per_thread>;
  template <class Config>
  using chunks_of = point_chunks<Config, cuda_machine>;
  static constexpr std::size_t chunk_shapes = std::size(Selector::maxima_chunks);
  using largest_chunks = chunks_of<chunk_config<chunk_shapes - 1>>;

  /// Calls act(config) for the first shape whose blocks hold the largest cloud; not at all where there is none.
  template <class Act>
  void with_config(Act const& act) const noexcept {
    if constexpr (fps_has_local_maxima<Points>) {
      switch (choice_.kernel) {
        case fps_kernel::maxima_in_block: return with_shape<fps_team::block>(act);
        case fps_kernel::maxima_in_cluster:
          if constexpr (Selector::maxima_clusters) with_shape<fps_team::cluster>(act);
          return;
        default: return with_shape<fps_team::grid>(act);
      }
    }
  }

  template <fps_team Team, std::size_t Shape = 0, class Act>
  void with_shape(Act const& act) const noexcept {
    if constexpr (Shape < std::size(Selector::maxima_blocks)) {
      constexpr index_t capacity = Selector::maxima_blocks[Shape].capacity();
      if (clouds_.largest() > choice_.blocks * capacity) return with_shape<Team, Shape + 1>(act);
      if constexpr (Team != fps_team::block) {
        with_boxes<Team, Shape>(act);
      } else if constexpr (capacity <= Selector::maxima_block_points) {
        act(config_of<Team, Shape, false>{});
      }
    } else if constexpr (Team == fps_team::grid) {
      if (choice_.boxes) with_chunks(act);
    }
  }

  template <std::size_t Shape = 0, class Act>
  void with_chunks(Act const& act) const noexcept {
    using config = chunk_config<Shape>;
    if constexpr (Shape + 1 < chunk_shapes) {
      // Of 64 chunks that a warp may have.
      if (2 * clouds_.largest() > chunks_of<config>::capacity(choice_.blocks)) return with_chunks<Shape + 1>(act);
    }
    act(config{});
  }

  template <fps_team Team, std::size_t Shape, class Act>
  void with_boxes(Act const& act) const noexcept {
    if (choice_.boxes) return act(config_of<Team, Shape, true>{});
    act(config_of<Team, Shape, false>{});
  }

  template <class Config>
  bool fits() const noexcept {
    std::size_t const shared = local_maxima_layout<Config>::bytes(team_blocks(), clouds_.largest());
    index_t const blocks = clouds_.size() * choice_.blocks;
    if (choice_.blocks < 1 || points_ == 0 || points_ > max_narrow_points || blocks > max_narrow_points) return false;
    if (shared > static_cast<std::size_t>(device_.shared_bytes)) return false;
    if (choice_.boxes && clouds_.size() > cell_order_memory<dim>::most_clouds) return false;
    if constexpr (Config::in_memory) {
      if (clouds_.largest() > chunks_of<Config>::capacity(choice_.blocks)) return false;
    }
    if (Config::team == fps_team::grid)
      return has_board_messages<exchange_scope::gpu> && device_.cooperative != 0 && blocks <= device_.multiprocessors;
    if constexpr (Config::team == fps_team::cluster) {
      return device_.architecture >= 90 &&
             choice_.blocks <= smaller(int{most_cluster_blocks}, device_.cluster_blocks) &&
             local_maxima_launch<Config>{clouds_.size(), clouds_.largest(), team_blocks(), nullptr}.has_cluster();
    }
    return true;
  }

  batch<Points> clouds_;
  device_properties device_;
  fps_choice choice_;
  index_t points_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
