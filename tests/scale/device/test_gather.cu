// gather() within the clouds of a batch, on a stream: what the host's tests expect.
#include <farpoint/gather.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../gather_problem.hpp"

using namespace farpoint_tests;

namespace {

/// @tparam Index  of the indices
/// @param in_graph  by way of a graph, too
template <class Value, class Index = std::int32_t>
void check_on_device(gather_problem const& problem, bool in_graph) {
  gather_case<Value> const expected{problem};
  device_array<Value> const features{expected.values};
  device_array<Index> const indices{std::vector<Index>(problem.indices.begin(), problem.indices.end())};
  device_array<index_t> const from_offsets{problem.features.offsets};
  device_array<index_t> const to_offsets{problem.output.offsets};
  device_array<Value> const output{expected.output.size()};
  device_array<farpoint::gather_report> const report{1};
  auto const from =
      problem.rows_of(problem.features, span_of<Value const>(features), span_of<index_t const>(from_offsets));
  auto const to = problem.rows_of(problem.output, span_of<Value>(output), span_of<index_t const>(to_offsets));
  test_stream const stream;
  farpoint::result outcome;
  auto const enqueue = [&] {
    outcome = farpoint::gather(farpoint::cuda_exec{stream.get()}, from, span_of<Index>(indices), to, report.data());
  };
  enqueue();
  INFO(outcome.reason);
  REQUIRE(outcome);
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  if (in_graph) {
    captured_graph const graph{stream.get(), enqueue};
    REQUIRE(outcome);
    graph.replay();
  }
  auto const counted = report.download()[0];
  CHECK(counted.out_of_range == expected.report.out_of_range);
  CHECK(counted.bad_offsets == expected.report.bad_offsets);
  CHECK(output.download() == expected.output);
  CHECK(output.intact());
  CHECK(report.intact());
}

}  // namespace

TEST_CASE("gather, device: rows and channels in any order, regular and ragged clouds", "[gather][device][sanitize]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const problem = random_gather_problem(seed);
    CAPTURE(seed);
    check_on_device<float>(problem, seed % 3 == 0);
  }
  auto const large = random_gather_problem(1, 30000);
  check_on_device<float>(large, false);
}

// Below 1,024 rows, and for more rows than the features have, another kernel copies.
TEST_CASE("gather, device: channels of tiles of rows, by indices of 32 and of 64 bits", "[gather][device][sanitize]") {
  struct size {
    index_t clouds, channels, rows;
  };
  random_source random{11};
  for (auto const& [clouds, channels, rows] : {size{1, 1, 1023}, size{1, 3, 1024}, size{3, 2, 1025}, size{2, 5, 4097},
                                               size{3, 200, 4096}, size{2, 300, 5000}}) {
    for (auto const layout : {rows_layout::regular, rows_layout::channels_first, rows_layout::strided}) {
      gather_problem problem;
      problem.clouds = clouds;
      problem.channels = channels;
      problem.features.layout = layout;
      problem.features.rows = rows + 1 + random.below(100);
      problem.output.layout = layout == rows_layout::regular ? rows_layout::strided : rows_layout::channels_first;
      problem.output.rows = rows;
      for (index_t i = 0; i < clouds * rows; ++i) {
        // Also -1, which is a row of zeros, and rows that do not exist.
        problem.indices.push_back(static_cast<std::int32_t>(random.below(problem.features.rows + 8) - 4));
      }
      CAPTURE(clouds, channels, rows, static_cast<int>(layout));
      check_on_device<float>(problem, channels == 5);
      check_on_device<unsigned char, std::int64_t>(problem, false);
    }
  }
}
