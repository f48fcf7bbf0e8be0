// A problem for voxelize() in plain memory, and its answer, so that one test body serves every backend.
#pragma once

#include <farpoint/reference/voxelize.hpp>

#include <memory>

#include "../support/answers.hpp"
#include "../support/clouds.hpp"
#include "../support/host_array.hpp"
#include "../support/records.hpp"
#include "voxelize_parts.hpp"

namespace farpoint_tests {

inline constexpr unsigned feature_parts = bit(part::gathered) | bit(part::mean) | bit(part::max) | bit(part::first);

/// Memory layout of features.
struct feature_format {
  std::vector<int> offsets{};  ///< bytes into a record
  index_t stride = 0;          ///< bytes per feature record; 0: features are in the records of the coordinates
  std::size_t shift = 0;       ///< bytes between an aligned address and the first feature record
  bool half = false;           ///< float16
  /// Type of each feature, which replaces `half`; empty: `half` decides.
  std::vector<farpoint::feature_type> types{};

  farpoint::feature_type type_of(std::size_t f) const {
    if (!types.empty()) return types[f];
    return half ? farpoint::feature_type::float16 : farpoint::feature_type::float32;
  }
};

inline feature_format packed_features(int count, bool half = false) {
  feature_format format;
  int const size = half ? 2 : 4;
  for (int f = 0; f < count; ++f) format.offsets.push_back(f * size);
  format.stride = size * count;
  format.half = half;
  return format;
}

/// Makes packed features of all types, most of which are unaligned.
inline feature_format mixed_features(int count) {
  using farpoint::feature_type;
  constexpr feature_type types[] = {feature_type::float32, feature_type::uint8,   feature_type::float64,
                                    feature_type::uint16,  feature_type::float16, feature_type::int8,
                                    feature_type::int16,   feature_type::int32,   feature_type::uint32,
                                    feature_type::int64,   feature_type::uint64};
  feature_format format;
  for (int f = 0; f < count; ++f) {
    format.types.push_back(types[f % 11]);
    format.offsets.push_back(static_cast<int>(format.stride));
    format.stride += farpoint::detail::size_of(types[f % 11]);
  }
  return format;
}

/// Returns a value as of a sensor, or, if `odd`, a hostile one: many scales, signed zeros, infinities, several NaNs.
inline float make_feature(random_source& random, bool odd) {
  float const value = random.uniform() * 256 - 40;  // an exact product, so that fused multiply-add changes nothing
  if (!odd) return value;
  std::uint32_t const words[] = {0x7fc00000u, 0xffc00000u, 0x7fc12000u, 0x7f800000u,
                                 0xff800000u, 0x80000000u, 0x00000000u, 0x00000001u};
  float special;
  std::memcpy(&special, &words[random.below(8)], sizeof special);
  switch (random.below(4)) {
    case 0: return special;
    case 1: return std::ldexp(value, static_cast<int>(random.below(200)) - 100);
    default: return value;
  }
}

/// Clouds in memory, and the parameters and outputs of a call.
template <class Coord>
struct voxelize_problem {
  using coord = Coord;
  using view = farpoint::point_view<Coord>;
  using scalar = typename view::scalar;

  std::vector<unsigned char> memory;
  record_format format;
  std::vector<unsigned char> feature_memory;
  feature_format features;
  index_t points = 0;
  index_t clouds = 1;
  std::vector<index_t> offsets;  ///< empty: a regular batch
  index_t largest = -1;          ///< upper bound on the points of a cloud of a ragged batch; -1: none

  farpoint::voxel_grid<scalar> grid;
  farpoint::voxel_mode mode = farpoint::dynamic{};
  farpoint::voxel_order order = farpoint::voxel_order::first_occurrence;
  farpoint::voxel_points kept = farpoint::voxel_points::first;
  std::uint64_t seed = 0;
  std::uint64_t hash_seed = 0;

  index_t capacity = 0;
  farpoint::voxel_columns columns = farpoint::voxel_columns::xyz;
  unsigned wanted = all_parts;
  bool wide = false;           ///< 64-bit indices
  bool float_counts = false;   ///< points_per_voxel as floats
  bool half_out = false;       ///< output features as float16
  bool double_out = false;     ///< output features as double; only for points in double
  std::size_t one_short = 99;  ///< part whose array is one element too small

  voxelize_problem() = default;
  voxelize_problem(xyz_cloud const& cloud, farpoint::voxel_grid<scalar> const& grid_, farpoint::voxel_mode mode_,
                   feature_format const& features_ = packed_features(2), record_format const& format_ = {},
                   bool odd_features = false)
      : format{format_}, features{features_}, grid{grid_}, mode{mode_} {
    if (format.stride == 0) {
      format.stride = 3 * index_t{sizeof(Coord)};
      for (std::size_t axis = 0; axis < 3; ++axis) format.offsets[axis] = static_cast<int>(axis * sizeof(Coord));
    }
    points = static_cast<index_t>(cloud.size());
    capacity = points;
    memory.assign(format.shift + cloud.size() * static_cast<std::size_t>(format.stride) + 64, 0xee);
    feature_memory.assign(features.shift + cloud.size() * static_cast<std::size_t>(features.stride) + 64, 0xee);
    random_source random{cloud.size()};
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      std::size_t const place = format.reversed ? cloud.size() - 1 - i : i;
      unsigned char* const record = &memory[format.shift + place * static_cast<std::size_t>(format.stride)];
      unsigned char* const own = &feature_memory[features.shift + i * static_cast<std::size_t>(features.stride)];
      for (std::size_t f = 0; f < features.offsets.size(); ++f) {
        float const value = make_feature(random, odd_features);
        put((features.stride == 0 ? record : own) + features.offsets[f], features.type_of(f), value);
      }
      // Coordinates are stored last, because features may share their bytes.
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Coord const value = to_coord<Coord>(cloud[i][axis]);
        std::memcpy(record + format.offsets[axis], &value, sizeof value);
      }
    }
  }

  /// Returns the clouds in a copy of the problem: `memory` at `base`, the offsets at `offset_array`.
  farpoint::batch<view> clouds_at(unsigned char const* base, index_t const* offset_array) const {
    view const all{first_record(base), points, record_stride(), format.offsets};
    if (offsets.empty()) return farpoint::batch<view>::regular(all, clouds);
    return farpoint::batch<view>::ragged(all, {offset_array, offsets.size()}, largest);
  }
  index_t cloud_count() const { return offsets.empty() ? clouds : static_cast<index_t>(offsets.size()) - 1; }
  index_t feature_count() const { return static_cast<index_t>(features.offsets.size()); }

  /// Returns the parameters for a copy of the problem: `memory` at `base`, `feature_memory` at `own`.
  farpoint::voxelize_params<scalar> params_at(unsigned char const* base, unsigned char const* own) const {
    farpoint::voxelize_params<scalar> params;
    params.grid = grid;
    params.mode = mode;
    params.order = order;
    params.points = kept;
    params.seed = seed;
    params.hash_seed = hash_seed;
    bool const inside = features.stride == 0;
    unsigned char const* const start = inside ? first_record(base) : own + features.shift;
    index_t const stride = inside ? record_stride() : features.stride;
    std::vector<farpoint::feature_type> types;
    for (std::size_t f = 0; f < features.offsets.size(); ++f) types.push_back(features.type_of(f));
    params.features = farpoint::feature_view::fields(start, points, stride, features.offsets.data(), types.data(),
                                                     static_cast<int>(types.size()));
    return params;
  }

  /// Returns the size of one element of a part, in bytes.
  std::size_t element_bytes(std::size_t which) const {
    if (which == part::coords) return 4;
    if (which == part::centroid) return sizeof(scalar);
    if (which == part::report) return sizeof(farpoint::voxelize_report);
    if ((1u << which & feature_parts) != 0) return double_out ? 8 : half_out ? 2 : 4;
    if (which == part::points_per_voxel && float_counts) return 4;
    return wide ? 8 : 4;
  }
  /// Returns the size of a part's array in bytes; 0 if the part is not requested.
  std::size_t part_bytes(std::size_t which) const {
    bool const impossible = which == part::gathered && mode.is_dynamic();
    if ((wanted >> which & 1u) == 0 || impossible) return 0;
    index_t const rows = std::max<index_t>(capacity, 0);
    index_t elements = 1;
    switch (which) {
      case part::coords: elements = rows * farpoint::column_count(columns); break;
      case part::points_per_voxel: elements = rows; break;
      case part::gathered: elements = rows * mode.max_points * feature_count(); break;
      case part::mean:
      case part::max:
      case part::first: elements = rows * feature_count(); break;
      case part::centroid: elements = rows * 3; break;
      case part::list_offsets: elements = rows + 1; break;
      case part::list_points:
      case part::point_voxel: elements = std::max<index_t>(points, 0); break;
      case part::voxel_offsets: elements = cloud_count() + 1; break;
      default: break;
    }
    if (which == one_short) --elements;
    return static_cast<std::size_t>(elements) * element_bytes(which);
  }

  /// Returns the output whose parts' arrays are at the addresses `at`.
  farpoint::voxelize_output<scalar> output_at(std::array<unsigned char*, part::count> const& at) const {
    farpoint::voxelize_output<scalar> output;
    output.capacity = capacity;
    output.columns = columns;
    output.coords = elements_at<std::int32_t>(at, part::coords);
    output.points_per_voxel = counts_at(at);
    output.gathered = features_at(at, part::gathered);
    output.mean = features_at(at, part::mean);
    output.max = features_at(at, part::max);
    output.first = features_at(at, part::first);
    output.centroid = elements_at<scalar>(at, part::centroid);
    output.list_offsets = indices_at(at, part::list_offsets);
    output.list_points = indices_at(at, part::list_points);
    output.point_voxel = indices_at(at, part::point_voxel);
    output.voxel_count = indices_at(at, part::voxel_count);
    output.voxel_offsets = indices_at(at, part::voxel_offsets);
    if (part_bytes(part::report) != 0) output.report = reinterpret_cast<farpoint::voxelize_report*>(at[part::report]);
    return output;
  }

 private:
  /// Stores a feature. Integers get the bits of the float, and 64-bit integers get them twice.
  static void put(unsigned char* at, farpoint::feature_type type, float value) {
    farpoint::float16 const narrow = farpoint::to_float16(value);
    double const wide = double{value} * (1 + 0x1p-26);
    switch (type) {
      case farpoint::feature_type::float16: std::memcpy(at, &narrow, sizeof narrow); break;
      case farpoint::feature_type::float64: std::memcpy(at, &wide, sizeof wide); break;
      case farpoint::feature_type::int64:
      case farpoint::feature_type::uint64:
        std::memcpy(at, &value, sizeof value);
        std::memcpy(at + sizeof value, &value, sizeof value);
        break;
      default: std::memcpy(at, &value, static_cast<std::size_t>(farpoint::detail::size_of(type)));
    }
  }
  index_t record_stride() const { return format.reversed ? -format.stride : format.stride; }
  unsigned char const* first_record(unsigned char const* base) const {
    return base + format.shift + (format.reversed && points > 0 ? (points - 1) * format.stride : 0);
  }

  template <class T>
  farpoint::span<T> elements_at(std::array<unsigned char*, part::count> const& at, part::name which) const {
    std::size_t const size = part_bytes(which) / sizeof(T);
    return {size == 0 ? nullptr : reinterpret_cast<T*>(at[which]), size};
  }
  farpoint::index_span indices_at(std::array<unsigned char*, part::count> const& at, part::name which) const {
    if (wide) return elements_at<std::int64_t>(at, which);
    return elements_at<std::int32_t>(at, which);
  }
  farpoint::count_span counts_at(std::array<unsigned char*, part::count> const& at) const {
    if (float_counts) return elements_at<float>(at, part::points_per_voxel);
    if (wide) return elements_at<std::int64_t>(at, part::points_per_voxel);
    return elements_at<std::int32_t>(at, part::points_per_voxel);
  }
  farpoint::basic_feature_span<scalar> features_at(std::array<unsigned char*, part::count> const& at,
                                                   part::name which) const {
    if constexpr (std::is_same_v<scalar, double>) {
      if (double_out) return elements_at<double>(at, which);
    }
    if (half_out) return elements_at<farpoint::float16>(at, which);
    return elements_at<float>(at, which);
  }
};

/// All bytes of all parts. Bytes beyond the written voxels must keep the poison.
struct voxelize_answer {
  farpoint::result outcome{};
  std::array<std::vector<unsigned char>, part::count> parts{};
  std::array<std::size_t, part::count> element_bytes{};

  template <class T>
  std::vector<T> as(part::name which) const {
    std::vector<T> values(parts[which].size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), parts[which].data(), values.size() * sizeof(T));
    return values;
  }
  std::vector<index_t> indices(part::name which) const {
    if (element_bytes[which] == 8) return as<index_t>(which);
    auto const narrow = as<std::int32_t>(which);
    return {narrow.begin(), narrow.end()};
  }
  farpoint::voxelize_report report() const { return as<farpoint::voxelize_report>(part::report).at(0); }
};

inline bool same_answer(voxelize_answer const& a, voxelize_answer const& b) {
  return a.outcome.code == b.outcome.code && a.parts == b.parts;
}

/// Describes the differences between two answers.
inline std::string difference(voxelize_answer const& a, voxelize_answer const& b) {
  if (a.outcome.code != b.outcome.code) return std::string{"outcome: "} + a.outcome.reason + " / " + b.outcome.reason;
  std::string text;
  for (std::size_t which = 0; which < part::count; ++which) {
    auto const& x = a.parts[which];
    auto const& y = b.parts[which];
    if (x == y) continue;
    auto const parting = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
    auto const byte = static_cast<std::size_t>(parting.first - x.begin());
    std::size_t const element = a.element_bytes[which];
    text += std::string{part::names[which]} + "[" + std::to_string(byte / element) + "], byte " +
            std::to_string(byte % element) + "; ";
  }
  return text.empty() ? "equal" : text;
}

/// Collects the answer from the parts in host or device memory. A write out of bounds makes the outcome a failure.
template <class Problem, class Parts>
voxelize_answer answer_of(Problem const& problem, Parts const& parts, farpoint::result const& outcome) {
  voxelize_answer answer;
  answer.outcome = outcome;
  for (std::size_t which = 0; which < part::count; ++which) {
    if (!(outcome ? parts[which]->intact() : parts[which]->untouched())) {
      answer.outcome = memory_was_written;
    }
    answer.parts[which] = parts[which]->download();
    answer.element_bytes[which] = problem.element_bytes(which);
  }
  return answer;
}

/// Runs `call(clouds, params, output)` on host memory with guards, and collects the answer.
template <class Problem, class Call>
voxelize_answer collect_voxels(Problem const& problem, Call const& call) {
  std::vector<std::unique_ptr<host_array<unsigned char>>> memory;
  std::array<unsigned char*, part::count> at{};
  for (std::size_t which = 0; which < part::count; ++which) {
    memory.push_back(std::make_unique<host_array<unsigned char>>(problem.part_bytes(which)));
    at[which] = memory.back()->data();
  }
  auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
  auto const params = problem.params_at(problem.memory.data(), problem.feature_memory.data());
  farpoint::result const outcome = call(clouds, params, problem.output_at(at));
  return answer_of(problem, memory, outcome);
}

/// Returns the answer of the reference.
template <class Problem>
voxelize_answer reference_voxels(Problem const& problem) {
  return collect_voxels(problem, [](auto const& clouds, auto const& params, auto const& output) {
    return farpoint::reference::voxelize(clouds, params, output);
  });
}

/// Returns a grid with `count` voxels per axis over most of the cloud's finite points; some points are outside.
template <class Scalar>
farpoint::voxel_grid<Scalar> fitted_grid(xyz_cloud const& cloud, std::array<std::int32_t, 3> const& count) {
  farpoint::voxel_grid<Scalar> grid;
  for (int axis = 0; axis < 3; ++axis) {
    auto const place = static_cast<std::size_t>(axis);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (auto const& p : cloud) {
      if (!std::isfinite(p[place])) continue;
      low = std::min(low, p[place]);
      high = std::max(high, p[place]);
    }
    double const step = (high - low) / count[place] * 0.9375;
    double const origin = low + step / 4;
    bool const usable = step > 1e-30 && step < 1e37 && std::fabs(origin) < 1e38;
    grid.origin[axis] = usable ? static_cast<Scalar>(origin) : Scalar(-1);
    grid.size[axis] = usable ? static_cast<Scalar>(step) : Scalar(0.75);
    grid.dims[axis] = count[place];
  }
  return grid;
}

}  // namespace farpoint_tests
