// warp_merge_sort: every size, up to several capacities.
#include <farpoint/warp/warp_merge_sort.cuh>

#include "warp_sorts.cuh"

using namespace farpoint_tests;
using farpoint::index_key;
using farpoint::neighbour_key;

namespace {

template <class Key, int Capacity>
struct merge {
  static constexpr int capacity = Capacity;
  using sorter = farpoint::warp_merge_sort<Key, Capacity>;
  using storage = typename sorter::storage;
  __device__ static void sort(storage& shared, int size) { sorter::sort(shared, size); }
};

}  // namespace

TEST_CASE("warp_merge_sort: keys in shared memory", "[warp][device][sanitize]") {
  check_shared_sorts<merge<std::uint32_t, 32>, std::uint32_t>();
  check_shared_sorts<merge<float, 64>, float>();
  check_shared_sorts<merge<neighbour_key<float>, 512>, neighbour_key<float>>();
  check_shared_sorts<merge<index_key<float>, 512>, index_key<float>>();
  check_shared_sorts<merge<neighbour_key<double>, 256>, neighbour_key<double>>();
}
