/// @file
/// Threads and memory of a search on the host, and the search itself.
#pragma once

#include <farpoint/detail/bvh/host_builder.hpp>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/host_traversal.hpp>
#include <farpoint/detail/search/index_offsets.hpp>
#include <farpoint/host/for_each_cloud.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar>
struct host_search_memory {
  point_bvh_arrays<Scalar> index;
  kd_parts scratch;
  host_query_memory<Scalar> queries;
  std::size_t size;
};

/// Cuts the memory of an index, its build, and its queries.
/// @param max_units  maximum number of units of work of the build
/// @param queries     number of queries to sort; 0 if the queries are the points
template <class Scalar>
host_search_memory<Scalar> cut_host_search(workspace_cutter& cutter, index_t points, index_t clouds, index_t largest,
                                           std::uint32_t max_units, index_t queries = 0) noexcept {
  host_search_memory<Scalar> memory{};
  memory.index = cut_point_bvh<Scalar>(cutter, points, clouds, largest);
  memory.scratch = kd_parts::take(cutter, max_units);
  // A cloud's queries are sorted after its index is built, so they reuse the parts.
  if (queries > 0) memory.queries = {cutter.take<kd_point<Scalar>>(queries), memory.scratch};
  memory.size = cutter.used();
  return memory;
}

/// Number of threads and memory layout of a search.
template <class Scalar>
class host_search_plan {
 public:
  /// @param queries  number of queries of all clouds
  /// @param self     true if the queries are the points, and are not sorted
  template <class Points>
  host_search_plan(host_exec exec, batch<Points> const& points, index_t queries, bool self = true,
                   for_each_cloud_tuning const& tuning = {}) noexcept
      : clouds_{bounded_clouds(points.size())},
        points_{bounded_points(points.points().size())},
        largest_{bounded_points(points.largest())},
        queries_{bounded_points(queries)},
        self_{self},
        threads_{exec, clouds_, points_ + queries_, largest_ + queries_, cost(), tuning} {}

  for_each_cloud_plan const& threads() const noexcept { return threads_; }
  std::size_t bytes() const noexcept { return clouds_ == 0 ? 0 : cut(nullptr).size; }

  host_search_memory<Scalar> cut(unsigned char* workspace) const noexcept {
    workspace_cutter cutter{workspace};
    return cut_host_search<Scalar>(cutter, points_, clouds_, largest_, threads_.max_units(), self_ ? 0 : queries_);
  }

 private:
  /// Estimated nanoseconds on one thread: 100 to sort a point, 400 to answer a query.
  double cost() const noexcept { return static_cast<double>(points_) * 100 + static_cast<double>(queries_) * 400; }

  index_t clouds_;
  index_t points_;
  index_t largest_;
  index_t queries_;
  bool self_;
  for_each_cloud_plan threads_;
};

/// Workspace bytes of a search.
template <class Points, class Queries>
std::size_t host_search_bytes(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                              for_each_cloud_tuning const& tuning = {}) noexcept {
  return host_search_plan<typename Points::scalar>{exec, points, queries.points().size(), self, tuning}.bytes();
}

/// Sets `bound` to workspace bytes that suffice for all searches within the limits.
template <class Scalar>
result bound_host_search(host_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_limits(limits); !checked) return checked;
  workspace_cutter cutter;
  index_t const largest = std::min(limits.points, max_bvh_points);
  std::uint32_t const units = for_each_cloud_plan::max_units(resolve_threads(exec.threads));
  bound = cut_host_search<Scalar>(cutter, limits.points, limits.clouds, largest, units, limits.queries).size;
  return {};
}

/// Builds the indices of all clouds. The points must have been checked.
template <class Points>
void build_on_host(host_search_plan<typename Points::scalar> const& plan,
                   host_search_memory<typename Points::scalar> const& memory, batch<Points> const& points) noexcept {
  for_each_cloud(
      plan.threads(), points.size(), [&](index_t b) { return points[b].size(); },
      [&](int rank) {
        return host_bvh_builder<Points>{points, memory.index, memory.scratch.of_rank(rank)};
      });
}

/// Builds the index of each cloud and passes the cloud's queries to the task as soon as it is built.
/// @param self  true if the queries are the points
/// @return number of non-finite queries
template <class Points, class Queries, class Task>
unsigned long long build_and_search_on_host(host_search_plan<typename Points::scalar> const& plan,
                                            host_search_memory<typename Points::scalar> const& memory,
                                            batch<Points> const& points, batch<Queries> const& queries, bool self,
                                            Task const& task) noexcept {
  using builder = host_bvh_builder<Points>;
  using search = host_search<Queries, Task>;
  std::atomic<unsigned long long> bad{0};
  for_each_cloud(
      plan.threads(), points.size(), [&](index_t b) { return points[b].size() + queries[b].size(); },
      [&](int rank) {
        return host_sequence<builder, search>{
            builder{points, memory.index, memory.scratch.of_rank(rank)},
            search{queries, memory.index, self, task, bad, rank < 0 ? plan.threads().threads() : 1,
                   memory.queries.of_rank(rank)}};
      });
  return bad.load();
}

/// Passes queries to a task, with indices that have been built. The plan must be for these queries.
/// @return number of non-finite queries
template <class Queries, class Task>
unsigned long long search_built_on_host(for_each_cloud_plan const& plan,
                                        point_bvh_arrays<typename Queries::scalar> const& index,
                                        batch<Queries> const& queries, bool self, Task const& task,
                                        host_query_memory<typename Queries::scalar> const& memory = {}) noexcept {
  using search = host_search<Queries, Task>;
  std::atomic<unsigned long long> bad{0};
  for_each_cloud(
      plan, queries.size(), [&](index_t b) { return queries[b].size(); },
      [&](int rank) {
        return search{queries, index, self, task, bad, rank < 0 ? plan.threads() : 1, memory.of_rank(rank)};
      });
  return bad.load();
}

/// Number of points that no index contains, which are the non-finite points.
template <class Points>
unsigned long long count_left_out(batch<Points> const& points,
                                  point_bvh_arrays<typename Points::scalar> const& index) noexcept {
  index_t count = 0;
  for (index_t b = 0; b < points.size(); ++b) count += points[b].size() - index.clouds[b].size;
  return static_cast<unsigned long long>(count);
}

/// Invalid values that a search finds. With bad offsets, the other counts are 0.
struct search_counts {
  unsigned long long non_finite_points = 0;
  unsigned long long non_finite_queries = 0;
  unsigned long long bad_offsets = 0;
};

/// Number of threads of a search with built indices, and memory to sort its queries.
template <class Queries>
class index_search_plan {
 public:
  using scalar = typename Queries::scalar;

  index_search_plan(host_exec exec, index_t clouds, batch<Queries> const& queries,
                    for_each_cloud_tuning const& tuning = {}) noexcept
      : queries_{bounded_points(queries.points().size())},
        threads_{exec, clouds, queries_, queries.largest(), static_cast<double>(queries_) * 400, tuning} {}

  for_each_cloud_plan const& threads() const noexcept { return threads_; }
  std::size_t bytes() const noexcept {
    workspace_cutter cutter;
    static_cast<void>(take(cutter));
    return cutter.used();
  }
  /// Cuts the memory; returns null pointers for an empty workspace.
  host_query_memory<scalar> cut(farpoint::bytes workspace) const noexcept {
    if (workspace.empty()) return {};
    workspace_cutter cutter{workspace.data()};
    return take(cutter);
  }

 private:
  host_query_memory<scalar> take(workspace_cutter& cutter) const noexcept {
    return host_query_memory<scalar>::take(cutter, queries_, threads_.max_units());
  }

  index_t queries_;
  for_each_cloud_plan threads_;
};

/// Builds the indices of points in the workspace, which has been checked, and passes the queries to a task.
template <class Points, class Queries>
struct search_of_points {
  using scalar = typename Points::scalar;

  host_exec exec;
  batch<Points> const& points;
  batch<Queries> const& queries;
  bool self;  ///< whether the queries are the points
  bytes workspace;
  for_each_cloud_tuning const& tuning;
  host_search_plan<scalar> plan{exec, points, queries.points().size(), self, tuning};

  index_t points_begin(index_t b) const noexcept { return points.begin_of(b); }

  /// @param leave_empty  `leave_empty(row)` is called for all rows if offsets are bad
  template <class Task, class LeaveEmpty>
  search_counts operator()(Task const& task, LeaveEmpty const& leave_empty) const noexcept {
    if (auto const bad_offsets = count_bad_offsets(points, queries); bad_offsets > 0) {
      for (index_t row = 0; row < queries.points().size(); ++row) leave_empty(row);
      return {0, 0, bad_offsets};
    }
    auto const memory = plan.cut(workspace.data());
    auto const bad = build_and_search_on_host(plan, memory, points, queries, self, task);
    // Sizes of indices that were not built are not there to be added up.
    host_stop const* const stop = plan.threads().stop();
    bool const ended = stop != nullptr && stop->requested();
    return {ended ? 0 : count_left_out(points, memory.index), bad, 0};
  }
  /// Passes the queries to another task.
  template <class Task>
  void again(Task const& task) const noexcept {
    index_search_plan<Queries> const threads{exec, queries.size(), queries, tuning};
    search_built_on_host(threads.threads(), plan.cut(workspace.data()).index, queries, self, task);
  }
};

/// Searches built indices of type point_bvh.
template <class Index, class Queries>
struct search_of_index {
  host_exec exec;
  Index const& index;
  batch<Queries> const& queries;
  bool self;                  ///< whether the queries are the points of the index
  bytes workspace{};          ///< memory of index_search_plan, or empty
  index_offsets points = {};  ///< offsets of the points, if the search reads the points

  index_t points_begin(index_t b) const noexcept { return index.arrays().clouds[b].begin; }

  template <class Task, class LeaveEmpty>
  search_counts operator()(Task const& task, LeaveEmpty const& leave_empty) const noexcept {
    index_t const rows = queries.points().size();
    auto const of_queries = self ? index_offsets::of_points(index, queries) : index_offsets::of_queries(index, queries);
    auto const of_index = index.bad_offsets();
    auto const bad_offsets = of_index + points.count_bad(of_index) + of_queries.count_bad(of_index);
    if (bad_offsets > 0) {
      for (index_t row = 0; row < rows; ++row) leave_empty(row);
      return {0, 0, bad_offsets};
    }
    index_search_plan<Queries> const plan{exec, index.size(), queries};
    auto const memory = plan.cut(workspace);
    return {index.non_finite_points(),
            search_built_on_host(plan.threads(), index.arrays(), queries, self, task, memory), 0};
  }
  template <class Task>
  void again(Task const& task) const noexcept {
    (*this)(task, [](index_t) noexcept {});
  }
};

/// Checks the arguments of a search with built indices. The workspace may be empty.
template <class Index, class Queries>
result check_index_search(host_exec exec, Index const& index, batch<Queries> const& queries, bytes workspace) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_index_queries(queries, index.size()); !checked) return checked;
  if (workspace.empty()) return {};
  return check_workspace(workspace, index_search_plan<Queries>{exec, index.size(), queries}.bytes());
}

/// Checks the threads, points and queries, which all searches have.
template <class Points, class Queries>
result check_host_search(host_exec exec, batch<Points> const& points, batch<Queries> const& queries) noexcept {
  static_assert(std::is_same_v<typename Points::scalar, typename Queries::scalar>,
                "farpoint: points and queries must both be double, or neither");
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_bvh_points(points); !checked) return checked;
  return check_queries(queries, points.size());
}

/// Checks a search and then calls `answer(search)`, with a search_of_points or search_of_index.
/// @param points     points, or a point_bvh, for which the workspace may be empty
/// @param self       true if the queries are the points; by a point_bvh no workspace is used then
/// @param workspace  memory of host_search_plan or index_search_plan
/// @param check      `check()`: checks the parameters and outputs
template <class Points, class Queries, class Check, class Answer>
result search_on_host(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                      bytes workspace, Check const& check, Answer const& answer,
                      for_each_cloud_tuning const& tuning = {}) noexcept {
  if (result const checked = check_host_search(exec, points, queries); !checked) return checked;
  if (result const checked = check(); !checked) return checked;
  search_of_points<Points, Queries> const search{exec, points, queries, self, workspace, tuning};
  if (result const checked = check_workspace(workspace, search.plan.bytes()); !checked) return checked;
  answer(search);
  return {};
}
template <class Index, class Queries, class Check, class Answer>
result search_on_host(host_exec exec, Index const& index, batch<Queries> const& queries, bool self, bytes workspace,
                      Check const& check, Answer const& answer, for_each_cloud_tuning const& = {}) noexcept {
  if (self) {
    if (result const checked = check_host_search(exec, queries, queries); !checked) return checked;
    if (result const checked = check_own_index(index, queries); !checked) return checked;
  } else if (result const checked = check_index_search(exec, index, queries, workspace); !checked) {
    return checked;
  }
  if (result const checked = check(); !checked) return checked;
  answer(search_of_index<Index, Queries>{exec, index, queries, self, self ? bytes{} : workspace});
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
