/// @file
/// The CUDA backend of radius() and radius_rows().
#pragma once

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/packet_lists.cuh>
#include <farpoint/detail/search/query_order.cuh>
#include <farpoint/detail/search/radius_operations.hpp>
#include <farpoint/detail/search/segmented_sort.cuh>
#include <farpoint/detail/search/with_index.cuh>
#include <farpoint/grid/exclusive_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory of a search besides the index.
struct radius_memory {
  exclusive_scan_memory sums;
  query_order_memory order;
};

/// Cuts the memory for a batch of queries.
/// @param self  the queries are the points
template <class Queries>
auto radius_memory_of(batch<Queries> const& queries, bool self) noexcept {
  index_t const rows = bounded_points(queries.points().size());
  return [rows, cut_order = query_order_of(queries, self)](workspace_cutter& cutter) {
    auto const sums = exclusive_scan_memory::cut(cutter, rows);
    return radius_memory{sums, cut_order(cutter)};
  };
}

/// The same for all searches within the limits.
inline auto radius_memory_of(search_limits const& limits) noexcept {
  index_t const rows = larger(limits.queries, limits.points);
  return [rows, cut_order = order_of_at_most(limits.queries)](workspace_cutter& cutter) {
    auto const sums = exclusive_scan_memory::cut(cutter, rows);
    return radius_memory{sums, cut_order(cutter)};
  };
}

/// Enqueues a radius search: the indices have been built, and the arguments checked.
template <class Points, class Queries>
class radius_search {
 public:
  using scalar = typename Points::scalar;

  /// @param self  the queries are the points
  radius_search(kernel_launcher& launcher, bvh_build_args<Points> const& built, batch<Queries> const& queries,
                bool self, radius_params const& params, radius_memory const& memory) noexcept
      : launcher_{launcher},
        built_{built},
        queries_{queries, built.index, self},
        rows_{queries.points().size()},
        params_{params},
        memory_{memory} {
    look_at_offsets(launcher_, built.points, queries, &built.state->bad_offsets);
    queries_.stop_at_bad_offsets(&built.state->bad_offsets);
  }

  /// radius().
  template <class Selector>
  void lists(index_t max, radius_output<scalar> const& output) noexcept {
    start(output.report);
    order();
    knn_request<scalar> const request = request_of<scalar>(params_, max);
    radius_writer<scalar> const writer{max, output.indices, output.distances, output.counts};
    if (max == 0) {
      run(radius_count<scalar>{request, output.counts}, counters_);
    } else if (params_.order == radius_order::index) {
      run_lowest(request, writer);
    } else if (max <= most_in_packets<scalar>) {
      run_packet_lists<Selector>(launcher_, queries_, request, writer, counters_);
    } else {
      run(radius_row_lists<neighbour_key<scalar>, Points>{request, built_.points, writer}, counters_);
    }
    count_left_out();
  }

  /// radius_rows().
  void rows(radius_rows_output<scalar> const& output) noexcept {
    start(output.report);
    // Queries that are in no cloud have no neighbours.
    launcher_.clear(output.offsets.data(), static_cast<std::size_t>(rows_ + 1) * (output.offsets.wide() ? 8 : 4));
    if (rows_ > 0) {
      order();
      // The scan sets the total.
      run(radius_count<scalar>{request_of<scalar>(params_, 0), output.offsets}, {nullptr, counters_.non_finite});
      scan(output);
      if (!output.indices.empty() && params_.order == radius_order::nearest) fill<neighbour_key<scalar>>(output);
      if (!output.indices.empty() && params_.order == radius_order::index) fill<index_key<scalar>>(output);
    }
    count_left_out();
  }

 private:
  void start(radius_report* report) noexcept {
    report_ = report;
    if (report == nullptr) return;
    launcher_.clear(report, sizeof *report);
    counters_ = {&report->total, &report->non_finite_queries};
  }
  void order() noexcept {
    order_queries(launcher_, queries_, most_leaves(built_.points.points().size(), built_.points.size()), memory_.order);
  }
  void count_left_out() noexcept {
    run_left_out(launcher_, built_.points, built_.index, &built_.state->bad_offsets, report_);
  }
  template <class Operation>
  void run(Operation const& operation, query_counters const& counters) noexcept {
    run_queries(launcher_, queries_, operation, counters);
  }

  void run_lowest(knn_request<scalar> const& request, radius_writer<scalar> const& writer) noexcept {
    using key = index_key<scalar>;
    using writer_type = radius_writer<scalar>;
    if (request.k <= 8) {
      run(register_lists<key, 8, writer_type>{request, writer}, counters_);
    } else if (request.k <= 16) {
      run(register_lists<key, 16, writer_type>{request, writer}, counters_);
    } else if (request.k <= 32) {
      run(register_lists<key, 32, writer_type>{request, writer}, counters_);
    } else {
      run(radius_row_lists<key, Points>{request, built_.points, writer}, counters_);
    }
  }

  /// Turns counts into offsets.
  void scan(radius_rows_output<scalar> const& output) noexcept {
    exclusive_scan_memory const& sums = memory_.sums;
    launcher_.clear(sums.tiles, static_cast<std::size_t>(exclusive_scan_tiles(rows_)) * sizeof *sums.tiles);
    launcher_.clear(sums.ticket, sizeof *sums.ticket);
    unsigned long long* const misfits = report_ == nullptr ? nullptr : &report_->rows_left_out;
    exclusive_scan_args const args{output.offsets, rows_, output.indices.size(), counters_.found, misfits, sums};
    launcher_.then([&] { return exclusive_scan(args, launcher_.stream()); });
  }

  /// The second search. The first has counted.
  template <class Key>
  void fill(radius_rows_output<scalar> const& output) noexcept {
    knn_request<scalar> const request = request_of<scalar>(params_, 0);
    run(radius_rows_fill<Key, Points>{request, built_.points, output, radius_sorted_row}, {});
    segmented_sort<Key>(launcher_, segmented_sort_args<Points, Queries>{built_.points, queries_, rows_, output});
  }

  kernel_launcher& launcher_;
  bvh_build_args<Points> const& built_;
  search_queries<Queries> queries_;
  index_t rows_;
  radius_params params_;
  radius_memory memory_;
  radius_report* report_ = nullptr;
  query_counters counters_;
};

/// radius() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result radius_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                   bool self, radius_params const& params, index_t max,
                                   radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  profile_range const range{"farpoint::radius"};
  result const reachable =
      check_pointers(exec, workspace, points, queries, output.indices, output.distances, output.counts, output.report);
  if (!reachable) return reachable;
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_radius(queries.points().size(), params, max, output); !checked) return checked;
  return indexed_search<Selector>(exec, points, workspace, radius_memory_of(queries, self),
                                  [&](kernel_launcher& launcher, auto const& built, radius_memory const& memory) {
                                    radius_search search{launcher, built, queries, self, params, memory};
                                    search.template lists<Selector>(max, output);
                                  });
}

/// radius_rows() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result radius_rows_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                        bool self, radius_params const& params,
                                        radius_rows_output<typename Points::scalar> const& output,
                                        bytes workspace) noexcept {
  profile_range const range{"farpoint::radius_rows"};
  result const reachable =
      check_pointers(exec, workspace, points, queries, output.offsets, output.indices, output.distances, output.report);
  if (!reachable) return reachable;
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_radius_rows(queries.points().size(), params, output); !checked) return checked;
  return indexed_search<Selector>(exec, points, workspace, radius_memory_of(queries, self),
                                  [&](kernel_launcher& launcher, auto const& built, radius_memory const& memory) {
                                    radius_search{launcher, built, queries, self, params, memory}.rows(output);
                                  });
}

}  // namespace detail
FARPOINT_END_NAMESPACE
