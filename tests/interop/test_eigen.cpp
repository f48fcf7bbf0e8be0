#include "../support/catch.hpp"

#include <farpoint/interop/eigen.hpp>

#include <Eigen/Core>
#include <Eigen/StdVector>
#include <deque>

using farpoint::index_t;

namespace {

/// Checks that there are `size` points and that point i is (i, -i, i / 2).
template <class Points>
void check_points(Points const& points, index_t size) {
  REQUIRE(points.size() == size);
  for (index_t i = 0; i < size; ++i) {
    auto const value = static_cast<typename Points::scalar>(i);
    auto const point = points[i];
    CHECK(point[0] == value);
    CHECK(point[1] == -value);
    if constexpr (Points::dim > 2) CHECK(point[2] == value / 2);
  }
}

template <class Vector, class Allocator = std::allocator<Vector>>
void check_vectors() {
  std::vector<Vector, Allocator> vectors(9);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    auto const value = static_cast<typename Vector::Scalar>(i);
    vectors[i].setConstant(1);
    vectors[i][0] = value;
    vectors[i][1] = -value;
    if (Vector::SizeAtCompileTime > 2) vectors[i][Vector::SizeAtCompileTime > 2 ? 2 : 0] = value / 2;
  }
  check_points(farpoint::view_points(vectors), 9);
}

template <class Matrix>
Matrix in_columns() {
  Matrix points(3, 7);
  for (int i = 0; i < 7; ++i) {
    auto const value = static_cast<typename Matrix::Scalar>(i);
    points.col(i) << value, -value, value / 2;
  }
  return points;
}

template <class Matrix, class = void>
constexpr bool has_views = false;
template <class Matrix>
constexpr bool has_views<Matrix, std::void_t<decltype(farpoint::view_columns(std::declval<Matrix>())),
                                             decltype(farpoint::view_rows(std::declval<Matrix>()))>> = true;

}  // namespace

TEST_CASE("Eigen: a temporary is viewed if it does not own its points", "[interop]") {
  CHECK(has_views<Eigen::Matrix3f&>);
  CHECK(has_views<Eigen::Matrix3f const&>);
  CHECK_FALSE(has_views<Eigen::Matrix3f>);
  CHECK_FALSE(has_views<Eigen::Matrix3f const>);
  CHECK(has_views<Eigen::Map<Eigen::Matrix3f const>>);
  CHECK(has_views<Eigen::Block<Eigen::Matrix3f const, 3, 3>>);
}

TEST_CASE("Eigen: vectors of points, aligned or not, homogeneous or not", "[interop]") {
  check_vectors<Eigen::Vector3f>();
  check_vectors<Eigen::Vector3d>();
  check_vectors<Eigen::RowVector3f>();
  check_vectors<Eigen::Vector2f>();
  check_vectors<Eigen::Vector4f, Eigen::aligned_allocator<Eigen::Vector4f>>();
  check_vectors<Eigen::Vector4d, Eigen::aligned_allocator<Eigen::Vector4d>>();
  static_assert(decltype(farpoint::view_points(std::declval<std::vector<Eigen::Vector4d> const&>()))::dim == 3);
}

TEST_CASE("Eigen: a point in each column", "[interop]") {
  auto const points = in_columns<Eigen::Matrix3Xf>();
  check_points(farpoint::view_columns(points), 7);
  check_points(farpoint::view_columns(points.leftCols(4)), 4);
  check_points(farpoint::view_columns(points.topRows<2>()), 7);
  auto const by_rows = in_columns<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>();
  check_points(farpoint::view_columns(by_rows), 7);
  Eigen::Map<Eigen::Matrix3Xf const> const mapped{points.data(), 3, 7};
  check_points(farpoint::view_columns(mapped), 7);
}

TEST_CASE("Eigen: a point in each row", "[interop]") {
  Eigen::MatrixX3f const points = in_columns<Eigen::Matrix3Xf>().transpose();
  check_points(farpoint::view_rows(points), 7);
  check_points(farpoint::view_rows(points.topRows(3)), 3);
  Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> const packed = points;
  check_points(farpoint::view_rows(packed), 7);
}
