/// @file
/// The hash map against plain versions of others. See README.md.

#include "hash_map/problem.cuh"
#include "support/cuda_suite.cuh"
#include "support/peer_row.cuh"
#include "support/register_row.hpp"
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

/// A measurement that every contender has.
struct measurement {
  char const* suite;
  hash_map_row row;
  operation what;
  bool flush_l2;
};

template <class Problem>
void enqueue(Problem const& problem, operation what, cudaStream_t stream) {
  if constexpr (Problem::has_slots) {
    if (what == operation::insert_keys) return problem.insert_keys(stream);
    if (what == operation::find_or_insert) return problem.find_or_insert(stream);
    if (what == operation::find_slots) return problem.find_slots(stream);
  }
  return what == operation::insert ? problem.insert(stream) : problem.find(stream);
}

/// @param first  arguments of the contender's constructor that come before the sizes
template <class Contender, class... First>
void add(measurement const& m, char const* who, First const&... first) {
  using key_type = typename Contender::key_type;
  int const key_bits = 8 * int{sizeof(key_type)};
  std::string const name = std::string{m.suite} + to_string(m.what) + "/" + m.row.name(key_bits) + "/" + who;
  register_row(name, m.row.calls, [m, key_bits, first...](benchmark::State& state) {
    hash_map_problem<Contender> const problem{m.row, first...};
    if constexpr (Contender::has_slots) {
      problem.verify();
      state.SetLabel("every key is found");
    } else {
      report_answer(state, {problem.mistakes(), "every key is found"});
    }
    auto const keys = static_cast<double>(m.row.keys);
    state.counters["n"] = keys;
    state.counters["key_bits"] = key_bits;
    state.counters["load"] = m.row.load;
    state.counters["multiplicity"] = m.row.multiplicity;
    // Keys in, and a value in or out, or a slot out, or nothing.
    std::size_t const bytes = sizeof(key_type) + (m.what == operation::insert_keys ? 0 : 4);
    workload const work{keys, 0, keys * static_cast<double>(bytes)};
    // Look-ups leave the table as it is.
    bool const inserts = m.what != operation::find && m.what != operation::find_slots;
    auto const prepare = [&](cudaStream_t stream) {
      if (inserts) problem.clear(stream);
    };
    auto const launch = [&](cudaStream_t stream) { enqueue(problem, m.what, stream); };
    time_prepared_calls(state, problem.stream(), work, m.flush_l2, prepare, launch);
    state.counters["keys_per_second"] = state.counters["points_per_second"];
  });
}

template <class Key>
void add_contenders(measurement const& m) {
  using layout = farpoint::hash_map_layout;
  // The published ones have no such calls.
  bool const is_published = m.what != operation::find_or_insert && m.what != operation::insert_keys;
  if (is_published) add<rival<published_table, Key>>(m, "published");
  add<rival<linear_table, Key>>(m, "linear");
  if (m.what == operation::insert || m.what == operation::find) {
    for (auto const& peer : device_peers<device_map<Key>>()) add<external_map<Key>>(m, peer.name, peer);
  }
  add<farpoint_map<Key>>(m, "farpoint");
  add<farpoint_map<Key, tuned<layout::split>>>(m, "split");
  // Maps that fit into the cache take one pass anyway, and no workspace.
  if (m.row.distinct() >= 4'000'000) {
    add<farpoint_map<Key, unsorted<layout::pairs>>>(m, "pairs_unsorted");
    add<farpoint_map<Key, unsorted<layout::split>>>(m, "split_unsorted");
    add<farpoint_map<Key, one_pass<layout::pairs>>>(m, "pairs_one_pass");
    add<farpoint_map<Key, one_pass<layout::split>>>(m, "split_one_pass");
  }
  if (m.what == operation::find) add<farpoint_beside_writers<Key>>(m, "farpoint_beside_writers");
}

template <class Key>
void add_operations(char const* suite, hash_map_row const& row, bool flush_l2) {
  for (operation const what :
       {operation::insert, operation::insert_keys, operation::find_or_insert, operation::find_slots, operation::find}) {
    add_contenders<Key>({suite, row, what, flush_l2});
  }
}

template <std::size_t Rows>
void register_suite(char const* suite, suite_row const (&all)[Rows], bool flush_l2) {
  for (suite_row const& each : all) {
    if (each.narrow) add_operations<std::uint32_t>(suite, each.row, flush_l2);
    if (each.wide) add_operations<std::uint64_t>(suite, each.row, flush_l2);
  }
}

/// Bytes that the L2 cache fetches at once: a hint to the device, 32, 64 or 128. For experiments.
void set_l2_fetch() {
  char const* const fetch_bytes = std::getenv("FARPOINT_L2_FETCH_BYTES");
  if (fetch_bytes == nullptr) return;
  check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, std::strtoul(fetch_bytes, nullptr, 10)),
        "cudaDeviceSetLimit");
  benchmark::AddCustomContext("l2_fetch_bytes", fetch_bytes);
}

}  // namespace

int run_program(arguments const& args) {
  register_suite("hash_map/", rows, args.flush_l2);
  if (wants("axes", "FARPOINT_AXES")) register_suite("hash_map/axes/", axes, args.flush_l2);
  return run_cuda_suite("hash_map", args, set_l2_fetch);
}

}  // namespace farpoint_bench
