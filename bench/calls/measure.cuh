/// @file
/// Measures calls that both backends have; the device's output must equal the host's to the bit. Needs nvcc.
#pragma once

#include "support/check.hpp"
#include "support/clouds.hpp"
#include "support/cuda_handles.hpp"
#include "support/register_row.hpp"
#include "support/timing.cuh"

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/core/workspace.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {

/// An array in host memory, and its copy in device memory.
template <class T>
class mirrored {
 public:
  explicit mirrored(std::vector<T> values) : host_{std::move(values)}, device_{host_} {}

  farpoint::span<T const> on(farpoint::host_exec) const { return {host_.data(), host_.size()}; }
  farpoint::span<T const> on(farpoint::cuda_exec) const { return {device_.data(), device_.size()}; }
  std::vector<T> const& host() const noexcept { return host_; }
  T const* device() const noexcept { return device_.data(); }

 private:
  std::vector<T> host_;
  device_buffer<T> device_;
};

/// View of `size` values in an output of 32-bit words, from word `begin` on, which must be aligned for Value.
template <class Value>
farpoint::span<Value> words_from(std::int32_t* words, std::size_t begin, std::size_t size) {
  return {reinterpret_cast<Value*>(words + begin), size};
}

/// Runs a call on the host, then on the device, compares the outputs, and measures replays of a graph of the call.
/// @tparam Call  `words()`: number of 32-bit words of the output; `bytes(exec)`: size of the workspace;
///               `run(exec, words, workspace)`: the call; `work()`: its workload
template <class Call>
void measure_call(benchmark::State& state, Call const& call, bool flush_l2) {
  farpoint::host_exec const host;
  std::vector<std::int32_t> expected(call.words(), -1);
  device_buffer<std::int32_t> const words{expected};
  farpoint::detail::host_workspace const host_workspace{call.bytes(host)};
  check(call.run(host, expected.data(), host_workspace.get()), "the call on the host");

  owned_stream const stream;
  device_buffer<unsigned char> const workspace{call.bytes(farpoint::cuda_exec{stream.get()})};
  auto const enqueue = [&](cudaStream_t on) {
    check(call.run(farpoint::cuda_exec{on}, words.data(), farpoint::bytes{workspace.data(), workspace.size()}),
          "the call on the device");
  };
  enqueue(stream.get());
  if (words.download() != expected) throw std::runtime_error{"MISMATCH with host_exec"};
  state.SetLabel("equals host_exec");
  state.counters["n"] = call.work().points;
  state.counters["workspace_bytes"] = static_cast<double>(workspace.size());
  time_graph_replays(state, stream.get(), call.work(), flush_l2, enqueue);
}

/// Registers a row that measures a call. The call is constructed when the row runs.
/// @param make  make() constructs the call, and returns a smart pointer to it
template <class Make>
void register_call(std::string const& row, int calls, bool flush_l2, Make make) {
  register_row("calls/" + row + "/graph", calls,
               [make, flush_l2](benchmark::State& state) { measure_call(state, *make(), flush_l2); });
}

/// Sizes of clouds in a batch.
enum class batch_sizes {
  regular,  ///< one size, without offsets
  even,     ///< one size, by offsets
  uneven    ///< sizes that grow linearly, up to twice the mean
};

inline char const* to_string(batch_sizes sizes) {
  switch (sizes) {
    case batch_sizes::regular: return "regular";
    case batch_sizes::even: return "even";
    case batch_sizes::uneven: return "uneven";
  }
  return "";
}

/// `[clouds + 1]` offsets; the last is clouds * points.
inline std::vector<farpoint::index_t> offsets_of(batch_sizes sizes, farpoint::index_t clouds,
                                                 farpoint::index_t points) {
  std::vector<farpoint::index_t> offsets{0};
  farpoint::index_t const all = clouds * points;
  for (farpoint::index_t b = 1; b <= clouds; ++b) {
    // Offsets grow with the square of the cloud's number, so that sizes grow linearly.
    offsets.push_back(sizes == batch_sizes::uneven ? all * b * b / (clouds * clouds) : b * points);
  }
  return offsets;
}

/// Batch of clouds in host and in device memory, with points that are uniform in the unit cube.
template <class Scalar>
class cloud_batch {
 public:
  using points_type = farpoint::point_view<Scalar>;

  cloud_batch(batch_sizes sizes, farpoint::index_t clouds, farpoint::index_t points, std::uint64_t seed)
      : sizes_{sizes},
        clouds_{clouds},
        points_{points},
        xyz_{coordinates(static_cast<std::size_t>(clouds * points), seed)},
        offsets_{offsets_of(sizes, clouds, points)} {}

  template <class Exec>
  farpoint::batch<points_type> on(Exec exec) const {
    points_type const view{xyz_.on(exec).data(), clouds_ * points_};
    if (sizes_ == batch_sizes::regular) return farpoint::batch<points_type>::regular(view, clouds_);
    return farpoint::batch<points_type>::ragged(view, offsets_.on(exec));
  }
  mirrored<Scalar> const& xyz() const noexcept { return xyz_; }

 private:
  static std::vector<Scalar> coordinates(std::size_t points, std::uint64_t seed) {
    std::vector<float> const made = uniform_cube(points, seed);
    return {made.begin(), made.end()};
  }

  batch_sizes sizes_;
  farpoint::index_t clouds_;
  farpoint::index_t points_;
  mirrored<Scalar> xyz_;
  mirrored<farpoint::index_t> offsets_;
};

/// Part of a row's name that describes its batch: "16x4096/uneven/double".
template <class Scalar>
std::string name_of(batch_sizes sizes, farpoint::index_t clouds, farpoint::index_t points) {
  return std::to_string(clouds) + "x" + std::to_string(points) + "/" + to_string(sizes) +
         (sizeof(Scalar) == sizeof(double) ? "/double" : "/float");
}

}  // namespace farpoint_bench
