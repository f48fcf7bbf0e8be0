// radius() and radius_rows() on cuda_exec: the shared cases.
#include "../catch.hpp"
#include "radius_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Problem>
auto solve_radius(Problem const& problem) {
  return problem.wide ? radius_on_device<std::int64_t>(problem) : radius_on_device<std::int32_t>(problem);
}

template <class Problem>
auto solve_rows(Problem const& problem) {
  return problem.wide ? rows_on_device<std::int64_t>(problem) : rows_on_device<std::int32_t>(problem);
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/radius_tests.inc"
