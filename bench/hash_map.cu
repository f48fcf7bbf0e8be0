/// @file
/// The hash map against plain versions of others, in one run. See README.md.

#include "hash_map_problem.cuh"
#include "support/arguments.hpp"
#include "support/cuda_context.cuh"
#include "support/failures.hpp"
#include "support/timing.cuh"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>

namespace farpoint_bench {
namespace {

constexpr hash_map_row rows[] = {
    {1'000'000, 1, 0.5, 100},  {1'000'000, 1, 0.8, 100},  {1'000'000, 8, 0.5, 100},  {1'000'000, 8, 0.8, 100},
    {10'000'000, 1, 0.5, 30},  {10'000'000, 1, 0.8, 30},  {10'000'000, 8, 0.5, 30},  {10'000'000, 8, 0.8, 30},
    {100'000'000, 1, 0.5, 10}, {100'000'000, 1, 0.8, 10}, {100'000'000, 8, 0.5, 10}, {100'000'000, 8, 0.8, 10},
};

enum class operation { insert, find_or_insert, find };

char const* to_string(operation what) {
  switch (what) {
    case operation::insert: return "insert";
    case operation::find_or_insert: return "find_or_insert";
    case operation::find: break;
  }
  return "find";
}

template <template <class> class Contender, class Key>
void register_row(hash_map_row const& row, operation what, char const* who, bool flush_l2) {
  int const key_bits = 8 * int{sizeof(Key)};
  std::string const name = std::string{"hash_map/"} + to_string(what) + "/" + row.name(key_bits) + "/" + who;
  auto const body = [=](benchmark::State& state) {
    guarded(state, [&] {
      hash_map_problem<Contender, Key> const problem{row};
      problem.verify();
      state.SetLabel("every key is found");
      state.counters["n"] = static_cast<double>(row.keys);
      state.counters["key_bits"] = key_bits;
      state.counters["load"] = row.load;
      state.counters["multiplicity"] = row.multiplicity;
      // Keys in, and a value in or out, or a slot out.
      workload const work{static_cast<double>(row.keys), 0, static_cast<double>(row.keys) * (sizeof(Key) + 4)};
      // Looking leaves the table as it is.
      auto const prepare = [&](cudaStream_t stream) {
        if (what != operation::find) problem.clear(stream);
      };
      time_prepared_calls(state, problem.stream(), work, flush_l2, prepare, [&](cudaStream_t stream) {
        switch (what) {
          case operation::insert: return problem.insert(stream);
          case operation::find_or_insert: return problem.find_or_insert(stream);
          case operation::find: return problem.find(stream);
        }
      });
      state.counters["keys_per_second"] = state.counters["points_per_second"];
    });
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->UseManualTime()
      ->Iterations(row.calls)
      ->Unit(benchmark::kMillisecond);
}

template <class Key>
void register_contenders(hash_map_row const& row, bool flush_l2) {
  for (operation const what : {operation::insert, operation::find_or_insert, operation::find}) {
    register_row<published, Key>(row, what, "published", flush_l2);
    register_row<linear, Key>(row, what, "linear", flush_l2);
    register_row<farpoint_default, Key>(row, what, "farpoint", flush_l2);
    // With keys of 64 bits a bucket is a window.
    if (sizeof(Key) == 4) register_row<farpoint_window_2, Key>(row, what, "farpoint_window_2", flush_l2);
    if (what == operation::find) {
      register_row<farpoint_beside_writers, Key>(row, what, "farpoint_beside_writers", flush_l2);
    }
  }
}

int run(int argc, char** argv) {
  arguments const wished = take_arguments(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;

  std::string reason;
  if (!wished.list_only && !device_is_usable(reason)) {
    std::fprintf(stderr, "SKIPPED: NOTHING WAS MEASURED: no usable GPU (%s)\n", reason.c_str());
    return exit_skipped;
  }

  for (hash_map_row const& row : rows) {
    register_contenders<std::uint32_t>(row, wished.flush_l2);
    register_contenders<std::uint64_t>(row, wished.flush_l2);
  }
  if (!wished.list_only) {
    add_common_context("hash_map");
    add_cuda_context(wished.flush_l2);
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  try {
    return farpoint_bench::run(argc, argv);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
    return 1;
  }
}
