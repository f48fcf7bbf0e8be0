// Clouds of a knn_problem in device memory.
#pragma once

#include "../../core/device/radix_sort_kernels.cuh"
#include "../../search/device/point_bvh_kernels.cuh"
#include "../../search/radius_problem.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

template <class T, class U>
farpoint::span<T> span_of(device_array<U> const& array) {
  return {array.data(), array.size()};
}

template <class Problem>
class clouds_on_device {
 public:
  explicit clouds_on_device(Problem const& problem)
      : problem_{problem},
        points_{problem.points.memory},
        point_offsets_{problem.points.offsets},
        queries_{problem.queries.memory},
        query_offsets_{problem.queries.offsets} {}

  auto points() const { return problem_.points.clouds_at(points_.data(), point_offsets_.data()); }
  auto queries() const { return problem_.queries.clouds_at(queries_.data(), query_offsets_.data()); }

  /// Uploads another problem's clouds to the same memory. Its points, queries and clouds must have equal numbers.
  void upload(Problem const& other) {
    points_.upload(other.points.memory);
    point_offsets_.upload(other.points.offsets);
    queries_.upload(other.queries.memory);
    query_offsets_.upload(other.queries.offsets);
  }
  bool intact() const { return points_.intact() && queries_.intact(); }

 private:
  Problem const& problem_;
  device_array<unsigned char> points_;
  device_array<index_t> point_offsets_;
  device_array<unsigned char> queries_;
  device_array<index_t> query_offsets_;
};

}  // namespace farpoint_tests
