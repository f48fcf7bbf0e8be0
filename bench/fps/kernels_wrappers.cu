/// @file
/// The wrappers of compat/, which choose kernels by fps_selector, and fps() on the same points. Needs nvcc.

#include "fps/kernels.cuh"

#include <farpoint/compat/furthest_point_sampling.cuh>

namespace farpoint_bench {
namespace {

namespace compat = farpoint::compat;

constexpr fps_kernels_row rows[] = {
    {1, 16'384, 4'096}, {16, 1'024, 512}, {32, 4'096, 1'024}, {6, 10'000, 1'000}, {4, 16'384, 4'096},
};

/// A row's points and memory for the wrapper.
class wrappers_problem {
 public:
  wrappers_problem(fps_kernels_row const& row, std::vector<float> const&)
      : row_{row},
        points_{row.make<float>(3)},
        device_points_{points_},
        lists_{static_cast<std::size_t>(row.clouds * row.samples)} {}

  cudaStream_t stream() const noexcept { return stream_.get(); }

  void reserve(compat::furthest_point_sampling_rules const& rules) {
    lists_.reserve(compat::furthest_point_sampling_workspace_bytes(stream(), clouds(), points(), samples(), rules));
  }
  void launch(cudaStream_t on, compat::furthest_point_sampling_rules const& rules) const {
    check(compat::furthest_point_sampling_kernel_launcher(clouds(), points(), samples(), device_points_.data(), nullptr,
                                                          lists_.indices().data(), on, lists_.workspace(), rules),
          "furthest_point_sampling_kernel_launcher");
  }
  /// Calls the wrapper once; throws unless it returns what it returns on the host.
  void verify(std::string const& what, compat::furthest_point_sampling_rules const& rules) const {
    farpoint::host_exec const exec;
    std::vector<std::int32_t> expected(lists_.indices().size());
    farpoint::detail::host_workspace workspace{
        compat::furthest_point_sampling_workspace_bytes(exec, clouds(), points(), samples(), rules)};
    check(compat::furthest_point_sampling_kernel_launcher(clouds(), points(), samples(), points_.data(), nullptr,
                                                          expected.data(), exec, workspace.get(), rules),
          "furthest_point_sampling_kernel_launcher on the host");
    lists_.clear(stream());
    launch(stream(), rules);
    expect_same_bits(lists_.download_indices(), expected, row_.samples, what);
  }

 private:
  int clouds() const { return static_cast<int>(row_.clouds); }
  int points() const { return static_cast<int>(row_.points); }
  int samples() const { return static_cast<int>(row_.samples); }

  fps_kernels_row row_;
  std::vector<float> points_;
  owned_stream stream_;
  device_buffer<float> device_points_;
  device_lists lists_;
};

using wrappers_problem_store = problem_store<wrappers_problem, fps_kernels_row>;

void register_wrapper(fps_kernels_row const& row, std::string const& variant,
                      compat::furthest_point_sampling_rules const& rules, bool flush_l2,
                      wrappers_problem_store& problems) {
  std::string const name = "fps_wrappers/" + row.name() + "/" + variant;
  register_row(name, 1, [=, &problems](benchmark::State& state) {
    wrappers_problem& problem = problems[row];
    problem.reserve(rules);
    problem.verify(name, rules);
    state.SetLabel("equals host_exec");
    row.count(state);
    time_replays(state, problem.stream(), row.work(sizeof(float), 3), flush_l2, 0,
                 [&problem, rules](cudaStream_t stream) { problem.launch(stream, rules); });
  });
}

}  // namespace

std::shared_ptr<void> register_wrappers(kernels_setting const& setting) {
  using points = farpoint::point_view<float>;
  struct stores {
    kernels_problem_store<points> kernels{{}};
    wrappers_problem_store wrappers{{}};
  };
  auto problems = std::make_shared<stores>();
  for (fps_kernels_row const& row : rows) {
    register_kernel<farpoint::fps_selector, points>(
        "fps_wrappers", row, "default", {}, [] {}, setting, problems->kernels);
    register_wrapper(row, "by_index", {}, setting.flush_l2, problems->wrappers);
    register_wrapper(row, "openpcdet", compat::openpcdet_rules, setting.flush_l2, problems->wrappers);
    register_wrapper(row, "pointnet2_ops", compat::pointnet2_ops_rules, setting.flush_l2, problems->wrappers);
  }
  return problems;
}

}  // namespace farpoint_bench
