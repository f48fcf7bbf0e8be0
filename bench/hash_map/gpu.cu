/// @file
/// The hash map against plain versions of others, in one run. See README.md.

#include "hash_map/problem.cuh"
#include "support/cuda_context.cuh"
#include "support/failures.hpp"
#include "support/run_cuda_suite.hpp"
#include "support/timing.cuh"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

namespace farpoint_bench {
namespace {

struct suite_row {
  hash_map_row row;
  bool narrow, wide;  ///< with keys of 32 bits, of 64 bits
};

constexpr suite_row rows[] = {
    {{1'000'000, 1, 0.5, 100}, true, false},  {{1'000'000, 8, 0.5, 100}, true, false},
    {{10'000'000, 1, 0.5, 30}, true, true},   {{10'000'000, 8, 0.5, 30}, true, true},
    {{10'000'000, 1, 0.8, 30}, true, false},  {{10'000'000, 8, 0.8, 30}, true, false},
    {{100'000'000, 1, 0.5, 10}, true, false}, {{100'000'000, 8, 0.5, 10}, true, false},
};
constexpr suite_row axes[] = {
    {{1'000'000, 1, 0.5, 100}, false, true},  {{1'000'000, 8, 0.5, 100}, false, true},
    {{1'000'000, 1, 0.8, 100}, true, true},   {{1'000'000, 8, 0.8, 100}, true, true},
    {{10'000'000, 1, 0.8, 30}, false, true},  {{10'000'000, 8, 0.8, 30}, false, true},
    {{100'000'000, 1, 0.5, 10}, false, true}, {{100'000'000, 8, 0.5, 10}, false, true},
    {{100'000'000, 1, 0.8, 10}, true, true},  {{100'000'000, 8, 0.8, 10}, true, true},
};

enum class operation { insert, insert_keys, find_or_insert, find_slots, find };

char const* to_string(operation what) {
  switch (what) {
    case operation::insert: return "insert";
    case operation::insert_keys: return "insert_keys";
    case operation::find_or_insert: return "find_or_insert";
    case operation::find_slots: return "find_slots";
    case operation::find: break;
  }
  return "find";
}

template <template <class> class Contender, class Key>
void register_row(char const* suite, hash_map_row const& row, operation what, char const* who, bool flush_l2) {
  int const key_bits = 8 * int{sizeof(Key)};
  std::string const name = std::string{suite} + to_string(what) + "/" + row.name(key_bits) + "/" + who;
  auto const body = [=](benchmark::State& state) {
    guarded(state, [&] {
      hash_map_problem<Contender, Key> const problem{row};
      problem.verify();
      state.SetLabel("every key is found");
      state.counters["n"] = static_cast<double>(row.keys);
      state.counters["key_bits"] = key_bits;
      state.counters["load"] = row.load;
      state.counters["multiplicity"] = row.multiplicity;
      // Keys in, and a value in or out, or a slot out, or nothing.
      std::size_t const bytes = sizeof(Key) + (what == operation::insert_keys ? 0 : 4);
      workload const work{static_cast<double>(row.keys), 0, static_cast<double>(row.keys) * static_cast<double>(bytes)};
      // Looking leaves the table as it is.
      auto const prepare = [&](cudaStream_t stream) {
        if (what != operation::find && what != operation::find_slots) problem.clear(stream);
      };
      time_prepared_calls(state, problem.stream(), work, flush_l2, prepare, [&](cudaStream_t stream) {
        switch (what) {
          case operation::insert: return problem.insert(stream);
          case operation::insert_keys: return problem.insert_keys(stream);
          case operation::find_or_insert: return problem.find_or_insert(stream);
          case operation::find_slots: return problem.find_slots(stream);
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
void register_contenders(char const* suite, hash_map_row const& row, bool flush_l2) {
  // Several keys a thread have not been worth it yet: they are asked for with the axes.
  bool const searches = *suite == 'a';
  for (operation const what :
       {operation::insert, operation::insert_keys, operation::find_or_insert, operation::find_slots, operation::find}) {
    // The published ones have no such calls.
    bool const is_published = what != operation::find_or_insert && what != operation::insert_keys;
    if (is_published) register_row<published, Key>(suite, row, what, "published", flush_l2);
    register_row<linear, Key>(suite, row, what, "linear", flush_l2);
    register_row<farpoint_default, Key>(suite, row, what, "farpoint", flush_l2);
    if (searches) register_row<pairs_4, Key>(suite, row, what, "pairs_keys4", flush_l2);
    // With keys of 64 bits a bucket of pairs is a window.
    if constexpr (sizeof(Key) == 4) {
      register_row<window_2, Key>(suite, row, what, "pairs_window2", flush_l2);
      if (searches) register_row<window_2_4, Key>(suite, row, what, "pairs_window2_keys4", flush_l2);
    }
    register_row<sectors_1, Key>(suite, row, what, "sectors", flush_l2);
    if (searches) register_row<sectors_2, Key>(suite, row, what, "sectors_keys2", flush_l2);
    if (searches) register_row<sectors_4, Key>(suite, row, what, "sectors_keys4", flush_l2);
    register_row<split_1, Key>(suite, row, what, "split", flush_l2);
    if (searches) register_row<split_4, Key>(suite, row, what, "split_keys4", flush_l2);
    // Maps that fit into the cache take one pass anyway.
    if (row.distinct() >= 4'000'000) {
      register_row<pairs_one_pass, Key>(suite, row, what, "pairs_one_pass", flush_l2);
      register_row<split_1_one_pass, Key>(suite, row, what, "split_one_pass", flush_l2);
    }
    if (what == operation::find) {
      register_row<farpoint_beside_writers, Key>(suite, row, what, "farpoint_beside_writers", flush_l2);
    }
  }
}

template <std::size_t Rows>
void register_suite(char const* suite, suite_row const (&all)[Rows], bool flush_l2) {
  for (suite_row const& each : all) {
    if (each.narrow) register_contenders<std::uint32_t>(suite, each.row, flush_l2);
    if (each.wide) register_contenders<std::uint64_t>(suite, each.row, flush_l2);
  }
}

/// Bytes that the L2 cache fetches at once: a hint to the device, 32, 64 or 128. For experiments.
void set_l2_fetch() {
  char const* const wished = std::getenv("FARPOINT_L2_FETCH_BYTES");
  if (wished == nullptr) return;
  check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, std::strtoul(wished, nullptr, 10)), "cudaDeviceSetLimit");
  benchmark::AddCustomContext("l2_fetch_bytes", wished);
}

int run(arguments const& wished) {
  register_suite("hash_map/", rows, wished.flush_l2);
  if (wants("axes", "FARPOINT_AXES")) register_suite("hash_map/axes/", axes, wished.flush_l2);
  if (!wished.list_only) {
    set_l2_fetch();
    add_common_context("hash_map");
    add_cuda_context(wished.flush_l2);
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_cuda_suite(argc, argv, farpoint_bench::run);
}
