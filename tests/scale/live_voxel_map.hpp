// A voxel map in the memory of a backend, next to the plain model that it must equal.
#pragma once

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "voxel_map_model.hpp"

#include <memory>

namespace farpoint_tests {

/// Inserts, erases, reads, saves and loads by calls of farpoint, and compares with the model after each.
/// @tparam Backend  `array<T>`, `exec` and `wait()`
template <class Backend, class Scalar>
class live_voxel_map {
 public:
  using params_type = farpoint::voxel_map_params<Scalar>;
  using keep_type = farpoint::voxel_map_keep_params<Scalar>;
  using view = farpoint::point_view<Scalar>;

  live_voxel_map(Backend const& backend, params_type const& params)
      : backend_{backend}, params_{params}, model_{params}, memory_{new_memory(params)} {
    REQUIRE(voxel_map_clear(backend_.exec, map()));
  }

  /// Inserts a tile without the model.
  /// @return the voxel of each point
  std::vector<std::int32_t> insert_unchecked(plain_tile<Scalar> const& plain) {
    auto const n = static_cast<index_t>(plain.points.size());
    array<std::array<Scalar, 3>> const points{plain.points};
    array<float> const features{plain.features};
    array<std::int32_t> const numbers{plain.points.size()};
    farpoint::voxel_map_tile<view> tile;
    tile.points = view{&points.data()->at(0), n, index_t{sizeof(plain.points[0])}};
    tile.features = farpoint::feature_view::packed(features.data(), n, params_.features);
    tile.point_voxel = farpoint::span<std::int32_t>{numbers.data(), numbers.size()};
    array<unsigned char> const workspace{voxel_map_insert_workspace_bytes(backend_.exec, map(), tile)};
    REQUIRE(voxel_map_insert(backend_.exec, map(), tile, {workspace.data(), workspace.size()}));
    backend_.wait();
    CHECK(workspace.intact());
    return numbers.download();
  }
  void insert(plain_tile<Scalar> const& plain) { CHECK(insert_unchecked(plain) == model_.insert(plain)); }

  struct keep_answer {
    farpoint::voxel_map_keep_report report;
    std::vector<std::int32_t> new_numbers;  ///< `[capacity]`, -7 where nothing was written
  };
  /// Erases without the model.
  keep_answer keep_unchecked(keep_type keep, std::vector<Scalar> const& origin = {}) {
    auto const capacity = static_cast<std::size_t>(params_.capacity);
    array<Scalar> const on_backend{origin};
    array<std::int32_t> const new_numbers{std::vector<std::int32_t>(capacity, -7)};
    array<farpoint::voxel_map_keep_report> const report{1};
    if (!origin.empty()) keep.origin = {on_backend.data(), 3};
    array<unsigned char> const workspace{voxel_map_keep_workspace_bytes(backend_.exec, params_)};
    farpoint::voxel_map_keep_output output;
    output.new_numbers = farpoint::span<std::int32_t>{new_numbers.data(), capacity};
    output.report = report.data();
    farpoint::result const outcome =
        voxel_map_keep(backend_.exec, map(), keep, output, {workspace.data(), workspace.size()});
    INFO(outcome.reason);
    REQUIRE(outcome);
    backend_.wait();
    CHECK(workspace.intact());
    CHECK(new_numbers.intact());
    return {report.download()[0], new_numbers.download()};
  }
  /// @param origin  empty, or three coordinates
  farpoint::voxel_map_keep_report keep(keep_type const& keep, std::vector<Scalar> const& origin = {}) {
    auto const found = keep_unchecked(keep, origin);
    std::vector<std::int32_t> expected_numbers;
    auto const expected = model_.keep(keep, origin, expected_numbers);
    expected_numbers.resize(static_cast<std::size_t>(params_.capacity), -7);
    CHECK(found.new_numbers == expected_numbers);
    CHECK(counters_of(found.report) == counters_of(expected));
    return expected;
  }

  voxel_rows<Scalar> read() const {
    auto const capacity = static_cast<std::size_t>(params_.capacity);
    auto const features = capacity * static_cast<std::size_t>(params_.features);
    auto const& parts = params_.parts;
    array<std::int32_t> const coords{3 * capacity};
    array<std::int64_t> const counts{capacity}, first_points{capacity};
    array<Scalar> const centroids{parts.centroid ? 3 * capacity : 0};
    array<float> const means{parts.mean ? features : 0}, maxima{parts.max ? features : 0};
    array<float> const firsts{parts.first ? features : 0};
    array<farpoint::voxel_map_report> const report{1};
    farpoint::voxel_map_output<Scalar> output;
    output.capacity = params_.capacity;
    output.coords = {coords.data(), coords.size()};
    output.points_per_voxel = farpoint::span<std::int64_t>{counts.data(), counts.size()};
    output.first_point = {first_points.data(), first_points.size()};
    output.centroid = {centroids.data(), centroids.size()};
    output.mean = farpoint::span<float>{means.data(), means.size()};
    output.max = farpoint::span<float>{maxima.data(), maxima.size()};
    output.first = farpoint::span<float>{firsts.data(), firsts.size()};
    output.report = report.data();
    REQUIRE(voxel_map_read(backend_.exec, map(), output));
    backend_.wait();
    voxel_rows<Scalar> rows{coords.download(), counts.download(), first_points.download(), centroids.download(),
                            means.download(),  maxima.download(), firsts.download(),       report.download()[0]};
    auto const voxels = static_cast<std::size_t>(rows.report.voxels);
    auto const of_features = voxels * static_cast<std::size_t>(params_.features);
    rows.coords.resize(3 * voxels);
    rows.counts.resize(voxels);
    rows.first_points.resize(voxels);
    if (parts.centroid) rows.centroids.resize(3 * voxels);
    if (parts.mean) rows.means.resize(of_features);
    if (parts.max) rows.maxima.resize(of_features);
    if (parts.first) rows.firsts.resize(of_features);
    return rows;
  }

  /// Compares all rows and counters with the model's.
  void check() const {
    auto const found = read();
    auto const expected = model_.rows();
    CHECK(counters_of(found.report) == counters_of(expected.report));
    CHECK(found.coords == expected.coords);
    CHECK(found.counts == expected.counts);
    CHECK(found.first_points == expected.first_points);
    auto const& parts = params_.parts;
    if (parts.centroid) CHECK(same_bytes(found.centroids, expected.centroids));
    if (parts.mean) CHECK(same_bytes(found.means, expected.means));
    if (parts.max) CHECK(same_bytes(found.maxima, expected.maxima));
    if (parts.first) CHECK(same_bytes(found.firsts, expected.firsts));
    CHECK(memory_->intact());
  }

  /// The bytes that a program would write to a file.
  std::vector<unsigned char> save() const {
    array<farpoint::voxel_map_report> const report{1};
    farpoint::voxel_map_output<Scalar> output;
    output.report = report.data();
    REQUIRE(voxel_map_read(backend_.exec, map(), output));
    backend_.wait();
    auto const header = farpoint::voxel_map_header::of(params_, report.download()[0]);
    std::vector<unsigned char> saved(sizeof header);
    std::memcpy(saved.data(), &header, sizeof header);
    farpoint::voxel_map_saved arrays;
    REQUIRE(voxel_map_saved_arrays(map(), header, arrays));
    auto const all = memory_->download();
    for (farpoint::bytes const part : arrays) {
      auto const begin = all.begin() + (part.data() - memory_->data());
      saved.insert(saved.end(), begin, begin + static_cast<std::ptrdiff_t>(part.size()));
    }
    return saved;
  }
  /// Checks that the saved bytes are what the model says.
  void check_saved() const { CHECK(same_bytes(save(), model_.saved())); }

  /// Moves the map into new memory, as a program does that ends and starts again.
  void resume(std::vector<unsigned char> const& saved, std::uint64_t hash_seed) {
    farpoint::voxel_map_header header;
    std::memcpy(&header, saved.data(), sizeof header);
    params_.hash_seed = hash_seed;
    memory_ = new_memory(params_);
    farpoint::voxel_map_saved arrays;
    REQUIRE(voxel_map_saved_arrays(map(), header, arrays));
    auto all = memory_->download();
    auto from = saved.begin() + sizeof header;
    for (farpoint::bytes const part : arrays) {
      auto const size = static_cast<std::ptrdiff_t>(part.size());
      std::copy(from, from + size, all.begin() + (part.data() - memory_->data()));
      from += size;
    }
    CHECK(from == saved.end());
    memory_->upload(all);
    REQUIRE(voxel_map_restore(backend_.exec, map(), header));
    backend_.wait();
  }

  bool intact() const { return memory_->intact(); }
  farpoint::voxel_map<Scalar> map() const { return {params_, {memory_->data(), memory_->size()}}; }

 private:
  template <class T>
  using array = typename Backend::template array<T>;
  using memory_type = std::unique_ptr<array<unsigned char>>;

  static memory_type new_memory(params_type const& params) {
    return std::make_unique<array<unsigned char>>(farpoint::voxel_map_bytes(params));
  }

  Backend const& backend_;
  params_type params_;
  plain_voxel_map<Scalar> model_;
  memory_type memory_;
};

}  // namespace farpoint_tests
