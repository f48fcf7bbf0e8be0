// Problems for radius() and radius_rows(), and their answers.
#pragma once

#include <optional>

#include "knn_problem.hpp"

namespace farpoint_tests {

using farpoint::radius_order;
using farpoint::radius_params;

/// A problem for radius(), whose max_neighbors are `k`, and for radius_rows().
template <class Coord>
struct radius_problem : knn_problem<Coord> {
  radius_params params;
  index_t capacity = 0;  ///< capacity of radius_rows(), in neighbors

  radius_problem(xyz_cloud const& cloud, double radius, index_t max, radius_order order = radius_order::index)
      : knn_problem<Coord>{cloud, max} {
    params.radius = radius;
    params.order = order;
  }
  /// Returns the parameters of radius().
  radius_params within() const {
    radius_params lists = params;
    lists.max_neighbors = this->k;
    return lists;
  }
};

/// Runs `call(output)` of radius() on host memory with guards, and collects the answer.
template <class Problem, class Call>
auto collect_radius(Problem const& problem, Call const& call) {
  return collect_lists<farpoint::radius_output, farpoint::radius_report>(problem, call);
}

/// Runs `call(output)` of radius_rows() on host memory with guards. `counts` of the answer holds the offsets.
template <class Problem, class Call>
auto collect_rows(Problem const& problem, Call const& call) {
  using output = farpoint::radius_rows_output<typename Problem::scalar>;
  return collect_arrays<farpoint::radius_report>(
      problem, problem.capacity, problem.query_count() + 1, [&](auto const& arrays, auto* report) {
        return call(output{arrays.count_span(), arrays.index_span(), arrays.distance_span(), report});
      });
}

/// Returns the clouds of points and of queries.
template <class Problem>
auto both_in_place(Problem const& problem) {
  auto const points = clouds_in_place(problem.points);
  return std::pair{points, problem.self ? points : clouds_in_place(problem.queries)};
}

/// Oracle by brute force that searches once, and makes lists of several lengths and rows of several capacities of the
/// neighbors found. Between calls only `k` and `capacity` of the problem may change.
template <class Problem>
class radius_oracle {
 public:
  auto lists(Problem const& problem) {
    return collect_radius(problem, [&](auto const& output) {
      auto const [points, queries] = both_in_place(problem);
      return farpoint::reference::detail::radius_from(points, queries, problem.within(), output, finder(problem));
    });
  }
  auto rows(Problem const& problem) {
    return collect_rows(problem, [&](auto const& output) {
      auto const [points, queries] = both_in_place(problem);
      return farpoint::reference::detail::radius_rows_from(points, queries, problem.params, output, finder(problem));
    });
  }

 private:
  using found_type = farpoint::reference::detail::found_rows<typename Problem::scalar>;

  auto finder(Problem const& problem) {
    return [&]() -> found_type const& {
      if (!found_) {
        auto const [points, queries] = both_in_place(problem);
        found_ = farpoint::reference::detail::find_rows(points, queries, problem.params);
      }
      return *found_;
    };
  }

  std::optional<found_type> found_;
};

template <class Problem>
auto reference_radius(Problem const& problem) {
  return radius_oracle<Problem>{}.lists(problem);
}

template <class Problem>
auto reference_rows(Problem const& problem) {
  return radius_oracle<Problem>{}.rows(problem);
}

}  // namespace farpoint_tests
