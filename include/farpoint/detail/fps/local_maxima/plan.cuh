/// @file
/// Launch plan of fps() by local maxima: the shape of the kernel, the layout of the workspace, and the launches.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/cell_order.cuh>
#include <farpoint/detail/fps/local_maxima/kernel.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/tuning/local_maxima.hpp>

#include <iterator>
#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True if `Selector` has the kernels by local maxima compiled for these points.
template <class Selector, class Points>
inline constexpr bool fps_has_local_maxima = Points::dim <= 3 &&
                                             (sizeof(typename Points::scalar) == 4 || Selector::has_maxima_of_doubles);

/// Returns the number of shapes for a type of scalar, of `count` shapes for floats.
template <class Scalar>
constexpr std::size_t maxima_shape_count(std::size_t count) noexcept {
  return sizeof(Scalar) == 8 && count > 1 ? count - 1 : count;
}

/// Shapes of a selector's kernels by local maxima. Doubles take twice the registers, and so the largest of several
/// shapes is not compiled for doubles.
template <class Selector, class Scalar>
struct maxima_shapes {
  static constexpr auto const& blocks = Selector::maxima_blocks;
  static constexpr auto const& chunks = Selector::maxima_chunks;
  static constexpr std::size_t block_count = maxima_shape_count<Scalar>(std::size(blocks));
  static constexpr std::size_t chunk_count = maxima_shape_count<Scalar>(std::size(chunks));

  /// Maximum number of points of a cloud that a block holds in registers.
  static constexpr index_t most_in_registers = blocks[block_count - 1].capacity();
};

/// Enqueues the kernel of one shape.
template <class Config, class Points>
FARPOINT_HIDDEN void fps_enqueue_local_maxima(kernel_launcher& launcher,
                                              local_maxima_args<Points> const& args) noexcept {
  auto const& clouds = args.call.clouds;
  auto const blocks = static_cast<unsigned>(clouds.size()) * args.blocks;
  cudaLaunchConfig_t config = launch_config(blocks, Config::block_size, launcher.stream());
  config.dynamicSmemBytes = local_maxima_layout<Config>::bytes(args.blocks, clouds.largest());
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = Config::alone ? 0 : 1;
  launcher.launch(local_maxima_kernel<Config, Points>, config, args);
}

/// Enqueues the kernels of one shape where blocks are shared out: one makes the schedule, and one samples by it.
template <class Config, class Points>
FARPOINT_HIDDEN void fps_enqueue_dealt_maxima(kernel_launcher& launcher, dealt_maxima_args<Points> const& args,
                                              team_limits const& limits) noexcept {
  constexpr int block_size = maxima_schedule_block_size;
  launcher.launch(team_schedule_kernel<Points, block_size>, launch_config(1, block_size, launcher.stream()),
                  team_schedule_args<Points>{args.call.clouds, limits, args.schedule});
  cudaLaunchConfig_t config = launch_config(limits.blocks, Config::block_size, launcher.stream());
  config.dynamicSmemBytes = dealt_maxima_bytes<Config>(limits.most);
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  launcher.launch(dealt_maxima_kernel<Config, Points>, config, args);
}

/// True if `Selector` has fps_choice::shared_out compiled for these points.
template <class Selector, class Points>
inline constexpr bool fps_has_shared_out = Selector::has_shared_out&& fps_has_local_maxima<Selector, Points>;

template <class Selector, class Points>
class local_maxima_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;

  local_maxima_plan(batch<Points> const& clouds, device_properties const& device, fps_choice const& choice) noexcept
      : clouds_{clouds}, device_{device}, choice_{choice}, points_{clouds.points().size()} {
    // A block that samples a cloud alone keeps the keys in its shared memory, and sorts no points.
    if (has_own_keys()) {
      choice_.blocks = 1;
      choice_.boxes = choice_.shared_out = false;
    }
  }

  /// Maximum number of points of a cloud per block, where points lie in memory.
  static constexpr index_t chunk_points() noexcept { return largest_chunks::capacity(1); }

  /// Returns false if the clouds, the device or the number of blocks rule the kernel out.
  bool works() const noexcept {
    bool works = false;
    with_config([&](auto config) { works = fits<decltype(config)>(); });
    return works;
  }

  /// Returns the bytes of workspace. They also suffice for a grid with boxes, and for the kernel that serves the call
  /// on fewer multiprocessors.
  std::size_t bytes() const noexcept {
    if (has_own_keys()) return 0;
    local_maxima_plan grid = *this;
    if (choice_.shared_out) {
      // On fewer multiprocessors, registers may not hold the clouds.
      grid.choice_.boxes |=
          clouds_.largest() > most_in_registers() && clouds_.size() <= cell_order_memory<dim>::most_clouds;
      return grid.layout_of(cutter{}).size;
    }
    grid.choice_.boxes = true;
    index_t const worth = divide_up(clouds_.largest(), index_t{shapes::blocks[0].capacity()});
    index_t const most = smaller(worth, device_.multiprocessors / larger<index_t>(clouds_.size(), 1));
    grid.choice_.blocks = static_cast<int>(larger<index_t>(choice_.blocks, most));
    return grid.layout_of(cutter{}).size;
  }

  cudaError_t launch(fps_args<Points> const& args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    kernel_launcher launcher{stream};
    arrays const a = layout_of(cutter{workspace});
    launcher.clear(workspace, a.zeros);
    batch_marks const chosen{args.params.chosen.empty() ? nullptr : a.marks};
    if (chosen.words != nullptr) enqueue_marks(launcher, {args, chosen});
    if (choice_.boxes) {
      using curve = std::conditional_t<Selector::hilbert_cells, hilbert_curve, morton_curve>;
      fps_enqueue_cell_order<Points, curve>(launcher, cell_order_args<Points>{clouds_, a.order});
    }
    unsigned const equal = choice_.shared_out ? 1 : team_blocks();
    auto const lengths = local_maxima_lengths::of(choice_.wanted, choice_.listed, choice_.singles, equal);
    local_maxima_args<Points> const all{args, equal, lengths, {a.order.order, a.chunks}, chosen, a.keys, a.board};
    if constexpr (fps_has_shared_out<Selector, Points>) {
      if (choice_.shared_out) {
        with_shape<fps_team::grid>([&](auto config) { enqueue_dealt<decltype(config)>(launcher, all, a.schedule); });
        return launcher.error();
      }
    }
    with_config([&](auto config) { fps_enqueue_local_maxima<decltype(config)>(launcher, all); });
    return launcher.error();
  }

 private:
  using shapes = maxima_shapes<Selector, scalar>;

  bool has_own_keys() const noexcept { return choice_.kernel == fps_kernel::maxima_in_block; }

  using cutter = basic_workspace_cutter<workspace_alignment>;

  struct arrays {
    fps_key_for<scalar>* keys;
    grid_board::message* board;
    std::uint32_t* marks;  ///< marks of chosen points
    cell_order_memory<dim> order;
    scalar* chunks;
    team_schedule schedule;
    std::size_t zeros;  ///< number of bytes at the front that must be zero
    std::size_t size;
  };

  arrays layout_of(cutter memory) const noexcept {
    arrays a{};
    if (has_own_keys()) return a;
    a.keys = memory.template take<fps_key_for<scalar>>(points_);
    a.board = memory.template take<grid_board::message>(all_slots());
    a.marks = memory.template take<std::uint32_t>(batch_marks::words_of(points_, clouds_.size()));
    if (choice_.shared_out) {
      a.schedule.place = memory.template take<local_maxima_place>(choice_.blocks);
      a.schedule.counts = memory.template take<std::uint32_t>(team_schedule::count_words);
    }
    if (choice_.boxes) a.order.take_zeros(memory, clouds_);
    a.zeros = memory.used();
    if (choice_.shared_out) a.schedule.rest = memory.template take<std::uint32_t>(clouds_.size());
    if (choice_.boxes) {
      a.order.take_rest(memory, clouds_);
      // The chunks reuse the scratch memory of the sort, which is free when they are filled.
      cutter chunks = memory;
      a.order.take_scratch(memory, clouds_);
      // The largest chunks take the most memory: smaller ones leave less of a cloud's last chunk empty.
      a.chunks = chunks.template take<scalar>(most_chunks() * static_cast<index_t>(largest_chunks::chunk_scalars));
      if (chunks.used() > memory.used()) memory = chunks;
    }
    a.size = memory.used();
    return a;
  }

  /// Returns the number of messages on the boards of all teams.
  index_t all_slots() const noexcept {
    if (choice_.shared_out) return index_t{dealt_boards<grid_config>::slots(team_blocks())};
    return clouds_.size() * index_t{board_slots<grid_config>::all(team_blocks())};
  }
  /// Returns the number of chunks, of which each cloud needs at least one. No chunk is needed if registers hold the
  /// clouds on any device: many small clouds would take much memory.
  index_t most_chunks() const noexcept {
    bool const never = choice_.shared_out && clouds_.largest() <= most_in_registers();
    return never ? 0 : largest_chunks::chunks(points_, clouds_.size());
  }

  static void enqueue_marks(kernel_launcher& launcher, mark_chosen_step<Points> const& step) noexcept {
    index_t const count = step.args.params.chosen.size();
    launcher.then(
        [&] { return static_cast<cudaError_t>(for_each_index(cuda_exec{launcher.stream()}, count, step).native); });
  }

  template <class Config>
  void enqueue_dealt(kernel_launcher& launcher, local_maxima_args<Points> const& all,
                     team_schedule const& schedule) const noexcept {
    team_limits const limits = limits_of<Config>();
    dealt_maxima_args<Points> args{all, schedule};
    args.blocks = limits.most;
    fps_enqueue_dealt_maxima<Config>(launcher, args, limits);
  }

  /// Returns the limits of teams of a shape, where blocks are shared out.
  template <class Config>
  team_limits limits_of() const noexcept {
    index_t const capacity = capacity_of<Config>();
    index_t const worth = shapes::blocks[0].capacity();
    index_t const useful = larger(clouds_.largest() / worth, divide_up(clouds_.largest(), capacity));
    auto most = static_cast<unsigned>(larger(index_t{1}, smaller(useful, index_t{choice_.blocks})));
    while (most > 1 && dealt_maxima_bytes<Config>(most) > static_cast<std::size_t>(device_.shared_bytes)) {
      --most;
    }
    return {team_blocks(), most, static_cast<std::uint32_t>(capacity), static_cast<std::uint32_t>(worth)};
  }

  /// Returns the maximum number of points of a cloud per block.
  template <class Config>
  static constexpr index_t capacity_of() noexcept {
    if constexpr (Config::in_memory) {
      return chunks_of<Config>::capacity(1);
    } else {
      return index_t{Config::block_size} * Config::points_per_thread;
    }
  }

  /// Returns false if clouds may need more blocks than are available. @param capacity  points per block
  bool has_room(index_t capacity) const noexcept {
    if (!choice_.shared_out) return clouds_.largest() <= choice_.blocks * capacity;
    return most_needed_blocks(clouds_, capacity) <= choice_.blocks;
  }

  static constexpr index_t most_in_registers() noexcept { return shapes::most_in_registers; }

  /// Returns the number of blocks of a team, or of the whole grid if blocks are shared out.
  unsigned team_blocks() const noexcept { return static_cast<unsigned>(choice_.blocks); }

  template <fps_team Team, std::size_t Shape, bool Boxes>
  using config_of = local_maxima_config<Team, dim, shapes::blocks[Shape].block_size,
                                        shapes::blocks[Shape].points_per_thread, Boxes, scalar>;
  using grid_config = config_of<fps_team::grid, 0, false>;
  template <std::size_t Shape>
  using chunk_config = local_maxima_chunk_config<fps_team::grid, dim, shapes::chunks[Shape].block_size,
                                                 shapes::chunks[Shape].points_per_thread, scalar>;
  template <class Config>
  using chunks_of = point_chunks<Config, cuda_machine>;
  static constexpr std::size_t chunk_shapes = shapes::chunk_count;
  using largest_chunks = chunks_of<chunk_config<chunk_shapes - 1>>;

  /// Calls act(config) for the first shape whose blocks hold the clouds, if any.
  template <class Act>
  void with_config(Act const& act) const noexcept {
    if constexpr (fps_has_local_maxima<Selector, Points>) {
      if (has_own_keys()) return with_shape<fps_team::block>(act);
      with_shape<fps_team::grid>(act);
    }
  }

  template <fps_team Team, std::size_t Shape = 0, class Act>
  void with_shape(Act const& act) const noexcept {
    if constexpr (Shape < shapes::block_count) {
      constexpr index_t capacity = shapes::blocks[Shape].capacity();
      if (!has_room(capacity)) return with_shape<Team, Shape + 1>(act);
      if constexpr (Team == fps_team::grid) {
        if (choice_.boxes) return act(config_of<Team, Shape, true>{});
        act(config_of<Team, Shape, false>{});
      } else if constexpr (capacity <= Selector::maxima_block_points) {
        act(config_of<Team, Shape, false>{});
      }
    } else if constexpr (Team == fps_team::grid) {
      if (choice_.boxes) with_chunks(act);
    }
  }

  template <std::size_t Shape = 0, class Act>
  void with_chunks(Act const& act) const noexcept {
    if constexpr (Shape == 0 && Selector::chunks_in_shared) {
      constexpr fps_block_tuning t = shapes::chunks[0];
      using shared = local_maxima_shared_chunk_config<fps_team::grid, dim, t.block_size, t.points_per_thread, scalar>;
      if (!choice_.shared_out && fits<shared>()) return act(shared{});
    }
    using config = chunk_config<Shape>;
    if constexpr (Shape + 1 < chunk_shapes) {
      // Use a smaller shape only up to half of the 64 chunks that a warp may have.
      if (!has_room(chunks_of<config>::capacity(1) / 2)) return with_chunks<Shape + 1>(act);
    }
    act(config{});
  }

  template <class Config>
  bool fits() const noexcept {
    if (choice_.shared_out) return fits_shared_out<Config>();
    std::size_t const shared = local_maxima_layout<Config>::bytes(team_blocks(), clouds_.largest());
    index_t const blocks = clouds_.size() * choice_.blocks;
    if (points_ == 0 || points_ > max_narrow_points || blocks > max_narrow_points) return false;
    if (shared > static_cast<std::size_t>(device_.shared_bytes)) return false;
    if (choice_.boxes && clouds_.size() > cell_order_memory<dim>::most_clouds) return false;
    if constexpr (Config::in_memory) {
      if (clouds_.largest() > chunks_of<Config>::capacity(choice_.blocks)) return false;
    }
    return Config::alone ||
           (has_board_messages<exchange_scope::gpu> && device_.cooperative != 0 && blocks <= device_.multiprocessors);
  }

  template <class Config>
  bool fits_shared_out() const noexcept {
    if constexpr (Config::alone || !fps_has_shared_out<Selector, Points>) {
      return false;
    } else {
      if (points_ == 0 || points_ > max_narrow_points || clouds_.size() > max_narrow_points) return false;
      if (choice_.boxes && clouds_.size() > cell_order_memory<dim>::most_clouds) return false;
      if (!has_room(capacity_of<Config>())) return false;
      team_limits const limits = limits_of<Config>();
      if (dealt_maxima_bytes<Config>(limits.most) > static_cast<std::size_t>(device_.shared_bytes)) return false;
      if (divide_up(clouds_.largest(), capacity_of<Config>()) > index_t{limits.most}) return false;
      return has_board_messages<exchange_scope::gpu> && device_.cooperative != 0 && choice_.blocks >= 1 &&
             choice_.blocks <= device_.multiprocessors;
    }
  }

  batch<Points> clouds_;
  device_properties device_;
  fps_choice choice_;
  index_t points_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
