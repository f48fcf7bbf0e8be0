// Data that many calls of the compiled library use stays on their backend: the search tree of a map, and a hash map of
// the points seen so far. Runs on the GPU if there is one; the arrays of each call are in host memory.
#include <farpoint/runtime.hpp>

#include <cstdio>
#include <random>
#include <vector>

namespace runtime = farpoint::runtime;
using farpoint::index_t;

int main() {
  std::mt19937 random{2};
  std::uniform_real_distribution<float> meters{0, 50};
  std::vector<float> map(3 * 20000), scan(3 * 1000);
  for (float& coordinate : map) coordinate = meters(random);
  for (std::size_t i = 0; i < scan.size(); ++i) scan[i] = map[i] + 0.001f;  // the map's first points, moved
  farpoint::batch const town{farpoint::point_view<float>{map.data(), 20000}};
  farpoint::batch const around{farpoint::point_view<float>{scan.data(), 1000}};

  std::vector<farpoint::float16> narrow;  // __half, where there is CUDA
  for (float const coordinate : scan) narrow.push_back(farpoint::to_float16(coordinate));
  farpoint::batch const halves{farpoint::point_view<farpoint::float16>{narrow.data(), 1000}};
  std::vector<std::int32_t> four(1000 * 4);

  //! [choice]
  runtime::options const options{runtime::backend::automatic, 2};  // the GPU, or else two threads
  runtime::run_info info;
  bool ok = static_cast<bool>(runtime::knn(halves, {4}, {four}, options, &info));
  // info.used: backend::cuda or backend::host; info.device: its name; info.seconds: time without transfers (s)
  //! [choice]

  //! [index]
  runtime::point_index<float> tree;  // built once, of points that are not needed any more
  ok = ok && tree.build(town);

  std::vector<std::int32_t> nearest(1000), near(1000 * 8), numbers(1000);
  ok = ok && tree.knn(around, {1}, {nearest});
  farpoint::radius_params ball;
  ball.radius = 2;
  ball.max_neighbors = 8;
  farpoint::radius_output<float> balls{near};
  balls.counts = numbers;
  ok = ok && tree.radius(around, ball, balls);
  std::vector<float> heights(20000), height(1000);  // a feature of the map's points, where the scan is
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = map[3 * i + 2];
  ok = ok && tree.interpolate(heights, around, 1, {height});
  //! [index]

  //! [map]
  runtime::hash_map<std::uint32_t, std::uint32_t> seen;  // point of the map: the first frame that had it
  ok = ok && seen.reset(20000);
  std::vector<std::uint32_t> keys(nearest.begin(), nearest.end());
  std::vector<std::uint32_t> const frame(keys.size(), 7), earlier(keys.size(), 4);
  ok = ok && seen.insert(keys, frame) && seen.insert_or_min(keys, earlier);
  std::vector<std::uint32_t> first(keys.size());
  ok = ok && seen.find(keys, 0, first);
  std::vector<std::int32_t> slots(keys.size());  // numbers for arrays of one's own, below capacity()
  std::vector<std::uint32_t> const others{19998, 19999};
  ok = ok && seen.find_slots(keys, slots) && seen.insert_keys(others);
  ok = ok && seen.find_or_insert(others, farpoint::span<std::int32_t>{slots}.first(2));
  std::uint64_t count = 0;
  std::vector<std::uint32_t> all(2000), frames(2000);
  ok = ok && seen.extract({all, frames, &count});  // by ascending key
  //! [map]
  runtime::release_thread_memory();  // cached memory of this thread's calls
  if (!ok) return 1;

  bool right = count == 1002 && all[0] == 0 && all[999] == 999 && frames[5] == 4 && first[999] == 4 && slots[0] >= 0 &&
               slots[0] < seen.capacity();
  right = right && info.used == tree.where() && info.seconds > 0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    bool const is_twin = narrow[3 * static_cast<std::size_t>(four[4 * i])].bits == narrow[3 * i].bits;
    right = right && is_twin;  // the point itself, or one with equal float16 coordinates
    right = right && nearest[i] == static_cast<std::int32_t>(i) && numbers[i] >= 1;
    right = right && height[i] > scan[3 * i + 2] - 3 && height[i] < scan[3 * i + 2] + 3;
  }
  std::printf("on the %s: %llu points of the map have been seen: %s\n", runtime::to_string(tree.where()),
              static_cast<unsigned long long>(count), right ? "right" : "WRONG");
  return right ? 0 : 1;
}
