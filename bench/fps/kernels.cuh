/// @file
/// The suite fps_kernels: the default choice of fps(), and every kernel that can run a row, forced. Needs nvcc.
///
/// Kernels are planned before rows are registered: a choice that would be replaced by another kernel, or by a smaller
/// team, gets no row. A row calls itself `default`, or by the kernel that it is forced to; the label of `default` ends
/// with the name of the choice that fps_selector makes.
#pragma once

#include "fps/forced.cuh"
#include "fps/kernels_row.hpp"
#include "support/device_lists.cuh"
#include "support/problem_store.hpp"
#include "support/register_row.hpp"
#include "support/timing.cuh"

#include <farpoint/fps.cuh>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {

/// The device that kernels are planned for, and the state of its L2 cache before a call.
struct kernels_setting {
  farpoint::detail::device_properties device;
  bool flush_l2;
};

// Each function registers the rows of one type of point. The returned object must outlive the rows.

/// Three floats.
std::shared_ptr<void> register_kernels_of_floats(kernels_setting const& setting);
/// Three doubles.
std::shared_ptr<void> register_kernels_of_doubles(kernels_setting const& setting);
/// Two floats.
std::shared_ptr<void> register_kernels_of_pairs(kernels_setting const& setting);
/// Four and eight floats.
std::shared_ptr<void> register_kernels_of_many(kernels_setting const& setting);
/// The wrappers of compat/, which choose by fps_selector, and fps() on their points.
std::shared_ptr<void> register_wrappers(kernels_setting const& setting);

/// Throws, naming the first difference, unless `got` has the bits of `expected`.
template <class T>
void expect_same_bits(std::vector<T> const& got, std::vector<T> const& expected, farpoint::index_t samples,
                      std::string const& what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&got[i], &expected[i], sizeof(T)) == 0) continue;
    auto const row = static_cast<std::size_t>(samples);
    throw std::runtime_error{"MISMATCH, " + what + ": cloud " + std::to_string(i / row) + ", sample " +
                             std::to_string(i % row) + ": got " + std::to_string(got[i]) + ", expected " +
                             std::to_string(expected[i])};
  }
}

/// Seconds of each timed call, with few calls, as a suite has hundreds of rows:
///
/// - 10 calls or 10 ms of calls warm up.
/// - Up to 100 calls are timed, until they have taken 20 ms together. At least 5 are timed, unless 100 ms have passed.
/// - If the first call takes 100 ms, or more than 20 times `default_seconds`, it is the only one, and counts.
///
/// @param call             enqueues, waits, and returns the seconds
/// @param default_seconds  median of the default choice; 0 if not known
template <class Call>
std::vector<double> seconds_of_calls(Call const& call, double default_seconds) {
  constexpr double hopeless = 20;
  constexpr double enough = 20e-3;
  constexpr double too_long = 100e-3;
  double const first = call();
  if (first >= too_long || (default_seconds > 0 && first > hopeless * default_seconds)) return {first};
  double spent = first;
  for (int calls = 1; calls < 10 && spent < enough / 2; ++calls) spent += call();

  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < 100 && total < too_long && (seconds.size() < 5 || total < enough)) {
    seconds.push_back(call());
    total += seconds.back();
  }
  return seconds;
}

/// Measures one row, which has one iteration: `launch(stream)` is captured in a graph, and replayed.
/// @return the median in seconds
template <class Launch>
double time_replays(benchmark::State& state, cudaStream_t stream, workload const& work, bool flush_l2,
                    double default_seconds, Launch const& launch) {
  owned_graph const graph{stream, launch};
  check(cudaGraphUpload(graph.get(), stream), "cudaGraphUpload");
  stream_timer timer{stream, flush_l2};
  auto const replay = [&] { return timer.seconds([&graph](cudaStream_t on) { graph.launch(on); }); };
  std::vector<double> seconds;
  for (auto _ : state) {
    static_cast<void>(_);
    seconds = seconds_of_calls(replay, default_seconds);
    state.SetIterationTime(seconds.front());
  }
  double const median = count_times(state, work, seconds);
  state.counters["calls"] = static_cast<double>(seconds.size());
  state.counters["sm_mhz_after"] = measure_sm_mhz(stream);
  return median;
}

/// A row's points, memory, and the samples that fps() returns on the host.
template <class Points>
class kernels_problem {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;

  kernels_problem(fps_kernels_row const& row, std::vector<float> const&)
      : row_{row},
        points_{row.make<scalar>(dim)},
        offsets_{row.offsets()},
        chosen_{chosen_points()},
        indices_(static_cast<std::size_t>(row.clouds * row.samples)),
        distances_(indices_.size()),
        device_points_{points_},
        device_offsets_{offsets_},
        device_chosen_{chosen_},
        lists_{indices_.size()} {
    farpoint::host_exec const exec;
    farpoint::batch<Points> const clouds = row_.batch_of(Points{points_.data(), row_.all_points()}, offsets_.data());
    farpoint::fps_params const params = params_of({chosen_.data(), chosen_.size()});
    farpoint::detail::host_workspace workspace{farpoint::fps_workspace_bytes(exec, clouds, params)};
    check(farpoint::fps(exec, clouds, params, farpoint::fps_output<scalar>{indices_, distances_}, workspace.get()),
          "farpoint::fps on the host");
  }

  cudaStream_t stream() const noexcept { return stream_.get(); }

  /// Allocates the workspace for `Selector`.
  template <class Selector>
  void reserve() {
    lists_.reserve(farpoint::fps_workspace_bytes<Selector>(farpoint::cuda_exec{stream()}, clouds(), params()));
  }

  template <class Selector>
  void launch(cudaStream_t on) const {
    check(
        farpoint::fps<Selector>(farpoint::cuda_exec{on}, clouds(), params(),
                                farpoint::fps_output<scalar>{lists_.indices(), lists_.distances()}, lists_.workspace()),
        "farpoint::fps");
  }

  /// Calls fps() once; throws unless it returns the host's samples.
  template <class Selector>
  void verify(std::string const& what) const {
    lists_.clear(stream());
    launch<Selector>(stream());
    expect_same_bits(lists_.download_indices(), indices_, row_.samples, what);
    expect_same_bits(lists_.download_distances(), distances_, row_.samples, what);
  }

  /// Median of the default choice, once it has been measured.
  double default_seconds = 0;

 private:
  farpoint::fps_params params_of(farpoint::span<std::int32_t const> chosen) const {
    farpoint::fps_params params;
    params.samples = row_.samples;
    if (row_.chosen > 0) params.chosen = farpoint::index_view{chosen};
    return params;
  }
  farpoint::fps_params params() const { return params_of({device_chosen_.data(), device_chosen_.size()}); }
  farpoint::batch<Points> clouds() const {
    return row_.batch_of(Points{device_points_.data(), row_.all_points()}, device_offsets_.data());
  }

  /// `[clouds, row.chosen]`: the samples of the first half of each cloud, as of a map that has grown since.
  std::vector<std::int32_t> chosen_points() const {
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(row_.clouds * row_.chosen));
    for (farpoint::index_t b = 0; row_.chosen > 0 && b < row_.clouds; ++b) {
      Points const all{points_.data(), row_.all_points()};
      farpoint::batch<Points> const half{all.subview(offsets_[static_cast<std::size_t>(b)], row_.size_of(b) / 2)};
      farpoint::host_exec const exec;
      farpoint::fps_params params;
      params.samples = row_.chosen;
      farpoint::detail::host_workspace workspace{farpoint::fps_workspace_bytes(exec, half, params)};
      farpoint::span<std::int32_t> const indices{chosen.data() + b * row_.chosen,
                                                 static_cast<std::size_t>(row_.chosen)};
      check(farpoint::fps(exec, half, params, farpoint::fps_output<scalar>{indices}, workspace.get()),
            "farpoint::fps of the chosen points");
    }
    return chosen;
  }

  fps_kernels_row row_;
  std::vector<scalar> points_;
  std::vector<farpoint::index_t> offsets_;
  std::vector<std::int32_t> chosen_;
  std::vector<std::int32_t> indices_;
  std::vector<scalar> distances_;
  owned_stream stream_;
  device_buffer<scalar> device_points_;
  device_buffer<farpoint::index_t> device_offsets_;
  device_buffer<std::int32_t> device_chosen_;
  basic_device_lists<std::int32_t, scalar> lists_;
};

template <class Points>
using kernels_problem_store = problem_store<kernels_problem<Points>, fps_kernels_row>;

/// Seconds that fps_kernel::in_global_memory takes at least: 7 G distances a second and cloud (H200, 131,072 -> 1,024
/// in 19 ms), a block a cloud.
inline double min_seconds_in_global_memory(fps_kernels_row const& row, int multiprocessors) {
  auto const waves = static_cast<double>(farpoint::detail::divide_up(row.clouds, farpoint::index_t{multiprocessors}));
  return waves * static_cast<double>(row.largest()) * static_cast<double>(row.samples + row.chosen) / 7e9;
}

/// Choices with which a row is measured. A choice that fps() would replace by another is left out.
///
/// - in_regions.
/// - in_global_memory, unless it takes more than 0.1 s.
/// - in_teams with the largest useful team, and with half and a quarter of its blocks: without boxes, and with boxes.
///   After 100,000 chosen points, which take some tenths of a second, the largest team alone.
/// - The largest team with boxes and other lengths of lists.
/// - All blocks shared out among the clouds, for ragged batches and for more clouds than a quarter of the
///   multiprocessors.
/// - The default's choice, and this choice with other numbers of rounds of one sample.
template <class Points>
std::vector<farpoint::fps_choice> choices_of(fps_kernels_row const& row, farpoint::batch<Points> const& clouds,
                                             farpoint::fps_params const& params,
                                             farpoint::detail::device_properties const& device,
                                             farpoint::fps_choice const& by_default) {
  using farpoint::fps_kernel;
  std::vector<farpoint::fps_choice> choices;
  auto const add = [&](farpoint::fps_choice const& choice) {
    bool const known = std::find(choices.begin(), choices.end(), choice) != choices.end();
    if (!known && runs_as_forced(choice, clouds, params, device)) choices.push_back(choice);
  };
  add({fps_kernel::in_regions});
  if (min_seconds_in_global_memory(row, device.multiprocessors) <= 0.1) add({fps_kernel::in_global_memory});
  int const singles = by_default.singles;
  int const most = max_team_blocks(row.clouds, clouds.largest(), device);
  for (int const blocks : {most, most / 2, most / 4}) {
    if (blocks < 1) continue;
    add({fps_kernel::in_teams, blocks, false, 40, 32, singles});
    add({fps_kernel::in_teams, blocks, true, 40, 32, singles});
    if (row.chosen >= 100'000) break;
    if (blocks < most) continue;
    add({fps_kernel::in_teams, blocks, true, 24, 16, singles});
    if (sizeof(typename Points::scalar) == 8) add({fps_kernel::in_teams, blocks, true, 24, 8, singles});
    add({fps_kernel::in_teams, blocks, true, 60, 32, singles});
  }
  if (row.ragged() || 4 * row.clouds > device.multiprocessors) {
    int const all = device.multiprocessors;
    for (bool const boxes : {false, true}) {
      add({fps_kernel::in_teams, all, boxes, 40, 32, singles, true});
      add({fps_kernel::in_teams, all, boxes, 30, 16, singles, true});
      add({fps_kernel::in_teams, all, boxes, 60, 32, singles, true});
    }
  }
  add(by_default);
  if (by_default.kernel == fps_kernel::in_teams && row.chosen < 100'000) {
    for (int const other : {0, 8, 20, 32}) {
      farpoint::fps_choice choice = by_default;
      choice.singles = other;
      add(choice);
    }
  }
  return choices;
}

/// Registers one contender of a row. The row calls `set()`, and then fps() with `Selector`.
/// @param suite  begins the name
/// @param note   ends the label
template <class Selector, class Points, class Set>
void register_kernel(std::string const& suite, fps_kernels_row const& row, std::string const& variant,
                     std::string const& note, Set set, kernels_setting const& setting,
                     kernels_problem_store<Points>& problems) {
  bool const is_default = variant == "default";
  bool const flush_l2 = setting.flush_l2;
  std::string const name = suite + "/" + row.name() + "/" + variant;
  register_row(name, 1, [=, &problems](benchmark::State& state) {
    kernels_problem<Points>& problem = problems[row];
    set();
    problem.template reserve<Selector>();
    problem.template verify<Selector>(name);
    state.SetLabel("equals host_exec" + note);
    row.count(state);
    double const seconds = time_replays(state, problem.stream(), row.work(sizeof(typename Points::scalar), Points::dim),
                                        flush_l2, is_default ? 0 : problem.default_seconds,
                                        [&problem](cudaStream_t stream) { problem.template launch<Selector>(stream); });
    if (is_default) problem.default_seconds = seconds;
  });
}

/// Registers fps_kernel::in_regions with one shape, where it holds the row's clouds and is not four times too large.
template <class Selector, class Points>
void register_regions(fps_kernels_row const& row, farpoint::batch<Points> const& clouds,
                      farpoint::fps_params const& params, kernels_setting const& setting,
                      kernels_problem_store<Points>& problems) {
  auto const capacity = farpoint::index_t{Selector::region_shapes[0].capacity()};
  if (row.largest() > capacity || 4 * row.largest() <= capacity) return;
  auto const planned = planned_choice<Selector>(clouds, params, setting.device);
  if (planned.kernel != farpoint::fps_kernel::in_regions) return;
  register_kernel<Selector, Points>(
      "fps_kernels", row, Selector::name(), {}, [] {}, setting, problems);
}

/// Registers teams with boxes whose points are stored in a slower memory than necessary: in chunks although registers
/// could hold them; and in global memory although shared memory could, with other lengths of lists.
template <class Points>
void register_chunks(fps_kernels_row const& row, farpoint::fps_choice choice, kernels_setting const& setting,
                     kernels_problem_store<Points>& problems) {
  auto const add = [&](auto selector, std::string const& ending) {
    register_kernel<decltype(selector), Points>(
        "fps_kernels", row, name_of(choice) + ending, {}, [choice] { forced_selector::forced = choice; }, setting,
        problems);
  };
  farpoint::index_t const each = row.largest() / choice.blocks;
  if (choice.shared_out || each > 1024) {
    add(forced_in_chunks{}, "_in_chunks");
    add(forced_in_global_chunks{}, "_in_global_chunks");
  }
  if (choice.shared_out || each <= forced_selector::maxima_blocks[3].capacity()) return;
  for (int const wanted : {12, 24, 28, 60, 80}) {
    for (int const listed : {16, 32}) {
      choice.wanted = wanted;
      choice.listed = listed;
      add(forced_in_memory{}, "_in_memory");
      if (listed == 16) add(forced_selector{}, "_in_shared");
    }
  }
}

/// Registers all contenders of the rows. Returns what the rows need.
/// @tparam Regions  forced_regions of several shapes
template <class Points, class... Regions, std::size_t Rows>
std::shared_ptr<void> register_kernels(fps_kernels_row const (&rows)[Rows], kernels_setting const& setting) {
  auto problems = std::make_shared<kernels_problem_store<Points>>(std::vector<named_scan>{});
  for (fps_kernels_row const& row : rows) {
    std::vector<farpoint::index_t> const offsets = row.offsets();
    farpoint::batch<Points> const clouds = row.batch_of(Points{nullptr, row.all_points()}, offsets.data());
    farpoint::fps_params params;
    params.samples = row.samples;
    params.chosen = row.chosen_shape();
    auto const by_default = planned_choice<farpoint::fps_selector>(clouds, params, setting.device);
    register_kernel<farpoint::fps_selector, Points>(
        "fps_kernels", row, "default", "; " + name_of(by_default), [] {}, setting, *problems);
    for (farpoint::fps_choice const& choice : choices_of(row, clouds, params, setting.device, by_default)) {
      register_kernel<forced_selector, Points>(
          "fps_kernels", row, name_of(choice), {}, [choice] { forced_selector::forced = choice; }, setting, *problems);
    }
    (register_regions<Regions, Points>(row, clouds, params, setting, *problems), ...);
    if (by_default.kernel == farpoint::fps_kernel::in_teams && by_default.boxes && row.chosen == 0) {
      register_chunks<Points>(row, by_default, setting, *problems);
    }
  }
  return problems;
}

}  // namespace farpoint_bench
