// warp_topk: the k smallest keys of each lane, against std::sort.
#include <farpoint/warp/warp_topk.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_value.hpp"
#include "../topk_problem.hpp"

using namespace farpoint_tests;
using farpoint::no_index;

namespace {

constexpr int warps = 2;
constexpr int threads = 32 * warps;

/// Each lane offers the keys [begins[thread], begins[thread + 1]); a lane without any is not active in the first half
/// of its keys. Keys are offered `burst` at a time.
template <class Scalar, int Capacity>
__global__ void keep_nearest(farpoint::neighbor_key<Scalar> const* keys, int const* begins, int k,
                             farpoint::neighbor_key<Scalar> limit, std::uint32_t const* excluded, int burst,
                             farpoint::neighbor_key<Scalar>* out, unsigned* bad_bounds) {
  using list_type = farpoint::warp_topk<Scalar, Capacity>;
  __shared__ typename list_type::storage shared[warps];
  int const thread = static_cast<int>(threadIdx.x);
  list_type list{shared[thread / 32], k, limit, excluded[thread]};
  int const begin = begins[thread];
  int const end = begins[thread + 1];
  int const half = (begin + end) / 2;
  int at = begin;
  // Offers the keys in two parts with merge_all() between them, as a caller with two parts of work does. In the second
  // part lists are merged before they are full. Neither what is in the memory before activate() nor a candidate before
  // restart() remains.
  farpoint::neighbor_key<Scalar> const nearest{Scalar(0), 0};
  for (int part = 0; part < 2; ++part) {
    int const stop = part == 0 ? half : end;
    for (auto& slots : shared[thread / 32].at) slots[thread % 32] = nearest;
    list.activate(at < stop);
    if (part == 0 && at < stop) list.offer(nearest.distance2(), nearest.index());
    if (part == 0) list.restart(k);
    if (at >= stop && list.bound() >= 0) atomicAdd(bad_bounds, 1u);
    while (__any_sync(~0u, at < stop)) {
      Scalar const bound = list.bound();
      for (int i = 0; i < burst && at < stop; ++i, ++at) {
        if (keys[at].distance2() <= bound) list.offer(keys[at].distance2(), keys[at].index());
      }
      if (part == 0) {
        list.merge_if_full();
      } else {
        list.merge_beyond(list_type::batch / 2);
      }
    }
    list.merge_all();
  }
#pragma unroll
  for (int j = 0; j < Capacity; ++j) {
    if (j >= Capacity - k) out[thread * k + j - (Capacity - k)] = list[j];
  }
  list.activate(true);
  auto const& worst = list[Capacity - 1];
  if (list.bound() != worst.distance2() || list.bound_index() != worst.index()) atomicAdd(bad_bounds, 1u);
}

template <class Scalar, int Capacity>
void check_lanes(int k, int most, int burst, std::uint64_t seed) {
  using key = farpoint::neighbor_key<Scalar>;
  CAPTURE(Capacity, k, most, burst, seed, sizeof(Scalar));
  random_source random{seed};
  std::vector<std::vector<key>> given;
  std::vector<key> keys;
  std::vector<int> begins{0};
  std::vector<std::uint32_t> excluded;
  for (int thread = 0; thread < threads; ++thread) {
    // A quarter of the lanes have no keys.
    auto const size = static_cast<std::size_t>(random.below(4) == 0 ? 0 : random.below(most + 1));
    given.push_back(topk_keys<key, Scalar>(size, static_cast<int>(random.below(5)), random.next()));
    keys.insert(keys.end(), given.back().begin(), given.back().end());
    begins.push_back(static_cast<int>(keys.size()));
    excluded.push_back(size == 0 || random.below(2) == 0 ? no_index : given.back()[size / 3].index());
  }
  device_array<key> const memory{keys};
  device_array<int> const begin_memory{begins};
  device_array<std::uint32_t> const excluded_memory{excluded};
  for (key const limit : {key{std::numeric_limits<Scalar>::infinity(), no_index}, key{Scalar(0.5), no_index}}) {
    device_array<key> const out{static_cast<std::size_t>(threads * k)};
    device_array<unsigned> const bad_bounds{std::vector<unsigned>{0}};
    keep_nearest<Scalar, Capacity><<<1, threads>>>(memory.data(), begin_memory.data(), k, limit, excluded_memory.data(),
                                                   burst, out.data(), bad_bounds.data());
    REQUIRE_CUDA(cudaGetLastError());
    REQUIRE_CUDA(cudaDeviceSynchronize());
    auto const found = out.download();
    CHECK(bad_bounds.download()[0] == 0);
    for (int thread = 0; thread < threads; ++thread) {
      CAPTURE(thread);
      auto wanted = given[static_cast<std::size_t>(thread)];
      std::uint32_t const without = excluded[static_cast<std::size_t>(thread)];
      wanted.erase(std::remove_if(wanted.begin(), wanted.end(), [&](key const& one) { return one.index() == without; }),
                   wanted.end());
      std::vector<key> const mine(found.begin() + thread * k, found.begin() + (thread + 1) * k);
      CHECK(same_keys(mine, smallest_keys(wanted, k, limit, nearer{})));
    }
    CHECK(out.intact());
  }
}

template <class Scalar, int Capacity>
void check_capacity() {
  for (int const k : {1, Capacity / 2, Capacity - 1, Capacity}) {
    if (k < 1) continue;
    for (int const burst : {1, 5, farpoint::warp_topk<Scalar, Capacity>::batch}) {
      for (int const most : {0, 3, 20, 300}) {
        check_lanes<Scalar, Capacity>(k, most, burst, static_cast<std::uint64_t>(k * 1000 + most * 10 + burst));
      }
    }
  }
}

}  // namespace

TEST_CASE("warp_topk: the k nearest of each lane", "[warp][device][sanitize]") {
  for_each_value<1, 2, 8, 16, 32, 64>([](auto capacity) { check_capacity<float, capacity>(); });
  for_each_value<8, 32>([](auto capacity) { check_capacity<double, capacity>(); });
}
