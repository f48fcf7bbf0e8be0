// The bulk operations on a hash map, and gather(), under load.
#include <farpoint/gather.cuh>
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.cuh>

#include "batches.hpp"
#include "calls.hpp"

namespace farpoint_stress {
namespace {

/// Clears a map, inserts, finds and extracts.
struct hash_map_work {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
  std::vector<std::uint64_t> wanted;

  template <class Exec, class Memory>
  farpoint::result operator()(Exec exec, Memory& memory) const {
    using namespace farpoint;
    using map_type = hash_map_ref<std::uint64_t>;
    auto const buckets = map_type::buckets_for(static_cast<index_t>(keys.size()));
    map_type const map{memory.template scratch<hash_map_bucket>(static_cast<std::size_t>(buckets))};
    auto* const report = memory.template output<hash_map_report>(1).data();
    auto const found = memory.template output<std::uint32_t>(wanted.size());
    hash_map_pairs<std::uint64_t, std::uint32_t> pairs;
    pairs.keys = memory.template output<std::uint64_t>(keys.size());
    pairs.values = memory.template output<std::uint32_t>(keys.size());
    pairs.count = memory.template output<std::uint64_t>(1).data();
    auto const workspace = memory.scratch(hash_map_extract_workspace_bytes(exec, map));

    result outcome = hash_map_clear(exec, map);
    if (outcome) outcome = hash_map_insert_or_min(exec, map, memory.input(keys), memory.input(values), report);
    if (outcome) outcome = hash_map_find(exec, map, memory.input(wanted), 12345u, found);
    if (outcome) outcome = hash_map_extract(exec, map, pairs, workspace);
    return outcome;
  }
};

struct gather_work {
  std::vector<float> features;
  index_t channels = 1;
  std::vector<std::int32_t> indices;

  template <class Exec, class Memory>
  farpoint::result operator()(Exec exec, Memory& memory) const {
    auto const output = memory.template output<float>(indices.size() * static_cast<std::size_t>(channels));
    return farpoint::gather(exec, memory.input(features), channels, memory.input(indices), output);
  }
};

hash_map_work random_map(random_source& random, index_t keys, index_t different) {
  hash_map_work work;
  for (index_t i = 0; i < keys; ++i) {
    work.keys.push_back(0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(random.below(different)));
    work.values.push_back(static_cast<std::uint32_t>(random.next()));
    work.wanted.push_back(0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(random.below(2 * different)));
  }
  return work;
}

gather_work random_gather(random_source& random, index_t rows, index_t channels, index_t picks) {
  gather_work work;
  work.channels = channels;
  for (index_t i = 0; i < rows * channels; ++i) work.features.push_back(random.uniform());
  for (index_t i = 0; i < picks; ++i) work.indices.push_back(static_cast<std::int32_t>(random.below(rows + 1) - 1));
  return work;
}

}  // namespace

void add_hash_map_calls(call_list& calls, call_sizes sizes, std::uint64_t seed) {
  random_source random{seed};
  index_t const n = sizes == call_sizes::table ? 1000000 : 100000;
  std::string const of = with_commas(n);
  calls.push_back(make_call("hash map, " + of + " keys", random_map(random, n, n / 2)));
  calls.push_back(make_call("gather " + of + " x 16", random_gather(random, n, 16, n)));
}

std::unique_ptr<stress_call> random_hash_map_call(std::uint64_t seed) {
  random_source random{seed};
  index_t const n = 1 + random.below(random.below(6) == 0 ? 100000 : 5000);
  if (random.below(3) == 0) {
    return make_call("random gather " + std::to_string(seed), random_gather(random, n, 1 + random.below(9), n));
  }
  return make_call("random hash map " + std::to_string(seed), random_map(random, n, 1 + random.below(n)));
}

}  // namespace farpoint_stress
