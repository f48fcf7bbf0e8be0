/// @file
/// Views of points that are Eigen's: vectors of Vector3f or Vector4d, and matrices with a point in each column or row.
#pragma once

#include <farpoint/core/points.hpp>

#include <Eigen/Core>

FARPOINT_BEGIN_NAMESPACE

/// A fixed-size column or row of 2 or 3 coordinates: `view_points(std::vector<Eigen::Vector3f>)`, with any allocator.
/// One of 4 holds homogeneous coordinates, as registration code keeps them: x, y and z are read, w is not.
template <class Coord, int Rows, int Cols, int Options, int MaxRows, int MaxCols>
struct point_layout<
    Eigen::Matrix<Coord, Rows, Cols, Options, MaxRows, MaxCols>,
    std::enable_if_t<detail::is_coord<Coord> && (Rows == 1 || Cols == 1) && Rows * Cols >= 2 && Rows * Cols <= 4>>
    : detail::packed_layout<Coord, std::size_t{Rows * Cols < 3 ? Rows * Cols : 3}> {};

/// The columns of a matrix of 2 or 3 rows: Matrix3Xf, a Map of it, a block of its columns. The matrix outlives the
/// view; a temporary that owns its memory is refused.
template <class Derived>
auto view_columns(Eigen::DenseBase<Derived> const& matrix) noexcept {
  using coord = typename Derived::Scalar;
  constexpr int dim = Derived::RowsAtCompileTime;
  static_assert(dim == 2 || dim == 3,
                "farpoint: points in columns need a matrix of 2 or 3 rows, fixed at compile time");
  auto const& points = matrix.derived();
  std::array<int, std::size_t{dim}> offsets{};
  for (int axis = 0; axis < dim; ++axis) {
    offsets[static_cast<std::size_t>(axis)] = static_cast<int>(points.rowStride()) * axis * int{sizeof(coord)};
  }
  return point_view<coord, dim>{points.data(), static_cast<index_t>(points.cols()),
                                static_cast<index_t>(points.colStride()) * index_t{sizeof(coord)}, offsets};
}
template <class Derived>
void view_columns(Eigen::PlainObjectBase<Derived> const&&) = delete;

/// The rows of a matrix of 2 or 3 columns: MatrixX3f, row-major or column-major, a Map of it, a block of its rows. The
/// matrix outlives the view; a temporary that owns its memory is refused.
/// @pre a column-major matrix is smaller than 1 GiB: offsets within a point are 32-bit
template <class Derived>
auto view_rows(Eigen::DenseBase<Derived> const& matrix) noexcept {
  return view_columns(matrix.derived().transpose());
}
template <class Derived>
void view_rows(Eigen::PlainObjectBase<Derived> const&&) = delete;

FARPOINT_END_NAMESPACE
