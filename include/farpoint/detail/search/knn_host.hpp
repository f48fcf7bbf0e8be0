/// @file
/// The host backend of knn() and of the functions that are built on its lists.
#pragma once

#include <farpoint/detail/search/host_plan.hpp>
#include <farpoint/detail/search/knn_host_pass.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Calls `consumer(b, i, keys, count)` with the list of each query i of cloud b: keys ascending, none for queries that
/// are not finite. Several threads call it at once.
template <class Key, class Scalar, class Consumer>
class knn_task {
 public:
  knn_task(knn_request<Scalar> const& request, Consumer const& consumer, knn_function<Scalar, Key> const pass) noexcept
      : request_{request}, consumer_{consumer}, pass_{pass} {}

  /// Whole packets, if there is one.
  int block_size() const noexcept {
    int const most = std::clamp(keys_at_once / request_.k, 1, query_block<Scalar>::most);
    return most < packet_lanes ? most : most / packet_lanes * packet_lanes;
  }

  void answer(index_t b, point_bvh_ref<Scalar> const& index, query_block<Scalar>& queries) const noexcept {
    Key keys[2 * keys_at_once];
    pass_(index, queries, request_, keys);
    for (int i = 0; i < queries.count; ++i) {
      Key const* const mine = keys + i * request_.k;
      consumer_(b, queries.index[i], mine, count_keys(mine, request_.k));
    }
  }
  void leave_empty(index_t b, index_t i) const noexcept {
    Key const* const none = nullptr;
    consumer_(b, i, none, 0);
  }

 private:
  static constexpr int keys_at_once = static_cast<int>(max_neighbors);

  knn_request<Scalar> request_;
  Consumer const& consumer_;
  knn_function<Scalar, Key> pass_;
};

/// The task of the k nearest of each query.
template <class Scalar, class Consumer>
auto nearest_task(knn_params const& params, Consumer const& consumer) noexcept {
  auto const request = request_of<Scalar>(params);
  return knn_task<neighbor_key<Scalar>, Scalar, Consumer>{request, consumer, choose_knn_pass<Scalar>(request.k)};
}

/// A consumer of lists, and what it does for all rows of the queries' view where offsets are wrong: `leave_empty(row)`.
template <class Write, class LeaveEmpty>
struct list_consumer {
  Write write;
  LeaveEmpty leave_empty;

  template <class Key>
  void operator()(index_t b, index_t i, Key const* keys, int count) const noexcept {
    write(b, i, keys, count);
  }
};
template <class Write, class LeaveEmpty>
list_consumer(Write, LeaveEmpty) -> list_consumer<Write, LeaveEmpty>;

/// Writes lists to a knn_output.
template <class Queries>
class knn_writer {
 public:
  using scalar = typename Queries::scalar;

  knn_writer(batch<Queries> const& queries, index_t k, knn_output<scalar> const& output) noexcept
      : queries_{queries}, k_{k}, output_{output} {}

  template <class Key>
  void operator()(index_t b, index_t i, Key const* keys, int count) const noexcept {
    write(queries_.begin_of(b) + i, keys, count);
  }
  void leave_empty(index_t row) const noexcept {
    neighbor_key<scalar> const* const none = nullptr;
    write(row, none, 0);
  }

 private:
  template <class Key>
  void write(index_t row, Key const* keys, int count) const noexcept {
    for (index_t j = 0; j < k_; ++j) {
      bool const is_there = j < count;
      output_.indices.set(row * k_ + j, is_there ? index_t{keys[j].index()} : -1);
      if (output_.distances.empty()) continue;
      output_.distances[static_cast<std::size_t>(row * k_ + j)] = is_there ? keys[j].distance2() : no_distance<scalar>;
    }
    if (!output_.counts.empty()) output_.counts.set(row, count);
  }

  batch<Queries> const& queries_;
  index_t k_;
  knn_output<scalar> output_;
};

/// Hands the k nearest of each query to a consumer; see knn_task and list_consumer.
/// @param search  search_of_points or search_of_index
template <class Scalar, class Search, class Consumer>
void neighbors_by(Search const& search, knn_params const& params, Consumer const& consumer,
                  knn_report* report) noexcept {
  search_counts const found =
      search(nearest_task<Scalar>(params, consumer), [&](index_t row) { consumer.leave_empty(row); });
  if (report != nullptr) *report = {found.non_finite_points, found.non_finite_queries, found.bad_offsets};
}

/// knn() for host_exec.
/// @param source  points, or a point_bvh
template <class Source, class Queries>
result knn_host(host_exec exec, Source const& source, batch<Queries> const& queries, bool self,
                knn_params const& params, knn_output<typename Queries::scalar> const& output, bytes workspace,
                for_each_cloud_tuning const& tuning = {}) noexcept {
  auto const check = [&] { return check_knn(queries.points().size(), params, output); };
  auto const answer = [&](auto const& search) {
    neighbors_by<typename Queries::scalar>(search, params, knn_writer<Queries>{queries, params.k, output},
                                           output.report);
  };
  return search_on_host(exec, source, queries, self, workspace, check, answer, tuning);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
