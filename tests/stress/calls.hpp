// The calls that are made under load.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stress_call.cuh"

namespace farpoint_stress {

using call_list = std::vector<std::unique_ptr<stress_call>>;

/// Sizes of the clouds of a list of calls.
enum class call_sizes {
  table,  ///< as in the table of results: every kernel of fps(), and 1,000,000 points of everything
  crowd   ///< smaller, for many concurrent calls; still with kernels that need all blocks resident
};

// One of each function, for each of the files that compile them. `seed` makes other points.
void add_fps_calls(call_list& calls, call_sizes sizes, std::uint64_t seed);
void add_search_calls(call_list& calls, call_sizes sizes, std::uint64_t seed);
void add_screen_calls(call_list& calls, call_sizes sizes, std::uint64_t seed);
void add_voxelize_calls(call_list& calls, call_sizes sizes, std::uint64_t seed);
void add_hash_map_calls(call_list& calls, call_sizes sizes, std::uint64_t seed);

inline call_list make_calls(call_sizes sizes, std::uint64_t seed) {
  call_list calls;
  add_fps_calls(calls, sizes, seed);
  add_search_calls(calls, sizes, seed);
  add_screen_calls(calls, sizes, seed);
  add_voxelize_calls(calls, sizes, seed);
  add_hash_map_calls(calls, sizes, seed);
  return calls;
}

// Calls whose every parameter is drawn; the same for the same seed.
std::unique_ptr<stress_call> random_fps_call(std::uint64_t seed);
std::unique_ptr<stress_call> random_search_call(std::uint64_t seed);
std::unique_ptr<stress_call> random_screen_call(std::uint64_t seed);
std::unique_ptr<stress_call> random_voxelize_call(std::uint64_t seed);
std::unique_ptr<stress_call> random_hash_map_call(std::uint64_t seed);

inline std::unique_ptr<stress_call> random_call(std::uint64_t seed) {
  switch (seed % 8) {
    case 0:
    case 1:
    case 2: return random_fps_call(seed);
    case 3:
    case 4: return random_search_call(seed);
    case 5: return random_screen_call(seed);
    case 6: return random_voxelize_call(seed);
    default: return random_hash_map_call(seed);
  }
}

}  // namespace farpoint_stress
