// Clouds of a problem in device memory, with the index that the host has built.
#pragma once

#include <farpoint/detail/host_search_plan.hpp>

#include <memory>

#include "../shared/radius_problem.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

template <class Problem>
class indexed_on_device {
 public:
  using scalar = typename Problem::scalar;

  explicit indexed_on_device(Problem const& problem)
      : problem_{problem},
        points_{problem.points.memory},
        point_offsets_{problem.points.offsets},
        queries_{problem.queries.memory},
        query_offsets_{problem.queries.offsets} {
    auto const host_points = clouds_in_place(problem.points);
    farpoint::detail::host_search_plan<scalar> const plan{farpoint::host_exec{1}, host_points, 0};
    if (!farpoint::detail::check_host_search(farpoint::host_exec{1}, host_points, host_points)) return;
    farpoint::detail::host_workspace const memory{plan.bytes()};
    farpoint::detail::build_on_host(plan, plan.cut(memory.get().data()), host_points);
    index_ = std::make_unique<device_array<unsigned char>>(
        std::vector<unsigned char>(memory.get().begin(), memory.get().end()));
    arrays = plan.cut(index_->data()).index;
  }

  auto points() const { return problem_.points.clouds_at(points_.data(), point_offsets_.data()); }
  auto queries() const {
    return problem_.self ? points() : problem_.queries.clouds_at(queries_.data(), query_offsets_.data());
  }

  farpoint::detail::point_index_arrays<scalar> arrays{};  ///< in device memory

 private:
  Problem const& problem_;
  device_array<unsigned char> points_;
  device_array<index_t> point_offsets_;
  device_array<unsigned char> queries_;
  device_array<index_t> query_offsets_;
  std::unique_ptr<device_array<unsigned char>> index_;
};

}  // namespace farpoint_tests
