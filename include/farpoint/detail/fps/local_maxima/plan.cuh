/// @file
/// fps() by local maxima: chooses a shape of kernel, lays out the workspace, and enqueues.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/cell_order.cuh>
#include <farpoint/detail/fps/local_maxima/kernel.cuh>
#include <farpoint/tuning/fps.hpp>

#include <cmath>
#include <iterator>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Keys are 64 bits wide: a distance of 32, and an index.
template <class Points>
inline constexpr bool fps_has_local_maxima = Points::dim <= 3 && sizeof(typename Points::scalar) == 4;

/// Enqueues the kernel of one shape.
template <class Config, class Points>
FARPOINT_HIDDEN void fps_enqueue_local_maxima(kernel_launcher& launcher,
                                              local_maxima_args<Points> const& args) noexcept {
  unsigned const blocks = static_cast<unsigned>(args.call.clouds.size()) * args.blocks;
  cudaLaunchConfig_t launch = launch_config(blocks, Config::block_size, launcher.stream());
  launch.dynamicSmemBytes = local_maxima_layout<Config>::bytes(args.blocks, args.call.clouds.largest());
  cudaLaunchAttribute attribute{};
  if constexpr (Config::by_messages) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = args.blocks;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  }
  launch.attrs = &attribute;
  launch.numAttrs = Config::alone ? 0 : 1;
  auto const kernel = local_maxima_kernel<Config, Points>;
  if (Config::team == fps_team::cluster && args.blocks > 8) {
    launcher.then([&] {
      return set_kernel_attribute(reinterpret_cast<void const*>(kernel), cudaFuncAttributeNonPortableClusterSizeAllowed,
                                  1);
    });
  }
  launcher.launch(kernel, launch, args);
}

template <class Selector, class Points>
class local_maxima_plan {
 public:
  static constexpr int dim = Points::dim;

  local_maxima_plan(batch<Points> const& clouds, device_properties const& device, fps_choice const& choice) noexcept
      : clouds_{clouds}, device_{device}, choice_{choice}, points_{clouds.points().size()} {
    if (choice.kernel == fps_kernel::maxima_in_block) choice_.blocks = 1;
  }

  /// False when the clouds, the device or the choice of blocks rule it out.
  bool works() const noexcept {
    bool works = false;
    with_config([&](auto config) { works = fits<decltype(config)>(); });
    return works;
  }

  /// With boxes or not: a call with fewer multiprocessors, which other kernels may serve, has room in it too.
  std::size_t bytes() const noexcept {
    if (choice_.kernel == fps_kernel::maxima_in_block) return 0;
    local_maxima_plan with_boxes = *this;
    with_boxes.choice_.boxes = true;
    return with_boxes.layout_of(cutter{}).size;
  }

  cudaError_t launch(fps_args<Points> const& args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    kernel_launcher launcher{stream};
    bool const alone = choice_.kernel == fps_kernel::maxima_in_block;
    arrays const a = alone ? arrays{} : layout_of(cutter{workspace});
    launcher.clear(workspace, a.zeros);
    if (choice_.boxes) fps_enqueue_cell_order(launcher, cell_order_args<Points>{clouds_, a.order});
    local_maxima_args<Points> const all{
        args, team_blocks(), {wanted(), Selector::maxima_listed}, {a.order.order, a.chunks}, a.keys, a.board};
    with_config([&](auto config) { fps_enqueue_local_maxima<decltype(config)>(launcher, all); });
    return launcher.error();
  }

 private:
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
    a.keys = memory.template take<fps_key>(points_);
    if (choice_.kernel == fps_kernel::maxima_in_grid) {
      index_t const slots = static_cast<index_t>(board_slots<grid_config<0>>::all(team_blocks()));
      a.board = memory.template take<grid_board::message>(clouds_.size() * slots);
    }
    if (choice_.boxes) a.order.take_zeros(memory, clouds_);
    a.zeros = memory.used();
    if (choice_.boxes) {
      a.order.take_rest(memory, clouds_);
      // What the order was found with is not needed any more when the chunks are filled.
      cutter chunks = memory;
      a.order.take_scratch(memory, clouds_);
      if (choice_.kernel == fps_kernel::maxima_in_grid) {
        a.chunks = chunks.template take<float>(chunks_type::chunks(points_, clouds_.size()) *
                                               static_cast<index_t>(chunks_type::chunk_floats));
        if (chunks.used() > memory.used()) memory = chunks;
      }
    }
    a.size = memory.used();
    return a;
  }

  unsigned team_blocks() const noexcept { return static_cast<unsigned>(choice_.blocks); }
  float wanted() const noexcept {
    return static_cast<float>(Selector::maxima_wanted) * std::sqrt(static_cast<float>(choice_.blocks));
  }

  template <fps_team Team, std::size_t Shape, bool Boxes>
  using config_of = local_maxima_config<Team, dim, Selector::maxima_blocks[Shape].block_size,
                                        Selector::maxima_blocks[Shape].points_per_thread, Boxes>;
  template <std::size_t Shape>
  using grid_config = config_of<fps_team::grid, Shape, false>;
  using chunk_config = local_maxima_chunk_config<fps_team::grid, dim, Selector::maxima_chunks.block_size,
                                                 Selector::maxima_chunks.points_per_thread>;
  using chunks_type = point_chunks<chunk_config, cuda_machine>;

  /// Calls act(config) for the first shape whose blocks hold the largest cloud; not at all where there is none.
  template <std::size_t Shape = 0, class Act>
  void with_config(Act const& act) const noexcept {
    if constexpr (fps_has_local_maxima<Points> && Shape < std::size(Selector::maxima_blocks)) {
      if (clouds_.largest() > choice_.blocks * Selector::maxima_blocks[Shape].capacity()) {
        return with_config<Shape + 1>(act);
      }
      switch (choice_.kernel) {
        case fps_kernel::maxima_in_block:
          if constexpr (Selector::maxima_blocks[Shape].capacity() <= Selector::maxima_block_points) {
            act(config_of<fps_team::block, Shape, false>{});
          }
          return;
        case fps_kernel::maxima_in_cluster:
          if constexpr (Selector::maxima_clusters) with_boxes<fps_team::cluster, Shape>(act);
          return;
        default: return with_boxes<fps_team::grid, Shape>(act);
      }
    } else if constexpr (fps_has_local_maxima<Points>) {
      if (choice_.kernel == fps_kernel::maxima_in_grid && choice_.boxes) act(chunk_config{});
    }
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
    if (Config::in_memory && clouds_.largest() > chunks_type::capacity(choice_.blocks)) return false;
    if (Config::team == fps_team::grid)
      return has_grid_board && device_.cooperative != 0 && blocks <= device_.multiprocessors;
    if (Config::team == fps_team::cluster)
      return device_.architecture >= 90 && choice_.blocks <= smaller(int{most_cluster_blocks}, device_.cluster_blocks);
    return true;
  }

  batch<Points> clouds_;
  device_properties device_;
  fps_choice choice_;
  index_t points_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
