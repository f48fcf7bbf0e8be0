/// @file
/// Launch plan of fps() by local maxima: the shape of the kernel, the layout of the workspace, and the launches.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/local_maxima/cell_order.cuh>
#include <farpoint/detail/fps/local_maxima/kernel.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/tuning/local_maxima.hpp>

#include <iterator>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Returns the number of shapes for a type of scalar, of `count` shapes for floats. Doubles take twice the registers,
/// and so the largest of several shapes is not compiled for doubles.
template <class Scalar>
constexpr std::size_t maxima_shape_count(std::size_t count) noexcept {
  return sizeof(Scalar) == 8 && count > 1 ? count - 1 : count;
}

/// Shapes of a selector's kernels by local maxima.
template <class Selector, class Points>
struct maxima_shapes {
  using scalar = typename Points::scalar;
  static constexpr auto const& blocks = Selector::maxima_blocks;
  static constexpr auto const& chunks = Selector::maxima_chunks;
  static constexpr std::size_t block_count = maxima_shape_count<scalar>(std::size(blocks));
  static constexpr std::size_t chunk_count = maxima_shape_count<scalar>(std::size(chunks));

  template <std::size_t Shape, bool Boxes>
  using in_registers =
      local_maxima_config<Points::dim, blocks[Shape].block_size, blocks[Shape].points_per_thread, Boxes, scalar>;
  template <std::size_t Shape>
  using in_memory =
      local_maxima_chunk_config<Points::dim, chunks[Shape].block_size, chunks[Shape].points_per_thread, scalar>;
  using in_shared =
      local_maxima_shared_chunk_config<Points::dim, chunks[0].block_size, chunks[0].points_per_thread, scalar>;
  using in_parts = local_maxima_parts_config<Points::dim, chunks[chunk_count - 1].block_size,
                                             chunks[chunk_count - 1].points_per_thread, scalar>;
  template <class Config>
  using chunks_of = point_chunks<Config, cuda_machine>;
  using largest_chunks = chunks_of<in_memory<chunk_count - 1>>;

  /// Maximum number of points of a cloud that a block holds in registers, and in memory with chunks of one part.
  static constexpr index_t max_in_registers = blocks[block_count - 1].capacity();
  static constexpr index_t max_in_memory = largest_chunks::capacity(1);
};

/// Arrays in the workspace.
template <class Points>
struct local_maxima_arrays {
  fps_key_for<typename Points::scalar>* keys;
  grid_board::message* board;
  std::uint32_t* marks;  ///< marks of chosen points
  cell_order_memory<Points::dim> order;
  typename Points::scalar* chunks;
  team_schedule schedule;
  std::size_t zeros;  ///< number of bytes at the front that must be zero
  std::size_t size;
};

/// Plan for points of up to three dimensions.
template <class Selector, class Points>
class local_maxima_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  using shapes = maxima_shapes<Selector, Points>;

  /// @param choice  for launch(), one that fit() has accepted
  local_maxima_plan(batch<Points> const& clouds, device_properties const& device, fps_choice const& choice) noexcept
      : clouds_{clouds}, device_{device}, choice_{choice}, points_{clouds.points().size()} {}

  fps_choice const& choice() const noexcept { return choice_; }

  /// Limits the number of blocks to the multiprocessors of the device, and to what shared memory has room for. Returns
  /// false if the clouds, the device or the number of blocks rule the kernel out.
  bool fit() noexcept {
    if (choice_.shared_out && choice_.blocks <= 0) choice_.blocks = device_.multiprocessors;
    choice_.blocks = larger(1, smaller(choice_.blocks, device_.multiprocessors));
    // The lists of many blocks may exceed shared memory.
    for (; !works(); choice_.blocks -= choice_.blocks / 4) {
      if (choice_.shared_out || choice_.blocks <= 4) return false;
    }
    return true;
  }

  /// Returns the bytes of workspace. They also suffice for every team and every schedule on fewer multiprocessors.
  std::size_t bytes() const noexcept {
    local_maxima_plan most = *this;
    most.choice_.shared_out = true;
    most.choice_.blocks = device_.multiprocessors;
    // On fewer multiprocessors, registers may not hold the clouds.
    bool const may_sort = clouds_.size() <= cell_order_memory<dim>::cloud_limit;
    most.choice_.boxes |= clouds_.largest() > shapes::max_in_registers && may_sort;
    return most.layout_of(cutter{}).size;
  }

  cudaError_t launch(fps_args<Points> const& call, unsigned char* workspace, cudaStream_t stream) const noexcept {
    kernel_launcher launcher{stream};
    arrays const a = layout_of(cutter{workspace});
    launcher.clear(workspace, a.zeros);
    batch_marks const chosen{call.params.chosen.empty() ? nullptr : a.marks};
    if (chosen.words != nullptr) enqueue_marks(launcher, {call, chosen});
    if (choice_.boxes) fps_enqueue_cell_order<Points>(launcher, cell_order_args<Points>{clouds_, a.order});
    auto const lengths = local_maxima_lengths::of(choice_.wanted, choice_.listed, choice_.singles);
    local_maxima_args<Points> args{call,   team_blocks(), lengths, {a.order.order, a.chunks},
                                   chosen, a.keys,        a.board, a.schedule};
    unsigned const blocks = choice_.shared_out ? team_blocks() : static_cast<unsigned>(clouds_.size()) * team_blocks();
    with_config([&](auto config) {
      using config_type = decltype(config);
      args.order.part_shift = part_shift<config_type>();
      if (choice_.shared_out) {
        team_limits const limits = limits_of<config_type>();
        args.blocks = limits.most;
        enqueue_schedule(launcher, {clouds_, limits, a.schedule});
      }
      fps_enqueue_local_maxima<config_type>(launcher, args, blocks);
    });
    return launcher.error();
  }

 private:
  using cutter = basic_workspace_cutter<workspace_alignment>;
  using arrays = local_maxima_arrays<Points>;
  template <class Config>
  using chunks_of = typename shapes::template chunks_of<Config>;

  bool works() const noexcept {
    bool const can_exchange = has_board_messages<exchange_scope::gpu> && device_.cooperative != 0;
    if (!can_exchange || points_ == 0 || points_ > max_narrow_points || clouds_.size() > max_narrow_points)
      return false;
    if (choice_.boxes && clouds_.size() > cell_order_memory<dim>::cloud_limit) return false;
    if (!choice_.shared_out && clouds_.size() * choice_.blocks > device_.multiprocessors) return false;
    bool works = false;
    with_config([&](auto config) { works = fits<decltype(config)>(); });
    return works;
  }

  arrays layout_of(cutter memory) const noexcept {
    arrays a{};
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
      using largest = typename shapes::largest_chunks;
      a.chunks = chunks.template take<scalar>(max_parts() * static_cast<index_t>(largest::part_scalars));
      if (chunks.used() > memory.used()) memory = chunks;
    }
    a.size = memory.used();
    return a;
  }

  /// Returns the number of messages on the boards of all teams.
  index_t all_slots() const noexcept {
    using config = typename shapes::template in_registers<0, false>;
    if (choice_.shared_out) return index_t{dealt_boards<config>::slots(team_blocks())};
    return clouds_.size() * index_t{board_slots<config>::all(team_blocks())};
  }
  /// Returns the number of parts of chunks, of which each cloud needs at least one. None is needed if registers hold
  /// the clouds on any device: many small clouds would take much memory.
  index_t max_parts() const noexcept {
    bool const never = clouds_.largest() <= shapes::max_in_registers;
    return never ? 0 : shapes::largest_chunks::parts(points_, clouds_.size());
  }
  /// Returns the exponent of the number of parts of a chunk with which teams hold the clouds.
  template <class Config>
  unsigned part_shift() const noexcept {
    if constexpr (!Config::in_parts) return 0;
    unsigned const team = largest_team<Config>();
    unsigned shift = 0;
    for (; shapes::max_in_memory << shift < max_narrow_points; ++shift) {
      index_t const capacity = shapes::max_in_memory << shift;
      if (has_room(capacity) && divide_up(clouds_.largest(), capacity) <= index_t{team}) break;
    }
    return shift;
  }
  /// Returns the number of blocks of the largest team that shared memory has room for.
  template <class Config>
  unsigned largest_team() const noexcept {
    unsigned team = team_blocks();
    while (team > 1 && !has_shared_memory<Config>(team)) --team;
    return team;
  }

  static void enqueue_marks(kernel_launcher& launcher, mark_chosen_step<Points> const& step) noexcept {
    index_t const count = step.args.params.chosen.size();
    launcher.then(
        [&] { return static_cast<cudaError_t>(for_each_index(cuda_exec{launcher.stream()}, count, step).native); });
  }
  static void enqueue_schedule(kernel_launcher& launcher, team_schedule_args<Points> const& args) noexcept {
    constexpr int block_size = maxima_schedule_block_size;
    launcher.launch(team_schedule_kernel<Points, block_size>, 1, block_size, args);
  }

  /// Returns the limits of teams of a shape, if a schedule makes the teams.
  template <class Config>
  team_limits limits_of() const noexcept {
    index_t const capacity = capacity_of<Config>();
    index_t const worth = shapes::blocks[0].capacity();
    index_t const useful = larger(clouds_.largest() / worth, divide_up(clouds_.largest(), capacity));
    auto const most = static_cast<unsigned>(larger(index_t{1}, smaller(useful, index_t{largest_team<Config>()})));
    return {team_blocks(), most, static_cast<std::uint32_t>(capacity), static_cast<std::uint32_t>(worth),
            maxima_extra_load};
  }

  template <class Config>
  bool has_shared_memory(unsigned team) const noexcept {
    return local_maxima_shared_bytes<Config>(team, clouds_.largest()) <= static_cast<std::size_t>(device_.shared_bytes);
  }

  /// Returns the maximum number of points of a cloud per block.
  template <class Config>
  index_t capacity_of() const noexcept {
    if constexpr (Config::in_memory) {
      return chunks_of<Config>::capacity(1) << part_shift<Config>();
    } else {
      return index_t{Config::block_size} * Config::points_per_thread;
    }
  }

  /// Returns false if clouds may need more blocks than are available. @param capacity  points per block
  bool has_room(index_t capacity) const noexcept {
    if (!choice_.shared_out) return clouds_.largest() <= choice_.blocks * capacity;
    return max_needed_blocks(clouds_, capacity) <= choice_.blocks;
  }

  /// Returns false if clouds need larger blocks than a shape's. If a schedule makes the teams, shared memory limits
  /// their sizes, so that a large cloud may need larger blocks although the grid has room.
  /// @param capacity  points per block up to which the shape is used
  template <class Config>
  bool is_enough(index_t capacity) const noexcept {
    return has_room(capacity) && (!choice_.shared_out || fits<Config>());
  }

  /// Returns the number of blocks of a team, or of the whole grid if a schedule makes the teams.
  unsigned team_blocks() const noexcept { return static_cast<unsigned>(choice_.blocks); }

  /// Calls act(config) for the first shape whose blocks hold the clouds, if any.
  template <class Act>
  void with_config(Act const& act) const noexcept {
    if constexpr (sizeof(scalar) == 4) {
      using shared = typename shapes::in_shared;
      bool const is_large = clouds_.largest() >= Selector::shared_chunks_from;
      if (choice_.boxes && !choice_.shared_out && is_large && fits<shared>()) return act(shared{});
    }
    with_registers<0>(act);
  }

  template <std::size_t Shape, class Act>
  void with_registers(Act const& act) const noexcept {
    if constexpr (Shape < shapes::block_count) {
      using plain = typename shapes::template in_registers<Shape, false>;
      using sorted = typename shapes::template in_registers<Shape, true>;
      constexpr index_t capacity = shapes::blocks[Shape].capacity();
      if (choice_.boxes && is_enough<sorted>(capacity)) return act(sorted{});
      if (!choice_.boxes && is_enough<plain>(capacity)) return act(plain{});
      with_registers<Shape + 1>(act);
    } else {
      if (choice_.boxes) with_chunks<0>(act);
    }
  }

  template <std::size_t Shape, class Act>
  void with_chunks(Act const& act) const noexcept {
    if constexpr (Shape < shapes::chunk_count) {
      using config = typename shapes::template in_memory<Shape>;
      // Use a smaller shape only up to half of the 64 chunks that a warp may have.
      constexpr index_t capacity = chunks_of<config>::capacity(1) / (Shape + 1 < shapes::chunk_count ? 2 : 1);
      if (is_enough<config>(capacity)) return act(config{});
      with_chunks<Shape + 1>(act);
    } else {
      act(typename shapes::in_parts{});
    }
  }

  template <class Config>
  bool fits() const noexcept {
    if (!has_room(capacity_of<Config>())) return false;
    if (!choice_.shared_out) return has_shared_memory<Config>(team_blocks());
    unsigned const most = limits_of<Config>().most;
    return has_shared_memory<Config>(most) && divide_up(clouds_.largest(), capacity_of<Config>()) <= index_t{most};
  }

  batch<Points> clouds_;
  device_properties device_;
  fps_choice choice_;
  index_t points_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
