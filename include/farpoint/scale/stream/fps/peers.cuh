/// @file
/// fps_shard() as one kernel on each GPU. The kernels exchange messages through peer memory.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/local_maxima/team.hpp>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/scale/stream/fps/peers.hpp>
#include <farpoint/tuning/local_maxima.hpp>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Time-out of a wait for another GPU. Reads the clock in every 1,024th call.
class peer_watch {
 public:
  __device__ explicit peer_watch(std::uint64_t nanoseconds) noexcept : left_{nanoseconds} {}

  __device__ bool is_over() noexcept {
    if (left_ == 0 || ++looks_ % 1024 != 0) return false;
    std::uint64_t const now = nanoseconds();
    if (begin_ == 0) begin_ = now;
    return now - begin_ > left_;
  }

 private:
  __device__ static std::uint64_t nanoseconds() noexcept {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
  }

  std::uint64_t left_;  ///< time-out in nanoseconds; 0: waits forever
  std::uint64_t begin_ = 0;
  unsigned looks_ = 0;
};

/// Board in peer memory: a block writes its messages to the boards of all GPUs, and reads the board of its own.
class peer_board : public board_messages {
 public:
  static constexpr bool may_fail = true;

  __device__ explicit peer_board(fps_peer_places const& places) noexcept : places_{&places} {}

  __device__ local_maxima_place in_team(local_maxima_place place) const noexcept {
    return {place.b, places_->rank * places_->blocks + place.rank, places_->ranks * places_->blocks};
  }
  __device__ std::uint32_t first_index() const noexcept { return places_->first_index; }
  __device__ peer_watch watch() const noexcept { return peer_watch{places_->timeout}; }

  __device__ unsigned copies() const noexcept { return places_->ranks; }
  __device__ void put(unsigned slot, unsigned copy, fps_words const& words, std::uint32_t tag) const noexcept {
    store_message<exchange_scope::system>(board(copy) + slot, message::of(words, tag));
  }
  __device__ message load(unsigned slot) const noexcept {
    return load_message<exchange_scope::system>(board(places_->rank) + slot);
  }

  __device__ void put_key(unsigned number, fps_key key) const noexcept {
    for (unsigned r = 0; r < places_->ranks; ++r) {
      if (r == places_->rank) continue;
      store_key<exchange_scope::system>(keys(r) + number, key);
    }
  }
  /// Keys in the memory of this GPU.
  __device__ fps_key* keys() const noexcept { return keys(places_->rank); }

 private:
  __device__ message* board(unsigned rank) const noexcept { return reinterpret_cast<message*>(places_->memory[rank]); }
  __device__ fps_key* keys(unsigned rank) const noexcept {
    return reinterpret_cast<fps_key*>(places_->memory[rank] + places_->board_bytes);
  }

  fps_peer_places const* places_;
};

/// Keys are also written by other GPUs, so accesses have system scope.
struct peer_machine : cuda_machine {
  __device__ static void write(fps_key* to, fps_key key) noexcept { store_key<exchange_scope::system>(to, key); }
  __device__ static fps_key read(fps_key const* from) noexcept { return load_key<exchange_scope::system>(from); }
};

template <class Config, class Points>
__global__ void __launch_bounds__(Config::block_size, 1)
    fps_peer_kernel(__grid_constant__ fps_peer_args<Points> const args) {
  auto* memory = static_cast<unsigned char*>(dynamic_shared());
  auto& shared = *reinterpret_cast<local_maxima_shared<Config>*>(memory);
  unsigned const all = args.places.ranks * args.places.blocks;
  auto const lists = local_maxima_lists<Config>::at(memory + sizeof shared, all, args.lengths.listed);
  peer_board const board{args.places};
  local_maxima_team<Config, peer_machine, fps_peer_call<Points::dim>, peer_board> team{
      args.call, {0, blockIdx.x, args.places.blocks}, shared, lists, board.keys(), board, args.lengths};
  bool const done = team.run(args.cloud, args.order);
  __syncthreads();
  if (threadIdx.x > 0) return;
  auto const outcome = shared.has_failed != 0 ? fps_peer_outcome::failed
                       : done                 ? fps_peer_outcome::done
                                              : fps_peer_outcome::no_room;
  atomicMax(args.outcome, static_cast<std::uint32_t>(outcome));
}

/// Shapes of the kernel, and the choice among them.
template <class Points>
class fps_peer_plan {
 public:
  static constexpr int dim = Points::dim;

  static constexpr bool has_kernel = true;

  explicit fps_peer_plan(index_t points) noexcept : points_{points} {}

  /// Bytes that the points take in memory, for the shape that needs most.
  std::size_t chunk_bytes() const noexcept {
    std::size_t most = 0;
    for_each_shape([&](auto config) {
      using type = decltype(config);
      if constexpr (type::in_memory) {
        using chunks = point_chunks<type, peer_machine>;
        most = larger(most, static_cast<std::size_t>(chunks::parts(points_, 1)) * chunks::part_scalars * sizeof(float));
      }
      return false;
    });
    return most;
  }

  /// Team that this GPU can form.
  /// @param has_memory  peer memory of sufficient size is available
  fps_peer_team offer(cuda_exec exec, int ranks, bool has_memory) const noexcept {
    device_properties const device = device_properties::of(exec);
    fps_peer_team team;
    if (!has_memory || !has_board_messages<exchange_scope::system> || device.cooperative == 0) return team;
    auto const room = static_cast<std::uint32_t>(ranks);
    team.blocks = smaller(static_cast<std::uint32_t>(device.multiprocessors),
                          smaller(fps_peer_team::max_blocks / room, fps_peer_window::max_rank_blocks));
    team.needed = static_cast<std::uint32_t>(divide_up(points_, capacity<last_shape>(1)));
    std::size_t const fixed =
        larger(sizeof(local_maxima_shared<last_shape>), sizeof(local_maxima_shared<first_shape>)) +
        local_maxima_lists<last_shape>::bytes(team.blocks * room, 0) + 8 * local_maxima_lists<last_shape>::entry_bytes;
    auto const shared = static_cast<std::size_t>(device.shared_bytes);
    if (shared <= fixed) return {};
    team.entries = static_cast<std::uint32_t>(
        smaller((shared - fixed) / local_maxima_lists<last_shape>::entry_bytes, std::size_t{maxima_peer_entries}));
    return load_kernels(shared) ? team : fps_peer_team{};
  }

  /// Enqueues the kernel, in the first shape that holds the points.
  result launch(cuda_exec exec, fps_peer_args<Points> const& args) const noexcept {
    kernel_launcher launcher{exec.stream};
    for_each_shape([&](auto config) {
      using type = decltype(config);
      if (points_ > capacity<type>(args.places.blocks) / (type::in_memory && !is_last<type> ? 2 : 1)) return false;
      unsigned const all = args.places.ranks * args.places.blocks;
      cudaLaunchConfig_t how = launch_config(args.places.blocks, type::block_size, exec.stream);
      how.dynamicSmemBytes =
          sizeof(local_maxima_shared<type>) + local_maxima_lists<type>::bytes(all, args.lengths.listed);
      launcher.launch_cooperative(fps_peer_kernel<type, Points>, how, args);
      return true;
    });
    return cuda_failure(launcher.error(), "fps_shard: the kernel could not be launched");
  }

 private:
  template <int PointsPerThread>
  using in_registers = local_maxima_config<dim, maxima_peer_block_size, PointsPerThread, true>;
  template <int PointsPerThread>
  using in_chunks = local_maxima_chunk_config<dim, maxima_peer_block_size, PointsPerThread>;
  using first_shape = in_registers<8>;
  using last_shape = in_chunks<8>;
  template <class Config>
  static constexpr bool is_last = std::is_same_v<Config, last_shape>;

  /// Calls act(config) for the shapes, by ascending capacity, until it returns true.
  template <class Act>
  static void for_each_shape(Act const& act) noexcept {
    static_cast<void>(act(first_shape{}) || act(in_chunks<4>{}) || act(last_shape{}));
  }

  /// Number of points that `blocks` blocks hold.
  template <class Config>
  static constexpr index_t capacity(index_t blocks) noexcept {
    if constexpr (Config::in_memory) {
      return point_chunks<Config, peer_machine>::capacity(blocks);
    } else {
      return blocks * Config::block_size * Config::points_per_thread;
    }
  }

  /// Loads all shapes. Loading on first use may wait until the GPU is idle, which never happens while another kernel of
  /// the team waits for this one; so all shapes are loaded before any rank launches.
  static bool load_kernels(std::size_t shared_bytes) noexcept {
    bool loaded = true;
    for_each_shape([&](auto config) {
      auto const kernel = reinterpret_cast<void const*>(fps_peer_kernel<decltype(config), Points>);
      loaded = loaded && allow_dynamic_shared(kernel, shared_bytes) == cudaSuccess;
      return false;
    });
    return loaded;
  }

  index_t points_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
