/// @file
/// A row of the suite host_peers: points, queries, and brute force's answers to some of these.
#pragma once

#include "knn/row.hpp"
#include "support/check.hpp"

#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/reference/knn.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {

/// "float" or "double".
template <class Scalar>
char const* scalar_name() {
  return sizeof(Scalar) == sizeof(float) ? "float" : "double";
}

/// Lists of k neighbors of each query.
template <class Scalar>
struct host_lists {
  std::vector<std::int32_t> indices;
  std::vector<Scalar> distances;

  explicit host_lists(std::size_t size) : indices(size), distances(size) {}
  farpoint::knn_output<Scalar> output() { return {indices, distances}; }
};

template <class Scalar>
class host_search_problem {
 public:
  using clouds = farpoint::batch<farpoint::point_view<Scalar>>;

  host_search_problem(knn_row const& row, std::vector<float> const& scan)
      : row_{row}, expected_{checked_queries(row) * static_cast<std::size_t>(row.k)} {
    std::vector<float> const made = row.make(scan);
    std::vector<float> const asked = row.make_queries(made);
    xyz_.assign(made.begin(), made.end());
    queries_.assign(asked.begin(), asked.end());
    std::vector<Scalar> some;
    for (std::size_t i = 0; i < checked_queries(row); ++i) {
      // A prime that divides no number of points used here.
      checked_.push_back(i * 7919 % static_cast<std::size_t>(row.points));
      some.insert(some.end(), &queries_[3 * checked_.back()], &queries_[3 * checked_.back()] + 3);
    }
    check(farpoint::reference::knn(view(xyz_), view(some), farpoint::knn_params{row.k}, expected_.output()),
          "farpoint::reference::knn");
  }

  knn_row const& row() const { return row_; }
  std::vector<Scalar> const& xyz() const { return xyz_; }
  std::vector<Scalar> const& queries() const { return queries_; }
  clouds points() const { return view(xyz_); }
  clouds asking() const { return view(queries_); }
  std::size_t size() const { return static_cast<std::size_t>(row_.points); }
  std::size_t k() const { return static_cast<std::size_t>(row_.k); }

  /// `function(query, its k neighbors by brute force)` for some queries.
  template <class Function>
  void for_each_checked(Function const& function) const {
    for (std::size_t i = 0; i < checked_.size(); ++i) function(checked_[i], &expected_.indices[i * k()]);
  }

  /// Throws unless the distances of the checked queries are brute force's, but for rounding: peers add in another
  /// order, and break ties otherwise.
  void expect_near(host_lists<Scalar> const& got) const {
    Scalar const tolerance = sizeof(Scalar) == sizeof(float) ? Scalar{1e-5f} : Scalar{1e-13};
    expect_each([&](std::size_t at, std::size_t i) {
      return std::fabs(got.distances[at] - expected_.distances[i]) <= tolerance * expected_.distances[i];
    });
  }
  /// Throws unless indices and distances of the checked queries are brute force's, to the bit.
  void expect_equal(host_lists<Scalar> const& got) const {
    expect_each([&](std::size_t at, std::size_t i) {
      return got.indices[at] == expected_.indices[i] && !(got.distances[at] < expected_.distances[i]) &&
             !(expected_.distances[i] < got.distances[at]);
    });
  }

  /// Throws unless the counts of the checked queries are brute force's; a point within rounding of the radius may
  /// count.
  void expect_counts(std::vector<std::int32_t> const& counts, Scalar radius) const {
    for (std::size_t const i : checked_) {
      int const least = count_within(i, radius * (1 - Scalar{1e-5f}));
      int const most = count_within(i, radius * (1 + Scalar{1e-5f}));
      if (counts[i] >= least && counts[i] <= most) continue;
      throw std::runtime_error{"MISMATCH, " + row_.name() + ": " + std::to_string(counts[i]) +
                               " within the radius of query " + std::to_string(i) + ", expected " +
                               std::to_string(least) + " to " + std::to_string(most)};
    }
  }

 private:
  static std::size_t checked_queries(knn_row const& row) {
    return static_cast<std::size_t>(std::min(farpoint::index_t{200}, row.points));
  }
  static clouds view(std::vector<Scalar> const& xyz) {
    return clouds{farpoint::point_view<Scalar>{xyz.data(), static_cast<farpoint::index_t>(xyz.size() / 3)}};
  }

  /// Calls is_same(index into all lists, index into the lists of the checked queries) for each checked neighbor.
  template <class IsSame>
  void expect_each(IsSame is_same) const {
    for (std::size_t i = 0; i < expected_.indices.size(); ++i) {
      std::size_t const query = checked_[i / k()];
      if (is_same(query * k() + i % k(), i)) continue;
      throw std::runtime_error{"MISMATCH, " + row_.name() + ": neighbor " + std::to_string(i % k()) + " of query " +
                               std::to_string(query)};
    }
  }

  int count_within(std::size_t query, Scalar radius) const {
    Scalar const* const q = &queries_[3 * query];
    int count = 0;
    for (std::size_t i = 0; i < xyz_.size(); i += 3) {
      Scalar const x = xyz_[i] - q[0];
      Scalar const y = xyz_[i + 1] - q[1];
      Scalar const z = xyz_[i + 2] - q[2];
      if (x * x + y * y + z * z <= radius * radius) ++count;
    }
    return count;
  }

  knn_row row_;
  std::vector<Scalar> xyz_;
  std::vector<Scalar> queries_;
  std::vector<std::size_t> checked_;
  host_lists<Scalar> expected_;
};

}  // namespace farpoint_bench
