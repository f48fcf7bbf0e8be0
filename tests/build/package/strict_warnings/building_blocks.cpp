// Every bulk call of hash maps, and the building blocks that run on the host.
#include <farpoint/block/block_argmax.hpp>
#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/container/nearest_list.hpp>
#include <farpoint/container/occupancy_bitmap.hpp>
#include <farpoint/container/topk.hpp>
#include <farpoint/geometry/hilbert.hpp>
#include <farpoint/geometry/morton.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/host/radix_sort.hpp>
#include <farpoint/warp/sorting_network.hpp>

#include <vector>

void call_building_blocks();

namespace {

struct split : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = farpoint::hash_map_layout::split;
};

}  // namespace

template class farpoint::hash_map_ref<std::uint32_t>;
template class farpoint::nearest_list<farpoint::neighbor_key<float>, 8>;
template class farpoint::nearest_list<farpoint::neighbor_key<double>, 8>;
template class farpoint::topk_heap<farpoint::neighbor_key<float>>;
template class farpoint::topk_sorted<farpoint::neighbor_key<double>>;
template class farpoint::topk_buffer<farpoint::neighbor_key<float>>;
template class farpoint::block_argmax<float, 64>;
template class farpoint::block_argmax<double, 64>;

namespace {

template <class Map>
void call_map() {
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  farpoint::host_exec const exec{1};
  Map const map;
  std::vector<key> keys;
  std::vector<value> values;
  std::vector<farpoint::index_t> slots;
  farpoint::span<key const> const asked{keys};
  farpoint::span<value const> const given{values};
  auto const slot = map.insert(key{1}, value{1}).slot + map.insert_or_min(key{1}, value{1}).slot;
  values.push_back(map.value_or(key{1}, value{0}) + map.value_or(key{1}, value{0}, farpoint::unchanging));
  slots.push_back(slot + map.find(key{1}) + map.find(key{1}, farpoint::unchanging) + map.find_or_insert(key{1}));
  if (map.capacity() > 0) values.push_back(map.value(0).fetch_add(1) + map.entry(0).value);
  if (map.capacity() > 0) keys.push_back(map.key(0) + static_cast<key>(map.part_of(key{1}, 2)));
  slots.push_back(map.size() + Map::buckets_for(1));
  map.clear();
  std::size_t bound = farpoint::hash_map_workspace_bytes(exec, map, farpoint::hash_map_call::insert, 1);
  static_cast<void>(farpoint::hash_map_workspace_bound<Map>(exec, farpoint::hash_map_call::find, 1, bound));
  static_cast<void>(farpoint::hash_map_clear(exec, map));
  static_cast<void>(farpoint::hash_map_insert(exec, map, asked, given));
  static_cast<void>(farpoint::hash_map_insert_or_min(exec, map, asked, given));
  static_cast<void>(farpoint::hash_map_insert_or_assign(exec, map, asked, given));
  static_cast<void>(farpoint::hash_map_insert_or_add(exec, map, asked, given));
  static_cast<void>(farpoint::hash_map_contains(exec, map, asked, {}));
  static_cast<void>(farpoint::hash_map_insert_keys(exec, map, asked));
  static_cast<void>(farpoint::hash_map_find_or_insert(exec, map, asked, slots));
  static_cast<void>(farpoint::hash_map_find(exec, map, asked, value{0}, farpoint::span<value>{values}));
  static_cast<void>(farpoint::hash_map_find_slots(exec, map, asked, slots));
  bound = farpoint::hash_map_extract_workspace_bytes(exec, map);
  static_cast<void>(farpoint::hash_map_extract(exec, map, farpoint::hash_map_pairs<key, value>{keys, values}, {}));
}

/// A group of one thread.
struct lonely_group {
  static constexpr int size = 1;
  static constexpr int lanes = 32;

  int rank() const noexcept { return 0; }
  void sync() const noexcept {}
  template <class T>
  T shuffle(T value, int) const noexcept {
    return value;
  }
  std::uint32_t reduce_max(std::uint32_t value) const noexcept { return value; }
  std::uint32_t reduce_min(std::uint32_t value) const noexcept { return value; }
};

template <class Score>
Score largest_of_group() {
  using argmax = farpoint::block_argmax<Score, 1>;
  typename argmax::storage shared;
  return argmax{shared}.reduce(lonely_group{}, {Score{1}, 0}).score;
}

template <class Key>
void sort_and_encode() {
  std::vector<Key> memory(4);
  std::vector<std::uint32_t> values(4);
  using arrays = farpoint::key_value_arrays<Key, std::uint32_t>;
  arrays const sorted = farpoint::host_radix_sort(arrays{memory.data(), values.data()},
                                                  arrays{memory.data() + 2, values.data() + 2}, 2, 8);
  Key const code = farpoint::morton_encode(sorted.keys[0], sorted.keys[1], Key{0});
  memory[0] = farpoint::morton_decode_3d(code)[0] + farpoint::morton_decode_2d(code)[0];
  memory[1] = farpoint::hilbert_decode_3d(farpoint::hilbert_encode(code, code, code, 5), 5)[0];
}

}  // namespace

void call_building_blocks() {
  call_map<farpoint::hash_map_ref<std::uint32_t>>();
  call_map<farpoint::hash_map_ref<std::uint64_t, std::uint64_t>>();
  call_map<farpoint::hash_map_ref<std::int64_t, std::uint32_t, farpoint::seeded_hash>>();
  call_map<farpoint::hash_map_ref<std::uint32_t, std::uint64_t, farpoint::default_hash, split>>();
  static_cast<void>(largest_of_group<float>());
  static_cast<void>(largest_of_group<double>());
  static_cast<void>(largest_of_group<std::uint64_t>());
  int few[8] = {7, 6, 5, 4, 3, 2, 1, 0};
  farpoint::network_sort(few);
  farpoint::bitonic_merge(few);
  sort_and_encode<std::uint32_t>();
  sort_and_encode<std::uint64_t>();
}
