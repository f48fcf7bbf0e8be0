// Parts of knn() in screen space in kernels of a user's own: discs, boxes and nodes of a quadtree, and the k best of
// many keys in registers, local and shared memory. The host's answers come from the same functions, which its own tests
// check.
#include <farpoint/container/topk.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/quadtree.hpp>

#include <algorithm>

#include "../catch.hpp"
#include "../shared/random.hpp"
#include "cuda_check.hpp"

using namespace farpoint_tests;
using farpoint::quadtree_ref;
using key = farpoint::neighbour_key<float>;

namespace {

/// A place in an image, and how far around it.
struct shape_query {
  float x, y, radius;
};

/// How many were visited, which, and in which order.
struct visit_digest {
  std::uint32_t count = 0;
  std::uint32_t word = 2166136261u;

  FARPOINT_HD void add(std::uint32_t value) {
    ++count;
    word = (word ^ value) * 16777619u;
  }
  friend bool operator==(visit_digest const& a, visit_digest const& b) {
    return a.count == b.count && a.word == b.word;
  }
};

FARPOINT_HD visit_digest visit_all(quadtree_ref const& tree, shape_query const& q) {
  visit_digest digest;
  auto const visit = [&](std::uint32_t position) { digest.add(tree.index(position)); };
  tree.for_each_in_disc({{q.x, q.y}}, q.radius, visit);
  auto const low = [&](float at) { return static_cast<int>(at - q.radius); };
  auto const high = [&](float at) { return static_cast<int>(at + q.radius); };
  tree.for_each_in_box({{{low(q.x), low(q.y)}}, {{high(q.x), high(q.y)}}}, visit);
  for (int level = 0; level < tree.levels(); ++level) {
    auto const node = quadtree_ref::node_of(level, static_cast<int>(q.x), static_cast<int>(q.y));
    digest.add(tree.count(node));
    digest.add(tree.range(node).first);
    digest.add(tree.range(node).last);
  }
  return digest;
}

__global__ void visit_kernel(quadtree_ref tree, shape_query const* queries, int count, visit_digest* digests) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) digests[i] = visit_all(tree, queries[i]);
}

/// Key j of those that query i is shown: ties among them.
FARPOINT_HD key shown_key(std::uint32_t i, std::uint32_t j) {
  std::uint32_t const mixed = (i * 2654435761u ^ j * 40503u) * 2246822519u;
  return {static_cast<float>(mixed >> 22), j};
}

template <class List>
FARPOINT_HD void show_keys(List& list, std::uint32_t i, std::uint32_t keys) {
  for (std::uint32_t j = 0; j < keys; ++j) {
    if (shown_key(i, j) < list.worst()) list.push(shown_key(i, j));
  }
}

/// @param found  `[threads, k]`
template <int Capacity>
__global__ void registers_kernel(int k, std::uint32_t keys, key limit, key* found) {
  std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
  farpoint::topk_list<key, Capacity> list{k, limit};
  show_keys(list, i, keys);
  list.write(found + std::size_t{i} * static_cast<std::size_t>(k), k);
}

/// Each thread's heap is a part of the block's shared memory, or the thread's own.
__global__ void heap_kernel(int k, std::uint32_t keys, key limit, key* found) {
  __shared__ unsigned long long shared[4 * 1024];
  unsigned long long local[100];
  std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
  auto* const memory = reinterpret_cast<key*>(k > 100 ? shared + threadIdx.x * static_cast<unsigned>(k) : local);
  farpoint::topk_heap<key> heap{memory, k, limit};
  show_keys(heap, i, keys);
  heap.sort();
  for (int j = 0; j < k; ++j)
    found[std::size_t{i} * static_cast<std::size_t>(k) + j] = j < heap.count() ? memory[j] : limit;
}

/// The k best of each query's keys, by sorting all.
std::vector<std::uint32_t> best_indices(std::uint32_t queries, int k, std::uint32_t keys) {
  std::vector<std::uint32_t> best;
  for (std::uint32_t i = 0; i < queries; ++i) {
    std::vector<key> all;
    for (std::uint32_t j = 0; j < keys; ++j) all.push_back(shown_key(i, j));
    std::sort(all.begin(), all.end());
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
      best.push_back(j < all.size() ? all[j].index() : farpoint::no_index);
    }
  }
  return best;
}

template <class Launch>
void check_lists(int k, std::uint32_t keys, Launch const& launch) {
  constexpr std::uint32_t queries = 8;
  CAPTURE(k, keys);
  device_array<std::uint64_t> const found{static_cast<std::size_t>(queries) * static_cast<std::size_t>(k)};
  static_assert(sizeof(key) == sizeof(std::uint64_t));
  key const limit{std::numeric_limits<float>::infinity(), farpoint::no_index};
  launch(reinterpret_cast<key*>(found.data()), limit);
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  std::vector<std::uint32_t> indices;
  for (std::uint64_t const word : found.download()) indices.push_back(static_cast<std::uint32_t>(word));
  CHECK((found.intact() && indices == best_indices(queries, k, keys)));
}

}  // namespace

TEST_CASE("quadtree, device: discs, boxes and nodes in a user's kernel", "[quadtree][device][sanitize]") {
  random_source random{1};
  for (auto const& [width, height] : {std::array<int, 2>{1, 1}, {5, 3}, {33, 64}, {200, 150}, {1000, 3}}) {
    std::vector<farpoint::quadtree_point> points;
    for (int at = 0; at < width * height; ++at) {
      if (random.below(3) == 0) continue;
      points.push_back({static_cast<std::uint16_t>(at % width), static_cast<std::uint16_t>(at / width),
                        random.uniform(), static_cast<std::uint32_t>(5 * at + 1)});
    }
    std::size_t const bytes = farpoint::quadtree_bytes(width, height, static_cast<farpoint::index_t>(points.size()));
    farpoint::detail::host_workspace const memory{bytes};
    quadtree_ref tree;
    REQUIRE(farpoint::build_quadtree({}, width, height, {points.data(), points.size()}, {memory.get().data(), bytes},
                                     tree));
    device_array<unsigned char> const copy{
        std::vector<unsigned char>(memory.get().data(), memory.get().data() + bytes)};

    std::vector<shape_query> queries;
    for (int i = 0; i < 500; ++i) {
      queries.push_back({random.uniform() * static_cast<float>(width), random.uniform() * static_cast<float>(height),
                         random.uniform() * static_cast<float>(1 << random.below(9))});
    }
    device_array<shape_query> const asked{queries};
    device_array<visit_digest> const digests{queries.size()};
    visit_kernel<<<4, 128>>>({tree.layout(), copy.data()}, asked.data(), 500, digests.data());
    REQUIRE_CUDA(cudaGetLastError());
    REQUIRE_CUDA(cudaDeviceSynchronize());
    auto const found = digests.download();
    CAPTURE(width, height);
    bool same = true;
    for (std::size_t i = 0; i < queries.size(); ++i) same = same && found[i] == visit_all(tree, queries[i]);
    CHECK(same);
  }
}

TEST_CASE("topk, device: lists in registers, and heaps in local and shared memory", "[topk][device][sanitize]") {
  for (std::uint32_t const keys : {0u, 1u, 7u, 500u, 3000u}) {
    for (int const k : {1, 2, 4, 7, 8}) {
      check_lists(k, keys, [&](key* found, key limit) { registers_kernel<8><<<2, 4>>>(k, keys, limit, found); });
    }
    for (int const k : {9, 31, 32}) {
      check_lists(k, keys, [&](key* found, key limit) { registers_kernel<32><<<2, 4>>>(k, keys, limit, found); });
    }
    for (int const k : {1, 33, 100, 101, 1024}) {
      check_lists(k, keys, [&](key* found, key limit) { heap_kernel<<<2, 4>>>(k, keys, limit, found); });
    }
  }
}
