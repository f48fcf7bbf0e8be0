/// @file
/// Writes a row of the outputs, by a few lanes together.
#pragma once

#include <farpoint/detail/voxelize/feature_parts.hpp>
#include <farpoint/detail/voxelize/views.cuh>
#include <farpoint/detail/voxelize/voxel_mean.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// View of everything that a row is written from and to.
template <class Points>
struct row_view {
  using scalar = typename Points::scalar;

  voxel_input<Points> input;
  cloud_rows rows;
  feature_view features;
  index_t max_points;  ///< maximum number of points that a voxel keeps
  voxel_points kept_points;
  std::uint64_t seed;  ///< seed of voxel_points::random_subset
  voxelize_output<scalar> output;

  /// Number of points that a voxel of `count` points keeps.
  __device__ std::uint32_t kept(std::uint32_t count) const noexcept {
    return max_points < index_t{count} ? static_cast<std::uint32_t>(max_points) : count;
  }
};

/// Cell of a voxel in its cloud's grid.
struct voxel_cell {
  std::uint32_t cloud;
  std::uint32_t x;
  std::uint32_t y;
  std::uint32_t z;

  /// Cell of the i-th entry of `cells`.
  template <class Points>
  __device__ voxel_cell(voxel_input<Points> const& input, voxel_frame const& frame, voxel_cells const& cells,
                        std::uint32_t i) noexcept {
    bool const is_one_cloud = input.clouds.size() == 1;
    if (cells.keys != nullptr) {
      // Divided in 32 bits, as bitmaps have keys of 32 bits: a 64-bit division takes as long as the rest of a row.
      std::uint32_t const key = cells.keys[i];
      auto const dim_x = static_cast<std::uint32_t>(input.grid.dims[0]);
      auto const dim_y = static_cast<std::uint32_t>(input.grid.dims[1]);
      auto const size = static_cast<std::uint32_t>(input.cells);
      cloud = is_one_cloud ? 0 : key / size;
      std::uint32_t const cell = key - cloud * size;
      std::uint32_t const line = cell / dim_x;
      x = cell - line * dim_x;
      z = line / dim_y;
      y = line - z * dim_y;
    } else {
      index_t const point = frame.begin + cells.first_points[i];
      vec<std::int32_t> voxel{};
      voxel_of(input.grid, input.clouds.points()[point], voxel);
      cloud = is_one_cloud ? 0 : static_cast<std::uint32_t>(input.clouds.cloud_of(static_cast<std::uint32_t>(point)));
      x = static_cast<std::uint32_t>(voxel[0]);
      y = static_cast<std::uint32_t>(voxel[1]);
      z = static_cast<std::uint32_t>(voxel[2]);
    }
  }

  __device__ std::int32_t column(voxel_columns columns, int i) const noexcept {
    int const axis = axis_of_column(columns, i);
    return static_cast<std::int32_t>(axis < 0 ? cloud : axis == 0 ? x : axis == 1 ? y : z);
  }
};

/// Cloud of the i-th entry of `cells`, of several clouds.
template <class Points>
__device__ inline index_t cloud_of(voxel_input<Points> const& input, voxel_frame const& frame, voxel_cells const& cells,
                                   std::uint32_t i) noexcept {
  if (cells.keys != nullptr) return cells.keys[i] / static_cast<std::uint32_t>(input.cells);
  return input.clouds.cloud_of(static_cast<std::uint32_t>(frame.begin + cells.first_points[i]));
}

/// Lanes that write a row; each takes every size-th column.
struct row_lanes {
  int lane;
  int size;
};

/// Writes a row's coordinates and number of points, by one thread.
/// @param i  index of the row's voxel in `cells`
template <class Points>
__device__ inline void write_voxel(row_view<Points> const& view, voxel_frame const& frame, std::uint32_t row,
                                   voxel_cells const& cells, std::uint32_t i, std::uint32_t kept) noexcept {
  auto const& output = view.output;
  if (!output.points_per_voxel.empty()) output.points_per_voxel.set(row, kept);
  if (output.coords.empty()) return;
  voxel_cell const cell{view.input, frame, cells, i};
  int const columns = column_count(output.columns);
  std::int32_t* const coords = output.coords.data() + index_t{row} * columns;
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    if (c < columns) coords[c] = cell.column(output.columns, c);
  }
}

/// True if the mean of float features is the only output made of features, as detectors use it, and the distance of two
/// points' features is one multiplication.
template <class Points>
__device__ inline bool wants_plain_means(row_view<Points> const& view) noexcept {
  auto const& output = view.output;
  return !output.mean.empty() && output.mean.type() == feature_type::float32 && output.max.empty() &&
         output.first.empty() && output.gathered.empty() && output.centroid.empty() && view.features.is_plain() &&
         static_cast<std::uint64_t>(view.features.stride()) <= 0xffffffffu;
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

/// Writer of plain means. It needs a fraction of the instructions, which bound the kernels for few points.
template <class Points>
class plain_means {
 public:
  __device__ plain_means(row_view<Points> const& view, voxel_frame const& frame, row_lanes lanes) noexcept
      : features_{view.features},
        records_{features_.base() + frame.begin * features_.stride()},
        means_{static_cast<float*>(view.output.mean.data())},
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
__device__ inline void write_features(Parts const& output, row_view<Points> const& view, voxel_frame const& frame,
                                      row_lanes lanes, std::uint32_t row, std::uint32_t const* kept,
                                      std::uint32_t count) noexcept {
  feature_view const& features = view.features;
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
    index_t const most = view.max_points;
    for (index_t k = 0; k < most; ++k) {
      Working const value = k < count ? column.template get<Working>(frame.begin + kept[k]) : Working{0};
      output.gathered.set((row * most + k) * columns + f, value);
    }
  }
}

/// Mean of the kept points' coordinates.
template <class Points>
__device__ inline void write_centroid(row_view<Points> const& view, voxel_frame const& frame, row_lanes lanes,
                                      std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  using scalar = typename Points::scalar;
  if (view.output.centroid.empty() || lanes.lane >= 3) return;
  scalar sum = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    auto const point = view.input.clouds.points()[frame.begin + kept[k]];
    sum = add_rn(sum, lanes.lane == 0 ? point[0] : lanes.lane == 1 ? point[1] : point[2]);
  }
  view.output.centroid[static_cast<std::size_t>(row) * 3 + static_cast<std::size_t>(lanes.lane)] =
      voxel_mean(sum, count);
}

/// Writes all of a row that depends on its points.
/// @tparam WithDoubles  writes outputs of features that are computed as doubles, too: they take many registers
template <bool WithDoubles, class Points>
__device__ inline void write_points(row_view<Points> const& view, voxel_frame const& frame, row_lanes lanes,
                                    std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  if (wants_plain_means(view)) {
    plain_means<Points>{view, frame, lanes}(row, count, counted_points{kept, count});
    return;
  }
  using scalar = typename Points::scalar;
  if constexpr (WithDoubles) {
    voxel_feature_parts<float, scalar> const floats{view.output};
    write_features<float>(floats, view, frame, lanes, row, kept, count);
    voxel_feature_parts<double, scalar> const doubles{view.output};
    write_features<double>(doubles, view, frame, lanes, row, kept, count);
  } else {
    write_features<float>(narrow_feature_parts<scalar>{view.output}, view, frame, lanes, row, kept, count);
  }
  write_centroid(view, frame, lanes, row, kept, count);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
