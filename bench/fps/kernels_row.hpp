/// @file
/// One row of the suite fps_kernels: which clouds, of which sizes, how many samples, and how many chosen before.
#pragma once

#include "support/clouds.hpp"
#include "support/counters.hpp"

#include <farpoint/core/batch.hpp>
#include <farpoint/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace farpoint_bench {

/// Sizes of the clouds of a batch.
enum class cloud_sizes {
  regular,  ///< `points` each, by shape
  even,     ///< `points` each, by offsets
  uneven,   ///< growing as the square of the cloud's number, to three times `points`, which is the mean
  giant     ///< one of `points`, and the others of 1,000
};

struct fps_kernels_row {
  farpoint::index_t clouds;
  farpoint::index_t points;
  farpoint::index_t samples;
  cloud_sizes sizes = cloud_sizes::regular;
  farpoint::index_t chosen = 0;  ///< per cloud, fps_params::chosen
  bool bounded = true;           ///< batch::ragged() gets the size of the largest cloud
  bool lidar = false;            ///< a simulated sweep in place of the unit cube; three dimensions
  char const* type = "";         ///< ends the name, of other points than three floats: "_2d"

  static constexpr char const* scan_name = nullptr;  ///< problem_store: all points are synthetic
  static constexpr farpoint::index_t small_points = 1000;

  bool ragged() const { return sizes != cloud_sizes::regular; }

  farpoint::index_t size_of(farpoint::index_t b) const {
    if (sizes == cloud_sizes::giant) return b == 0 ? points : small_points;
    if (sizes != cloud_sizes::uneven) return points;
    farpoint::index_t const odd = 2 * b + 1;
    return std::max<farpoint::index_t>(1, 3 * points * odd * odd / (4 * clouds * clouds));
  }
  /// `[clouds + 1]`
  std::vector<farpoint::index_t> offsets() const {
    std::vector<farpoint::index_t> offsets{0};
    for (farpoint::index_t b = 0; b < clouds; ++b) offsets.push_back(offsets.back() + size_of(b));
    return offsets;
  }
  farpoint::index_t all_points() const { return offsets().back(); }
  farpoint::index_t largest() const {
    farpoint::index_t most = 0;
    for (farpoint::index_t b = 0; b < clouds; ++b) most = std::max(most, size_of(b));
    return most;
  }

  /// Indices of the points chosen before, for a plan, which reads their number alone.
  farpoint::index_view chosen_shape() const {
    static constexpr std::int32_t none = -1;
    return farpoint::index_view{
        farpoint::span<std::int32_t const>{&none, static_cast<std::size_t>(clouds) * static_cast<std::size_t>(chosen)}};
  }

  /// The batch of these points. @param offsets  offsets(), in the memory space of the points
  template <class Points>
  farpoint::batch<Points> batch_of(Points const& all, farpoint::index_t const* offsets) const {
    if (!ragged()) return farpoint::batch<Points>::regular(all, clouds);
    farpoint::span<farpoint::index_t const> const begins{offsets, static_cast<std::size_t>(clouds) + 1};
    return farpoint::batch<Points>::ragged(all, begins, bounded ? largest() : -1);
  }

  /// "16x1024_to_512/uniform", "31x1000000_to_1024/giant", "1x131072_to_4096/uniform_chosen_1000".
  std::string name() const {
    std::string name = std::to_string(clouds) + "x" + std::to_string(points) + "_to_" + std::to_string(samples) + "/";
    switch (sizes) {
      case cloud_sizes::regular: name += lidar ? "lidar" : "uniform"; break;
      case cloud_sizes::even: name += "even"; break;
      case cloud_sizes::uneven: name += "uneven"; break;
      case cloud_sizes::giant: name += "giant"; break;
    }
    if (!bounded) name += "_unbounded";
    if (chosen > 0) name += "_chosen_" + std::to_string(chosen);
    return name + type;
  }

  /// Counters by which a reader of the JSON knows the row without parsing its name.
  void count(benchmark::State& state) const {
    state.counters["clouds"] = static_cast<double>(clouds);
    state.counters["n"] = static_cast<double>(points);
    state.counters["samples"] = static_cast<double>(samples);
    if (chosen > 0) state.counters["chosen"] = static_cast<double>(chosen);
  }

  /// Input: the coordinates. Output: an int32 index and a squared distance for each sample.
  workload work(std::size_t scalar_bytes, int dim) const {
    workload work;
    work.points = static_cast<double>(all_points());
    for (farpoint::index_t b = 0; b < clouds; ++b) {
      farpoint::index_t const n = size_of(b);
      work.pairs += static_cast<double>(n) * static_cast<double>(std::min(samples, n) + chosen);
    }
    auto const scalar = static_cast<double>(scalar_bytes);
    work.bytes = dim * scalar * work.points + (4 + scalar) * static_cast<double>(clouds * samples);
    return work;
  }

  /// `[all_points(), dim]`
  template <class Scalar>
  std::vector<Scalar> make(int dim) const {
    auto const count = static_cast<std::size_t>(all_points());
    if (lidar) {
      std::vector<float> const sweep = lidar_rings(count, 1);
      return {sweep.begin(), sweep.end()};
    }
    random_numbers random{1};
    std::vector<Scalar> coordinates(count * static_cast<std::size_t>(dim));
    for (Scalar& coordinate : coordinates) coordinate = static_cast<Scalar>(random.unit());
    return coordinates;
  }
};

}  // namespace farpoint_bench
