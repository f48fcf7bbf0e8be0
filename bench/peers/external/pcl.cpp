/// @file
/// Nearest neighbors, normals and centroids of voxels by the Point Cloud Library on the host. Its points are floats.

#include "peers/external/host_clouds.hpp"
#include "peers/external/host_index.hpp"

#include <pcl/features/normal_3d_omp.h>
#include <pcl/filters/voxel_grid.h>
#include <pcl/kdtree/kdtree_flann.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>
#include <pcl/search/kdtree.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {
namespace {

using cloud = pcl::PointCloud<pcl::PointXYZ>;

cloud::Ptr cloud_from(float const* xyz, std::size_t points) {
  cloud::Ptr made{new cloud};
  made->reserve(points);
  for (std::size_t i = 0; i < points; ++i) made->push_back({xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]});
  return made;
}

class pcl_index final : public host_index<float> {
 public:
  pcl_index(float const* xyz, std::size_t points) { tree_.setInputCloud(cloud_from(xyz, points)); }

  void knn(float const* queries, std::size_t count, std::size_t k, std::int32_t* indices,
           float* distances) const override {
    pcl::Indices found;
    std::vector<float> squares;
    for (std::size_t i = 0; i < count; ++i) {
      tree_.nearestKSearch(query(queries + 3 * i), static_cast<int>(k), found, squares);
      std::copy(found.begin(), found.end(), indices + i * k);
      std::copy(squares.begin(), squares.end(), distances + i * k);
    }
  }

  void within(float const* queries, std::size_t count, float radius, std::int32_t* counts) const override {
    pcl::Indices found;
    std::vector<float> squares;
    for (std::size_t i = 0; i < count; ++i) {
      counts[i] = tree_.radiusSearch(query(queries + 3 * i), static_cast<double>(radius), found, squares);
    }
  }

 private:
  static pcl::PointXYZ query(float const* xyz) { return {xyz[0], xyz[1], xyz[2]}; }

  pcl::KdTreeFLANN<pcl::PointXYZ> tree_;
};

/// Conversion of the points is not timed: users of PCL have them in its clouds.
class pcl_cloud final : public host_cloud {
 public:
  pcl_cloud(float const* xyz, std::size_t points) : points_{cloud_from(xyz, points)} {}

  void normals(int k, int threads, float* normals) override {
    pcl::NormalEstimationOMP<pcl::PointXYZ, pcl::Normal> estimate{static_cast<unsigned>(threads)};
    estimate.setInputCloud(points_);
    estimate.setSearchMethod(pcl::search::KdTree<pcl::PointXYZ>::Ptr{new pcl::search::KdTree<pcl::PointXYZ>{false}});
    estimate.setKSearch(k);
    estimate.compute(found_);
    for (std::size_t i = 0; i < found_.size(); ++i) std::copy_n(found_[i].normal, 3, normals + 3 * i);
  }

  std::size_t centroids(float edge, std::vector<float>& xyz) override {
    pcl::VoxelGrid<pcl::PointXYZ> grid;
    grid.setInputCloud(points_);
    grid.setLeafSize(edge, edge, edge);
    cloud voxels;
    grid.filter(voxels);
    xyz.resize(3 * voxels.size());
    for (std::size_t i = 0; i < voxels.size(); ++i) std::copy_n(voxels[i].data, 3, &xyz[3 * i]);
    return voxels.size();
  }

 private:
  cloud::Ptr points_;
  pcl::PointCloud<pcl::Normal> found_;
};

register_host_peer<float, pcl_index> const index_of_floats{"pcl"};
register_host_cloud<pcl_cloud> const cloud_of_floats{"pcl"};

}  // namespace
}  // namespace farpoint_bench
