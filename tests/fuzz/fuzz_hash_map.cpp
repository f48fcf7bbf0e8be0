// The bulk operations on a hash map, against std::map, and gather().
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.hpp>

#include <map>

#include "fuzz_compare.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

using map_type = farpoint::hash_map_ref<std::uint32_t>;
using oracle_type = std::map<std::uint32_t, std::uint32_t>;

void require(bool holds, char const* what) {
  if (!holds) fail(what, {}, {});
}

/// Keys of a small range, so that they meet, the empty key among them.
std::vector<std::uint32_t> take_keys(fuzz_input& input, std::size_t count) {
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(input.rarely() ? input.take<std::uint32_t>() : static_cast<std::uint32_t>(input.below(200)));
  }
  return keys;
}

/// A map in memory of just its size, and what it must hold. Once it is full, only its limits are looked at.
class checked_map {
 public:
  explicit checked_map(fuzz_input& input)
      : exec_{1 + static_cast<int>(input.below(3))},
        memory_(static_cast<std::size_t>(input.below(40))),
        map_{{memory_.data(), memory_.size()}, farpoint::empty_key<std::uint32_t>{input.flag() ? 7u : 0xffffffffu}} {
    for (auto& bucket : memory_) std::memset(&bucket, static_cast<int>(input.take<std::uint8_t>()), sizeof bucket);
    clear();
  }

  void clear() {
    require(bool{farpoint::hash_map_clear(exec_, map_)} || memory_.empty(), "hash_map_clear");
    oracle_.clear();
    full_ = false;
  }

  void insert_or_min(fuzz_input& input) {
    auto const keys = take_keys(input, static_cast<std::size_t>(input.below(150)));
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(input.take<std::uint8_t>());
    if (!values.empty() && input.rarely()) {
      values.pop_back();
      require(!farpoint::hash_map_insert_or_min(exec_, map_, keys, values), "too few values were not refused");
      return;
    }
    farpoint::hash_map_report report;
    if (!farpoint::hash_map_insert_or_min(exec_, map_, keys, values, &report))
      return require(memory_.empty(), "insert");
    std::uint64_t refused = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == map_.empty()) {
        ++refused;
        continue;
      }
      auto const at = oracle_.emplace(keys[i], values[i]).first;
      at->second = std::min(at->second, values[i]);
    }
    require(report.refused == refused, "refused keys");
    require((report.no_room > 0) == (!full_ && static_cast<index_t>(oracle_.size()) > map_.capacity()) || full_,
            "keys without room");
    full_ = full_ || report.no_room > 0;
    require(map_.size() <= map_.capacity(), "more keys than slots");
  }

  void find(fuzz_input& input) {
    auto const keys = take_keys(input, static_cast<std::size_t>(input.below(150)));
    std::vector<std::uint32_t> values(keys.size());
    std::vector<std::int32_t> slots(keys.size());
    bool const found = bool{farpoint::hash_map_find(exec_, map_, keys, 12345u, values)} &&
                       bool{farpoint::hash_map_find_slots(exec_, map_, keys, slots)};
    if (!found) return require(memory_.empty(), "find");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      require((values[i] == 12345u) == (slots[i] < 0), "value and slot");
      require(slots[i] < map_.capacity(), "a slot that is none");
      if (full_) continue;
      auto const at = oracle_.find(keys[i]);
      require(values[i] == (at == oracle_.end() ? 12345u : at->second), "value");
    }
  }

  void extract(fuzz_input& input) {
    auto const most =
        input.flag() ? static_cast<std::size_t>(map_.capacity()) : static_cast<std::size_t>(input.below(60));
    std::vector<std::uint32_t> keys(most), values(input.flag() ? most : 0);
    std::uint64_t count = 0;
    std::size_t const needed = farpoint::hash_map_extract_workspace_bytes(exec_, map_);
    fuzz_memory workspace;
    if (!farpoint::hash_map_extract(exec_, map_, {keys, values, &count}, workspace.scratch(needed))) {
      return require(most == 0 || memory_.empty(), "extract");
    }
    require(count == static_cast<std::uint64_t>(map_.size()), "number of keys");
    if (full_) return;
    require(count == oracle_.size(), "number of keys, by the oracle");
    std::size_t row = 0;
    for (auto const& [key, value] : oracle_) {
      if (row == most) break;
      require(keys[row] == key && (values.empty() || values[row] == value), "pairs");
      ++row;
    }
  }

 private:
  host_exec exec_;
  std::vector<farpoint::hash_map_bucket> memory_;
  map_type map_;
  oracle_type oracle_;
  bool full_ = false;
};

void compare_gather(fuzz_input& input) {
  host_exec const exec{1 + static_cast<int>(input.below(3))};
  auto const width = static_cast<std::size_t>(1 + input.below(9));
  auto const rows = static_cast<std::size_t>(input.below(30));
  std::vector<float> features(rows * width + (input.rarely() ? 1u : 0u));
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i);
  std::vector<std::int32_t> indices(static_cast<std::size_t>(input.below(60)));
  bool const sound = features.size() % width == 0;
  bool in_range = true;
  auto const most = static_cast<std::int32_t>(features.size() / width);
  for (auto& index : indices) {
    index = static_cast<std::int32_t>(input.take_count(input.below(static_cast<index_t>(rows) + 1) - 1));
    in_range = in_range && index >= -1 && index < most;
  }
  index_t const channels = input.take_count(static_cast<index_t>(width));
  bool const small = !indices.empty() && input.rarely();
  std::vector<float> output(indices.size() * width - (small ? 1 : 0), -5);
  auto const before = output;
  farpoint::span<float const> const all{features.data(), features.size()};
  farpoint::result const outcome =
      farpoint::gather(exec, all, channels, indices, farpoint::span<float>{output.data(), output.size()});
  if (channels != static_cast<index_t>(width)) {
    require(bool{outcome} || output == before, "gather wrote, and failed");
    return;
  }
  // An index that is out of range is refused, or its row is zeros.
  require(bool{outcome} == (sound && !small) || (!outcome && !in_range), "gather");
  for (std::size_t i = 0; i < output.size(); ++i) {
    auto const index = indices[i / width];
    bool const is_row = index >= 0 && index < most;
    float const right = !outcome ? -5 : is_row ? features[static_cast<std::size_t>(index) * width + i % width] : 0;
    require(output[i] == right, "gathered values");
  }
}

void ask_sizes(fuzz_input& input) {
  (void)map_type::buckets_for(input.take<index_t>(), input.take<double>());
  map_type const map{{static_cast<farpoint::hash_map_bucket*>(nullptr), input.take<std::size_t>()}};
  (void)map.capacity();
  (void)farpoint::hash_map_extract_workspace_bytes(host_exec{static_cast<int>(input.take_count(3))}, map);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  fuzz_input input{data, size};
  auto const kind = input.below(8);
  if (kind == 0) {
    ask_sizes(input);
  } else if (kind < 3) {
    compare_gather(input);
  } else {
    checked_map map{input};
    for (index_t step = 2 + input.below(8); step > 0; --step) {
      switch (input.below(8)) {
        case 0: map.clear(); break;
        case 1: map.extract(input); break;
        case 2:
        case 3:
        case 4: map.find(input); break;
        default: map.insert_or_min(input); break;
      }
    }
  }
  return 0;
}
