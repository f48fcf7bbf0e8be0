// A cloud whose parts are on several GPUs: its voxels, samples of it, neighbors, balls and compact parts. Ranks are
// threads here, one for each GPU of this machine, and NCCL connects them; as processes they differ in where the
// communicator comes from. The answers have the bits of one call for the whole cloud.
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/fps_shard.cuh>
#include <farpoint/scale/gather_voxels.cuh>
#include <farpoint/scale/knn_shard.cuh>
#include <farpoint/scale/nccl_exec.cuh>
#include <farpoint/scale/nccl_window.cuh>
#include <farpoint/scale/radius_shard.cuh>
#include <farpoint/scale/repartition.cuh>
#include <farpoint/scale/voxelize_shard.cuh>

#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "managed_array.hpp"
#include "ranks_of_threads.hpp"

namespace {

using example::point;
using view = farpoint::point_view<float>;

/// Results of a rank.
struct rank_answer {
  farpoint::result outcome;
  std::vector<farpoint::index_t> samples;
  std::vector<float> centroids;
  std::vector<farpoint::index_t> numbers;      // numbers of its voxels in the whole cloud
  std::vector<float> all_centroids;            // centroids of all ranks' voxels
  std::vector<farpoint::index_t> neighbors;    // neighbors of its points
  std::vector<farpoint::index_t> ball_counts;  // points around each
  std::vector<farpoint::index_t> owned;        // points of a compact part of the cloud
};

constexpr farpoint::index_t sample_count = 200;
constexpr farpoint::index_t k = 4;
constexpr farpoint::index_t ball_size = 16;

farpoint::radius_params ball() {
  farpoint::radius_params params;
  params.radius = 0.25;
  params.max_neighbors = ball_size;
  return params;
}

farpoint::voxelize_params<float> voxels_of_the_map() {
  farpoint::voxelize_params<float> params;
  params.grid = farpoint::voxel_grid<float>::from_range({{0, 0, 0}}, {{15, 6.4f, 0.1f}}, {{0.4f, 0.4f, 0.1f}});
  return params;
}

/// How many points there are around each, and the balls themselves.
farpoint::result balls_of_a_rank(farpoint::nccl_exec const& ranks, farpoint::shard<view> const& part,
                                 std::vector<farpoint::index_t>& numbers) {
  farpoint::cuda_exec const exec{ranks.stream};
  farpoint::radius_params const params = ball();
  managed_array<farpoint::index_t> indices(static_cast<std::size_t>(part.points.size() * ball_size));
  managed_array<float> distances(indices.size());
  managed_array<farpoint::index_t> counts(static_cast<std::size_t>(part.points.size()));
  //! [radius]
  farpoint::radius_shard_output<float> balls;
  balls.indices = indices.span();
  balls.distances = distances.span();
  balls.counts = counts.span();
  balls.exchanged_capacity = 2000;  // queries near borders
  managed_array<unsigned char> const space(
      radius_shard_workspace_bytes(exec, ranks.ranks(), part, part.points, params, balls));
  farpoint::result const outcome = radius_shard(exec, ranks, part, part.points, params, balls, space.span());
  //! [radius]
  if (outcome && cudaStreamSynchronize(ranks.stream) == cudaSuccess) {
    numbers.assign(counts.data(), counts.data() + counts.size());
  }
  return outcome;
}

/// Points of a compact part of the cloud, of the size of the other parts.
farpoint::result owned_by_a_rank(farpoint::nccl_exec const& ranks, farpoint::shard<view> const& part,
                                 farpoint::index_t all_points, std::vector<farpoint::index_t>& numbers) {
  farpoint::cuda_exec const exec{ranks.stream};
  auto const room = static_cast<std::size_t>(all_points / ranks.ranks() + 1);
  managed_array<float> points(room * 3);
  managed_array<farpoint::index_t> indices(room);
  farpoint::index_t owned = 0;
  //! [repartition]
  farpoint::repartition_output<float> output;
  output.points = points.span();
  output.indices = indices.span();
  output.owned = &owned;
  managed_array<unsigned char> const space(repartition_workspace_bytes(exec, ranks.ranks(), part));
  farpoint::result const outcome = repartition(exec, ranks, part, output, space.span());
  //! [repartition]
  if (outcome && cudaStreamSynchronize(ranks.stream) == cudaSuccess) {
    numbers.assign(indices.data(), indices.data() + owned);
  }
  return outcome;
}

rank_answer work_of_a_rank(farpoint::nccl_communicator const& communicator, cudaStream_t stream, view const& points,
                           farpoint::index_t first_index, farpoint::index_t all_points) {
  rank_answer answer;
  auto const params = voxels_of_the_map();
  auto const most = static_cast<std::size_t>(all_points);
  managed_array<float> centroids(most * 3);
  managed_array<farpoint::index_t> numbers(most);
  managed_array<std::int32_t> own(1);
  managed_array<float> all_centroids(most * 3);
  managed_array<std::int32_t> all_voxels(1);
  managed_array<farpoint::index_t> samples(static_cast<std::size_t>(sample_count));
  managed_array<farpoint::index_t> neighbors(static_cast<std::size_t>(points.size() * k));
  managed_array<float> distances(neighbors.size());

  //! [rank]
  farpoint::nccl_exec const ranks{communicator, stream};
  farpoint::cuda_exec const exec{stream};
  farpoint::shard<view> const part{points, first_index};

  farpoint::voxelize_shard_output<float> output;
  output.rows.capacity = all_points;
  output.rows.centroid = centroids.span();
  output.rows.voxel_count = own.span();
  output.numbers = numbers.span();
  output.received_capacity = all_points;
  managed_array<unsigned char> const workspace(
      voxelize_shard_workspace_bytes(exec, ranks.ranks(), part, params, output));
  answer.outcome = voxelize_shard(exec, ranks, part, params, output, workspace.span());
  //! [rank]
  if (!answer.outcome) return answer;

  //! [gather]
  farpoint::voxelize_output<float> all;
  all.capacity = all_points;
  all.centroid = all_centroids.span();
  all.voxel_count = all_voxels.span();
  managed_array<unsigned char> const desk(gather_voxels_workspace_bytes(exec, ranks.ranks(), params, output, all));
  answer.outcome = gather_voxels(exec, ranks, params, output, all, desk.span());
  //! [gather]
  if (!answer.outcome) return answer;

  //! [window]
  farpoint::nccl_exec near_ranks = ranks;
  farpoint::nccl_window window;
  std::size_t const window_bytes = farpoint::fps_shard_window_bytes(ranks.ranks(), sample_count);
  // Without one, where GPUs cannot reach each other's memory, calls exchange messages by NCCL alone.
  if (farpoint::nccl_window::create(ranks, window_bytes, window)) near_ranks.window = window.memory();
  //! [window]

  //! [fps]
  farpoint::fps_params sampling;
  sampling.samples = sample_count;
  farpoint::fps_shard_output<float> picks;
  picks.indices = samples.span();
  managed_array<unsigned char> const room(fps_shard_workspace_bytes(exec, ranks.ranks(), part, sampling, picks));
  answer.outcome = fps_shard(exec, near_ranks, part, sampling, picks, room.span());
  //! [fps]
  if (!answer.outcome) return answer;

  //! [knn]
  farpoint::knn_shard_output<float> nearest;
  nearest.indices = neighbors.span();
  nearest.distances = distances.span();
  nearest.exchanged_capacity = 2000;  // queries near borders
  farpoint::knn_params const search{k};
  managed_array<unsigned char> const space(
      knn_shard_workspace_bytes(exec, ranks.ranks(), part, part.points, search, nearest));
  answer.outcome = knn_shard(exec, ranks, part, part.points, search, nearest, space.span());
  //! [knn]
  if (!answer.outcome || cudaStreamSynchronize(stream) != cudaSuccess) return answer;

  answer.outcome = balls_of_a_rank(ranks, part, answer.ball_counts);
  if (answer.outcome) answer.outcome = owned_by_a_rank(ranks, part, all_points, answer.owned);
  answer.samples.assign(samples.data(), samples.data() + samples.size());
  answer.neighbors.assign(neighbors.data(), neighbors.data() + neighbors.size());
  answer.centroids.assign(centroids.data(), centroids.data() + 3 * own.data()[0]);
  answer.numbers.assign(numbers.data(), numbers.data() + own.data()[0]);
  answer.all_centroids.assign(all_centroids.data(), all_centroids.data() + 3 * all_voxels.data()[0]);
  return answer;
}

}  // namespace

int main() {
  if (!has_gpu()) return 77;
  int gpus = 0;
  cudaGetDeviceCount(&gpus);
  example::shared_cloud const map = example::map_of_tiles();
  auto const all_points = static_cast<farpoint::index_t>(map.points.size());
  ncclUniqueId id;
  if (ncclGetUniqueId(&id) != ncclSuccess) return 1;
  // They end after the work of all ranks.
  std::vector<farpoint::nccl_communicator> communicators(static_cast<std::size_t>(gpus));

  std::vector<rank_answer> answers(static_cast<std::size_t>(gpus));
  std::vector<std::thread> team;
  for (int rank = 0; rank < gpus; ++rank) {
    team.emplace_back([&, rank] {
      cudaSetDevice(rank);
      farpoint::index_t const begin = all_points * rank / gpus;
      farpoint::index_t const end = all_points * (rank + 1) / gpus;
      managed_array<point> mine(static_cast<std::size_t>(end - begin));
      std::copy(map.points.begin() + begin, map.points.begin() + end, mine.data());
      cudaStream_t stream = nullptr;
      cudaStreamCreate(&stream);
      rank_answer& answer = answers[static_cast<std::size_t>(rank)];
      //! [connect]
      farpoint::nccl_communicator& communicator = communicators[static_cast<std::size_t>(rank)];
      answer.outcome = farpoint::nccl_communicator::create(gpus, id, rank, communicator);
      //! [connect]
      if (answer.outcome) {
        answer =
            work_of_a_rank(communicator, stream, farpoint::view_points(mine.data(), end - begin), begin, all_points);
      }
      cudaStreamDestroy(stream);
    });
  }
  for (auto& thread : team) thread.join();

  // One call for the whole cloud.
  auto const samples = farpoint::fps(map.points, sample_count);
  auto const voxels = farpoint::voxelize(map.points, voxels_of_the_map());
  auto const nearest = farpoint::knn(map.points, k);
  auto const balls = farpoint::radius(map.points, ball());
  std::size_t rows = 0;
  std::size_t counted = 0;
  std::size_t found = 0;
  std::vector<farpoint::index_t> owned;
  for (auto const& answer : answers) {
    if (!succeeded(answer.outcome)) return 1;
    if (!std::equal(samples.indices.begin(), samples.indices.end(), answer.samples.begin(), answer.samples.end())) {
      std::fprintf(stderr, "other samples than those of one call\n");
      return 1;
    }
    if (!std::equal(answer.neighbors.begin(), answer.neighbors.end(), nearest.indices.begin() + found)) {
      std::fprintf(stderr, "other neighbors than those of one call\n");
      return 1;
    }
    found += answer.neighbors.size();
    if (!std::equal(answer.ball_counts.begin(), answer.ball_counts.end(), balls.counts.begin() + counted)) {
      std::fprintf(stderr, "other numbers of points around one than those of one call\n");
      return 1;
    }
    counted += answer.ball_counts.size();
    owned.insert(owned.end(), answer.owned.begin(), answer.owned.end());
    if (answer.all_centroids != voxels.centroids) {
      std::fprintf(stderr, "other voxels were gathered than those of one call\n");
      return 1;
    }
    for (std::size_t row = 0; row < answer.numbers.size(); ++row, ++rows) {
      auto const number = static_cast<std::size_t>(answer.numbers[row]);
      if (!std::equal(&answer.centroids[3 * row], &answer.centroids[3 * row] + 3, &voxels.centroids[3 * number])) {
        std::fprintf(stderr, "voxel %zu has another centroid\n", number);
        return 1;
      }
    }
  }
  std::sort(owned.begin(), owned.end());
  bool const is_complete = owned.size() == map.points.size() &&
                           std::adjacent_find(owned.begin(), owned.end()) == owned.end() && owned.front() == 0;
  if (!is_complete) {
    std::fprintf(stderr, "a point has no owner, or two\n");
    return 1;
  }
  if (rows != voxels.report.voxels || found != nearest.indices.size() || counted != balls.counts.size()) return 1;
  std::printf("%d GPUs: %zu voxels, %zu samples\n", gpus, rows, samples.indices.size());
  return 0;
}
