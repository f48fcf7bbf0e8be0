// Calls that run concurrently with foreign kernels that occupy multiprocessors.
#include "measure.cuh"
#include "sections.hpp"

namespace farpoint_stress {
namespace {

constexpr char const* warp_on_each = "a warp on each";

/// Returns true if a call may wait for the load to end. The kernels of fps() for large clouds start only when all their
/// blocks fit on the GPU at once, unless the call's limit leaves enough multiprocessors. Each of their blocks, and each
/// block that builds the index of knn(), needs a whole multiprocessor. Other calls run on the free multiprocessors.
bool may_starve(load_row const& row, int free) {
  auto const is = [&](char const* name) { return row.call.rfind(name, 0) == 0; };
  bool const needs_whole_ones = is("fps") || is("knn 1,000,000") || is("radius");
  if (row.load == warp_on_each) return needs_whole_ones;
  return is("fps") && (row.limit == 0 || row.limit > free);
}

struct held_load {
  std::string name;
  int held;  ///< number of fully occupied multiprocessors
  std::unique_ptr<load> work;
};

std::vector<held_load> make_loads(int all) {
  std::vector<held_load> loads;
  auto const hold = [&](std::string const& name, int blocks) {
    loads.push_back({name, blocks, std::make_unique<resident_load>(name, blocks, resident_size::all)});
  };
  hold("1 held", 1);
  hold("half held", all / 2);
  hold("all but 8 held", all - 8);
  loads.push_back({"1 warp", 0, std::make_unique<resident_load>("1 warp", 1, resident_size::warp)});
  loads.push_back({warp_on_each, 0, std::make_unique<resident_load>(warp_on_each, all, resident_size::warp)});
  loads.push_back({"short kernels on half", 0, std::make_unique<busy_load>("short kernels on half", all / 2)});
  return loads;
}

/// Waits until an empty kernel takes as long as on an idle GPU, or for ten seconds. A process that has just ended may
/// still hold the GPU, which is then shared in time slices of milliseconds.
/// @return duration of the last empty kernel in ms
double wait_for_a_quiet_gpu(cudaStream_t stream) {
  double const end = now_ms() + 10000;
  for (;;) {
    std::vector<double> times;
    for (int run = 0; run < 21; ++run) {
      double const start = now_ms();
      brief_kernel<<<1, 32, 0, stream>>>(0);
      REQUIRE_CUDA(cudaStreamSynchronize(stream));
      times.push_back(now_ms() - start);
    }
    double const typical = median(times);
    if (typical < 0.2 || now_ms() > end) return typical;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
}

}  // namespace

void alone(stress_run const& run) {
  test_stream const stream;
  run.dog.expect("a quiet GPU", 60);
  double const empty_ms = wait_for_a_quiet_gpu(stream.get());
  run.seen.context["empty_kernel_ms"] = std::to_string(empty_ms);
  if (empty_ms >= 0.2) std::printf("somebody else uses this GPU: an empty kernel takes %.3f ms\n", empty_ms);
  for (auto const& listed : run.calls) {
    auto const call = listed->clone();
    run.dog.expect("alone: " + call->name(), 120);
    std::string reason;
    fate const outcome = run_and_check(*call, stream.get(), reason);
    if (outcome != fate::ok) run.seen.add_failure("alone: " + call->name() + ": " + to_string(outcome) + " " + reason);
    run.seen.add(measure_alone(*call, stream.get(), run.options.brief ? 11 : 51));
  }
}

void beside_loads(stress_run const& run) {
  test_stream const stream;
  int const all = multiprocessors();
  int const runs = run.options.brief ? 3 : 9;
  auto const loads = make_loads(all);
  std::map<std::string, double> alone_ms;  ///< duration of each call without load and without limit
  // A new call for each limit, because the workspace may differ.
  for (int const limit : {0, all / 2, 8}) {
    auto const exec = exec_of(stream.get(), limit);
    if (!exec) break;
    for (auto const& listed : run.calls) {
      auto const call = listed->clone();
      run.dog.expect("beside loads: " + call->name(), 120);
      std::string reason;
      if (fate const outcome = run_and_check(*call, *exec, reason); outcome != fate::ok) {
        run.seen.add_failure("limit " + std::to_string(limit) + ": " + call->name() + ": " + to_string(outcome) + " " +
                             reason);
        continue;
      }
      load_row row;
      row.group = "beside";
      row.call = call->name();
      row.limit = limit;
      if (limit == 0) alone_ms[row.call] = measure_alone(*call, *exec, 3 * runs).ms;
      row.alone_ms = alone_ms[row.call];
      if (limit != 0) {
        row.load = "alone";
        row.loaded_ms = measure_alone(*call, *exec, runs).ms;
        row.outcome = call->is_right() ? fate::ok : fate::wrong;
        row.is_failure = row.outcome != fate::ok;
        run.seen.add(row);
      }
      for (auto const& [name, held, work] : loads) {
        run.dog.expect(name + ": " + call->name(), 60);
        row.load = name;
        row.reason.clear();
        measure_beside(*work, *call, *exec, runs, row);
        bool const starved_allowed = may_starve(row, all - held);
        row.is_failure = row.outcome != fate::ok && !(row.outcome == fate::starved && starved_allowed);
        run.seen.add(row);
      }
    }
  }
}

}  // namespace farpoint_stress
