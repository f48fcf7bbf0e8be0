// A hash map by whole arrays: which landmarks of two sweeps are the same? <farpoint/hash_map.cuh> has these calls for a
// stream; only the execution and the memory differ.
#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/hash_map.hpp>

#include <cstdio>
#include <vector>

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

  using numbers = std::vector<std::uint32_t>;
  bool const right = ok && seen == numbers{40, unknown, 10} && keys == numbers{3, 7, 12} &&
                     values == numbers{20, 10, 40} && map.size() == 4 &&
                     sightings[static_cast<std::size_t>(slots[1])] == 1;
  std::printf("landmarks 12, 99 and 7 were at %u, %u and %u m: %s\n", seen[0], seen[1], seen[2],
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
