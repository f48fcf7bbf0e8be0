// Samples and neighbors of a survey that does not fit into memory: tiles are files, which are read when they are
// needed. The answers have the bits of calls on all points.
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/tiles/fps_tiles.hpp>
#include <farpoint/scale/tiles/knn_tiles.hpp>
#include <farpoint/scale/tiles/radius_tiles.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using point = farpoint::vec<float>;

//! [source]
/// Tiles in files of raw points.
class tile_files {
 public:
  using point = farpoint::vec<float>;

  explicit tile_files(std::vector<farpoint::index_t> sizes) : sizes_{std::move(sizes)} {}

  farpoint::index_t count() const { return static_cast<farpoint::index_t>(sizes_.size()); }
  farpoint::index_t size(farpoint::index_t tile) const { return sizes_[static_cast<std::size_t>(tile)]; }
  farpoint::result read(farpoint::index_t tile, farpoint::span<point> to) const {
    std::FILE* const file = std::fopen(name_of(tile).c_str(), "rb");
    if (file == nullptr) return {farpoint::status::read_failure, errno, "survey: the file of a tile cannot be opened"};
    std::size_t const read = std::fread(to.data(), sizeof(point), to.size(), file);
    std::fclose(file);
    if (read != to.size()) return {farpoint::status::read_failure, 0, "survey: the file of a tile is too short"};
    return {};
  }

  static std::string name_of(farpoint::index_t tile) { return "example_42_tile_" + std::to_string(tile) + ".xyz"; }

 private:
  std::vector<farpoint::index_t> sizes_;
};
//! [source]

/// Stands for the survey: strips of hilly ground, each in a file.
std::vector<point> write_tiles(std::vector<farpoint::index_t> const& sizes) {
  std::vector<point> all;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    std::vector<point> tile;
    for (int i = 0; i < sizes[t]; ++i) {
      auto const along = static_cast<float>(i % 97) * 0.31f;
      auto const across = static_cast<float>(i) / 97 * 0.2f + static_cast<float>(t) * 8;
      tile.push_back({{along, across, static_cast<float>(i % 13) * 0.05f + along / 8}});
    }
    std::FILE* const file = std::fopen(tile_files::name_of(static_cast<farpoint::index_t>(t)).c_str(), "wb");
    if (file == nullptr) return {};
    std::fwrite(tile.data(), sizeof(point), tile.size(), file);
    std::fclose(file);
    all.insert(all.end(), tile.begin(), tile.end());
  }
  return all;
}

}  // namespace

int main() {
  std::vector<farpoint::index_t> const sizes{3000, 4000, 3500, 0, 3800, 2000};
  std::vector<point> const all = write_tiles(sizes);  // to compare with
  tile_files tiles{sizes};
  farpoint::host_exec const exec{};

  //! [measure]
  std::vector<farpoint::tile_extent<float>> extents(sizes.size());
  farpoint::host_scratch const reading{farpoint::measure_tiles_workspace_bytes(tiles)};
  farpoint::result outcome = farpoint::measure_tiles(tiles, extents, reading);
  //! [measure]

  // The neighbors of the points of one tile. A loop over all tiles gives the rows of the whole survey.
  constexpr farpoint::index_t k = 8;
  constexpr farpoint::index_t tile = 1;
  std::vector<point> queries(static_cast<std::size_t>(sizes[tile]));
  if (outcome) outcome = tiles.read(tile, queries);
  std::vector<farpoint::index_t> indices(queries.size() * k);
  std::vector<float> distances(queries.size() * k);
  std::vector<farpoint::index_t> counts(queries.size());
  farpoint::index_t knn_reads = 0;
  farpoint::index_t radius_reads = 0;
  //! [search]
  farpoint::shard<farpoint::point_view<float>> const asked{farpoint::view_points(queries), extents[tile].first_index};
  farpoint::host_scratch const search{farpoint::knn_tiles_workspace_bytes(exec, tiles, asked.points.size())};
  farpoint::knn_tiles_output<float> neighbors;
  neighbors.indices = indices;
  neighbors.distances = distances;
  neighbors.reads = &knn_reads;
  if (outcome) outcome = farpoint::knn_tiles(exec, tiles, extents, asked, {k}, neighbors, search);
  //! [search]
  auto const expected = farpoint::knn(all, queries, k);
  bool equal = outcome && std::equal(indices.begin(), indices.end(), expected.indices.begin()) &&
               distances == expected.distances;

  //! [radius]
  farpoint::radius_params params;
  params.radius = 0.5;
  params.max_neighbors = 0;  // counts only
  farpoint::radius_tiles_output<float> ball;
  ball.counts = counts;
  ball.reads = &radius_reads;
  if (outcome) outcome = farpoint::radius_tiles(exec, tiles, extents, asked, params, ball, search);
  //! [radius]
  std::vector<farpoint::index_t> expected_counts(queries.size());
  farpoint::radius_output<float> expected_ball;
  expected_ball.counts = expected_counts;
  farpoint::batch const cloud{farpoint::view_points(all)};
  farpoint::batch const asked_batch{farpoint::view_points(queries)};
  farpoint::host_scratch const one_memory{radius_workspace_bytes(exec, cloud, asked_batch)};
  if (outcome) outcome = radius(exec, cloud, asked_batch, params, expected_ball, one_memory);
  equal = equal && counts == expected_counts;

  //! [fps]
  constexpr farpoint::index_t samples = 500;
  std::vector<farpoint::index_t> picks(samples);
  std::vector<float> nearest(all.size());  // 4 bytes per point; may be a file that is mapped into memory
  farpoint::index_t rounds = 0;
  farpoint::fps_params sampling;
  sampling.samples = samples;
  farpoint::fps_tiles_output<float> sampled;
  sampled.indices = picks;
  sampled.rounds = &rounds;
  farpoint::host_scratch const workspace{farpoint::fps_tiles_workspace_bytes(exec, tiles, samples)};
  if (outcome) outcome = farpoint::fps_tiles(exec, tiles, extents, sampling, nearest, sampled, workspace);
  //! [fps]
  equal = equal && std::equal(picks.begin(), picks.end(), farpoint::fps(all, samples).indices.begin());

  for (farpoint::index_t t = 0; t < tiles.count(); ++t) std::remove(tile_files::name_of(t).c_str());
  if (!outcome || !equal) {
    std::fprintf(stderr, "%s\n", outcome ? "tiles have other answers" : outcome.reason);
    return 1;
  }
  std::printf("neighbors of tile %d: %d tiles read, counts: %d; %d samples: %d rounds\n", int(tile), int(knn_reads),
              int(radius_reads), int(samples), int(rounds));
  return 0;
}
