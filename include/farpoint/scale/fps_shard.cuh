/// @file
/// Farthest point sampling, on a CUDA stream, of a cloud whose points are spread over several GPUs. See fps_shard.hpp
/// for what fps_shard() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/fps/local_maxima/cell_order.cuh>
#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/fps/decide.hpp>
#include <farpoint/scale/stream/fps/list.hpp>
#include <farpoint/scale/stream/fps/peers.cuh>
#include <farpoint/scale/stream/fps/task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Loads the chunks of points, one warp per chunk.
template <class Config, class Points>
__global__ void __launch_bounds__(Config::list_block_size)
    fps_stream_load_kernel(fps_stream_args<Config, Points> const args) {
  index_t const c = (index_t{blockIdx.x} * Config::list_block_size + threadIdx.x) / 32;
  if (c >= args.memory.chunks) return;
  fps_stream_chunk<Config, cuda_machine>{args.memory, static_cast<std::uint32_t>(c)}.load(args.cloud, args.order);
}

template <class Config, class Points>
__global__ void __launch_bounds__(Config::list_block_size)
    fps_stream_list_kernel(fps_stream_args<Config, Points> const args) {
  auto& shared = *static_cast<fps_stream_list_shared<Config>*>(dynamic_shared());
  fps_stream_list<Config, cuda_machine, Points>{args, blockIdx.x, shared}.run();
}

template <class Config, class Points>
__global__ void __launch_bounds__(Config::decide_block_size)
    fps_stream_decide_kernel(fps_stream_args<Config, Points> const args) {
  auto& shared = *static_cast<fps_stream_decide_shared<Config>*>(dynamic_shared());
  fps_stream_decide<Config, cuda_machine, Points>{args, blockIdx.x, shared}.run(args.memory.states[args.round % 2]);
}

/// The kernels of fps_shard() on a stream.
struct cuda_fps_blocks {
  template <int Dim>
  using config = fps_stream_config<Dim>;
  template <class Points>
  using peer_plan = fps_peer_plan<Points>;

  template <class Points>
  struct order_memory {
    cell_order_memory<Points::dim> cells;
    std::size_t zeros;  ///< bytes at `cells.extents` that must be zero

    order_memory(workspace_cutter& cutter, Points const& cloud) noexcept : cells{}, zeros{0} {
      std::size_t const before = cutter.used();
      cells.take_zeros(cutter, batch<Points>{cloud});
      zeros = cutter.used() - before;
      cells.take_rest(cutter, batch<Points>{cloud});
    }
    std::uint32_t const* indices() const noexcept { return cells.order; }
  };

  template <class Points, class Plan>
  static result arrange(cuda_exec exec, Points const& cloud, Plan const& plan) noexcept {
    kernel_launcher launcher{exec.stream};
    auto cells = plan.order.cells;
    // The chunks are filled after the order is final, so their memory serves as scratch here.
    cells.places = reinterpret_cast<std::uint64_t*>(plan.memory.points);
    launcher.clear(cells.extents, plan.order.zeros);
    fps_enqueue_cell_order(launcher, cell_order_args<Points>{batch<Points>{cloud}, cells});
    return launched(launcher);
  }
  template <class Config, class Points>
  static result load(cuda_exec exec, fps_stream_args<Config, Points> const& args) noexcept {
    kernel_launcher launcher{exec.stream};
    launcher.launch_for(32 * args.memory.chunks, Config::list_block_size, fps_stream_load_kernel<Config, Points>, args);
    return launched(launcher);
  }
  template <class Config, class Points>
  static result list(cuda_exec exec, fps_stream_args<Config, Points> const& args) noexcept {
    return launch(exec, fps_stream_list_kernel<Config, Points>, Config::blocks, Config::list_block_size,
                  sizeof(fps_stream_list_shared<Config>), args);
  }
  template <class Config, class Points>
  static result decide(cuda_exec exec, fps_stream_args<Config, Points> const& args) noexcept {
    return launch(exec, fps_stream_decide_kernel<Config, Points>, args.ranks * Config::blocks,
                  Config::decide_block_size, sizeof(fps_stream_decide_shared<Config>), args);
  }

 private:
  template <class Args>
  static result launch(cuda_exec exec, void (*kernel)(Args const), unsigned blocks, int block_size,
                       std::size_t shared_bytes, Args const& args) noexcept {
    kernel_launcher launcher{exec.stream};
    cudaLaunchConfig_t config = launch_config(blocks, block_size, exec.stream);
    config.dynamicSmemBytes = shared_bytes;
    launcher.launch(kernel, config, args);
    return launched(launcher);
  }
  static result launched(kernel_launcher const& launcher) noexcept {
    return cuda_failure(launcher.error(), "fps_shard: a kernel could not be launched");
  }
};

}  // namespace detail

/// Bytes of device workspace that fps_shard() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused.
///
/// Per point of the part 20.4 bytes with three coordinates, and up to 4 for the cells; per sample 32; per rank 2.5 MB;
/// per chosen point and rank 16. O(1).
template <class Points>
std::size_t fps_shard_workspace_bytes(cuda_exec, int ranks, shard<Points> const& part, fps_params const& params,
                                      fps_shard_output<typename Points::scalar> const& output) noexcept {
  static_assert(Points::dim <= 3 && sizeof(typename Points::scalar) == 4,
                "farpoint: fps_shard() on a stream takes points of 1 to 3 coordinates that are not double");
  if (ranks < 1 || ranks > detail::fps_stream_max_ranks || !detail::check_fps_stream(part, params, output)) return 0;
  using plan = detail::fps_stream_plan<cuda_exec, detail::cuda_fps_blocks, Points>;
  return plan{nullptr, ranks, part.points, params}.cutter.used();
}

/// Bytes of peer memory (see peer_memory) with which fps_shard() of `samples` samples is one kernel on each GPU. 0 if
/// an argument is refused.
///
/// Per rank 215 kB, per sample 16 bytes, and 512 kB. O(1).
inline std::size_t fps_shard_window_bytes(int ranks, index_t samples) noexcept {
  if (ranks < 1 || ranks > peer_memory::rank_limit || samples < 0 || samples > detail::max_narrow_points) return 0;
  return detail::fps_peer_window{ranks, samples}.size();
}

/// fps_shard() for ranks that are GPUs. Same rules and bits as the host overload, with these differences:
///
/// - Arrays are device memory, except `output.exchanges`, which is host memory.
/// - Points have 1 to 3 coordinates of float or float16. Indices into the whole cloud are below 2^32 - 1.
/// - If the ranks have peer memory (see peer_memory) of at least fps_shard_window_bytes(), the call is one kernel on
///   each GPU. Its blocks run at once and wait for blocks of the other GPUs, so the streams of all ranks must reach the
///   kernel and the multiprocessors that it may use must become free. The call returns when the kernel has ended.
/// - Without peer memory the call enqueues 16 rounds at a time, which need no host, and waits after each 16 to see
///   whether they were enough. When it returns, the result is enqueued.
/// - The call cannot be captured in a graph. It allocates nothing, except on a rank that refuses its arguments: the
///   rank takes some bytes of the stream's pool to report that.
///
/// @param exec          stream of the communicator, and number of multiprocessors that the one kernel may use
/// @param communicator  nccl_exec or another type with is_stream_communicator, 1 to 120 ranks
/// @param part          points of this rank, as for the host
/// @param params        as for the host
/// @param output        see fps_shard_output
/// @param workspace     at least fps_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload, or `cuda_failure`, and the communicator is aborted if it can be
///
/// Complexity: about the number of rounds of fps() for the whole cloud. In a round every block writes some kB to each
/// GPU; without peer memory a round is two kernels and an exchange of 53 kB per rank.
template <class Communicator, class Points>
result fps_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                 fps_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  static_assert(Points::dim <= 3 && sizeof(typename Points::scalar) == 4,
                "farpoint: fps_shard() on a stream takes points of 1 to 3 coordinates that are not double");
  detail::profile_range const range{"farpoint::fps_shard"};
  result const fits = detail::check_stream_communicator(communicator, detail::fps_stream_max_ranks);
  if (!fits) return fits;
  result own = detail::check_stream(communicator, exec);
  if (own) {
    own = detail::check_pointers(exec, workspace, batch<Points>{part.points}, params.chosen, output.indices,
                                 output.distances, output.count, output.report);
  }
  return detail::fps_shard_on<detail::cuda_fps_blocks>(exec, communicator, part, params, output, own, workspace);
}

FARPOINT_END_NAMESPACE
