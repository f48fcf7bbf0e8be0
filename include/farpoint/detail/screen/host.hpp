/// @file
/// The host backend of knn() in screen space.
#pragma once

#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/screen/host_passes.hpp>
#include <farpoint/detail/search/knn_host.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Distribution of a call over threads, and the memory that it takes.
template <class Points, class Camera>
class knn_screen_host_plan {
 public:
  using task_type = knn_screen_task<Points, Camera>;
  using scalar = typename Points::scalar;

  knn_screen_host_plan(host_exec exec, batch<Points> const& cloud, screen_space<Camera> const& method,
                       for_each_cloud_tuning const& tuning) noexcept
      : points_{bounded_points(cloud.points().size())},
        method_{method},
        most_{max_visible(points_, method)},
        threads_{exec, 1, size(), size(), work(), tuning} {}

  for_each_cloud_plan const& threads() const noexcept { return threads_; }
  /// Number of points to draw plus the maximum number of queries.
  index_t size() const noexcept { return points_ + most_; }
  index_t most() const noexcept { return most_; }

  std::size_t bytes() const noexcept {
    task_type task{};
    host_search_memory<scalar> memory{};
    return cut(nullptr, task, memory);
  }

  /// Sets the memory of the task, and of the index if there is one. Returns bytes.
  std::size_t cut(unsigned char* workspace, task_type& task, host_search_memory<scalar>& memory) const noexcept {
    workspace_cutter cutter{workspace};
    task.points = cut_screen_points<scalar>(cutter, points_, screen_words(method_), most_);
    task.units = cutter.take<screen_unit>(threads_.max_units());
    if (method_.rounds != until_exact) {
      task.layout = screen_layout(method_, most_);
      task.tree = cutter.take<unsigned char>(static_cast<index_t>(task.layout.size()));
      task.tree_points = cutter.take<quadtree_point>(most_);
      task.packed = cutter.take<vec<scalar>>(most_);
    } else {
      memory = cut_host_search<scalar>(cutter, most_, 1, most_, threads_.max_units());
    }
    return cutter.used();
  }

 private:
  /// Estimated time, in ns, to draw all points, and to index and answer the maximum number of queries.
  double work() const noexcept {
    return static_cast<double>(points_) * 30 * method_.layers + static_cast<double>(most_) * 500;
  }

  index_t points_;
  screen_space<Camera> method_;
  index_t most_;
  for_each_cloud_plan threads_;
};

/// knn() in screen space for host_exec.
template <class Points, class Camera>
result knn_screen_host(host_exec exec, batch<Points> const& cloud, screen_space<Camera> const& method,
                       knn_screen_output<typename Points::scalar> const& output, bytes workspace,
                       for_each_cloud_tuning const& tuning = {}) noexcept {
  using scalar = typename Points::scalar;
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_knn_screen(cloud, method, output); !checked) return checked;
  knn_screen_host_plan<Points, Camera> const plan{exec, cloud, method, tuning};
  if (result const checked = check_workspace(workspace, plan.bytes(), FARPOINT_WORKSPACE_OF("knn")); !checked)
    return checked;

  if (index_t const bad = count_bad_offsets(cloud); bad > 0) {
    batch<Points> const none{cloud.points().subview(0, 0)};
    if (result const found = knn_screen_host(exec, none, method, output, workspace, tuning); !found) return found;
    screen_row_writer<scalar> const writer{output, nullptr, method.k, 0, true};
    index_t const rows = method.rows == screen_rows::input ? cloud.points().size() : 0;
    for (index_t row = 0; row < rows; ++row) writer.write_empty(row);
    if (output.report != nullptr) output.report->bad_offsets = static_cast<unsigned long long>(bad);
    return {};
  }
  knn_screen_task<Points, Camera> task{};
  host_search_memory<scalar> memory{};
  plan.cut(workspace.data(), task, memory);
  task.cloud = cloud[0];
  task.method = method;
  task.writer = {output, task.points.index_of, method.k, cloud.begin_of(0), method.rows == screen_rows::input};

  using view_job = screen_view_job<Points, Camera>;
  auto const size_of = [&plan](index_t) { return plan.size(); };
  auto const units_of = [&plan](int rank) { return rank < 0 ? plan.threads().max_units() : 1; };
  if (method.rounds != until_exact) {
    using rounds_job = screen_rounds_job<Points, Camera>;
    for_each_cloud(plan.threads(), 1, size_of, [&](int rank) {
      return host_sequence<view_job, rounds_job>{{task, units_of(rank)}, {task, 16 * units_of(rank)}};
    });
    return {};
  }

  using builder = host_bvh_builder<point_view<scalar>>;
  auto const consumer = [&task](index_t, index_t number, auto const* keys, int count) {
    task.writer.write_keys(number, keys, count);
  };
  auto const nearest = nearest_task<scalar>({method.k, method.max_radius, method.exclude_self}, consumer);
  using search = host_search<point_view<scalar>, std::remove_const_t<decltype(nearest)>>;
  auto const visible = task.points.cloud(plan.most());
  std::atomic<unsigned long long> bad{0};
  for_each_cloud(plan.threads(), 1, size_of, [&](int rank) {
    int const threads = rank < 0 ? plan.threads().threads() : 1;
    return host_sequence<view_job, host_sequence<builder, search>>{
        {task, units_of(rank)},
        {builder{visible, memory.index, memory.scratch.of_rank(rank)},
         search{visible, memory.index, true, nearest, bad, threads}}};
  });
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
