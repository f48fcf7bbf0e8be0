/// @file
/// A row of knn() in screen space on the GPU: its cloud, memory for the contenders, and the check of what they return.
/// Needs nvcc.
#pragma once

#include "knn_screen/frame.cuh"
#include "knn_screen/row.hpp"
#include "peers/knn_screen_published.cuh"
#include "support/device_lists.cuh"
#include "support/problem_store.hpp"

#include <farpoint/knn_screen.cuh>
#include <farpoint/knn_screen.hpp>
#include <farpoint/quadtree.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {

class knn_screen_problem {
 public:
  using camera = farpoint::pinhole_camera<float>;
  using method = farpoint::screen_space<camera>;
  using cloud = farpoint::batch<farpoint::point_view<float>>;

  knn_screen_problem(knn_screen_row const& row, std::vector<float> const& scan)
      : row_{row},
        points_{row.make(scan)},
        camera_{row.camera(points_)},
        exact_{expected({farpoint::until_exact})},
        visible_{static_cast<farpoint::index_t>(exact_.pixels.size())},
        xyz_{points_},
        lists_{rows() * static_cast<std::size_t>(row.k)} {}

  cudaStream_t stream() const noexcept { return stream_.get(); }
  farpoint::index_t visible() const noexcept { return visible_; }

  /// How farpoint searches.
  struct search {
    int rounds;
    float first_area = farpoint::default_first_area;
  };
  method method_of(search how) const {
    method what{camera_, row_.k};
    what.rounds = how.rounds;
    what.first_area = how.first_area;
    return what;
  }

  // --- farpoint; reserve() first

  void reserve(search how) {
    lists_.reserve(farpoint::knn_workspace_bytes(farpoint::cuda_exec{stream()}, device_cloud(), method_of(how)));
  }
  void launch(cudaStream_t stream, search how) const {
    check(farpoint::knn(farpoint::cuda_exec{stream}, device_cloud(), method_of(how), output(), lists_.workspace()),
          "farpoint::knn");
  }
  /// Projection and numbering alone, or with the index.
  void launch_view(cudaStream_t stream, bool with_index) const {
    using plan = farpoint::detail::knn_screen_plan<farpoint::knn_screen_selector, farpoint::point_view<float>, camera>;
    check(plan{device_cloud(), method_of({farpoint::until_exact})}.launch_view(lists_.workspace().data(), output(),
                                                                               with_index, stream),
          "the view");
  }
  /// The tree alone, of the z-buffer that a call of a baseline has left behind.
  void launch_tree(cudaStream_t stream) const {
    farpoint::quadtree_ref tree;
    check(farpoint::build_quadtree(
              farpoint::cuda_exec{stream}, {{words_->data(), words_->size()}, row_.width, row_.height},
              {tree_->data(), tree_->size()}, {tree_workspace_->data(), tree_workspace_->size()}, tree),
          "farpoint::build_quadtree");
  }

  /// Runs farpoint once; throws unless it returns what the host does.
  void verify(search how) const {
    lists_.clear(stream());
    launch(stream(), how);
    neighbors const host = how.rounds == farpoint::until_exact ? exact_ : expected(how);
    auto const indices = lists_.download_indices();
    auto const distances = lists_.download_distances();
    bool const same = std::equal(host.indices.begin(), host.indices.end(), indices.begin()) &&
                      std::memcmp(host.distances.data(), distances.data(), host.distances.size() * sizeof(float)) == 0;
    if (!same) throw std::runtime_error{"MISMATCH with host_exec"};
  }

  /// Share of the rows of the host's search that equal the exact search's.
  double share_of_right_sets(search how) const {
    if (how.rounds == farpoint::until_exact) return 1;
    auto const k = static_cast<std::size_t>(row_.k);
    neighbors const found = expected(how);
    std::size_t right = 0;
    for (std::size_t i = 0; i < found.pixels.size(); ++i) {
      right += std::equal(found.indices.begin() + static_cast<std::ptrdiff_t>(i * k),
                          found.indices.begin() + static_cast<std::ptrdiff_t>((i + 1) * k),
                          exact_.indices.begin() + static_cast<std::ptrdiff_t>(i * k))
                   ? 1
                   : 0;
    }
    return static_cast<double>(right) / static_cast<double>(found.pixels.size());
  }

  // --- a frame of splats; reserve_frame() first

  void reserve_frame() {
    if (frame_ == nullptr) frame_ = std::make_unique<splat_frame>(device_cloud(), camera_, row_.k);
    frame_->verify(stream(), points_, exact_);
  }
  splat_frame const& frame() const noexcept { return *frame_; }

  // --- the baselines; reserve_published() first

  void reserve_published() {
    farpoint::quadtree_layout const layout{row_.width, row_.height, 0};
    auto const pixels = static_cast<std::size_t>(row_.width) * static_cast<std::size_t>(row_.height);
    std::size_t const nodes = knn_screen_published_args::plane(layout.top(), layout.top() + 1);
    grow(words_, pixels);
    grow(at_, pixels);
    grow(count_, nodes);
    grow(first_, nodes);
    grow(packed_, pixels);
    grow(pixel_of_, pixels);
    for (auto& radii : radii_) grow(radii, pixels);
    grow(found_, pixels * static_cast<std::size_t>(row_.k));
    grow(tree_, farpoint::quadtree_bytes(row_.width, row_.height, static_cast<farpoint::index_t>(pixels)));
    grow(tree_workspace_, farpoint::quadtree_workspace_bytes(farpoint::cuda_exec{stream()}, row_.width, row_.height));
  }
  knn_screen_published_args published() const {
    farpoint::quadtree_layout const layout{row_.width, row_.height, 0};
    return {camera_,           xyz_.data(),       row_.points,    row_.k,          layout.top(),      words_->data(),
            at_->data(),       count_->data(),    first_->data(), packed_->data(), pixel_of_->data(), radii_[0]->data(),
            radii_[1]->data(), radii_[2]->data(), found_->data()};
  }
  /// Share of a baseline's rows that equal the exact search's as sets. The baseline must have run.
  double share_of_right_published_sets() const {
    auto const found = found_->download();
    auto const k = static_cast<std::size_t>(row_.k);
    std::size_t right = 0;
    std::vector<std::int32_t> mine(k);
    std::vector<std::int32_t> theirs(k);
    for (std::size_t row = 0; row < exact_.pixels.size(); ++row) {
      std::copy_n(found.begin() + exact_.pixels[row] * row_.k, k, mine.begin());
      std::copy_n(exact_.indices.begin() + static_cast<std::ptrdiff_t>(row * k), k, theirs.begin());
      std::sort(mine.begin(), mine.end());
      std::sort(theirs.begin(), theirs.end());
      right += mine == theirs ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(exact_.pixels.size());
  }

 private:
  using neighbors = farpoint::screen_neighbors<float>;

  template <class T>
  static void grow(std::unique_ptr<device_buffer<T>>& buffer, std::size_t size) {
    if (buffer != nullptr && buffer->size() >= size) return;
    buffer.reset();
    buffer = std::make_unique<device_buffer<T>>(size);
  }

  std::size_t rows() const {
    return static_cast<std::size_t>(std::min(row_.points, farpoint::index_t{row_.width} * row_.height));
  }
  cloud device_cloud() const { return cloud{farpoint::point_view<float>{xyz_.data(), row_.points}}; }
  farpoint::knn_screen_output<float> output() const { return {lists_.indices(), lists_.distances()}; }
  neighbors expected(search how) const {
    std::vector<std::array<float, 3>> points(points_.size() / 3);
    std::memcpy(points.data(), points_.data(), points_.size() * sizeof(float));
    return farpoint::knn(points, method_of(how));
  }

  knn_screen_row row_;
  std::vector<float> points_;
  camera camera_;
  neighbors exact_;
  farpoint::index_t visible_;
  owned_stream stream_;
  device_buffer<float> xyz_;
  device_lists lists_;
  std::unique_ptr<splat_frame> frame_;
  std::unique_ptr<device_buffer<unsigned char>> tree_, tree_workspace_;
  std::unique_ptr<device_buffer<std::uint64_t>> words_;
  std::unique_ptr<device_buffer<float4>> at_, packed_;
  std::unique_ptr<device_buffer<std::uint32_t>> count_, first_, pixel_of_;
  std::unique_ptr<device_buffer<float>> radii_[3];
  std::unique_ptr<device_buffer<std::int32_t>> found_;
};

using knn_screen_problem_store = problem_store<knn_screen_problem, knn_screen_row>;

}  // namespace farpoint_bench
