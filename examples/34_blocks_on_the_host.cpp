// The building blocks that run on the host, each with a few values in and what comes out.
#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/container/occupancy_bitmap.hpp>
#include <farpoint/container/topk.hpp>
#include <farpoint/core/atomic.hpp>
#include <farpoint/geometry/hilbert.hpp>
#include <farpoint/host/curve_sort.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/host/kd_order.hpp>
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/host/radix_sort.hpp>
#include <farpoint/host/spin_barrier.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/warp/sorting_network.hpp>

#include <array>
#include <cstdio>
#include <vector>

namespace {

int wrong = 0;

void expect(bool is_right, char const* block) {
  if (is_right) return;
  std::printf("%s: WRONG\n", block);
  ++wrong;
}

void blocks_of_a_thread() {
  //! [sorting_network]
  int keys[4] = {7, 1, 9, 3};
  farpoint::network_sort(keys);      // 1 3 7 9
  int bitonic[4] = {2, 8, 6, 1};     // first up, then down
  farpoint::bitonic_merge(bitonic);  // 1 2 6 8
  //! [sorting_network]
  expect(keys[0] == 1 && keys[1] == 3 && keys[2] == 7 && keys[3] == 9, "network_sort");
  expect(bitonic[0] == 1 && bitonic[1] == 2 && bitonic[2] == 6 && bitonic[3] == 8, "bitonic_merge");

  //! [topk]
  using key = farpoint::neighbor_key<float>;   // (squared distance, index)
  key const limit{100, farpoint::no_index};    // keys must be below it; marks missing entries
  farpoint::topk_list<key, 4> list{2, limit};  // the two smallest, in registers
  key memory[2];
  farpoint::topk_heap<key> heap{memory, 2, limit};  // the two smallest in memory, for any k
  for (key const& next : {key{4, 0}, key{1, 1}, key{9, 2}, key{1, 3}}) {
    list.push(next);
    heap.push(next);
  }
  key nearest[2];
  list.write(nearest, 2);  // (1, point 1), (1, point 3): ties go to the lower index
  heap.sort();             // memory holds the same
  //! [topk]
  expect(nearest[0].index() == 1 && nearest[1].index() == 3 && memory[0].index() == 1 && memory[1].index() == 3,
         "topk");

  //! [atomic]
  std::uint32_t word = 5;                                        // on a device in global or shared memory
  std::uint32_t const before = farpoint::atomic_add(&word, 2u);  // before 5, word 7
  farpoint::atomic_min(&word, 3u);                               // word 3
  farpoint::atomic_or(&word, 4u);                                // word 7
  //! [atomic]
  expect(before == 5 && word == 7, "atomic");
}

void containers() {
  //! [hash_map_ref]
  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  std::vector<farpoint::hash_map_bucket> memory(static_cast<std::size_t>(map_type::buckets_for(100)));
  map_type const map{memory, {}, farpoint::initial_value<std::uint32_t>{0}};  // values begin at 0
  map.clear();
  for (std::uint32_t const key : {7u, 3u, 7u}) map.value(map.find_or_insert(key)).fetch_add(1);
  std::uint32_t const sevens = map.value_or(7, 0);  // 2
  std::uint32_t const nines = map.value_or(9, 0);   // 0: not in the map
  //! [hash_map_ref]
  expect(sevens == 2 && nines == 0 && map.size() == 2, "hash_map_ref");

  //! [occupancy_bitmap]
  farpoint::detail::cell_group groups[2] = {};  // 256 cells each, all empty
  std::uint32_t ranks[3] = {};
  farpoint::detail::occupancy_bitmap cells;
  cells.groups = groups;
  cells.ranks = ranks;
  for (std::uint32_t const cell : {300u, 5u, 9u, 5u}) cells.mark(cell);
  for (int g = 0; g < 2; ++g) ranks[g + 1] = ranks[g] + groups[g].count();
  std::uint32_t const row = cells.rank(300);  // 2: cells 5 and 9 come before it
  //! [occupancy_bitmap]
  expect(row == 2 && cells.rank(9) == 1, "occupancy_bitmap");

  //! [point_bvh_ref]
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {0, 5, 0}, {9, 0, 0}};
  auto const built = farpoint::build_point_bvh(points);
  farpoint::point_bvh_ref<float> const index = built.index[0];  // view of cloud 0
  auto const two = index.nearest<2>({{8, 0, 0}});               // points 3 and 1, at squared distances of 1 and 49
  int near = 0;
  index.within({{0, 0, 0}}, 4, [&](std::uint32_t, float) { ++near; });  // 2: points 0 and 1
  //! [point_bvh_ref]
  expect(two[0].index() == 3 && two[1].index() == 1 && two[1].distance2() == 49 && near == 2, "point_bvh_ref");

  //! [zbuffer_ref]
  std::vector<std::uint64_t> words(4 * 2);
  farpoint::zbuffer_ref const image{words, 4, 2};
  image.clear();
  image.offer(image.pixel_at(1, 1), 3.5f, 10);  // depth (m), index of the point
  image.offer(image.pixel_at(1, 1), 2.5f, 11);
  farpoint::zbuffer_point const front = image.front(image.pixel_at(1, 1));  // point 11, 2.5 m away
  //! [zbuffer_ref]
  expect(front.index == 11 && front.depth == 2.5f && !image.front(0).exists(), "zbuffer_ref");
}

void blocks_of_threads() {
  //! [for_each_index]
  std::vector<int> squares(5);
  farpoint::host_exec const exec{};
  farpoint::result const outcome =
      for_each_index(exec, 5, [&](std::uint64_t i) { squares[i] = static_cast<int>(i * i); });  // 0 1 4 9 16
  //! [for_each_index]
  expect(outcome && squares == std::vector<int>{0, 1, 4, 9, 16}, "for_each_index");

  //! [run_team]
  int sums[2] = {};
  farpoint::spin_barrier barrier{2};
  std::vector<int> partner(2);
  farpoint::run_team(2, [&](int rank, int threads) {  // threads: 2, or 1 if the system refuses one
    sums[rank] = rank + 1;
    if (threads == 2) barrier.arrive_and_wait();
    partner[static_cast<std::size_t>(rank)] = sums[threads - 1 - rank];  // 2 1
  });
  //! [run_team]
  expect(partner == std::vector<int>{2, 1} || partner == std::vector<int>{1, 0}, "run_team");

  //! [parallel_phases]
  // Two phases: four units that each write a value, then one that adds them up.
  int values[4] = {};
  int total = 0;
  int phase = 0;
  farpoint::parallel_phases phases{2, 4};
  farpoint::run_team(2, [&](int, int) {
    phases.join(
        [&](std::uint32_t unit) {
          if (phase == 0) values[unit] = static_cast<int>(unit) * 10;
          if (phase == 1) total = values[0] + values[1] + values[2] + values[3];  // 60
        },
        [&]() -> std::uint32_t { return ++phase == 1 ? 1 : 0; });  // units of the next phase; 0 ends
  });
  //! [parallel_phases]
  expect(total == 60, "parallel_phases");
}

void sorts() {
  //! [host_radix_sort]
  std::uint32_t keys[2][3] = {{30, 10, 20}, {}};
  char names[2][3] = {{'c', 'a', 'b'}, {}};
  using arrays = farpoint::key_value_arrays<std::uint32_t, char>;
  arrays const sorted = farpoint::host_radix_sort(arrays{keys[0], names[0]}, arrays{keys[1], names[1]}, 3, 32);
  // sorted.keys: 10 20 30, sorted.values: a b c, in one of the two pairs of arrays
  //! [host_radix_sort]
  expect(sorted.keys[0] == 10 && sorted.keys[2] == 30 && sorted.values[0] == 'a' && sorted.values[2] == 'c', "radix");

  //! [curve_sort]
  using view = farpoint::point_view<float>;
  float const coordinates[] = {0, 0, 0, 9, 9, 9, 0.5f, 0, 0, 9, 9, 8.5f};
  view const points{coordinates, 4};
  std::uint32_t order[4] = {0, 1, 2, 3};
  std::uint32_t scratch[3 * 4];
  farpoint::detail::curve_sort<view, farpoint::hilbert_curve> along{points, order, scratch, 4, 1};
  along.sort(0, 4);  // 0 2, then 1 and 3 in an order of their own: near points follow one another
  //! [curve_sort]
  expect(order[0] + order[1] == 2 && order[2] + order[3] == 4, "curve_sort");

  //! [kd_order]
  using record = farpoint::detail::kd_point<float>;
  std::vector<record> records;
  for (std::uint32_t i = 0; i < 4; ++i) records.emplace_back(points[i], i);
  farpoint::detail::kd_order<float, 2>::sort(records.data(), 4);  // leaves of two: points 0 and 2, points 1 and 3
  //! [kd_order]
  expect(records[0].index() + records[1].index() == 2 && records[2].index() + records[3].index() == 4, "kd_order");
}

}  // namespace

int main() {
  blocks_of_a_thread();
  containers();
  blocks_of_threads();
  sorts();
  if (wrong == 0) std::puts("all blocks are right");
  return wrong == 0 ? 0 : 1;
}
