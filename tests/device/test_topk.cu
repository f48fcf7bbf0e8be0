// The top-k lists of a thread in a kernel.
#include "../catch.hpp"
#include "../shared/for_each_value.hpp"
#include "../shared/topk_problem.hpp"
#include "cuda_check.hpp"

using namespace farpoint_tests;
using farpoint::index_key;
using farpoint::neighbour_key;

namespace {

template <class List, class Key>
__global__ void run_lists(Key const* keys, int size, int k, Key limit, Key* out, int problems) {
  int const problem = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (problem < problems) List::run(keys + problem * size, size, k, limit, out + problem * k);
}

template <class List, class Key, class Scalar, class Less>
void check_lists(int size, int k, Less const& less) {
  constexpr int problems = 70;
  CAPTURE(size, k, sizeof(Key));
  std::vector<Key> keys;
  for (int problem = 0; problem < problems; ++problem) {
    // By index alone, keys of one index are equal, and which stays is not said.
    int const kind = std::is_same_v<Less, of_lower_index> ? 2 + problem % 3 : problem % 5;
    auto const some = topk_keys<Key, Scalar>(static_cast<std::size_t>(size), kind, static_cast<std::uint64_t>(problem));
    keys.insert(keys.end(), some.begin(), some.end());
  }
  for (Key const limit : {Key{std::numeric_limits<Scalar>::infinity(), farpoint::no_index}, Key{Scalar(0.5), 20}}) {
    device_array<Key> const memory{keys};
    device_array<Key> const out{static_cast<std::size_t>(problems * k)};
    run_lists<List><<<3, 32>>>(memory.data(), size, k, limit, out.data(), problems);
    REQUIRE_CUDA(cudaGetLastError());
    REQUIRE_CUDA(cudaDeviceSynchronize());
    auto const found = out.download();
    for (int problem = 0; problem < problems; ++problem) {
      CAPTURE(problem);
      std::vector<Key> const mine(found.begin() + problem * k, found.begin() + (problem + 1) * k);
      std::vector<Key> const given(keys.begin() + problem * size, keys.begin() + (problem + 1) * size);
      CHECK(same_keys(mine, smallest_keys(given, k, limit, less)));
    }
    CHECK(out.intact());
  }
}

template <class List>
void check_all() {
  for (int const k : {1, 3, 8, 32}) {
    if (k > List::most) continue;
    for (int const size : {0, 1, 7, 8, 9, 33, 200}) {
      check_lists<List, neighbour_key<float>, float>(size, k, nearer{});
      check_lists<List, neighbour_key<double>, double>(size, k, nearer{});
      check_lists<List, index_key<float>, float>(size, k, of_lower_index{});
    }
  }
}

}  // namespace

TEST_CASE("topk_list in a kernel", "[topk][device][sanitize]") {
  for_each_value<1, 8, 32>([](auto capacity) { check_all<in_registers<capacity>>(); });
}

TEST_CASE("topk_heap in a kernel", "[topk][device][sanitize]") {
  check_all<in_heap>();
}
