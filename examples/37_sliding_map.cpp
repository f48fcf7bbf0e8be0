// LiDAR odometry with a sliding map: each scan is matched with the voxels around the vehicle and inserted, and voxels
// that are far away or have not been seen for long are erased. Memory is allocated once, however long the drive is.
//
//     example_37_sliding_map [FOLDER]
//
// FOLDER holds one scan a file, *.bin, in the order of their names: x, y, z and intensity as floats, as in KITTI's
// data. Without a folder the program drives down a simulated street, and compares with the truth.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/scale/voxel_map.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rigid_motion.hpp"

namespace {

using float_point = std::array<float, 3>;
using cloud = std::vector<float_point>;
using view = farpoint::point_view<float>;
using clouds = farpoint::batch<view>;
using farpoint::index_t;

vec3d in_double(float_point const& p) {
  return {p[0], p[1], p[2]};
}
float_point moved(motion const& by, float_point const& p) {
  vec3d const at = by(in_double(p));
  return {static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])};
}

/// A voxel map that keeps what is near and recent, and all memory that it needs.
class sliding_map {
 public:
  /// Memory of a drive.
  struct limits {
    index_t voxels;  ///< after a scan
    index_t points;  ///< points of a scan
    float radius;    ///< largest distance of a voxel from the sensor (m)
    /// The new voxels of a scan always fit.
    index_t capacity() const { return voxels + points; }
  };

  explicit sliding_map(limits const& most)
      : limits_{most},
        memory_{farpoint::voxel_map_bytes(params(most))},
        centroids_(static_cast<std::size_t>(most.capacity())) {
    map_ = {params(most), memory_};
    std::size_t insert_bytes = 0, index_bytes = 0;
    farpoint::batch_limits const tile{most.points, 1}, voxels{most.capacity(), 1};
    check(farpoint::voxel_map_insert_workspace_bound<view>(exec_, tile, insert_bytes));
    check(farpoint::point_bvh_bound<view>(exec_, voxels, index_bytes));
    std::size_t const keep_bytes = voxel_map_keep_workspace_bytes(exec_, map_.params);
    check(workspace_.reserve(std::max(insert_bytes, keep_bytes)));
    check(index_memory_.reserve(index_bytes));
    check(voxel_map_clear(exec_, map_));
  }

  /// Inserts a scan, in the coordinates of the world, and erases. Points beyond limits::points are left out.
  void insert(cloud scan, vec3d const& sensor) {
    scan.resize(std::min(scan.size(), static_cast<std::size_t>(limits_.points)));
    //! [keep]
    farpoint::voxel_map_tile<view> tile;
    tile.points = farpoint::view_points(scan);
    check(voxel_map_insert(exec_, map_, tile, workspace_));

    farpoint::voxel_map_keep_params<float> keep;
    for (int axis = 0; axis < 3; ++axis) keep.center[axis] = static_cast<float>(sensor[static_cast<std::size_t>(axis)]);
    keep.radius = limits_.radius;      // around the sensor
    keep.max_age = 200;                // scans
    keep.max_voxels = limits_.voxels;  // the youngest
    check(voxel_map_keep(exec_, map_, keep, {{}, &last_}, workspace_));
    //! [keep]
  }

  /// Builds the index of the voxels. Their number goes from call to call as the offset of a batch, so that with
  /// cuda_exec the host need not know it.
  void index_voxels() {
    //! [index]
    farpoint::voxel_map_output<float> rows;
    rows.capacity = map_.params.capacity;
    rows.centroid = {centroids_.data()->data(), centroids_.size() * 3};
    rows.voxel_count = farpoint::span<index_t>{offsets_}.subspan(1);  // offsets_ is {0, 0} before
    check(voxel_map_read(exec_, map_, rows));
    clouds const voxels = clouds::ragged(farpoint::view_points(centroids_), offsets_);
    check(build_point_bvh(exec_, voxels, index_memory_, index_));
    //! [index]
  }

  /// The mean of the points in the voxel that is nearest to each point; none farther than max_distance (m).
  std::vector<float_point const*> nearest_voxels(cloud const& points, double max_distance) const {
    std::vector<std::int32_t> numbers(points.size());
    //! [nearest]
    check(knn(exec_, index_, clouds{farpoint::view_points(points)}, {1, max_distance}, {numbers}));
    //! [nearest]
    std::vector<float_point const*> nearest;
    for (auto const n : numbers) nearest.push_back(n < 0 ? nullptr : &centroids_[static_cast<std::size_t>(n)]);
    return nearest;
  }

  /// Writes the map to a file.
  void save(std::FILE* file) const {
    //! [save]
    farpoint::voxel_map_output<float> rows;
    farpoint::voxel_map_report report;
    rows.report = &report;
    check(voxel_map_read(exec_, map_, rows));
    auto const header = farpoint::voxel_map_header::of(map_.params, report);
    farpoint::voxel_map_saved arrays;
    check(voxel_map_saved_arrays(map_, header, arrays));
    bool written = std::fwrite(&header, sizeof header, 1, file) == 1;
    for (auto const array : arrays) written &= std::fwrite(array.data(), 1, array.size(), file) == array.size();
    //! [save]
    if (!written) throw std::runtime_error{"the map could not be written"};
  }
  /// Reads a map from a file.
  void load(std::FILE* file) {
    //! [load]
    farpoint::voxel_map_header header;
    bool read = std::fread(&header, sizeof header, 1, file) == 1;
    farpoint::voxel_map_saved arrays;
    check(voxel_map_saved_arrays(map_, header, arrays));  // refuses the header of another map
    for (auto const array : arrays) read &= std::fread(array.data(), 1, array.size(), file) == array.size();
    if (read) check(voxel_map_restore(exec_, map_, header));
    //! [load]
    if (!read) throw std::runtime_error{"the file of the map is too short"};
  }

  farpoint::voxel_map_report report() const {
    farpoint::voxel_map_report report;
    farpoint::voxel_map_output<float> rows;
    rows.report = &report;
    check(voxel_map_read(exec_, map_, rows));
    return report;
  }
  farpoint::voxel_map_keep_report const& last() const { return last_; }
  std::size_t bytes() const {
    return memory_.size() + workspace_.size() + index_memory_.size() + centroids_.size() * sizeof(float_point);
  }

 private:
  static void check(farpoint::result const& outcome) {
    if (!outcome) throw std::runtime_error{outcome.reason};
  }
  static farpoint::voxel_map_params<float> params(limits const& most) {
    farpoint::voxel_map_params<float> params;
    // 16 km to each side, where floats are exact to a millimeter. Only voxels with points take memory.
    params.grid =
        farpoint::voxel_grid<float>::from_range({{-16384, -16384, -512}}, {{16384, 16384, 512}}, {{0.5f, 0.5f, 0.5f}});
    params.capacity = most.capacity();
    params.parts.last_tile = true;
    return params;
  }

  limits limits_;
  farpoint::host_exec exec_{};
  farpoint::host_scratch memory_, workspace_, index_memory_;
  farpoint::voxel_map<float> map_;
  std::vector<float_point> centroids_;
  std::array<index_t, 2> offsets_{};
  farpoint::point_bvh<float> index_;
  farpoint::voxel_map_keep_report last_;
};

/// Where the vehicle is, scan by scan: iterated closest points, point to plane, from where it would be at constant
/// speed.
class odometry {
 public:
  /// @param scan  in the coordinates of the sensor
  motion const& add(cloud const& scan, sliding_map& map) {
    motion const before = pose_;
    pose_ = before.after(speed_);
    if (map.report().voxels > 0) match(scan, map);
    // Otherwise what rounding leaves of an angle would double with each scan.
    pose_ = with_right_angles(pose_);
    speed_ = inverse(before).after(pose_);
    cloud fine = farpoint::downsample(scan, 0.25);
    for (auto& p : fine) p = moved(pose_, p);
    map.insert(std::move(fine), pose_.translation);
    return pose_;
  }

 private:
  void match(cloud const& scan, sliding_map& map) {
    map.index_voxels();
    cloud const coarse = farpoint::downsample(scan, 1.0);
    farpoint::normals_params around;
    around.k = 8;
    auto const surface = farpoint::estimate_normals(coarse, around);
    for (int iteration = 0; iteration < 5; ++iteration) {
      bool const is_first = iteration < 2;
      cloud points = coarse;
      for (auto& p : points) p = moved(pose_, p);
      auto const nearest = map.nearest_voxels(points, is_first ? 1.5 : 0.6);
      // In the sensor's frame: far from its origin the equations of a motion are ill-conditioned.
      motion const to_sensor = inverse(pose_);
      six_unknowns equations;
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (nearest[i] == nullptr || surface.curvatures[i] > 0.05f) continue;  // no partner, or an edge
        float const* const normal = &surface.normals[3 * i];
        add_point_to_plane(equations, in_double(coarse[i]), to_sensor(in_double(*nearest[i])),
                           {normal[0], normal[1], normal[2]}, is_first ? 1 : 0.2);
      }
      auto const x = equations.solve();
      pose_ = pose_.after(make_motion({x[0], x[1], x[2]}, {x[3], x[4], x[5]}));
    }
  }

  motion pose_;   ///< from the sensor to the world
  motion speed_;  ///< from scan to scan
};

std::vector<std::filesystem::path> files_in(std::string const& folder) {
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

cloud read_scan(std::filesystem::path const& path) {
  cloud scan;
  std::FILE* const file = std::fopen(path.string().c_str(), "rb");
  std::array<float, 4> record{};
  while (file != nullptr && std::fread(record.data(), sizeof record, 1, file) == 1) {
    scan.push_back({record[0], record[1], record[2]});
  }
  if (file != nullptr) std::fclose(file);
  return scan;
}

/// A scan of an endless street, 25 m around the sensor: the ground, and houses of which every second stands back.
cloud scan_of_a_street(motion const& pose, std::mt19937& random) {
  std::uniform_real_distribution<double> ahead{-25, 25}, unit{0, 1};
  std::normal_distribution<double> noise{0, 0.01};
  motion const to_sensor = inverse(pose);
  cloud scan;
  for (int i = 0; i < 1500; ++i) {
    double const x = pose.translation[0] + ahead(random);
    double const y = 6 + 4 * unit(random);
    double const z = 6 * unit(random);
    double const house = std::floor(x / 8);
    double const side = i % 2 == 0 ? -1 : 1;
    vec3d p{x, side * (std::fmod(house, 2) == 0 ? 6 : 10), z};  // the front of a house
    if (i % 8 < 2) p = {8 * house, side * y, z};                // the side of a house
    if (i % 8 >= 6) p = {x, side * y - side * 6 * unit(random), 0};
    for (double& coordinate : p) coordinate += noise(random);
    p = to_sensor(p);
    scan.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  return scan;
}

int drive_simulated() {
  constexpr int scans = 30;
  std::mt19937 random{5};
  sliding_map::limits const limits{8000, 1500, 30};
  auto map = std::make_unique<sliding_map>(limits);
  std::size_t const bytes = map->bytes();
  odometry vehicle;
  motion truth, start, found;
  for (int scan = 0; scan < scans; ++scan) {
    truth = make_motion({0.03 * std::sin(0.1 * scan), 0, 0}, {0.8 * scan, std::sin(0.1 * scan), 1.7});
    if (scan == 0) start = truth;
    found = vehicle.add(scan_of_a_street(truth, random), *map);
    if (scan != scans / 2) continue;
    // The program ends, and starts again.
    std::FILE* const file = std::tmpfile();
    if (file == nullptr) return 1;
    map->save(file);
    map = std::make_unique<sliding_map>(limits);
    std::rewind(file);
    map->load(file);
    std::fclose(file);
  }
  motion const expected = inverse(start).after(truth);  // the odometry begins in the first scan
  double off = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    off = std::hypot(off, found.translation[axis] - expected.translation[axis]);
  }
  auto const report = map->report();
  std::printf("%d scans: %llu voxels, %llu erased; off by %.2f m after %.0f m\n", scans, report.voxels,
              report.erased_voxels, off, 0.8 * (scans - 1));
  bool const right = off < 0.1 && map->bytes() == bytes && report.dropped_points == 0 && report.erased_voxels > 2000 &&
                     report.invalid_voxels == 0 && report.tiles == scans && report.voxels == map->last().kept;
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) return drive_simulated();
    sliding_map map{{1000000, 100000, 100}};
    odometry vehicle;
    for (auto const& path : files_in(argv[1])) {
      vec3d const at = vehicle.add(read_scan(path), map).translation;
      std::printf("%s %.3f %.3f %.3f, %llu voxels, %llu erased, %.1f MB\n", path.filename().string().c_str(), at[0],
                  at[1], at[2], map.last().kept, map.report().erased_voxels, static_cast<double>(map.bytes()) / 1e6);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
