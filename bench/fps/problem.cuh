/// @file
/// A row of fps on the GPU: its clouds, memory for the contenders, and the check of what they return. Needs nvcc.
#pragma once

#include "fps/expected.hpp"
#include "peers/external/device_peers.hpp"
#include "peers/fps_pointnet2.cuh"
#include "peers/fps_textbook.cuh"
#include "support/device_lists.cuh"
#include "support/problem_store.hpp"

#include <farpoint/fps.cuh>

#include <cstddef>
#include <vector>

namespace farpoint_bench {

class fps_problem {
 public:
  fps_problem(fps_row const& row, std::vector<float> const& scan)
      : row_{row},
        points_{row.make(scan)},
        oracle_{oracle_for(row)},
        expected_{expected_samples(oracle_, row, points_)},
        xyz_{points_},
        offsets_{row.offsets()},
        scratch_{static_cast<std::size_t>(row.all_points())},
        lists_{expected_.indices.size()} {}

  cudaStream_t stream() const noexcept { return stream_.get(); }
  /// Name of the oracle that contenders are compared with.
  char const* checked_against() const noexcept { return to_string(oracle_); }

  /// Enqueues the textbook kernel; regular rows only.
  void launch_textbook(cudaStream_t stream) const {
    fps_textbook(stream, {static_cast<int>(row_.clouds), static_cast<int>(row_.points), static_cast<int>(row_.samples),
                          xyz_.data(), scratch_.data(), lists_.indices().data(), lists_.distances().data()});
  }

  /// Enqueues a kernel of the shape of PointNet++'s; regular rows only.
  void launch_pointnet2(cudaStream_t stream) const {
    fps_pointnet2(stream, {static_cast<int>(row_.clouds), static_cast<int>(row_.points), static_cast<int>(row_.samples),
                           xyz_.data(), scratch_.data(), lists_.indices().data()});
  }
  /// The share of the samples that are the expected ones, after a call of a contender that knows no rule for ties.
  double share_of_expected() const {
    auto const found = lists_.download_indices();
    std::size_t same = 0;
    for (std::size_t i = 0; i < found.size(); ++i) same += found[i] == expected_.indices[i] ? 1 : 0;
    return static_cast<double>(same) / static_cast<double>(found.size());
  }

  /// The clouds of a regular row, for other libraries.
  device_fps::input peer_input() const {
    return {static_cast<int>(row_.clouds), static_cast<int>(row_.points), static_cast<int>(row_.samples), xyz_.data()};
  }

  /// Enqueues farpoint::fps as `Selector` tunes it. Call reserve<Selector>() first.
  template <class Selector>
  void launch_farpoint(cudaStream_t stream) const {
    auto const output = farpoint::fps_output<float>{lists_.indices(), lists_.distances(), {}, nullptr};
    check(farpoint::fps<Selector>(farpoint::cuda_exec{stream}, clouds(), params_of(row_), output, lists_.workspace()),
          "farpoint::fps");
  }

  /// Allocates the workspace for `Selector`.
  template <class Selector>
  void reserve() {
    lists_.reserve(farpoint::fps_workspace_bytes<Selector>(farpoint::cuda_exec{stream()}, clouds(), params_of(row_)));
  }

  /// Runs a contender once; throws unless it returns what is expected. `launch(stream)` fills the outputs.
  template <class Launch>
  void verify(Launch&& launch, char const* who) const {
    lists_.clear(stream());
    launch(stream());
    expect_equal({lists_.download_indices(), lists_.download_distances()}, expected_, row_, who);
  }

 private:
  fps_clouds clouds() const { return view_of(row_, xyz_.data(), {offsets_.data(), offsets_.size()}); }

  fps_row row_;
  std::vector<float> points_;
  oracle oracle_;
  fps_samples expected_;
  owned_stream stream_;
  device_buffer<float> xyz_;
  device_buffer<farpoint::index_t> offsets_;
  device_buffer<float> scratch_;
  device_lists lists_;
};

using fps_problem_store = problem_store<fps_problem, fps_row>;

}  // namespace farpoint_bench
