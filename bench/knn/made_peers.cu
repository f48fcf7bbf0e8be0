/// @file
/// The functions that use neighbors, by other libraries.

#include "knn/neighborhood.cuh"
#include "knn/peers.cuh"
#include "support/cuda_handles.hpp"

#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::host_exec;

int peer_calls(knn_row const& row) {
  return row.calls < 5 ? row.calls : 5;
}

/// Points in device memory, and the stream of a row.
struct device_cloud {
  std::vector<float> xyz;
  device_buffer<float> device_xyz;
  owned_stream stream;

  explicit device_cloud(knn_row const& row) : xyz{row.make({})}, device_xyz{xyz} {}
};

/// The neighbors of radius() on the host.
knn_lists radius_lists(knn_row const& row, std::vector<float> const& xyz, farpoint::radius_order order) {
  host_exec const exec;
  knn_clouds const clouds = cloud_of(xyz.data(), row.points);
  farpoint::detail::host_workspace const workspace{radius_workspace_bytes(exec, clouds)};
  knn_lists lists{row.points, row.k};
  farpoint::radius_output<float> output;
  output.indices = lists.indices;
  output.distances = lists.distances;
  check(radius(exec, clouds, ball_of(row, order), output, workspace.get()), "farpoint::radius on the host");
  return lists;
}

/// Number of queries whose points are not the expected ones. Points at the radius, up to rounding, may be missing or
/// added, which moves those behind them.
std::size_t mistakes_in_balls(std::vector<std::int32_t> const& found, std::vector<float> const& xyz,
                              knn_lists const& expected, knn_row const& row, double radius) {
  if (found.size() != expected.indices.size()) return 1;
  auto const size = static_cast<std::size_t>(row.k);
  auto const is_at_radius = [&](std::size_t query, std::int32_t i) {
    if (i < 0 || i >= row.points) return false;
    double distance = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const d = double{xyz[3 * static_cast<std::size_t>(i) + axis]} - double{xyz[3 * query + axis]};
      distance += d * d;
    }
    return std::fabs(distance - radius * radius) <= 1e-5 * radius * radius;
  };
  std::size_t mistakes = 0;
  for (std::size_t q = 0; q < static_cast<std::size_t>(row.points); ++q) {
    for (std::size_t j = 0; j < size && expected.indices[q * size + j] >= 0; ++j) {
      std::int32_t const wanted = expected.indices[q * size + j];
      std::int32_t const given = found[q * size + j];
      if (given == wanted) continue;
      if (!is_at_radius(q, given) && !is_at_radius(q, wanted)) ++mistakes;
      break;
    }
  }
  return mistakes;
}

}  // namespace

void register_mean_peers(knn_row const& row, bool flush_l2) {
  device_mean_distance::input const shape{static_cast<int>(row.points), static_cast<int>(row.k), nullptr};
  register_peers<device_mean_distance>(
      "made/" + row.name() + "/mean_knn_distance_of_", shape, peer_calls(row),
      [row, shape, flush_l2](benchmark::State& state, auto const& peer) {
        device_cloud const cloud{row};
        device_mean_distance::input in = shape;
        in.xyz = cloud.device_xyz.data();
        host_exec const exec;
        knn_clouds const clouds = cloud_of(cloud.xyz.data(), row.points);
        farpoint::detail::host_workspace const workspace{mean_knn_distance_workspace_bytes(exec, clouds, {row.k})};
        std::vector<float> expected(static_cast<std::size_t>(row.points));
        check(mean_knn_distance(exec, clouds, {row.k}, {farpoint::span<float>{expected}}, workspace.get()),
              "farpoint::mean_knn_distance on the host");
        auto const answer = [&](device_mean_distance const& call) {
          std::vector<float> const means = call.means();
          std::size_t mistakes = 0;
          for (std::size_t i = 0; i < expected.size(); ++i) {
            if (!(std::fabs(means[i] - expected[i]) <= 1e-5f * expected[i])) ++mistakes;
          }
          row.count(state);
          return peer_answer{mistakes, "near host_exec"};
        };
        auto const n = static_cast<double>(row.points);
        time_peer(state, peer, in, cloud.stream.get(), {n, 0, 16 * n}, flush_l2, answer);
      });
}

void register_ball_peers(knn_row const& row, bool flush_l2) {
  auto const size = static_cast<int>(row.points);
  auto const radius = ball_of(row, farpoint::radius_order::index).radius;
  device_ball_query::input const shape{1,       size,   size, static_cast<int>(row.k), static_cast<float>(radius),
                                       nullptr, nullptr};
  register_peers<device_ball_query>(
      "made/" + row.name() + "/ball_query_of_", shape, 2,
      [row, shape, radius, flush_l2](auto& state, auto const& peer) {
        device_cloud const cloud{row};
        device_ball_query::input in = shape;
        in.xyz = in.queries_xyz = cloud.device_xyz.data();
        auto const answer = [&](device_ball_query const& call) {
          knn_lists const expected = radius_lists(row, cloud.xyz, farpoint::radius_order::index);
          row.count(state);
          return peer_answer{mistakes_in_balls(call.indices(), cloud.xyz, expected, row, radius),
                             "equals host_exec but at the radius"};
        };
        auto const n = static_cast<double>(row.points);
        time_peer(state, peer, in, cloud.stream.get(), {n, 0, n * (12 + 4 * static_cast<double>(row.k))}, flush_l2,
                  answer);
      });
}

void register_radius_peers(knn_row const& row, bool flush_l2) {
  auto const size = static_cast<int>(row.points);
  auto const radius = ball_of(row, farpoint::radius_order::nearest).radius;
  device_knn::input shape{size, size, static_cast<int>(row.k), nullptr, nullptr, false, false};
  shape.radius = static_cast<float>(radius);
  register_peers<device_knn>(
      "made/" + row.name() + "/radius_nearest_of_", shape, peer_calls(row),
      [row, shape, radius, flush_l2](auto& state, auto const& peer) {
        device_cloud const cloud{row};
        device_knn::input in = shape;
        in.xyz = in.queries_xyz = cloud.device_xyz.data();
        auto const answer = [&](device_knn const& call) {
          knn_lists const expected = radius_lists(row, cloud.xyz, farpoint::radius_order::nearest);
          row.count(state);
          return peer_answer{mistakes_in(call.indices(), cloud.xyz, cloud.xyz, expected, row.k, radius),
                             "distances are near those of host_exec"};
        };
        auto const n = static_cast<double>(row.points);
        time_peer(state, peer, in, cloud.stream.get(), {n, 0, n * (12 + 4 * static_cast<double>(row.k))}, flush_l2,
                  answer);
      });
}

}  // namespace farpoint_bench
