/// @file
/// The CUDA backend of knn().
#pragma once

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/scan/kernel.cuh>
#include <farpoint/detail/search/warp_per_query.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Calls `launch(args, threads)` for every Selector::launch_rows rows.
/// @tparam Args  knn_cuda_args, or what is derived from it
template <class Selector, class Args, class Launch>
void launch_in_parts(Args const& args, Launch const& launch) noexcept {
  static_assert(Selector::launch_rows % Selector::block_size == 0 && Selector::launch_rows <= index_t{1} << 31,
                "farpoint: launch_rows of knn_selector are whole blocks, and fit in 32 bits");
  index_t const threads = args.queries.threads();
  // An index has at most 2^30 points, and rows in the order of its leaves do not follow one another.
  index_t const each = args.queries.are_in_row_order() ? Selector::launch_rows : larger(threads, index_t{1});
  for (index_t first = 0; first < threads; first += each) {
    Args part = args;
    if (first > 0) part.begin_with(first);
    launch(part, smaller(each, threads - first));
  }
}

/// Enqueues the kernels for the length of the lists, and for one kind of queries.
template <class Selector, query_kind Kind, class Args>
FARPOINT_HIDDEN void launch_knn(kernel_launcher& launcher, Args const& args) noexcept {
  launch_in_parts<Selector>(args, [&launcher](Args const& part, index_t threads) {
    if (part.request.k > Args::max_capacity) {
      launch_warp_per_query<neighbor_key<typename Args::scalar>>(launcher, part, threads);
    } else {
      launch_packets<Selector, Kind>(launcher, part, threads);
    }
  });
}

/// Enqueues the kernels for queries whose kind is known at run time.
template <class Selector, class Args>
FARPOINT_HIDDEN void launch_knn(kernel_launcher& launcher, Args const& args) noexcept {
  if constexpr (Args::may_be_external) {
    if (!args.queries.are_points()) return launch_knn<Selector, query_kind::others>(launcher, args);
  }
  launch_knn<Selector, query_kind::points>(launcher, args);
}

/// knn() for cuda_exec.
/// @param source  points, or a device_point_bvh. Without a workspace, queries by a BVH are answered in the order of the
///                view
template <class Selector, query_kind Kind, class Source, class Queries>
FARPOINT_HIDDEN result knn_cuda(cuda_exec exec, Source const& source, batch<Queries> const& queries,
                                knn_params const& params, knn_output<typename Queries::scalar> const& output,
                                bytes workspace) noexcept {
  profile_range const range{"farpoint::knn"};
  result const searchable =
      check_search_on(exec, workspace, source, queries, output.indices, output.distances, output.counts, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_knn(queries.points().size(), params, output); !checked) return checked;
  auto const request = request_of<typename Queries::scalar>(params);
  auto const answer = [&](kernel_launcher& launcher, auto const& asked, bytes) {
    knn_cuda_args<Queries> const args{asked, request, output, non_finite_counter(output.report)};
    if constexpr (std::decay_t<decltype(asked)>::is_scanned) {
      launch_scan_nearest(launcher, args, asked);
    } else {
      launch_knn<Selector, Kind>(launcher, args);
    }
  };
  return search_on_device<Selector>(exec, source, queries, Kind == query_kind::points, output.report, workspace,
                                    params.k, answer);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
