// warp_merge_sort: every size, up to several capacities.
#include <farpoint/warp/warp_merge_sort.cuh>

#include "warp_sorts.cuh"

using namespace farpoint_tests;

namespace {

template <class Key, int Capacity>
struct merge : shared_sort<Key, Capacity> {
  using sorter = farpoint::warp_merge_sort<Key, Capacity>;
  using storage = typename sorter::storage;
  __device__ static void sort(storage& shared, int size) { sorter::sort(shared, size); }
};

}  // namespace

TEST_CASE("warp_merge_sort: keys in shared memory", "[warp][device][sanitize]") {
  check_shared_sorts<merge<std::uint32_t, 32>, merge<float, 64>, merge<neighbor_key<float>, 512>,
                     merge<index_key<float>, 512>, merge<neighbor_key<double>, 256>>();
}
