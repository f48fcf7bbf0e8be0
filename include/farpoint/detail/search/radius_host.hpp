/// @file
/// The host backend of radius() and radius_rows().
#pragma once

#include <farpoint/core/offsets.hpp>
#include <farpoint/detail/search/knn_host.hpp>
#include <farpoint/detail/search/radius_operations.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counts the neighbors of each query of a block.
template <class Scalar>
struct radius_count_pass {
  using function = void (*)(point_bvh_ref<Scalar> const&, query_block<Scalar> const&, knn_request<Scalar> const&,
                            index_t*) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(point_bvh_ref<Scalar> const& index, query_block<Scalar> const& queries,
                                         knn_request<Scalar> const& request, index_t* counts) noexcept {
    for (int i = 0; i < queries.count; ++i) {
      neighbor_counter counter{request.excluded(queries.index[i])};
      within_visitor<Scalar, neighbor_counter> visitor{request.radius2, counter};
      index.visit(queries.at[i], queries.start_of(i, index), visitor);
      counts[i] = counter.count();
    }
  }
};

/// The k neighbors of lowest index of each query; see knn_pass.
template <class Scalar, class List>
struct radius_lowest_pass {
  using key = index_key<Scalar>;
  using function = knn_function<Scalar, key>;

  FARPOINT_ALWAYS_INLINE static void run(point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries,
                                         knn_request<Scalar> const& request, key* keys) noexcept {
    key const limit{Scalar(0), no_index};
    for (int i = 0; i < queries.count; ++i) {
      List list{keys + i * request.k, request.k, limit};
      lowest_visitor<Scalar, List> visitor{request.radius2, list, request.excluded(queries.index[i])};
      index.visit(queries.at[i], queries.start_of(i, index), visitor);
      list.sort();
    }
  }
};

template <class Scalar>
knn_function<Scalar, index_key<Scalar>> choose_lowest_pass(int k) noexcept {
  using key = index_key<Scalar>;
  if (k > 64) return isa_dispatch<radius_lowest_pass<Scalar, topk_buffer<key>>>();
  return isa_dispatch<radius_lowest_pass<Scalar, topk_sorted<key>>>();
}

/// Calls `consumer(b, i, count)` with the number of neighbors of each query i of cloud b.
template <class Scalar, class Consumer>
class radius_count_task {
 public:
  radius_count_task(knn_request<Scalar> const& request, Consumer const& consumer) noexcept
      : request_{request}, consumer_{consumer} {}

  int block_size() const noexcept { return query_block<Scalar>::most; }
  void answer(index_t b, point_bvh_ref<Scalar> const& index, query_block<Scalar> const& queries) const noexcept {
    index_t counts[query_block<Scalar>::most];
    pass_(index, queries, request_, counts);
    for (int i = 0; i < queries.count; ++i) consumer_(b, queries.index[i], counts[i]);
  }
  void leave_empty(index_t b, index_t i) const noexcept { consumer_(b, i, index_t{0}); }

 private:
  knn_request<Scalar> request_;
  Consumer const& consumer_;
  typename radius_count_pass<Scalar>::function pass_ = isa_dispatch<radius_count_pass<Scalar>>();
};

/// radius() by a search_of_points or search_of_index.
template <class Scalar, class Search>
void radius_by(Search const& search, radius_params const& params, radius_output<Scalar> const& output) noexcept {
  auto const& queries = search.queries;
  index_t const max = params.max_neighbors;
  using queries_type = std::decay_t<decltype(queries.points())>;
  knn_writer<queries_type> const lists{queries, max, {output.indices, output.distances, output.counts, nullptr}};
  auto const leave_empty = [&](index_t row) { lists.leave_empty(row); };
  auto const request = request_of<Scalar>(params);
  std::atomic<unsigned long long> total{0};
  auto const add_to_total = [&](index_t count) {
    if (output.report == nullptr) return;
    total.fetch_add(static_cast<unsigned long long>(count), std::memory_order_relaxed);
  };
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    lists(b, i, keys, count);
    add_to_total(count);
  };
  auto const write_count = [&](index_t b, index_t i, index_t count) {
    if (!output.counts.empty()) output.counts.set(queries.begin_of(b) + i, count);
    add_to_total(count);
  };
  auto const run = [&](auto const& task) { return search(task, leave_empty); };
  search_counts found;
  if (max == 0) {
    found = run(radius_count_task<Scalar, decltype(write_count)>{request, write_count});
  } else if (params.order == radius_order::nearest) {
    found = run(
        knn_task<neighbor_key<Scalar>, Scalar, decltype(write)>{request, write, choose_knn_pass<Scalar>(request.k)});
  } else {
    found = run(
        knn_task<index_key<Scalar>, Scalar, decltype(write)>{request, write, choose_lowest_pass<Scalar>(request.k)});
  }
  if (output.report == nullptr) return;
  *output.report = {found.non_finite_points, found.non_finite_queries, total.load(), 0, found.bad_offsets};
}

/// radius() for host_exec.
/// @param source  points, or a point_bvh
template <class Source, class Queries>
result radius_host(host_exec exec, Source const& source, batch<Queries> const& queries, bool self,
                   radius_params const& params, radius_output<typename Queries::scalar> const& output, bytes workspace,
                   for_each_cloud_tuning const& tuning = {}) noexcept {
  auto const check = [&] { return check_radius(queries.points().size(), params, output); };
  auto const answer = [&](auto const& search) { radius_by(search, params, output); };
  return search_on_host(exec, source, queries, self, workspace, check, answer, tuning);
}

/// Begins of the rows of a block of queries; -1 for a row that does not fit.
template <class Scalar>
struct row_begins {
  index_span indices;
  index_t begin[query_block<Scalar>::most];
};

/// Fills the rows of a block, in the order in which the index shows the points.
template <class Scalar>
struct radius_collect_pass {
  using function = void (*)(point_bvh_ref<Scalar> const&, query_block<Scalar> const&, knn_request<Scalar> const&,
                            row_begins<Scalar> const&) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(point_bvh_ref<Scalar> const& index, query_block<Scalar> const& queries,
                                         knn_request<Scalar> const& request, row_begins<Scalar> const& rows) noexcept {
    for (int i = 0; i < queries.count; ++i) {
      if (rows.begin[i] < 0) continue;
      row_collector collector{rows.indices, rows.begin[i], request.excluded(queries.index[i])};
      within_visitor<Scalar, row_collector> visitor{request.radius2, collector};
      index.visit(queries.at[i], queries.start_of(i, index), visitor);
    }
  }
};

/// Fills rows whose offsets are known.
template <class Points, class Queries>
class radius_rows_task {
 public:
  using scalar = typename Points::scalar;

  radius_rows_task(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
                   radius_rows_output<scalar> const& output) noexcept
      : points_{points}, queries_{queries}, params_{params}, output_{output} {}

  int block_size() const noexcept { return query_block<scalar>::most; }
  void answer(index_t b, point_bvh_ref<scalar> const& index, query_block<scalar> const& queries) const noexcept {
    row_begins<scalar> rows{output_.indices, {}};
    for (int i = 0; i < queries.count; ++i) {
      index_t const row = queries_.begin_of(b) + queries.index[i];
      rows.begin[i] = fits(row) ? output_.offsets.get(row) : -1;
    }
    pass_(index, queries, request_of<scalar>(params_), rows);
    for (int i = 0; i < queries.count; ++i) {
      index_t const row = queries_.begin_of(b) + queries.index[i];
      if (rows.begin[i] < 0) {
        leave_out_row(output_, output_.offsets.get(row), output_.offsets.get(row + 1));
      } else if (output_.indices.wide()) {
        finish(static_cast<std::int64_t*>(output_.indices.data()), row, points_[b], queries.at[i]);
      } else {
        finish(static_cast<std::int32_t*>(output_.indices.data()), row, points_[b], queries.at[i]);
      }
    }
  }
  void leave_empty(index_t, index_t) const noexcept {}

  bool fits(index_t row) const noexcept {
    return row_fits(output_.offsets.get(row + 1), output_.indices.size(), output_.offsets.wide());
  }

 private:
  /// Sorts a row. Computes distances again, because keeping them would take memory.
  template <class Index>
  void finish(Index* indices, index_t row, Points const& cloud, vec<scalar, 3> const& q) const noexcept {
    index_t const begin = output_.offsets.get(row);
    index_t const end = output_.offsets.get(row + 1);
    auto const key_of = [&](Index i) {
      return neighbor_key<scalar>{distance2(cloud[i], q), static_cast<std::uint32_t>(i)};
    };
    if (params_.order == radius_order::nearest) {
      std::sort(indices + begin, indices + end, [&](Index a, Index b) { return key_of(a) < key_of(b); });
    } else {
      std::sort(indices + begin, indices + end);
    }
    if (output_.distances.empty()) return;
    for (index_t at = begin; at < end; ++at) {
      output_.distances[static_cast<std::size_t>(at)] = distance2(cloud[indices[at]], q);
    }
  }

  batch<Points> const& points_;
  batch<Queries> const& queries_;
  radius_params const& params_;
  radius_rows_output<scalar> const& output_;
  typename radius_collect_pass<scalar>::function pass_ = isa_dispatch<radius_collect_pass<scalar>>();
};

/// Turns counts into offsets, in place; returns their sum. 32-bit offsets saturate.
inline index_t add_up_counts(index_span offsets, index_t rows) noexcept {
  index_t const largest = largest_offset(offsets.wide());
  index_t total = 0;
  for (index_t row = 0; row < rows; ++row) {
    index_t const count = offsets.get(row);
    offsets.set(row, std::min(total, largest));
    total += count;
  }
  offsets.set(rows, std::min(total, largest));
  return total;
}

/// radius_rows() by a search_of_points or search_of_index.
/// @param points  points of the indices
template <class Points, class Search>
void radius_rows_by(Search const& search, batch<Points> const& points, radius_params const& params,
                    radius_rows_output<typename Points::scalar> const& output) noexcept {
  using scalar = typename Points::scalar;
  auto const& queries = search.queries;
  using queries_type = std::decay_t<decltype(queries.points())>;
  index_t const rows = queries.points().size();
  for (index_t row = 0; row <= rows; ++row) output.offsets.set(row, 0);
  auto const count = [&](index_t b, index_t i, index_t found) { output.offsets.set(queries.begin_of(b) + i, found); };
  search_counts const found =
      search(radius_count_task<scalar, decltype(count)>{request_of<scalar>(params), count}, [](index_t) noexcept {});
  auto const total = static_cast<unsigned long long>(add_up_counts(output.offsets, rows));

  radius_rows_task<Points, queries_type> const fill{points, queries, params, output};
  if (!output.indices.empty() && found.bad_offsets == 0) search.again(fill);
  if (output.report == nullptr) return;
  *output.report = {found.non_finite_points, found.non_finite_queries, total, 0, found.bad_offsets};
  for (index_t row = 0; row < rows; ++row) output.report->rows_left_out += fill.fits(row) ? 0u : 1u;
}

/// radius_rows() for host_exec.
template <class Points, class Queries>
result radius_rows_host(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                        radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                        bytes workspace, for_each_cloud_tuning const& tuning = {}) noexcept {
  auto const check = [&] { return check_radius_rows(queries.points().size(), params, output); };
  auto const answer = [&](auto const& search) { radius_rows_by(search, points, params, output); };
  return search_on_host(exec, points, queries, self, workspace, check, answer, tuning);
}

/// radius_rows() for host_exec among the points of a point_bvh.
template <class Index, class Points, class Queries>
result radius_rows_of_index(host_exec exec, Index const& index, batch<Points> const& points,
                            batch<Queries> const& queries, radius_params const& params,
                            radius_rows_output<typename Queries::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_own_index(index, points); !checked) return checked;
  if (result const checked = check_index_search(exec, index, queries, workspace); !checked) return checked;
  if (result const checked = check_radius_rows(queries.points().size(), params, output); !checked) return checked;
  auto const own = index_offsets::of_points(index, points);
  radius_rows_by(search_of_index<Index, Queries>{exec, index, queries, false, workspace, own}, points, params, output);
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
