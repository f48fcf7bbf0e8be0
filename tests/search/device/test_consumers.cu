// for_each_neighborhood() on cuda_exec: the shared cases, by points and by a BVH, with and without a workspace.
#include <farpoint/search/for_each_neighborhood.cuh>

#include "../../support/catch.hpp"
#include "../consumer_problem.hpp"
#include "knn_on_device.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;

namespace {

/// A call whose consumer is a row_consumer.
template <class Problem, class Index, class Selector = farpoint::knn_selector>
class consumer_call : public lists_on_device<Problem, Index, farpoint::knn_report> {
  using base = lists_on_device<Problem, Index, farpoint::knn_report>;

 public:
  using typename base::scalar;

  explicit consumer_call(Problem const& problem)
      : base{problem, problem.list_size(), problem.query_count()},
        calls_{std::vector<unsigned>(static_cast<std::size_t>(problem.query_count()))},
        wrong_{std::vector<unsigned>(1)},
        total_{std::vector<std::uint64_t>(1)} {}

  farpoint::result enqueue(cudaStream_t stream) {
    cuda_exec const exec{stream};
    auto const& limits = this->problem().limits;
    auto const points = this->points();
    return with_neighborhood(this->problem(), [&](auto k) {
      if (this->problem().self) {
        auto const memory = this->workspace(farpoint::knn_workspace_bytes(exec, points, limits.with_k(k)));
        return farpoint::for_each_neighborhood<k, Selector>(exec, points, limits, consumer<k>(points), memory,
                                                            this->report());
      }
      auto const queries = this->queries();
      auto const memory = this->workspace(farpoint::knn_workspace_bytes(exec, points, queries, limits.with_k(k)));
      return farpoint::for_each_neighborhood<k, Selector>(exec, points, queries, limits, consumer<k>(queries), memory,
                                                          this->report());
    });
  }

  /// Builds a BVH first. The points are passed as other queries.
  farpoint::result enqueue_with_index(cudaStream_t stream, bool has_workspace) {
    cuda_exec const exec{stream};
    auto const points = this->points();
    farpoint::device_point_bvh<scalar> index;
    auto const built =
        farpoint::build_point_bvh(exec, points, memory_.of_size(farpoint::point_bvh_bytes(exec, points)), index);
    if (!built) return built;
    return this->problem().self ? ask(exec, index, points, has_workspace)
                                : ask(exec, index, this->queries(), has_workspace);
  }

  consumer_answer<scalar> answer(farpoint::result outcome) const {
    bool const kept = memory_.intact() && calls_.intact() && wrong_.intact() && total_.intact();
    return {base::answer(kept ? outcome : memory_was_written), calls_.download(), wrong_.download()[0],
            total_.download()[0]};
  }

 private:
  template <int K, class Queries>
  row_consumer<Queries, K> consumer(farpoint::batch<Queries> const& queries) const {
    return {queries, {this->indices(), this->distances(), this->counts()}, calls_.data(), wrong_.data(), total_.data()};
  }
  template <class Queries>
  farpoint::result ask(cuda_exec exec, farpoint::device_point_bvh<scalar> const& index,
                       farpoint::batch<Queries> const& queries, bool has_workspace) {
    auto const memory =
        has_workspace ? this->workspace(farpoint::knn_workspace_bytes(exec, index, queries)) : farpoint::bytes{};
    return with_neighborhood(this->problem(), [&](auto k) {
      return farpoint::for_each_neighborhood<k>(exec, index, queries, this->problem().limits, consumer<k>(queries),
                                                memory, this->report());
    });
  }

  device_array<unsigned> calls_;
  device_array<unsigned> wrong_;
  device_array<std::uint64_t> total_;
  call_workspace memory_;  ///< of a BVH
};

template <class Problem>
auto solve_consumer(Problem const& problem) {
  using call_type = consumer_call<Problem, std::int32_t>;
  call_type call{problem};
  auto const answer = run_call(call, [&](cudaStream_t stream) { return call.enqueue(stream); });
  if (!answer.outcome) return answer;
  consumer_call<Problem, std::int32_t, always_index> indexed{problem};
  check_answer(run_call(indexed, [&](cudaStream_t stream) { return indexed.enqueue(stream); }), answer,
               "with an index");
  for (bool const has_workspace : {true, false}) {
    call_type other{problem};
    auto const enqueue = [&](cudaStream_t stream) { return other.enqueue_with_index(stream, has_workspace); };
    check_answer(run_call(other, enqueue), answer, has_workspace ? "by a BVH" : "by a BVH, without a workspace");
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../consumer_tests.inc"

namespace {

/// Adds up squared distances per row.
struct distance_sums {
  float* sums;

  __device__ void operator()(farpoint::neighborhood_query<float> const& query,
                             farpoint::neighborhood<float, 8> const& list) const {
    float sum = 0;
    list.for_each([&](std::uint32_t, float distance2) { sum += distance2; });
    sums[query.row] = sum;
  }
  __device__ void leave_empty(index_t row) const { sums[row] = 0; }
};

}  // namespace

TEST_CASE("for_each_neighborhood, device: a call that is captured, with an error of other work",
          "[for_each_neighborhood][device]") {
  knn_problem<float> const problem{make_cloud(shape::rings, 2000, 3), 8};
  clouds_on_device<knn_problem<float>> const clouds{problem};
  auto const points = clouds.points();
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  call_workspace memory;
  auto const workspace = memory.of_size(knn_workspace_bytes(exec, points, problem.limits.with_k(8)));
  device_array<float> sums{2000};
  auto const enqueue = [&] {
    return farpoint::for_each_neighborhood<8>(exec, points, problem.limits, distance_sums{sums.data()}, workspace);
  };
  check_foreign_error(stream.get(), [&] { CHECK(enqueue()); });
  auto const first = sums.download();
  sums.upload(std::vector<float>(2000));
  farpoint::result outcome;
  captured_graph const graph{stream.get(), [&] { outcome = enqueue(); }};
  REQUIRE(outcome);
  graph.replay();
  CHECK(sums.intact());
  CHECK(same_bits(sums.download(), first));
}
