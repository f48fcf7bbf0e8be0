// Random calls of the bulk operations on a hash map.
#include <farpoint/hash_map.cuh>

#include <limits>

#include "arrays.cuh"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

using farpoint::hash_map_bucket;
using farpoint::hash_map_ref;
using farpoint::hash_map_report;
using farpoint::span;

template <class T>
span<T const> read_only(span<T> values) {
  return values;
}

/// Calls on one map, in one memory: what does not depend on who came first.
template <class Map>
struct map_calls {
  using key = typename Map::key_type;
  using value = typename Map::value_type;

  template <class Exec>
  std::string run(Exec const& exec, span<hash_map_bucket> buckets, char const* backend) const {
    Map const map{buckets};
    bool const on_host = std::is_same_v<Exec, farpoint::host_exec>;
    auto const of = [on_host](auto const& array) { return on_host ? array.host() : array.device(); };
    std::string text = refusal(backend, hash_map_clear(exec, map));
    auto* const report = of(reports).data();
    text += refusal(backend, hash_map_insert_or_min(exec, map, read_only(of(keys)), read_only(of(values)), report));
    text += refusal(backend, hash_map_find(exec, map, read_only(of(asked)), value{7}, of(found)));
    text += refusal(backend, hash_map_extract(exec, map, {of(all_keys), of(all_values), of(count).data()}, of(memory)));
    return text;
  }

  twin_array<key> const& keys;
  twin_array<value> const& values;
  twin_array<key> const& asked;
  twin_array<value> const& found;
  twin_array<key> const& all_keys;
  twin_array<value> const& all_values;
  twin_array<std::uint64_t> const& count;
  twin_array<hash_map_report> const& reports;
  twin_array<unsigned char> const& memory;
};

template <class Key, class Value>
std::string draw(random_source& random) {
  using map_type = hash_map_ref<Key, Value>;
  index_t const n = random.below(one_in(random, 4) ? 30000 : 800);
  // Keys that come once, keys that come often, and the empty one.
  index_t const distinct = 1 + random.below(one_in(random, 2) ? n + 1 : 50);
  std::vector<Key> given;
  std::vector<Value> worth;
  for (index_t i = 0; i < n; ++i) {
    bool const is_empty = one_in(random, 60);
    given.push_back(is_empty ? farpoint::empty_key<Key>{}.value : static_cast<Key>(random.below(distinct) * 3));
    worth.push_back(static_cast<Value>(random.next() >> 40));
  }
  std::vector<Key> wanted;
  for (auto left = random.below(500); left > 0; --left)
    wanted.push_back(static_cast<Key>(random.below(3 * distinct + 9)));
  // Room for all: which keys a full map refuses depends on who came first.
  index_t const buckets = map_type::buckets_for(distinct, one_in(random, 2) ? 1.0 : 0.5) + random.below(3);
  auto const room = static_cast<std::size_t>(random.below(distinct + 10));
  twin_array<hash_map_bucket> const map{static_cast<std::size_t>(buckets)};
  twin_array<Key> const keys{given}, asked{wanted}, all_keys{room};
  twin_array<Value> const values{worth}, found{wanted.size()}, all_values{room};
  twin_array<std::uint64_t> const count{1};
  twin_array<hash_map_report> const report{1};
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  twin_array<unsigned char> const memory{
      std::max(hash_map_extract_workspace_bytes(exec, map_type{map.device()}),
               hash_map_extract_workspace_bytes(farpoint::host_exec{1}, map_type{map.host()}))};
  map_calls<map_type> const calls{keys, values, asked, found, all_keys, all_values, count, report, memory};
  std::string text = calls.run(farpoint::host_exec{1}, map.host(), "host") + calls.run(exec, map.device(), "device");
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return text + found.difference("values") + all_keys.difference("keys") + all_values.difference("values of all") +
         count.difference("count") + report.difference("report");
}

}  // namespace

std::string random_hash_map(std::uint64_t seed) {
  random_source random{seed};
  switch (random.below(3)) {
    case 0: return draw<std::uint64_t, std::uint64_t>(random);
    case 1: return draw<std::int64_t, std::uint32_t>(random);
    default: return draw<std::uint32_t, std::uint32_t>(random);
  }
}

}  // namespace farpoint_tests
