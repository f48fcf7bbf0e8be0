/// @file
/// knn() and radius() of small and ragged calls, and of doubles.

#include "calls/calls.hpp"
#include "calls/measure.cuh"

#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

namespace farpoint_bench {
namespace {

struct neighbors_case {
  batch_sizes sizes;
  farpoint::index_t clouds;
  farpoint::index_t points;
  farpoint::index_t k;
};

/// The points of each cloud among themselves.
template <class Scalar>
class knn_call {
 public:
  explicit knn_call(neighbors_case const& row) : row_{row}, clouds_{row.sizes, row.clouds, row.points, 1} {}

  std::size_t words() const { return size() * (1 + sizeof(Scalar) / 4); }
  template <class Exec>
  std::size_t bytes(Exec exec) const {
    return farpoint::knn_workspace_bytes(exec, clouds_.on(exec), farpoint::knn_params{row_.k});
  }
  template <class Exec>
  farpoint::result run(Exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    farpoint::knn_output<Scalar> output;
    output.distances = words_from<Scalar>(words, 0, size());
    output.indices = words_from<std::int32_t>(words, size() * sizeof(Scalar) / 4, size());
    return farpoint::knn(exec, clouds_.on(exec), farpoint::knn_params{row_.k}, output, workspace);
  }
  workload work() const {
    auto const n = static_cast<double>(row_.clouds * row_.points);
    return {n, n * static_cast<double>(row_.points), n * 3 * sizeof(Scalar) + 4 * static_cast<double>(words())};
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(row_.clouds * row_.points * row_.k); }

  neighbors_case row_;
  cloud_batch<Scalar> clouds_;
};

/// A ball query whose balls hold some k points of a cloud of the mean size.
template <class Scalar>
class radius_call {
 public:
  explicit radius_call(neighbors_case const& row) : row_{row}, clouds_{row.sizes, row.clouds, row.points, 1} {}

  std::size_t words() const { return size() + queries(); }
  template <class Exec>
  std::size_t bytes(Exec exec) const {
    return farpoint::radius_workspace_bytes(exec, clouds_.on(exec));
  }
  template <class Exec>
  farpoint::result run(Exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    farpoint::radius_params params;
    params.radius = std::cbrt(static_cast<double>(row_.k) / (4.18879 * static_cast<double>(row_.points)));
    params.max_neighbors = row_.k;
    farpoint::radius_output<Scalar> output;
    output.indices = words_from<std::int32_t>(words, 0, size());
    output.counts = words_from<std::int32_t>(words, size(), queries());
    return farpoint::radius(exec, clouds_.on(exec), params, output, workspace);
  }
  workload work() const {
    auto const n = static_cast<double>(row_.clouds * row_.points);
    return {n, n * static_cast<double>(row_.points), n * 3 * sizeof(Scalar) + 4 * static_cast<double>(words())};
  }

 private:
  std::size_t queries() const { return static_cast<std::size_t>(row_.clouds * row_.points); }
  std::size_t size() const { return queries() * static_cast<std::size_t>(row_.k); }

  neighbors_case row_;
  cloud_batch<Scalar> clouds_;
};

template <class Scalar>
void add(neighbors_case const& row, bool flush_l2) {
  std::string const name = name_of<Scalar>(row.sizes, row.clouds, row.points) + "_k" + std::to_string(row.k);
  register_call("knn/" + name, 50, flush_l2, [row] { return std::make_unique<knn_call<Scalar>>(row); });
  register_call("radius/" + name, 50, flush_l2, [row] { return std::make_unique<radius_call<Scalar>>(row); });
}

}  // namespace

void register_neighbor_calls(bool flush_l2) {
  for (farpoint::index_t const points : {1, 10, 100, 1'000}) {
    add<float>({batch_sizes::regular, 1, points, std::min<farpoint::index_t>(points, 8)}, flush_l2);
  }
  add<float>({batch_sizes::regular, 16, 4'096, 16}, flush_l2);
  add<float>({batch_sizes::even, 16, 4'096, 16}, flush_l2);
  add<float>({batch_sizes::uneven, 16, 4'096, 16}, flush_l2);
  add<float>({batch_sizes::uneven, 64, 16'384, 8}, flush_l2);
  add<double>({batch_sizes::regular, 1, 100'000, 8}, flush_l2);
  add<double>({batch_sizes::regular, 1, 1'000'000, 8}, flush_l2);
}

}  // namespace farpoint_bench
