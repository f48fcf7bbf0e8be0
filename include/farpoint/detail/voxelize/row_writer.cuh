/// @file
/// Writes a row of the outputs, by a few lanes together.
#pragma once

#include <farpoint/detail/voxelize/feature_parts.hpp>
#include <farpoint/detail/voxelize/kernel_args.cuh>
#include <farpoint/detail/voxelize/voxel_mean.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Most points of a voxel that eight lanes write: they do not choose among more than they hold.
template <class Points>
__device__ inline std::uint32_t most_small_points(voxelize_args<Points> const& args) noexcept {
  bool const draws = args.params.points == voxel_points::random_subset;
  return draws ? static_cast<std::uint32_t>(smaller(args.params.mode.max_points, index_t{voxel_small})) : voxel_small;
}

template <class Points>
__device__ inline std::uint32_t kept_of(voxelize_args<Points> const& args, std::uint32_t count) noexcept {
  return args.params.mode.max_points < index_t{count} ? static_cast<std::uint32_t>(args.params.mode.max_points) : count;
}

/// Cloud of a voxel; of select.
template <class Key, class Points>
__device__ inline index_t cloud_of_voxel(voxelize_args<Points> const& args, voxel_frame const& frame,
                                         std::uint32_t voxel) noexcept {
  Key const key = static_cast<Key const*>(args.voxel_keys)[voxel];
  if (args.ranked) return static_cast<index_t>(key / static_cast<Key>(args.cells));
  return args.clouds.cloud_of(static_cast<std::uint32_t>(frame.begin + static_cast<index_t>(key)));
}

/// Row of a voxel, or voxel_none if it is dropped; of select.
template <class Key, class Points>
__device__ inline std::uint32_t row_of(voxelize_args<Points> const& args, voxel_frame const& frame,
                                       std::uint32_t voxel) noexcept {
  if (args.clouds.size() == 1) return voxel < args.state->rows ? voxel : voxel_none;
  index_t const cloud = cloud_of_voxel<Key>(args, frame, voxel);
  std::uint32_t const place = voxel - args.cloud_begin[cloud];
  std::uint64_t const row = std::uint64_t{args.cloud_row[cloud]} + place;
  return index_t{place} < args.params.mode.max_voxels && row < args.row_limit ? static_cast<std::uint32_t>(row)
                                                                              : voxel_none;
}

/// Cell of a voxel in its cloud's grid.
template <class Key>
struct voxel_cell {
  Key cloud;
  Key x;
  Key y;
  Key z;

  __device__ voxel_cell(index_t cloud_, vec<std::int32_t> const& cell) noexcept
      : cloud{static_cast<Key>(cloud_)},
        x{static_cast<Key>(cell[0])},
        y{static_cast<Key>(cell[1])},
        z{static_cast<Key>(cell[2])} {}
  template <class Points>
  __device__ voxel_cell(voxelize_args<Points> const& args, Key key) noexcept {
    // In 32 bits where the keys are: a 64-bit division takes as long as the rest of a row.
    auto const dim_x = static_cast<Key>(args.params.grid.dims[0]);
    auto const dim_y = static_cast<Key>(args.params.grid.dims[1]);
    auto const cells = static_cast<Key>(args.cells);
    cloud = args.clouds.size() == 1 ? 0 : key / cells;
    Key const cell = key - cloud * cells;
    Key const line = cell / dim_x;
    x = cell - line * dim_x;
    z = line / dim_y;
    y = line - z * dim_y;
  }

  __device__ std::int32_t column(voxel_columns columns, int i) const noexcept {
    int const axis = axis_of_column(columns, i);
    return static_cast<std::int32_t>(axis < 0 ? cloud : axis == 0 ? x : axis == 1 ? y : z);
  }
};

/// The lanes that write a row; each takes every size-th column.
struct row_lanes {
  int lane;
  int size;
};

/// Writes a row's coordinates and number of points, by one thread.
template <class Key, class Points>
__device__ inline void write_voxel(voxelize_args<Points> const& args, std::uint32_t row, voxel_cell<Key> const& cell,
                                   std::uint32_t kept) noexcept {
  auto const& output = args.output;
  if (!output.points_per_voxel.empty()) output.points_per_voxel.set(row, kept);
  if (output.coords.empty()) return;
  int const columns = column_count(output.columns);
  std::int32_t* const place = output.coords.data() + index_t{row} * columns;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i < columns) place[i] = cell.column(output.columns, i);
  }
}

/// True if the mean of float features is the only output made of features, as detectors use it, and the distance of two
/// points' features is one multiplication.
template <class Points>
__device__ inline bool wants_plain_means(voxelize_args<Points> const& args) noexcept {
  auto const& output = args.output;
  return !output.mean.empty() && output.mean.type() == feature_type::float32 && output.max.empty() &&
         output.first.empty() && output.gathered.empty() && output.centroid.empty() &&
         args.params.features.is_plain() && static_cast<std::uint64_t>(args.params.features.stride()) <= 0xffffffffu;
}

/// Points of a row in shared memory whose begin and end are multiples of 16 bytes.
struct padded_points {
  std::uint32_t const* first;

  __device__ void operator()(std::uint32_t k, std::uint32_t (&four)[4]) const noexcept {
    uint4 const all = *reinterpret_cast<uint4 const*>(first + k);
    four[0] = all.x;
    four[1] = all.y;
    four[2] = all.z;
    four[3] = all.w;
  }
};

/// Points of a row in any memory.
struct counted_points {
  std::uint32_t const* first;
  std::uint32_t count;

  __device__ void operator()(std::uint32_t k, std::uint32_t (&four)[4]) const noexcept {
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) four[j] = k + j < count ? first[k + j] : 0;
  }
};

/// Writes it in a fraction of the instructions, which bound the kernels for few points.
template <class Points>
class plain_means {
 public:
  __device__ plain_means(voxelize_args<Points> const& args, voxel_frame const& frame, row_lanes lanes) noexcept
      : features_{args.params.features},
        records_{features_.base() + frame.begin * features_.stride()},
        means_{static_cast<float*>(args.output.mean.data())},
        lanes_{lanes} {}

  /// @param kept  padded_points or counted_points, in input order
  template <class Kept>
  __device__ void operator()(std::uint32_t row, std::uint32_t count, Kept const& kept) const noexcept {
    int const columns = features_.count();
    auto const stride = static_cast<std::uint32_t>(features_.stride());
    for (int f = lanes_.lane; f < columns; f += lanes_.size) {
      unsigned char const* column = records_ + features_.offset(f);
      // One register pair: the compiler would add up its parts for every point.
      asm("" : "+l"(column));
      float sum = 0;
      for (std::uint32_t k = 0; k < count; k += 4) {
        std::uint32_t points[4];
        float values[4];
        kept(k, points);
        // The loads are on the way together. A sum is never -0, so that 0 for none changes nothing.
#pragma unroll
        for (std::uint32_t j = 0; j < 4; ++j) {
          values[j] = k + j < count ? *reinterpret_cast<float const*>(column + std::uint64_t{points[j]} * stride) : 0;
        }
#pragma unroll
        for (float const value : values) sum = add_rn(sum, value);
      }
      means_[index_t{row} * columns + f] = voxel_mean(sum, count);
    }
  }

 private:
  feature_view const& features_;
  unsigned char const* records_;
  float* means_;
  row_lanes lanes_;
};

/// Writes a row's outputs of features that are computed as `Working`, which `output` has.
/// @param kept  the points in input order, in shared or global memory
template <class Working, class Parts, class Points>
__device__ inline void write_features(Parts const& output, voxelize_args<Points> const& args, voxel_frame const& frame,
                                      row_lanes lanes, std::uint32_t row, std::uint32_t const* kept,
                                      std::uint32_t count) noexcept {
  feature_view const& features = args.params.features;
  int const columns = features.count();
  bool const reduced = output.reduces();
  for (int f = lanes.lane; reduced && f < columns; f += lanes.size) {
    auto const column = features.column(f);
    Working const first = column.template get<Working>(frame.begin + kept[0]);
    Working sum = 0;
    Working largest = first;
    // The loads of four points are in flight together; of doubles, these would not fit the registers.
    constexpr int together = std::is_same_v<Working, double> ? 1 : 4;
#pragma unroll together
    for (std::uint32_t k = 0; k < count; ++k) {
      Working const value = column.template get<Working>(frame.begin + kept[k]);
      sum = add_rn(sum, value);
      if (value > largest || largest != largest) largest = value;
    }
    index_t const at = index_t{row} * columns + f;
    if (!output.mean.empty()) output.mean.set(at, voxel_mean(sum, count));
    if (!output.max.empty()) output.max.set(at, largest);
    if (!output.first.empty()) output.first.set(at, first);
  }
  for (int f = lanes.lane; !output.gathered.empty() && f < columns; f += lanes.size) {
    auto const column = features.column(f);
    index_t const most = args.params.mode.max_points;
    for (index_t k = 0; k < most; ++k) {
      Working const value = k < count ? column.template get<Working>(frame.begin + kept[k]) : Working{0};
      output.gathered.set((row * most + k) * columns + f, value);
    }
  }
}

/// Mean of the kept points' coordinates.
template <class Points>
__device__ inline void write_centroid(voxelize_args<Points> const& args, voxel_frame const& frame, row_lanes lanes,
                                      std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  using scalar = typename Points::scalar;
  if (args.output.centroid.empty() || lanes.lane >= 3) return;
  scalar sum = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    auto const point = args.clouds.points()[frame.begin + kept[k]];
    sum = add_rn(sum, lanes.lane == 0 ? point[0] : lanes.lane == 1 ? point[1] : point[2]);
  }
  args.output.centroid[static_cast<std::size_t>(row) * 3 + static_cast<std::size_t>(lanes.lane)] =
      voxel_mean(sum, count);
}

/// Writes all of a row that depends on its points.
/// @tparam WithDoubles  writes outputs of features that are computed as doubles, too: they take many registers
template <bool WithDoubles, class Points>
__device__ inline void write_points(voxelize_args<Points> const& args, voxel_frame const& frame, row_lanes lanes,
                                    std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  if (wants_plain_means(args)) {
    plain_means<Points>{args, frame, lanes}(row, count, counted_points{kept, count});
    return;
  }
  using scalar = typename Points::scalar;
  if constexpr (WithDoubles) {
    voxel_feature_parts<float, scalar> const floats{args.output};
    write_features<float>(floats, args, frame, lanes, row, kept, count);
    voxel_feature_parts<double, scalar> const doubles{args.output};
    write_features<double>(doubles, args, frame, lanes, row, kept, count);
  } else {
    write_features<float>(narrow_feature_parts<scalar>{args.output}, args, frame, lanes, row, kept, count);
  }
  write_centroid(args, frame, lanes, row, kept, count);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
