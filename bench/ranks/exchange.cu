/// @file
/// Rows of what calls on ranks exchange: what an exchange costs, without the work around it. See README.md.

#include "ranks/register.cuh"

#include <farpoint/scale/stream/fps/peers.cuh>

#include <string>

namespace farpoint_bench {
namespace {

using farpoint::detail::fps_peer_places;

/// Exchanges in a row, of which one is timed.
constexpr int exchanges = 200;

struct message_args {
  fps_peer_places places;
  std::uint32_t first_tag;
};

/// Every rank writes a message to all ranks and waits for theirs, `exchanges` times.
__global__ void message_kernel(__grid_constant__ message_args const args) {
  farpoint::detail::peer_board const board{args.places};
  unsigned const rank = threadIdx.x;
  for (std::uint32_t tag = args.first_tag; tag < args.first_tag + exchanges; ++tag) {
    if (rank < board.copies()) {
      board.put(args.places.rank, rank, {{tag, 0, 0}}, tag);
      auto watch = board.watch();
      // One that is ahead has gone on to the next message, but no farther.
      while (static_cast<std::uint32_t>(board.load(rank).high >> 32) < tag && !watch.is_over()) {
      }
    }
    __syncthreads();
  }
}

/// One thing that a rank does: its memory, and a call that enqueues `exchanges` of it.
class rank_exchange {
 public:
  enum class kind { all_gather, all_to_all, messages };

  rank_exchange(kind what, std::size_t bytes, farpoint::nccl_exec const& exec)
      : what_{what},
        bytes_{bytes},
        exec_{exec},
        ranks_{static_cast<std::size_t>(exec.ranks())},
        mine_{bytes * ranks_},
        all_{bytes * ranks_} {
    for (std::size_t r = 0; r < ranks_; ++r) messages_.push_back({r * bytes, bytes});
    if (what != kind::messages) return;
    check(farpoint::nccl_window::create(exec, 4096, window_), "nccl_window");
    auto const own = static_cast<std::size_t>(exec.rank());
    check(cudaMemsetAsync(window_.memory().memory[own], 0, 4096, exec.stream), "clearing");
    check(cudaStreamSynchronize(exec.stream), "clearing");
  }

  /// Number of exchanges in a call.
  int parts() const { return what_ == kind::all_to_all ? 1 : exchanges; }

  farpoint::result call() {
    farpoint::result done;
    switch (what_) {
      case kind::messages: return send_messages();
      case kind::all_to_all: return exec_.all_to_all({mine_.data(), messages_, all_.data(), messages_});
      case kind::all_gather:
        for (int i = 0; i < exchanges && done; ++i) done = exec_.all_gather(mine_.data(), all_.data(), bytes_);
    }
    return done;
  }

 private:
  farpoint::result send_messages() {
    message_args args{{}, tag_};
    for (std::size_t r = 0; r < ranks_; ++r) args.places.memory[r] = window_.memory().memory[r];
    args.places.ranks = static_cast<unsigned>(ranks_);
    args.places.rank = static_cast<unsigned>(exec_.rank());
    args.places.timeout = 10'000'000'000;
    tag_ += exchanges;
    farpoint::detail::kernel_launcher launcher{exec_.stream};
    launcher.launch(message_kernel, 1, 32, args);
    return farpoint::detail::cuda_failure(launcher.error(), "the kernel of messages could not be launched");
  }

  kind what_;
  std::size_t bytes_;
  farpoint::nccl_exec exec_;
  std::size_t ranks_;
  device_buffer<unsigned char> mine_;
  device_buffer<unsigned char> all_;
  std::vector<farpoint::message> messages_;
  farpoint::nccl_window window_;
  std::uint32_t tag_ = 1;
};

void register_exchange(std::string const& name, rank_exchange::kind what, std::size_t bytes,
                       std::vector<int> const& gpus) {
  constexpr int calls = 9;
  for (int const count : gpus) {
    if (what == rank_exchange::kind::messages && count > farpoint::peer_memory::rank_limit) continue;
    register_row("exchange/" + name + "/gpus_" + std::to_string(count), calls, [=](benchmark::State& state) {
      gpu_ranks ranks{count};
      rank_times times{count, calls};
      ranks.run([&](farpoint::nccl_exec const& exec, meeting& all) {
        rank_exchange mine{what, bytes, exec};
        auto const call = [&] {
          ranks.check_call(exec, mine.call(), "an exchange");
          check(cudaStreamSynchronize(exec.stream), "an exchange");
        };
        all.wait();
        call();
        times.time(exec, all, call, mine.parts());
        all.wait();
      });
      times.count(state, {0, 0, static_cast<double>(bytes) * (count - 1)});
      state.counters["message_bytes"] = static_cast<double>(bytes);
    });
  }
}

}  // namespace

void register_exchanges(std::vector<int> const& gpus) {
  using kind = rank_exchange::kind;
  register_exchange("messages_of_kernels", kind::messages, 16, gpus);
  for (std::size_t const bytes : {16, 53248}) {
    register_exchange("all_gather_" + std::to_string(bytes), kind::all_gather, bytes, gpus);
  }
  for (std::size_t const bytes : {std::size_t{1} << 20, std::size_t{1} << 26}) {
    register_exchange("all_to_all_" + std::to_string(bytes), kind::all_to_all, bytes, gpus);
  }
}

}  // namespace farpoint_bench
