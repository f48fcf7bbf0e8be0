// Reports of searches by an index, on host_exec.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

#include <ostream>

#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../index_problem.hpp"

using namespace farpoint_tests;

namespace {

struct index_backend {
  template <class T>
  using array = host_array<T>;
  template <class Scalar>
  using bvh = farpoint::point_bvh<Scalar>;

  host_exec exec() const { return host_exec{2}; }
  void wait() const {}
};

template <class T>
farpoint::span<T> span_of(host_array<T> const& array) {
  return {array.data(), array.size()};
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../index_report_tests.inc"
