// What farpoint answers in a file that is compiled with somebody else's flags: a shared library with one function,
// FARPOINT_ANSWERS. The clouds are made by integers only, so that they are the same with all flags.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/voxelize.hpp>

#include <cstring>

#include "answers.hpp"

namespace {

using farpoint::index_t;

/// Bits of IEEE 754.
template <class Scalar>
struct bits_of;
template <>
struct bits_of<float> {
  using word = std::uint32_t;
  static constexpr word infinity = 0x7f800000, one = 0x3f800000, exponent = 0x00800000, tiny = one - 66 * exponent;
};
template <>
struct bits_of<double> {
  using word = std::uint64_t;
  static constexpr word infinity = 0x7ff0000000000000, one = 0x3ff0000000000000, exponent = 0x0010000000000000,
                        tiny = one - 530 * exponent;
};

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Coordinates of one point in 3: one in 30 is NaN, infinite or huge; the others are of [1, 2), or from a lattice of 8
/// planes, or so small that squared distances are subnormal.
template <class Scalar>
std::vector<Scalar> make_coordinates(std::size_t points, std::uint64_t state) {
  using bits = bits_of<Scalar>;
  using word = typename bits::word;
  std::vector<Scalar> coordinates(3 * points);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    auto const kind = i / 3 * 3 / points;
    auto const random = static_cast<word>(next_random(state) >> (64 - 8 * sizeof(word)));
    word const fraction = random % bits::exponent;
    word value = bits::one | (kind == 1 ? fraction / (bits::exponent / 8) * (bits::exponent / 8) : fraction);
    if (kind == 2) value = bits::tiny | fraction;
    switch (next_random(state) % 90) {
      case 0: value = bits::infinity | 1 | fraction; break;
      case 1: value = bits::infinity | (random << (8 * sizeof(word) - 1)); break;
      case 2: value = bits::infinity - 1 - fraction; break;
      default: break;
    }
    std::memcpy(&coordinates[i], &value, sizeof value);
  }
  return coordinates;
}

/// FNV-1a over the outputs of one call.
class checksum {
 public:
  explicit checksum(farpoint::result outcome = {}) : hash_{outcome ? 1469598103934665603u : 0} {}

  template <class T>
  checksum& add(std::vector<T> const& values) {
    auto const* const data = reinterpret_cast<unsigned char const*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash_ = (hash_ ^ data[i]) * 1099511628211u;
    return *this;
  }
  std::uint64_t get() const { return hash_; }

 private:
  std::uint64_t hash_;
};

template <class Scalar>
void answer_all(answers& out, int threads) {
  constexpr index_t n = 1500;
  auto const points = make_coordinates<Scalar>(n, 1);
  auto const asked = make_coordinates<Scalar>(n, 2);
  farpoint::batch<farpoint::point_view<Scalar>> const cloud{farpoint::point_view<Scalar>{points.data(), n}};
  farpoint::batch<farpoint::point_view<Scalar>> const queries{farpoint::point_view<Scalar>{asked.data(), n}};
  farpoint::host_exec const exec{threads};
  std::vector<unsigned char> memory(16 << 20);
  auto const misfit = reinterpret_cast<std::uintptr_t>(memory.data()) % 256;
  farpoint::bytes const workspace{memory.data() + (256 - misfit), memory.size() - 256};

  // Building blocks, called in a function of the caller's flags.
  std::vector<Scalar> distances;
  std::vector<unsigned char> finite;
  for (index_t i = 0; i < n; ++i) {
    distances.push_back(farpoint::distance2(cloud.points()[i], queries.points()[i]));
    // The payload of a NaN is no part of the promise.
    if (!farpoint::is_finite(cloud.points()[i]) || !farpoint::is_finite(queries.points()[i])) distances.back() = 0;
    finite.push_back(farpoint::is_finite(cloud.points()[i]));
  }
  out.add("blocks", checksum{}.add(distances).add(finite).get());

  farpoint::fps_params sampling;
  sampling.samples = n;
  std::vector<std::int32_t> picks(n), counts(1);
  distances.assign(n, 0);
  auto const sampled =
      farpoint::fps(exec, cloud, sampling, farpoint::fps_output<Scalar>{picks, distances, counts}, workspace);
  out.add("fps", checksum{sampled}.add(picks).add(distances).add(counts).get());

  farpoint::voxelize_params<Scalar> voxels;
  voxels.grid = farpoint::voxel_grid<Scalar>{{{1, 1, 1}}, {{Scalar(0.1), Scalar(0.07), Scalar(1) / 3}}, {{10, 15, 3}}};
  farpoint::voxelize_output<Scalar> boxes;
  std::vector<std::int32_t> rows(n), coords(3 * n);
  std::vector<Scalar> centroids(3 * n);
  boxes.capacity = n;
  boxes.coords = coords;
  boxes.point_voxel = rows;
  boxes.centroid = centroids;
  // Features with NaN and infinities: a mean of these is a NaN of the same bits everywhere.
  auto const features = make_coordinates<float>(n, 3);
  voxels.features = farpoint::feature_view::packed(features.data(), n, 3);
  std::vector<float> means(3 * n), largest(3 * n);
  boxes.mean = farpoint::span<float>{means};
  boxes.max = farpoint::span<float>{largest};
  auto const voxelized = farpoint::voxelize(exec, cloud, voxels, boxes, workspace);
  out.add("voxelize", checksum{voxelized}.add(coords).add(rows).add(centroids).add(means).add(largest).get());

  std::vector<std::int32_t> neighbors(8 * n);
  distances.assign(8 * n, 0);
  auto const searched = farpoint::knn(exec, cloud, queries, farpoint::knn_params{8},
                                      farpoint::knn_output<Scalar>{neighbors, distances}, workspace);
  out.add("knn", checksum{searched}.add(neighbors).add(distances).get());

  std::vector<Scalar> normals(3 * n), curvatures(n);
  auto const estimated = farpoint::estimate_normals(exec, cloud, {}, {normals, curvatures}, workspace);
  out.add("normals", checksum{estimated}.add(normals).add(curvatures).get());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void FARPOINT_ANSWERS(answers& out, int threads) {
  answer_all<float>(out, threads);
  answer_all<double>(out, threads);
}
