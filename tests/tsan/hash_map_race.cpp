// Four threads use one map, and publish other memory through a value. Under ThreadSanitizer, which must report nothing
// except in these mutations:
//   FARPOINT_MUTATION=1  a look-up that declares the map unchanging runs during insertions
//   FARPOINT_MUTATION=2  the value is stored without release
//   FARPOINT_MUTATION=3  the map is cleared while other threads use it
#include <farpoint/container/hash_map_ref.hpp>

#include "../hash_map/hash_map_random_calls.hpp"

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#if !defined(FARPOINT_MUTATION)
#define FARPOINT_MUTATION 0
#endif

namespace {

template <class Map>
bool run() {
  using key = typename Map::key_type;
  constexpr int threads = 4;
  constexpr int keys = 3000;
  std::vector<farpoint::hash_map_bucket> buckets(static_cast<std::size_t>(Map::buckets_for(keys, 0.9)));
  Map const map{{buckets.data(), buckets.size()}, {}, {0}};
  map.clear();
  // The thread that inserts a key writes the key's note, and then publishes the note by storing the value.
  std::vector<int> notes(static_cast<std::size_t>(map.capacity()), -1);
  std::array<int, threads> wrong{};
  std::vector<std::thread> team;
  for (int rank = 0; rank < threads; ++rank) {
    team.emplace_back([&, rank] {
      for (int i = 0; i < keys; ++i) {
        // Every second key belongs to one thread: nothing orders its insertion before calls of other threads, even if
        // the threads happen to run serially.
        if (i % 8 < 4 && i % 4 != rank) continue;
        auto const k = static_cast<key>(i);
        auto const did = map.insert(k, 0);
        auto const value = map.value(did.slot);
        int& note = notes[static_cast<std::size_t>(did.slot)];
        if (did.state == farpoint::insert_result::inserted) {
          note = i;
#if FARPOINT_MUTATION == 2
          value.store(1);
#else
          value.store_release(1);
#endif
        } else if (value.load_acquire() == 1 && note != i) {
          ++wrong[static_cast<std::size_t>(rank)];
        }
#if FARPOINT_MUTATION == 1
        if (map.find(k, farpoint::unchanging) != did.slot) ++wrong[static_cast<std::size_t>(rank)];
#else
        if (map.find(k) != did.slot) ++wrong[static_cast<std::size_t>(rank)];
#endif
      }
#if FARPOINT_MUTATION == 3
      if (rank == 0) map.clear();
#endif
    });
  }
  for (auto& thread : team) thread.join();
  if (FARPOINT_MUTATION == 3) return true;
  bool right = map.size() == keys;
  for (int const count : wrong) right = right && count == 0;
  return right;
}

/// Insertions, changes, look-ups and erasures by four threads.
template <class Map>
bool run_erasures() {
  using namespace farpoint_tests;
  using value = typename Map::value_type;
  constexpr int threads = 4;
  std::vector<farpoint::hash_map_bucket> buckets(static_cast<std::size_t>(Map::buckets_for(2500)));
  Map const map{{buckets.data(), buckets.size()}};
  map.clear();
  std::vector<modeled_key<value>> model(threads * own_keys);
  std::vector<std::uint32_t> live(shared_keys, 0);
  std::array<int, threads> wrong{};
  std::vector<std::thread> team;
  for (int rank = 0; rank < threads; ++rank) {
    team.emplace_back([&, rank] {
      random_calls<Map> calls{map, static_cast<std::uint32_t>(rank), 1, live.data()};
      wrong[static_cast<std::size_t>(rank)] = calls.run(1500, model.data() + rank * own_keys);
    });
  }
  for (auto& thread : team) thread.join();
  std::vector<hash_map_entry<typename Map::key_type, value>> entries;
  map.for_each([&entries](auto key, value v, farpoint::index_t slot) { entries.push_back({key, v, slot}); });
  bool right = agrees_with_models<Map>(entries, model, live);
  for (int const count : wrong) right = right && count == 0;
  return right;
}

}  // namespace

int main() {
  bool right = run<farpoint::hash_map_ref<std::uint32_t>>() && run<farpoint::hash_map_ref<std::uint64_t>>();
  right = right && run<farpoint_tests::split_map<std::uint32_t>>() && run<farpoint_tests::split_map<std::uint64_t>>();
  if (FARPOINT_MUTATION == 0) {
    right = right && run_erasures<farpoint_tests::erasing_map<std::uint32_t>>() &&
            run_erasures<farpoint_tests::erasing_map<std::uint64_t>>() &&
            run_erasures<farpoint_tests::erasing_split_map<std::uint32_t>>();
  }
  std::puts(right ? "right, and no race reported above" : "WRONG RESULT");
  return right ? 0 : 1;
}
