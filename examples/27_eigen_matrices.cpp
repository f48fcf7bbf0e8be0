// Points that are Eigen's: a transform moves a map, and scans are sampled and searched where they lie. Nothing is
// converted or copied.
#include <farpoint/interop/eigen.hpp>
#include <farpoint/knn.hpp>

#include <Eigen/Geometry>

#include <cstdio>

int main() {
  // A point in each column, as Eigen's transforms take them; or in each row, as numpy's users write them.
  Eigen::Matrix3Xf const map = Eigen::Matrix3Xf::Random(3, 2000) * 10;
  Eigen::Isometry3f motion{Eigen::Translation3f{0.01f, -0.02f, 0.005f}};
  motion.rotate(Eigen::AngleAxisf{0.001f, Eigen::Vector3f::UnitZ()});
  Eigen::MatrixX3f const scan = (motion * map.leftCols(500)).transpose();

  //! [view]
  farpoint::batch const points{farpoint::view_columns(map)};
  farpoint::batch const queries{farpoint::view_rows(scan)};
  farpoint::batch const ahead{farpoint::view_columns(map.leftCols(1000))};  // a block, a Map: views of Eigen's, too
  //! [view]

  constexpr farpoint::index_t k = 1;
  farpoint::host_exec const exec{};
  std::vector<std::int32_t> nearest(500);
  farpoint::host_scratch workspace{knn_workspace_bytes(exec, points, queries, {k})};
  if (!knn(exec, points, queries, {k}, {nearest}, workspace)) return 1;
  std::vector<std::int32_t> among_ahead(500);
  if (!workspace.reserve(knn_workspace_bytes(exec, ahead, queries, {k}))) return 1;
  if (!knn(exec, ahead, queries, {k}, {among_ahead}, workspace)) return 1;

  // The motion is centimeters, the spacing of points a meter: nearly all points are their own nearest neighbor.
  int same = 0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    Eigen::Index found = 0;
    (map.colwise() - scan.row(static_cast<Eigen::Index>(i)).transpose()).colwise().squaredNorm().minCoeff(&found);
    if (found != nearest[i]) return 1;
    if (nearest[i] < 1000 && among_ahead[i] != nearest[i]) return 1;
    same += nearest[i] == static_cast<std::int32_t>(i) ? 1 : 0;
  }
  std::printf("%d of %zu points of a scan lie nearest to where they were\n", same, nearest.size());
  return same > 490 ? 0 : 1;
}
