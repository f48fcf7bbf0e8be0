/// @file
/// Checks, copies, fills, sorts and small exchanges of calls on shards: the half of a CUDA stream. See
/// shard_backend.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/radix_sort.cuh>
#include <farpoint/scale/shard_backend.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Communicator>
using wait_of = decltype(result{std::declval<Communicator&>().wait()});

}  // namespace detail

/// True if a type can be the communicator of calls on shards in device memory. It has ranks(), rank(), all_gather() and
/// all_to_all() of is_communicator, which take device memory and only enqueue on the stream of the call, and:
///
/// - `result wait() noexcept`: waits until the stream has done everything enqueued before. Returns
///   `communication_failure` after a time-out, or if another rank has failed.
///
/// If it has a member `cudaStream_t stream`, calls refuse an execution on another stream. nccl_exec is such a
/// communicator.
template <class Communicator>
inline constexpr bool is_stream_communicator = detail::exchanges_data<Communicator, detail::wait_of>;

namespace FARPOINT_HIDDEN detail {

/// Checks that a communicator has 1 to `most` ranks.
/// @param most  64 or 120
template <class Communicator>
result check_stream_communicator(Communicator const& communicator, int most) noexcept {
  static_assert(is_stream_communicator<Communicator>,
                "farpoint: not a communicator for device memory, see farpoint/scale/shard_backend.cuh");
  if (communicator.ranks() >= 1 && communicator.ranks() <= most) return {};
  return reject(most == 64 ? "communicator: it has no ranks, or more than 64"
                           : "communicator: it has no ranks, or more than 120");
}

template <class Communicator, class = void>
inline constexpr bool has_stream = false;
template <class Communicator>
inline constexpr bool
    has_stream<Communicator, std::void_t<decltype(cudaStream_t{std::declval<Communicator const&>().stream})>> = true;

/// Refuses an execution on another stream than the communicator's: work on one would not wait for messages on the
/// other. The execution moves to the communicator's stream, on which the refusal is sent to the other ranks.
template <class Communicator>
result check_stream([[maybe_unused]] Communicator const& communicator, [[maybe_unused]] cuda_exec& exec) noexcept {
  if constexpr (has_stream<Communicator>) {
    if (exec.stream != communicator.stream) {
      exec.stream = communicator.stream;
      return reject("shards: the execution and the communicator have different streams");
    }
  }
  return {};
}

template <>
struct shard_backend<cuda_exec> {
  template <class Communicator>
  static result write(cuda_exec exec, Communicator&, void* to, void const* from, std::size_t size) noexcept {
    // The source is pageable memory, so it has been read when the call returns.
    return checked(cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, exec.stream));
  }
  template <class Communicator>
  static result read(cuda_exec exec, Communicator& communicator, void* to, void const* from,
                     std::size_t size) noexcept {
    // Wait through the communicator first: a wait in the copy would miss its time-out and failures of other ranks.
    if (result const done = communicator.wait(); !done) return done;
    result const copied = checked(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, exec.stream));
    return copied ? checked(cudaStreamSynchronize(exec.stream)) : copied;
  }
  static result fill(cuda_exec exec, void* to, unsigned char byte, std::size_t size) noexcept {
    return size == 0 ? result{} : checked(cudaMemsetAsync(to, byte, size, exec.stream));
  }

  template <class Communicator>
  static result all_gather(cuda_exec exec, Communicator& communicator, void const* mine, void* all, std::size_t size,
                           bytes room) noexcept {
    auto const others = static_cast<std::size_t>(communicator.ranks()) * size;
    void* own = nullptr;
    if (room.data() == nullptr || room.size() < others + size) {
      // The call has too little workspace and will be refused, but the other ranks wait for this rank's message.
      if (result const got = checked(cudaMallocAsync(&own, others + size, exec.stream)); !got) return got;
    }
    auto* const memory = own != nullptr ? static_cast<unsigned char*>(own) : room.data();
    result done = write(exec, communicator, memory + others, mine, size);
    if (done) done = communicator.all_gather(memory + others, memory, size);
    if (done) done = read(exec, communicator, all, memory, others);
    if (own != nullptr) static_cast<void>(cudaFreeAsync(own, exec.stream));
    return done;
  }

  template <class... Arrays>
  static result check_arrays(cuda_exec exec, bytes workspace, Arrays const&... arrays) noexcept {
    return check_pointers(exec, workspace, arrays...);
  }

  class sorter {
   public:
    sorter(workspace_cutter& cutter, index_t most) noexcept
        : workspace_{cutter.take<std::uint32_t>(
              static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(most))))} {}

    static constexpr int sorted(int bits) noexcept { return radix_sort_result(bits); }

    result run(cuda_exec exec, std::uint32_t* const (&keys)[2], std::uint32_t* const (&values)[2], index_t size,
               int bits) const noexcept {
      return checked(
          radix_sort({{keys[0], keys[1]}, {values[0], values[1]}, workspace_, static_cast<std::uint32_t>(size), bits},
                     exec.stream));
    }

   private:
    std::uint32_t* workspace_;
  };

 private:
  static result checked(cudaError_t error) noexcept {
    return cuda_failure(error, "shards: the CUDA runtime refused to copy, to clear or to sort");
  }
};

/// Checks of a rank that is a GPU.
template <>
struct rank_checks<cuda_exec> {
  using range = profile_range;

  static bool accepts(cuda_exec) noexcept { return true; }
  template <class Communicator>
  static result fit(Communicator const& communicator, int max_ranks) noexcept {
    return check_stream_communicator(communicator, max_ranks);
  }
  template <class Communicator, class Request>
  static result own(cuda_exec& exec, Communicator const& communicator, Request const& request,
                    bytes workspace) noexcept {
    result const same = check_stream(communicator, exec);
    if (!same) return same;
    return request.visit_arrays([&](auto const&... arrays) { return check_pointers(exec, workspace, arrays...); });
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
