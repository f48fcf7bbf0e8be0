// Limits of searches and samplings on ranks and tiles in processes that round in another direction.
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/tiles/fps_tiles.hpp>
#include <farpoint/scale/tiles/knn_tiles.hpp>

#include <cfenv>
#include <cmath>

#include "../../support/catch.hpp"

namespace {

using farpoint::bytes;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::vec;
using view = farpoint::point_view<float>;

/// Rounding direction of this thread, until the end of the scope.
class rounding {
 public:
  explicit rounding(int direction) { std::fesetround(direction); }
  rounding(rounding const&) = delete;
  rounding& operator=(rounding const&) = delete;
  ~rounding() { std::fesetround(FE_TONEAREST); }
};

/// A length whose square is rounded up or down to the nearest float.
float length_with_square_rounded(bool up) {
  float length = 0.1f;
  while ((std::fma(length, length, -(length * length)) < 0) != up) length = std::nextafter(length, 1.0f);
  return length;
}

/// Two points at a distance that is the limit of each call, which includes it.
struct limit_problem {
  float limit;
  std::vector<vec<float>> points{{{0, 0, 0}}, {{limit, 0, 0}}};
  host_exec exec{1};

  farpoint::shard<view> part() const { return {view{points.data(), 2}, 0}; }

  /// Number of neighbors and samples that each call finds.
  std::vector<index_t> found() const {
    return {knn(), knn_shard(), radius_shard(), knn_tiles(), fps(), fps_shard(), fps_tiles()};
  }

 private:
  using index_pair = std::vector<index_t>;

  static index_t count(index_pair const& indices) { return 2 - std::count(indices.begin(), indices.end(), -1); }
  farpoint::knn_params nearest() const { return {2, static_cast<double>(limit)}; }
  farpoint::fps_params sampling() const {
    farpoint::fps_params params;
    params.samples = 2;
    params.stop_below = static_cast<double>(limit);
    return params;
  }
  view query() const { return {points.data(), 1}; }

  index_t knn() const {
    index_pair indices(2);
    farpoint::knn_output<float> output;
    output.indices = indices;
    farpoint::batch const all{part().points};
    farpoint::host_scratch const memory{knn_workspace_bytes(exec, all, farpoint::batch{query()}, nearest())};
    CHECK(farpoint::knn(exec, all, farpoint::batch{query()}, nearest(), output, memory));
    return count(indices);
  }
  index_t knn_shard() const {
    farpoint::thread_ranks group{1};
    farpoint::thread_communicator ranks{group, 0};
    index_pair indices(2);
    std::vector<float> distances(2);
    farpoint::knn_shard_output<float> output;
    output.indices = indices;
    output.distances = distances;
    farpoint::host_scratch const memory{knn_shard_workspace_bytes(exec, 1, part(), query(), nearest(), output)};
    CHECK(farpoint::knn_shard(exec, ranks, part(), query(), nearest(), output, memory));
    return count(indices);
  }
  index_t radius_shard() const {
    farpoint::thread_ranks group{1};
    farpoint::thread_communicator ranks{group, 0};
    index_pair indices(2), counts(1);
    std::vector<float> distances(2);
    farpoint::radius_params params;
    params.radius = static_cast<double>(limit);
    params.max_neighbors = 2;
    farpoint::radius_shard_output<float> output;
    output.indices = indices;
    output.distances = distances;
    output.counts = counts;
    farpoint::host_scratch const memory{radius_shard_workspace_bytes(exec, 1, part(), query(), params, output)};
    CHECK(farpoint::radius_shard(exec, ranks, part(), query(), params, output, memory));
    return counts[0];
  }
  index_t fps() const {
    index_pair indices(2);
    farpoint::fps_output<float> output{indices};
    farpoint::batch const all{part().points};
    farpoint::host_scratch const memory{fps_workspace_bytes(exec, all, sampling())};
    CHECK(farpoint::fps(exec, all, sampling(), output, memory));
    return count(indices);
  }
  index_t fps_shard() const {
    farpoint::thread_ranks group{1};
    farpoint::thread_communicator ranks{group, 0};
    index_pair indices(2);
    farpoint::fps_shard_output<float> output;
    output.indices = indices;
    farpoint::host_scratch const memory{fps_shard_workspace_bytes(exec, 1, part(), sampling(), output)};
    CHECK(farpoint::fps_shard(exec, ranks, part(), sampling(), output, memory));
    return count(indices);
  }

  /// Calls `call(tiles, extents)` with a tile for each point.
  template <class Call>
  void with_tiles(Call const& call) const {
    std::vector<index_t> const sizes{1, 1};
    auto tiles = farpoint::tiles_of<vec<float>>(sizes, [this](index_t tile, farpoint::span<vec<float>> to) {
      to[0] = points[static_cast<std::size_t>(tile)];
      return farpoint::result{};
    });
    std::vector<farpoint::tile_extent<float>> extents(2);
    farpoint::host_scratch const memory{measure_tiles_workspace_bytes(tiles)};
    CHECK(measure_tiles(tiles, farpoint::span<farpoint::tile_extent<float>>{extents}, memory));
    call(tiles, farpoint::span<farpoint::tile_extent<float> const>{extents});
  }
  index_t knn_tiles() const {
    index_pair indices(2);
    std::vector<float> distances(2);
    farpoint::knn_tiles_output<float> output;
    output.indices = indices;
    output.distances = distances;
    with_tiles([&](auto& tiles, auto const& extents) {
      farpoint::host_scratch const memory{knn_tiles_workspace_bytes(exec, tiles, 1)};
      CHECK(farpoint::knn_tiles(exec, tiles, extents, farpoint::shard<view>{query()}, nearest(), output, memory));
    });
    return count(indices);
  }
  index_t fps_tiles() const {
    index_pair indices(2);
    std::vector<float> scratch(2);
    farpoint::fps_tiles_output<float> output;
    output.indices = indices;
    with_tiles([&](auto& tiles, auto const& extents) {
      farpoint::host_scratch const memory{fps_tiles_workspace_bytes(exec, tiles, 2)};
      CHECK(farpoint::fps_tiles(exec, tiles, extents, sampling(), farpoint::span<float>{scratch}, output, memory));
    });
    return count(indices);
  }
};

}  // namespace

TEST_CASE("limits of distances do not depend on the rounding direction of the process", "[shard][tiles][knn][fps]") {
  bool const up = GENERATE(false, true);
  limit_problem const problem{length_with_square_rounded(up)};
  for (int const direction : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    CAPTURE(up, direction);
    std::vector<index_t> found;
    {
      rounding const set{direction};
      found = problem.found();
    }
    CHECK(found == std::vector<index_t>(7, 2));
  }
}
