// Ranks that are threads of one process, each with a stream, on one GPU or several: a communicator without NCCL.
#pragma once

#include <farpoint/scale/peer_memory.hpp>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/thread_communicator.hpp>

#include <vector>

#include "../../support/device/cuda_check.hpp"

namespace farpoint_tests {

/// Waits for its stream at every exchange, and copies from the others' device memory.
class stream_thread_communicator {
 public:
  /// @param peers  memory of each rank that every rank can access
  stream_thread_communicator(farpoint::thread_ranks& group, int rank, cudaStream_t stream,
                             farpoint::peer_memory const& peers = {})
      : meeting_{group, rank}, stream_{stream}, peers_{peers}, shown_(static_cast<std::size_t>(group.size())) {}

  int ranks() const noexcept { return meeting_.ranks(); }
  int rank() const noexcept { return meeting_.rank(); }

  farpoint::peer_memory peers() const noexcept { return peers_; }
  void abort() noexcept { meeting_.abort(); }

  farpoint::result wait() noexcept {
    return farpoint::detail::cuda_failure(cudaStreamSynchronize(stream_), "stream_thread_communicator: wait");
  }

  farpoint::result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    farpoint::result done = show({mine, nullptr, size});
    for (std::size_t from = 0; from < shown_.size() && done; ++from) {
      if (shown_[from].size != size) return mismatch();
      done = copy(static_cast<unsigned char*>(all) + from * size, shown_[from].memory, size);
    }
    return leave(done);
  }

  farpoint::result all_to_all(farpoint::all_to_all_messages const& exchange) noexcept {
    farpoint::result done = show({exchange.send, exchange.outgoing.data(), 0});
    for (std::size_t from = 0; from < shown_.size() && done; ++from) {
      farpoint::message const out = shown_[from].outgoing[static_cast<std::size_t>(rank())];
      farpoint::message const in = exchange.incoming[from];
      if (out.size != in.size) return mismatch();
      done = copy(exchange.receive + in.begin, static_cast<unsigned char const*>(shown_[from].memory) + out.begin,
                  in.size);
    }
    return leave(done);
  }

 private:
  struct shown {
    void const* memory;
    farpoint::message const* outgoing;
    std::size_t size;
  };

  farpoint::result show(shown const& own) noexcept {
    farpoint::result const done = wait();
    return done ? meeting_.all_gather(&own, shown_.data(), sizeof own) : done;
  }
  farpoint::result copy(void* to, void const* from, std::size_t size) const noexcept {
    if (size == 0) return {};
    return farpoint::detail::cuda_failure(cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream_),
                                          "stream_thread_communicator: copy");
  }
  /// Waits for all ranks: afterwards no other rank reads this rank's memory.
  farpoint::result leave(farpoint::result done) noexcept {
    if (done) done = wait();
    return done ? meeting_.all_gather(nullptr, nullptr, 0) : done;
  }
  static farpoint::result mismatch() noexcept {
    return farpoint::detail::communication_failure("stream_thread_communicator: messages of different sizes");
  }

  farpoint::thread_communicator meeting_;
  cudaStream_t stream_;
  farpoint::peer_memory peers_;
  std::vector<shown> shown_;
};

/// Takes part in some all-gathers, and then in nothing any more.
class leaving_communicator {
 public:
  leaving_communicator(stream_thread_communicator& all, int gathers) : all_{all}, left_{gathers} {}

  int ranks() const noexcept { return all_.ranks(); }
  int rank() const noexcept { return all_.rank(); }
  farpoint::peer_memory peers() const noexcept { return all_.peers(); }
  farpoint::result wait() noexcept { return left_ > 0 ? all_.wait() : gone(); }
  farpoint::result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    if (left_ == 0) return gone();
    farpoint::result const done = all_.all_gather(mine, all, size);
    --left_;
    return done;
  }
  farpoint::result all_to_all(farpoint::all_to_all_messages const&) noexcept { return gone(); }

 private:
  static farpoint::result gone() noexcept {
    return farpoint::detail::communication_failure("leaving_communicator: this rank has left");
  }

  stream_thread_communicator& all_;
  int left_;
};

}  // namespace farpoint_tests
