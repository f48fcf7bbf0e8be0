/// @file
/// Reports what is wrong with the points and the offsets of a search, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/index_offsets.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Faults of a search. A list of offsets may be empty.
struct report_faults_args {
  point_bvh_faults const* of_index;  ///< null: none
  index_offsets lists[2];
  unsigned* total;                  ///< wrong offsets, added to; may be null
  unsigned long long* bad_offsets;  ///< of the report, added to; may be null, and then so is non_finite_points
  unsigned long long* non_finite_points;
};

/// Counts wrong offsets, a thread for each; and the points that are in no index, unless an offset is wrong.
template <int BlockSize>
__global__ void __launch_bounds__(BlockSize) report_faults_kernel(report_faults_args const args) {
  index_t const i = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  point_bvh_faults const known = args.of_index == nullptr ? point_bvh_faults{} : *args.of_index;
  index_t const first = args.lists[0].count;
  index_offsets const& list = args.lists[i < first ? 0 : 1];
  index_t const at = i < first ? i : i - first;
  bool const is_counted = list.are_known && known.bad_offsets != 0;
  unsigned bad = i == 0 ? known.bad_offsets : 0;
  if (at < list.count && !is_counted && list.is_bad(at)) ++bad;
  if (i == 0) count_in_report(args.non_finite_points, known.non_finite_points);
  if (bad == 0) return;
  if (args.total != nullptr) atomicAdd(args.total, bad);
  if (args.bad_offsets == nullptr) return;
  // Nothing else counts: the first to find a wrong offset takes back the points, added already or not.
  if (atomicAdd(args.bad_offsets, static_cast<unsigned long long>(bad)) == 0) {
    count_in_report(args.non_finite_points, 0ull - known.non_finite_points);
  }
}

/// Enqueues report_faults_kernel(), unless both counters are null.
/// @param report  cleared already; may be null
template <class Report>
FARPOINT_HIDDEN void report_faults(kernel_launcher& launcher, point_bvh_faults const* of_index,
                                   index_offsets const& points, index_offsets const& queries, unsigned* total,
                                   Report* report) noexcept {
  if (report == nullptr && total == nullptr) return;
  report_faults_args args{of_index, {points, queries}, total, nullptr, nullptr};
  if (report != nullptr) {
    args.bad_offsets = &report->bad_offsets;
    args.non_finite_points = &report->non_finite_points;
  }
  launcher.launch_for(larger(points.count + queries.count, index_t{1}), search_block_size,
                      report_faults_kernel<search_block_size>, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
