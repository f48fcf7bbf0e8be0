// quadtree_ref in a user's kernel: visits of discs, boxes and nodes equal those on the host, which
// tests/search/host/test_quadtree.cpp checks.
#include <farpoint/core/workspace.hpp>
#include <farpoint/quadtree.hpp>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::quadtree_ref;

namespace {

/// Center and radius of a disc, and of the box around it (px).
struct shape_query {
  float x, y, radius;
};

/// Digest of the visited points, their number and their order.
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

/// Visits the points in a query's disc, those in its box, and the nodes of all levels at its center.
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
