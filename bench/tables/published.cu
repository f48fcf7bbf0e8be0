#include "published.hpp"

#include <farpoint/spatial/quadtree.hpp>

#include <algorithm>
#include <chrono>

#include "peers/fps_textbook.cuh"
#include "peers/knn_screen_published.cuh"
#include "support/cuda_handles.hpp"

namespace farpoint_tools {

namespace {

using farpoint_bench::check;
using farpoint_bench::device_buffer;
using farpoint_bench::owned_graph;
using farpoint_bench::owned_stream;

std::vector<float> coordinates_of(std::vector<point3> const& points) {
  std::vector<float> all;
  all.reserve(3 * points.size());
  for (auto const& p : points) all.insert(all.end(), p.begin(), p.end());
  return all;
}

/// Mean time of a replay of the work that `launch(stream)` enqueues (ms).
template <class Launch>
double replay_ms(Launch const& launch) {
  constexpr int repeats = 20;
  owned_stream const stream;
  owned_graph const graph{stream.get(), launch};
  graph.launch(stream.get());
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  auto const start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) graph.launch(stream.get());
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / repeats;
}

/// Memory of the published searches for one view.
class published_view {
 public:
  published_view(std::vector<point3> const& cloud, camera const& looking, int k)
      : looking_{looking},
        k_{k},
        top_{farpoint::quadtree_layout{looking.width, looking.height, 0}.top()},
        pixels_{static_cast<std::size_t>(looking.width) * static_cast<std::size_t>(looking.height)},
        nodes_{farpoint_bench::knn_screen_published_args::plane(top_, top_ + 1)},
        xyz_{coordinates_of(cloud)},
        words_{pixels_},
        at_{pixels_},
        count_{nodes_},
        first_{nodes_},
        packed_{pixels_},
        pixel_of_{pixels_},
        radius_{pixels_},
        too_small_{pixels_},
        too_large_{pixels_},
        found_{pixels_ * static_cast<std::size_t>(k)} {}

  farpoint_bench::knn_screen_published_args args() const {
    return {looking_,
            xyz_.data(),
            static_cast<std::int64_t>(xyz_.size() / 3),
            k_,
            top_,
            words_.data(),
            at_.data(),
            count_.data(),
            first_.data(),
            packed_.data(),
            pixel_of_.data(),
            radius_.data(),
            too_small_.data(),
            too_large_.data(),
            found_.data()};
  }

  /// The rows of some visible points, after a search.
  neighbor_rows rows_of(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible) const {
    auto const found = found_.download();
    auto const k = static_cast<std::size_t>(k_);
    neighbor_rows rows{k, std::vector<std::int32_t>(visible.size() * k), {}};
    for (std::size_t row = 0; row < visible.size(); ++row) {
      auto const& p = cloud[static_cast<std::size_t>(visible[row])];
      farpoint::camera_pixel<float> pixel;
      looking_.project({{p[0], p[1], p[2]}}, pixel);
      auto const at = static_cast<std::size_t>(pixel.y) * static_cast<std::size_t>(looking_.width) +
                      static_cast<std::size_t>(pixel.x);
      std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(at * k), k,
                  rows.indices.begin() + static_cast<std::ptrdiff_t>(row * k));
    }
    return rows;
  }

 private:
  camera looking_;
  int k_;
  int top_;
  std::size_t pixels_;
  std::size_t nodes_;
  device_buffer<float> xyz_;
  device_buffer<std::uint64_t> words_;
  device_buffer<float4> at_;
  device_buffer<std::uint32_t> count_, first_;
  device_buffer<float4> packed_;
  device_buffer<std::uint32_t> pixel_of_;
  device_buffer<float> radius_, too_small_, too_large_;
  device_buffer<std::int32_t> found_;
};

}  // namespace

published_search search_published(published_method method, std::vector<point3> const& cloud,
                                  std::vector<std::int32_t> const& visible, camera const& looking, int k) {
  published_view const view{cloud, looking, k};
  auto const args = view.args();
  auto const time = [&args](auto launch) { return replay_ms([&](cudaStream_t stream) { launch(stream, args); }); };
  published_search found;
  found.projection_ms = time(farpoint_bench::launch_published_view);
  double until_search = found.projection_ms;
  double all = 0;
  if (method == published_method::fastknn_program) {
    until_search = time(farpoint_bench::launch_fastknn_tree);
    all = time(farpoint_bench::launch_fastknn_program);
  } else {
    all = time(farpoint_bench::launch_auto_splats);
  }
  found.tree_ms = std::max(0.0, until_search - found.projection_ms);
  found.search_ms = std::max(0.0, all - until_search);
  found.neighbors = view.rows_of(cloud, visible);
  return found;
}

double sample_by_textbook(std::vector<point3> const& points, std::int64_t clouds, std::int64_t samples, int repeats,
                          std::vector<std::int64_t>& indices) {
  device_buffer<float> const xyz{coordinates_of(points)};
  device_buffer<float> const nearest{points.size()};
  device_buffer<std::int32_t> const found{static_cast<std::size_t>(clouds * samples)};
  device_buffer<float> const distances{found.size()};
  farpoint_bench::owned_event const begin;
  farpoint_bench::owned_event const end;
  owned_stream const stream;
  std::vector<float> times;
  for (int i = -1; i < repeats; ++i) {
    check(cudaEventRecord(begin.get(), stream.get()), "cudaEventRecord");
    farpoint_bench::fps_textbook(
        stream.get(), {static_cast<int>(clouds), static_cast<int>(points.size()) / static_cast<int>(clouds),
                       static_cast<int>(samples), xyz.data(), nearest.data(), found.data(), distances.data()});
    check(cudaEventRecord(end.get(), stream.get()), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), "the textbook's kernel");
    float time = 0;
    check(cudaEventElapsedTime(&time, begin.get(), end.get()), "cudaEventElapsedTime");
    if (i >= 0) times.push_back(time);
  }
  auto const picked = found.download();
  indices.assign(picked.begin(), picked.end());
  std::sort(times.begin(), times.end());
  return double{times[times.size() / 2]};
}

}  // namespace farpoint_tools
