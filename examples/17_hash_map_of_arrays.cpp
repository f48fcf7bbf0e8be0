// A hash map by whole arrays: which landmarks of two sweeps are the same? <farpoint/hash_map.cuh> has these calls for a
// stream; only the execution and the memory differ.
#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/hash_map.hpp>

#include <cstdio>
#include <vector>

//! [erasing]
// A map whose keys can be erased.
struct erasing : farpoint::hash_map_tuning {
  static constexpr bool erases = true;
};
using erasing_map = farpoint::hash_map_ref<std::uint32_t, std::uint32_t, farpoint::default_hash, erasing>;
//! [erasing]

int main() {
  using map_type = farpoint::hash_map_ref<std::uint32_t, std::uint32_t>;
  farpoint::host_exec const exec{};

  // Landmark 7 was seen twice: at 30 and at 10 m.
  std::vector<std::uint32_t> const before{7, 3, 7, 12};
  std::vector<std::uint32_t> const ranges{30, 20, 10, 40};
  std::vector<std::uint32_t> const now{12, 99, 7};

  //! [insert]
  std::vector<farpoint::hash_map_bucket> memory(static_cast<std::size_t>(map_type::buckets_for(16)));
  map_type const map{memory};
  farpoint::hash_map_report report;
  bool ok = static_cast<bool>(hash_map_clear(exec, map));
  // A key keeps its smallest value, whatever the order. With hash_map_insert() it keeps an unspecified one.
  ok = ok && hash_map_insert_or_min(exec, map, before, ranges, &report) && report.no_room == 0;
  //! [insert]

  //! [find]
  constexpr std::uint32_t unknown = 0;
  std::vector<std::uint32_t> seen(now.size());
  ok = ok && hash_map_find(exec, map, now, unknown, seen);  // 40, unknown, 10
  //! [find]

  //! [extract]
  // Out again, by ascending key: one answer, though the slots of a map differ from run to run.
  std::vector<std::uint32_t> keys(16);
  std::vector<std::uint32_t> values(16);
  std::uint64_t count = 0;
  farpoint::host_scratch const workspace{hash_map_extract_workspace_bytes(exec, map)};
  ok = ok && hash_map_extract(exec, map, {keys, values, &count}, workspace);
  keys.resize(count);
  values.resize(count);
  //! [extract]

  //! [slots]
  // Slots number the keys of a map: arrays of your own can hang on them, such as how often a landmark was seen.
  std::vector<std::int32_t> slots(now.size());
  ok = ok && hash_map_find_slots(exec, map, now, slots) && slots[1] == -1;
  ok = ok && hash_map_find_or_insert(exec, map, now, slots);  // 99 is in it now
  std::vector<int> sightings(static_cast<std::size_t>(map.capacity()));
  for (std::int32_t const slot : slots) ++sightings[static_cast<std::size_t>(slot)];
  //! [slots]

  // A set has keys only; a first value stays where any will do.
  std::vector<farpoint::hash_map_bucket> more(static_cast<std::size_t>(map_type::buckets_for(16)));
  map_type const set{more};
  ok = ok && hash_map_clear(exec, set) && hash_map_insert_keys(exec, set, before);
  ok = ok && set.size() == 3 && hash_map_insert(exec, set, now, now) && set.size() == 4;

  //! [change]
  // How often each landmark was seen: sums, whatever the order. Landmark 3 is set to 9.
  std::vector<farpoint::hash_map_bucket> counters(static_cast<std::size_t>(erasing_map::buckets_for(16)));
  erasing_map const times{counters};
  std::vector<std::uint32_t> const ones(before.size(), 1), third{3}, nine{9};
  ok = ok && hash_map_clear(exec, times) && hash_map_insert_or_add(exec, times, before, ones);  // 7: 2, 3: 1, 12: 1
  ok = ok && hash_map_insert_or_assign(exec, times, third, nine);
  //! [change]

  //! [erase]
  ok = ok && hash_map_erase(exec, times, now, &report) && report.absent == 1;  // 99 was not in it
  bool found[3];
  ok = ok && hash_map_contains(exec, times, now, found);  // 12, 99 and 7 are gone
  //! [erase]
  ok = ok && !found[0] && !found[1] && !found[2] && times.size() == 1 && times.value_or(3, 0) == 9;

  //! [rehash]
  // The keys of `map`, in one with room for a thousand.
  std::vector<farpoint::hash_map_bucket> plenty(static_cast<std::size_t>(map_type::buckets_for(1000)));
  map_type const larger{plenty};
  ok = ok && hash_map_clear(exec, larger) && hash_map_rehash(exec, map, larger, &report) && report.no_room == 0;
  //! [rehash]
  ok = ok && larger.size() == 4 && larger.value_or(7, unknown) == 10;

  using numbers = std::vector<std::uint32_t>;
  bool const right = ok && seen == numbers{40, unknown, 10} && keys == numbers{3, 7, 12} &&
                     values == numbers{20, 10, 40} && map.size() == 4 &&
                     sightings[static_cast<std::size_t>(slots[1])] == 1;
  std::printf("landmarks 12, 99 and 7 were at %u, %u and %u m: %s\n", seen[0], seen[1], seen[2],
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
