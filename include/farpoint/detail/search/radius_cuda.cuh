/// @file
/// The CUDA backend of radius() and radius_rows(), when the index is there.
#pragma once

#include <farpoint/detail/search/packet_lists.cuh>
#include <farpoint/detail/search/query_order.cuh>
#include <farpoint/detail/search/radius_args.hpp>
#include <farpoint/detail/search/segmented_sort.cuh>
#include <farpoint/grid/exclusive_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Memory of a search besides the index.
struct radius_memory {
  exclusive_scan_memory sums;
  query_order_memory order;

  /// @param self  the queries are the points
  static radius_memory cut(workspace_cutter& cutter, index_t rows, bool self) noexcept {
    auto const sums = exclusive_scan_memory::cut(cutter, rows);
    return {sums, query_order_memory::cut(cutter, self ? 0 : rows)};
  }
};

/// Cuts the memory for a batch of queries.
template <class Queries>
auto radius_memory_of(batch<Queries> const& queries, bool self) noexcept {
  index_t const rows = queries.points().size() > 0 ? queries.points().size() : 0;
  return [rows, self](workspace_cutter& cutter) { return radius_memory::cut(cutter, rows, self); };
}

/// A radius search on a stream: the points, their indices, and who asks. The arguments have been checked.
template <class Points, class Queries>
class radius_search {
 public:
  using scalar = typename Points::scalar;

  /// @param self  the queries are the points
  radius_search(batch<Points> const& points, point_bvh_arrays<scalar> const& index, batch<Queries> const& queries,
                bool self, radius_params const& params, radius_memory const& memory, cudaStream_t stream) noexcept
      : points_{points},
        index_{index},
        queries_{queries, index, self},
        rows_{queries.points().size()},
        params_{params},
        memory_{memory},
        stream_{stream} {}

  template <class Selector>
  cudaError_t lists(index_t max, radius_output<scalar> const& output) noexcept {
    report_ = output.report;
    request_ = request_of<scalar>(params_, max);
    clear_report();
    order();
    if (max == 0) {
      run(radius_count<scalar>{request_, output.counts}, true);
    } else {
      radius_writer<scalar> const writer{max, output.indices, output.distances, output.counts};
      if (params_.order == radius_order::index) {
        run_lowest(writer);
      } else if (max <= most_in_packets<scalar>) {
        then([&] { return run_packet_lists<Selector>(queries_, request_, writer, stream_, total(), non_finite()); });
      } else {
        run(radius_row_lists<neighbour_key<scalar>, Points>{request_, points_, writer}, true);
      }
    }
    count_left_out();
    return error_;
  }

  cudaError_t rows(radius_rows_output<scalar> const& output) noexcept {
    report_ = output.report;
    request_ = request_of<scalar>(params_, 0);
    clear_report();
    // Queries that are in no cloud have no neighbours.
    clear(output.offsets.data(), static_cast<std::size_t>(rows_ + 1) * (output.offsets.wide() ? 8 : 4));
    if (rows_ == 0) {
      count_left_out();
      return error_;
    }
    order();
    run(radius_count<scalar>{request_, output.offsets}, false);
    clear(memory_.sums.tiles, static_cast<std::size_t>(exclusive_scan_tiles(rows_)) * sizeof *memory_.sums.tiles);
    clear(memory_.sums.ticket, sizeof *memory_.sums.ticket);
    then([&] {
      unsigned long long* const misfits = report_ == nullptr ? nullptr : &report_->rows_left_out;
      return exclusive_scan({output.offsets, rows_, output.indices.size(), total(), misfits, memory_.sums}, stream_);
    });
    if (!output.indices.empty()) {
      if (params_.order == radius_order::nearest) {
        fill<neighbour_key<scalar>>(output);
      } else {
        fill<index_key<scalar>>(output);
      }
    }
    count_left_out();
    return error_;
  }

 private:
  /// Enqueues unless something was refused before.
  template <class Enqueue>
  void then(Enqueue const& enqueue) noexcept {
    if (error_ == cudaSuccess) error_ = enqueue();
  }

  void clear(void* memory, std::size_t size) noexcept {
    then([&] { return cudaMemsetAsync(memory, 0, size, stream_); });
  }
  void clear_report() noexcept {
    if (report_ != nullptr) clear(report_, sizeof *report_);
  }
  void order() noexcept {
    index_t const leaves = most_leaves(points_.points().size(), points_.size());
    then([&] { return order_queries(queries_, leaves, memory_.order, stream_); });
  }
  void count_left_out() noexcept {
    if (report_ == nullptr) return;
    then([&] { return run_left_out(points_, index_, &report_->non_finite_points, stream_); });
  }

  unsigned long long* total() const noexcept { return report_ != nullptr ? &report_->total : nullptr; }
  unsigned long long* non_finite() const noexcept {
    return report_ != nullptr ? &report_->non_finite_queries : nullptr;
  }

  /// @param adds_up  what the task returns is the report's total
  template <class Task>
  void run(Task const& task, bool adds_up) noexcept {
    then([&] { return run_queries(queries_, task, stream_, adds_up ? total() : nullptr, non_finite()); });
  }

  void run_lowest(radius_writer<scalar> const& writer) noexcept {
    using key = index_key<scalar>;
    using writer_type = radius_writer<scalar>;
    if (request_.k <= 8) {
      run(register_lists<key, 8, writer_type>{request_, writer}, true);
    } else if (request_.k <= 16) {
      run(register_lists<key, 16, writer_type>{request_, writer}, true);
    } else if (request_.k <= 32) {
      run(register_lists<key, 32, writer_type>{request_, writer}, true);
    } else {
      run(radius_row_lists<key, Points>{request_, points_, writer}, true);
    }
  }

  /// The second search: what it would count has been counted.
  template <class Key>
  void fill(radius_rows_output<scalar> const& output) noexcept {
    then([&] {
      return run_queries(queries_, radius_rows_fill<Key, Points>{request_, points_, output, radius_sorted_row},
                         stream_);
    });
    then([&] {
      return segmented_sort<Key>(segmented_sort_args<Points, Queries>{points_, queries_, rows_, output}, stream_);
    });
  }

  batch<Points> points_;
  point_bvh_arrays<scalar> index_;
  search_queries<Queries> queries_;
  index_t rows_;
  radius_params params_;
  radius_memory memory_;
  knn_request<scalar> request_{};
  cudaStream_t stream_;
  radius_report* report_ = nullptr;
  cudaError_t error_ = cudaSuccess;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
