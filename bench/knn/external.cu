/// @file
/// knn() on the GPU for queries that are not the points, among points whose index has been built; each row's output
/// equals host_exec's.

#include "knn/external.cuh"

#include "knn/peers.cuh"
#include "knn/verify_lists.cuh"
#include "support/contender.cuh"
#include "support/device_lists.cuh"
#include "support/peer_row.cuh"
#include "support/problem_store.hpp"

#include <farpoint/geometry/morton.hpp>
#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.cuh>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::cuda_exec;

/// Order of the queries in memory.
enum class query_order {
  random,
  sorted  ///< along a Morton curve
};

struct external_row {
  farpoint::index_t points;
  farpoint::index_t queries;
  farpoint::index_t k;
  knn_cloud kind;  ///< cube: other points of the cube; sphere: 3 mm above it; lidar: another sweep, 3 cm away
  query_order order;
  int calls;

  char const* scan_name = nullptr;  ///< none: for problem_store

  std::string name() const {
    return std::to_string(queries) + "_of_" + std::to_string(points) + "_k" + std::to_string(k) + "/" +
           to_string(kind) + (order == query_order::sorted ? "/sorted" : "/random");
  }
  workload work() const {
    auto const n = static_cast<double>(queries);
    return {n, n * static_cast<double>(points), 24 * n + 8 * n * static_cast<double>(k)};
  }
};

constexpr external_row rows[] = {
    {1'000'000, 1'000'000, 8, knn_cloud::cube, query_order::random, 30},
    {1'000'000, 1'000'000, 8, knn_cloud::cube, query_order::sorted, 30},
    {1'000'000, 1'000'000, 8, knn_cloud::sphere, query_order::random, 30},
    {1'000'000, 1'000'000, 8, knn_cloud::sphere, query_order::sorted, 30},
    {1'000'000, 1'000'000, 8, knn_cloud::lidar, query_order::random, 30},
    {1'000'000, 1'000'000, 8, knn_cloud::lidar, query_order::sorted, 30},
    {1'000'000, 1'000'000, 1, knn_cloud::cube, query_order::random, 30},
    {1'000'000, 1'000'000, 16, knn_cloud::cube, query_order::random, 20},
    {1'000'000, 1'000'000, 32, knn_cloud::cube, query_order::random, 20},
    {1'000'000, 1'000'000, 64, knn_cloud::cube, query_order::random, 10},
    {1'000'000, 100'000, 8, knn_cloud::cube, query_order::random, 50},
    {1'000'000, 200'000, 8, knn_cloud::cube, query_order::random, 50},
    {1'000'000, 10'000, 8, knn_cloud::cube, query_order::random, 100},
    {1'000'000, 30'000, 8, knn_cloud::cube, query_order::random, 100},
    {1'000'000, 3'000, 8, knn_cloud::cube, query_order::random, 100},
    {1'000'000, 3'000, 8, knn_cloud::lidar, query_order::sorted, 100},
    {1'000'000, 1'000, 8, knn_cloud::cube, query_order::random, 100},
    {1'000'000, 100, 8, knn_cloud::cube, query_order::random, 100},
    {1'000'000, 1, 8, knn_cloud::cube, query_order::random, 100},
    {100'000, 100'000, 8, knn_cloud::cube, query_order::random, 100},
    {100'000, 100'000, 8, knn_cloud::cube, query_order::sorted, 100},
    {100'000, 100'000, 8, knn_cloud::sphere, query_order::sorted, 100},
    {10'000, 200'000, 8, knn_cloud::cube, query_order::random, 50},
    {30'000, 30'000, 8, knn_cloud::cube, query_order::random, 100},
    {30'000, 30'000, 8, knn_cloud::lidar, query_order::sorted, 100},
    {10'000, 10'000, 8, knn_cloud::cube, query_order::random, 100},
    {10'000, 10'000, 8, knn_cloud::cube, query_order::sorted, 100},
    {1'000, 1'000, 8, knn_cloud::cube, query_order::random, 100},
};

/// Packets that are always traversed together, queries that always are on their own, and packets that are traversed
/// together by their spread however few they are.
struct together_selector : farpoint::knn_selector {
  static constexpr float max_spread = farpoint::detail::infinity<float>;
  static constexpr float max_spread_in_order = farpoint::detail::infinity<float>;
  static constexpr farpoint::index_t per_lane_below = 0;
};
struct per_lane_selector : farpoint::knn_selector {
  static constexpr float max_spread = -1;
  static constexpr float max_spread_in_order = -1;
};

struct by_spread_selector : farpoint::knn_selector {
  static constexpr farpoint::index_t per_lane_below = 0;
};

/// However few or many queries: a BVH of them, 32 to a warp in the order of the view, and one to a warp.
struct own_order_selector : farpoint::knn_selector {
  static constexpr farpoint::index_t warp_per_query_below = 0;
  static constexpr farpoint::index_t own_order_share = farpoint::index_t{1} << 40;
};
struct view_order_selector : farpoint::knn_selector {
  static constexpr farpoint::index_t warp_per_query_below = 0;
  static constexpr farpoint::index_t own_order_share = 1;
};
struct warp_per_query_selector : farpoint::knn_selector {
  static constexpr farpoint::index_t warp_per_query_below = farpoint::index_t{1} << 40;
};

std::vector<float> sort_along_curve(std::vector<float> const& xyz) {
  float const low = *std::min_element(xyz.begin(), xyz.end());
  float const high = *std::max_element(xyz.begin(), xyz.end());
  float const scale = 1'000'000 / std::max(high - low, 1e-30f);
  std::vector<std::pair<std::uint64_t, std::size_t>> codes(xyz.size() / 3);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    auto const cell = [&](std::size_t axis) { return static_cast<std::uint64_t>((xyz[3 * i + axis] - low) * scale); };
    codes[i] = {farpoint::morton_encode(cell(0), cell(1), cell(2)), i};
  }
  std::sort(codes.begin(), codes.end());
  std::vector<float> sorted;
  for (auto const& [code, i] : codes) sorted.insert(sorted.end(), &xyz[3 * i], &xyz[3 * i] + 3);
  return sorted;
}

std::vector<float> make_queries(external_row const& row, std::vector<float> const& points) {
  auto const n = static_cast<std::size_t>(row.queries);
  std::vector<float> xyz = row.kind == knn_cloud::lidar ? lidar_rings(n, 5) : uniform_cube(n, 77);
  if (row.kind == knn_cloud::sphere) {
    xyz.assign(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(3 * n));
    for (float& c : xyz) c *= 1.003f;
  }
  if (row.kind == knn_cloud::lidar) {
    for (float& c : xyz) c += 0.03f;
  }
  if (row.order == query_order::sorted) return sort_along_curve(xyz);
  shuffle_points(xyz, 3);
  return xyz;
}

/// Points with their index, and queries, in device memory.
class external_problem {
 public:
  external_problem(external_row const& row, std::vector<float> const&)
      : row_{row},
        xyz_{knn_row{row.points, row.k, row.kind, 1}.make({})},
        queries_{make_queries(row, xyz_)},
        device_xyz_{xyz_},
        device_queries_{queries_},
        memory_{farpoint::point_bvh_bytes(cuda_exec{stream_.get()}, cloud_of(device_xyz_.data(), row.points))},
        lists_{static_cast<std::size_t>(row.queries * row.k)} {
    check(farpoint::build_point_bvh(cuda_exec{stream_.get()}, cloud_of(device_xyz_.data(), row.points),
                                    farpoint::bytes{memory_.data(), memory_.size()}, index_),
          "farpoint::build_point_bvh");
  }

  cudaStream_t stream() const noexcept { return stream_.get(); }
  std::size_t workspace_bytes() const noexcept { return lists_.workspace().size(); }

  /// The lists of host_exec, whose tests compare it with brute force.
  knn_lists const& expected() {
    if (expected_) return *expected_;
    farpoint::host_exec const exec;
    knn_lists lists{row_.queries, row_.k};
    knn_clouds const points = cloud_of(xyz_.data(), row_.points);
    knn_clouds const queries = cloud_of(queries_.data(), row_.queries);
    farpoint::detail::host_workspace const workspace{
        farpoint::knn_workspace_bytes(exec, points, queries, farpoint::knn_params{row_.k})};
    check(farpoint::knn(exec, points, queries, farpoint::knn_params{row_.k}, lists.output(), workspace.get()),
          "farpoint::knn on the host");
    expected_ = std::move(lists);
    return *expected_;
  }

  template <class Selector>
  void reserve(bool has_workspace) {
    lists_.reserve(
        has_workspace ? farpoint::knn_workspace_bytes<Selector>(cuda_exec{stream()}, index_, device_queries()) : 0);
  }
  template <class Selector>
  void launch(cudaStream_t stream) const {
    farpoint::knn_output<float> const output{lists_.indices(), lists_.distances()};
    auto const workspace = workspace_bytes() > 0 ? lists_.workspace() : farpoint::bytes{};
    check(farpoint::knn<Selector>(cuda_exec{stream}, index_, device_queries(), farpoint::knn_params{row_.k}, output,
                                  workspace),
          "farpoint::knn");
  }

  /// Points and queries for other libraries, which build their index before enqueue().
  device_knn::input peer_input() const {
    device_knn::input in = peer_shape(row_);
    in.xyz = device_xyz_.data();
    in.queries_xyz = device_queries_.data();
    return in;
  }
  /// peer_input() without pointers.
  static device_knn::input peer_shape(external_row const& row) {
    return {static_cast<int>(row.points),
            static_cast<int>(row.queries),
            static_cast<int>(row.k),
            nullptr,
            nullptr,
            true,
            false};
  }
  std::size_t mistakes_of(device_knn const& call) {
    return mistakes_in(call.indices(), xyz_, queries_, expected(), row_.k);
  }

  /// Runs a contender once; throws unless it returns what is expected.
  template <class Launch>
  void verify(Launch&& launch, std::string const& who) {
    verify_lists(lists_, stream(), launch, expected(), row_.k, who);
  }

 private:
  knn_clouds device_queries() const { return cloud_of(device_queries_.data(), row_.queries); }

  external_row row_;
  std::vector<float> xyz_;
  std::vector<float> queries_;
  std::optional<knn_lists> expected_;
  owned_stream stream_;
  device_buffer<float> device_xyz_;
  device_buffer<float> device_queries_;
  device_buffer<unsigned char> memory_;
  device_lists lists_;
  farpoint::device_point_bvh<float> index_;
};

using external_store = problem_store<external_problem, external_row>;
using external_contender = contender<external_problem, external_row>;

/// Counters that identify a row.
void count_row(benchmark::State& state, external_row const& row) {
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["queries"] = static_cast<double>(row.queries);
  state.counters["k"] = static_cast<double>(row.k);
}

/// Registers knn() as `Selector` tunes it, as a graph.
template <class Selector>
void register_search(external_row const& row, char const* who, bool has_workspace, bool flush_l2,
                     external_store& problems) {
  std::string const name = "external/" + row.name() + "/" + who + (has_workspace ? "" : "_no_workspace");
  register_contender(
      external_contender{name, row, row.calls, how::replayed, flush_l2, &problems},
      [has_workspace](external_problem& problem) { problem.reserve<Selector>(has_workspace); },
      [row, name](benchmark::State& state, external_problem& problem, auto const& enqueue) {
        problem.verify(enqueue, name);
        state.SetLabel("equals host_exec");
        count_row(state, row);
        state.counters["workspace_bytes"] = static_cast<double>(problem.workspace_bytes());
        return row.work();
      },
      [](external_problem const& problem, cudaStream_t stream) { problem.launch<Selector>(stream); });
}

/// Other libraries; they search in the order of the queries, without a workspace.
void register_external_peers(external_row const& row, bool flush_l2, external_store& problems) {
  register_peers<device_knn>(
      "external/" + row.name() + "/", external_problem::peer_shape(row), std::min(row.calls, 10),
      [&problems, row, flush_l2](auto& state, auto const& peer) {
        external_problem& problem = problems[row];
        time_peer(state, peer, problem.peer_input(), problem.stream(), row.work(), flush_l2,
                  [&](device_knn const& call) {
                    count_row(state, row);
                    return peer_answer{problem.mistakes_of(call), "distances are near those of host_exec"};
                  });
      });
}

}  // namespace

void register_external(bool flush_l2) {
  // The rows outlive this function.
  static external_store problems{{}};
  for (external_row const& row : rows) {
    register_external_peers(row, flush_l2, problems);
    for (bool const has_workspace : {true, false}) {
      register_search<farpoint::knn_selector>(row, "graph", has_workspace, flush_l2, problems);
      if (row.k != 8) continue;
      register_search<together_selector>(row, "together", has_workspace, flush_l2, problems);
      register_search<per_lane_selector>(row, "per_lane", has_workspace, flush_l2, problems);
      register_search<by_spread_selector>(row, "by_spread", has_workspace, flush_l2, problems);
    }
    if (row.k != 8 || row.queries > 250'000) continue;
    register_search<own_order_selector>(row, "own_order", true, flush_l2, problems);
    // More queries than points always have an order of their own.
    if (row.queries <= row.points) register_search<view_order_selector>(row, "view_order", true, flush_l2, problems);
    register_search<warp_per_query_selector>(row, "warp_per_query", true, flush_l2, problems);
  }
}

}  // namespace farpoint_bench
