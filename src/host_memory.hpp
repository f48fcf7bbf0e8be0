// Arrays of a host-memory call that runs on the host.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/host/for_each_index.hpp>

#include "widen.hpp"

#include <array>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Memory of a call on the host, which works on the caller's arrays. It has the members of frame that calls use on both
/// backends.
class host_memory {
 public:
  /// @param exec  execution with the threads of the call
  explicit host_memory(host_exec exec) noexcept : exec_{exec} {}

  /// Returns `size_of()` bytes that the calling thread keeps from one call to the next. Up to two times in a call.
  template <class SizeOf>
  bytes scratch(SizeOf const& size_of) noexcept {
    return of_size(size_of(), next(of_thread(), scratches_));
  }
  bool is_enough() const noexcept { return is_enough_; }

  /// Releases the memory that the calling thread keeps.
  static void release_thread() noexcept {
    for (auto& memory : of_thread()) memory.release();
    for (auto& memory : batches_of_thread()) memory.release();
  }

  /// Returns the clouds in float, in memory that the calling thread keeps.
  clouds_of<float> widened(clouds_of<float16> const& clouds) noexcept {
    if (!has_points(clouds)) return in_float(clouds, clouds.points().base());
    index_t const size = clouds.points().size();
    bytes const wide = of_size(3 * sizeof(float) * static_cast<std::size_t>(size), next(batches_of_thread(), batches_));
    if (is_enough_) {
      static_cast<void>(
          for_each_index(exec_, size, widen_point{clouds.points(), reinterpret_cast<float*>(wide.data())}, 3));
    }
    return in_float(clouds, wide.data());
  }

 private:
  /// Points and queries are two batches; the halves of a call on ranks have two workspaces.
  using pair = std::array<host_scratch, 2>;

  bytes of_size(std::size_t size, host_scratch& memory) noexcept {
    if (size > 0) is_enough_ = static_cast<bool>(memory.reserve(size)) && is_enough_;
    return memory;
  }
  static pair& of_thread() noexcept {
    static thread_local pair memory;
    return memory;
  }
  static pair& batches_of_thread() noexcept {
    static thread_local pair memory;
    return memory;
  }
  static host_scratch& next(pair& memory, std::size_t& used) noexcept { return memory[used++ % memory.size()]; }

  host_exec exec_;
  std::size_t scratches_ = 0;
  std::size_t batches_ = 0;
  bool is_enough_ = true;
};

inline clouds_of<float> place(host_memory& memory, clouds_of<float16> const& clouds) noexcept {
  return memory.widened(clouds);
}

template <class Argument, class... Shape>
Argument const& place(host_memory&, Argument const& argument, Shape const&...) noexcept {
  return argument;
}

}  // namespace library
FARPOINT_END_NAMESPACE
