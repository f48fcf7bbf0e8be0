/// @file
/// knn(), radius() and interpolate() of batches of small clouds: searched without an index, and with one. The limits
/// and lanes of knn_selector are chosen by these rows.

#include "calls/calls.hpp"
#include "calls/measure.cuh"

#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

namespace farpoint_bench {
namespace {

using farpoint::index_t;

/// Clouds of any size are searched without an index.
/// @tparam Lanes  0: the numbers of knn_selector
template <index_t Lanes>
struct scan_selector : farpoint::knn_selector {
  static constexpr index_t scan_self = index_t{1} << 62;
  static constexpr index_t scan_others = scan_self;
  static constexpr index_t scan_lanes = Lanes == 0 ? knn_selector::scan_lanes : Lanes;
  static constexpr index_t scan_lanes_by_index = Lanes == 0 ? knn_selector::scan_lanes_by_index : Lanes;
};
/// Clouds of every size have an index.
struct index_selector : farpoint::knn_selector {
  static constexpr index_t scan_self = 0;
  static constexpr index_t scan_others = 0;
};

struct small_case {
  index_t clouds;
  index_t points;
  index_t k;

  std::string name() const {
    return std::to_string(clouds) + "x" + std::to_string(points) + "_k" + std::to_string(k) + "/";
  }
  std::size_t size() const { return static_cast<std::size_t>(clouds * points); }
};

workload work_of(small_case const& row, std::size_t queries, std::size_t words) {
  auto const q = static_cast<double>(queries);
  return {q, q * static_cast<double>(row.points),
          12 * (q + static_cast<double>(row.size())) + 4 * static_cast<double>(words)};
}

template <class Selector>
class small_knn_call {
 public:
  explicit small_knn_call(small_case const& row)
      : row_{row}, clouds_{batch_sizes::regular, row.clouds, row.points, 1} {}

  std::size_t words() const { return 2 * row_.size() * static_cast<std::size_t>(row_.k); }
  std::size_t bytes(farpoint::host_exec exec) const {
    return farpoint::knn_workspace_bytes(exec, clouds_.on(exec), farpoint::knn_params{row_.k});
  }
  std::size_t bytes(farpoint::cuda_exec exec) const {
    return farpoint::knn_workspace_bytes<Selector>(exec, clouds_.on(exec), farpoint::knn_params{row_.k});
  }
  farpoint::result run(farpoint::host_exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    return farpoint::knn(exec, clouds_.on(exec), farpoint::knn_params{row_.k}, output(words), workspace);
  }
  farpoint::result run(farpoint::cuda_exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    return farpoint::knn<Selector>(exec, clouds_.on(exec), farpoint::knn_params{row_.k}, output(words), workspace);
  }
  workload work() const { return work_of(row_, row_.size(), words()); }

 private:
  farpoint::knn_output<float> output(std::int32_t* words) const {
    farpoint::knn_output<float> all;
    all.distances = words_from<float>(words, 0, this->words() / 2);
    all.indices = words_from<std::int32_t>(words, this->words() / 2, this->words() / 2);
    return all;
  }

  small_case row_;
  cloud_batch<float> clouds_;
};

/// Half as many queries as points, with some k points in a ball.
template <class Selector>
class small_ball_call {
 public:
  explicit small_ball_call(small_case const& row)
      : row_{row},
        points_{batch_sizes::regular, row.clouds, row.points, 1},
        queries_{batch_sizes::regular, row.clouds, row.points / 2, 2} {}

  std::size_t words() const { return queries() * static_cast<std::size_t>(row_.k); }
  std::size_t bytes(farpoint::host_exec exec) const {
    return farpoint::radius_workspace_bytes(exec, points_.on(exec), queries_.on(exec));
  }
  std::size_t bytes(farpoint::cuda_exec exec) const {
    return farpoint::radius_workspace_bytes<Selector>(exec, points_.on(exec), queries_.on(exec));
  }
  farpoint::result run(farpoint::host_exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    return farpoint::radius(exec, points_.on(exec), queries_.on(exec), params(), output(words), workspace);
  }
  farpoint::result run(farpoint::cuda_exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    return farpoint::radius<Selector>(exec, points_.on(exec), queries_.on(exec), params(), output(words), workspace);
  }
  workload work() const { return work_of(row_, queries(), words()); }

 private:
  std::size_t queries() const { return row_.size() / 2; }
  farpoint::radius_params params() const {
    farpoint::radius_params all;
    all.radius = std::cbrt(static_cast<double>(row_.k) / (4.18879 * static_cast<double>(row_.points)));
    all.max_neighbors = row_.k;
    all.exclusive = true;
    return all;
  }
  farpoint::radius_output<float> output(std::int32_t* words) const {
    farpoint::radius_output<float> all;
    all.indices = words_from<std::int32_t>(words, 0, this->words());
    return all;
  }

  small_case row_;
  cloud_batch<float> points_;
  cloud_batch<float> queries_;
};

/// Twice as many queries as points, with 64 channels.
template <class Selector>
class small_interpolate_call {
 public:
  explicit small_interpolate_call(small_case const& row)
      : row_{row},
        points_{batch_sizes::regular, row.clouds, row.points, 1},
        queries_{batch_sizes::regular, row.clouds, row.points * 2, 2},
        features_{uniform_cube(row.size() * channels / 3 + 1, 7)} {}

  std::size_t words() const { return 2 * row_.size() * channels; }
  std::size_t bytes(farpoint::host_exec exec) const {
    return farpoint::interpolate_workspace_bytes(exec, points_.on(exec), queries_.on(exec));
  }
  std::size_t bytes(farpoint::cuda_exec exec) const {
    return farpoint::interpolate_workspace_bytes<Selector>(exec, points_.on(exec), queries_.on(exec));
  }
  farpoint::result run(farpoint::host_exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    return farpoint::interpolate(exec, points_.on(exec), features(exec), queries_.on(exec), channels, output(words),
                                 workspace);
  }
  farpoint::result run(farpoint::cuda_exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    return farpoint::interpolate<Selector>(exec, points_.on(exec), features(exec), queries_.on(exec), channels,
                                           output(words), workspace);
  }
  workload work() const { return work_of(row_, 2 * row_.size(), words() + row_.size() * channels); }

 private:
  static constexpr std::size_t channels = 64;

  template <class Exec>
  farpoint::span<float const> features(Exec exec) const {
    return {features_.on(exec).data(), row_.size() * channels};
  }
  farpoint::interpolate_output output(std::int32_t* words) const {
    return {words_from<float>(words, 0, this->words())};
  }

  small_case row_;
  cloud_batch<float> points_;
  cloud_batch<float> queries_;
  mirrored<float> features_;
};

template <template <class> class Call, class Selector>
void add(std::string const& name, small_case const& row, bool flush_l2) {
  register_call(name, 50, flush_l2, [row] { return std::make_unique<Call<Selector>>(row); });
}

template <template <class> class Call>
void add_all(std::string const& kind, small_case const& row, bool flush_l2) {
  std::string const name = "small_" + kind + "/" + row.name();
  add<Call, index_selector>(name + "index", row, flush_l2);
  add<Call, scan_selector<0>>(name + "scan", row, flush_l2);
  add<Call, farpoint::knn_selector>(name + "default", row, flush_l2);
  if (row.clouds != 16) return;
  add<Call, scan_selector<32'768>>(name + "scan_lanes_32768", row, flush_l2);
  add<Call, scan_selector<131'072>>(name + "scan_lanes_131072", row, flush_l2);
  add<Call, scan_selector<524'288>>(name + "scan_lanes_524288", row, flush_l2);
}

}  // namespace

void register_small_cloud_calls(bool flush_l2) {
  for (index_t const clouds : {1, 16, 64, 256}) {
    for (index_t const points : {128, 256, 512, 1'024, 2'048, 4'096}) {
      // The host answers each row, too.
      if (clouds * points > 262'144) continue;
      for (index_t const k : {3, 8, 16, 32}) add_all<small_knn_call>("knn", {clouds, points, k}, flush_l2);
      add_all<small_ball_call>("ball_query", {clouds, points, 32}, flush_l2);
      add_all<small_interpolate_call>("interpolate", {clouds, points, 3}, flush_l2);
    }
  }
}

}  // namespace farpoint_bench
