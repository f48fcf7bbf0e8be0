/// @file
/// Memory in which a cloud's visible points become a cloud of their own, for knn() in screen space.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/types/knn_screen.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Visible points, numbered in the order of their indices. So ties by number and ties by index have the same winner,
/// and the search needs only the numbers.
template <class Scalar>
struct screen_points {
  std::uint64_t* words;     ///< `[layers, pixels]`: z-buffers
  std::int32_t* pixel_of;   ///< `[points of the view]`, by index in the cloud: pixel, or -1 if not seen
  std::uint32_t* index_of;  ///< `[most visible]`: indices in the cloud
  vec<Scalar>* at;          ///< `[most visible]`
  index_t* offsets;         ///< `[2]`: 0 and the number of visible points, for a ragged batch of one cloud

  /// The visible points as one cloud; its size is read from the offsets.
  batch<point_view<Scalar>> cloud(index_t most) const noexcept {
    return batch<point_view<Scalar>>::ragged({at, most}, {offsets, 2}, most);
  }
};

template <class Scalar>
screen_points<Scalar> cut_screen_points(workspace_cutter& cutter, index_t points, index_t words,
                                        index_t most) noexcept {
  screen_points<Scalar> memory{};
  memory.words = cutter.take<std::uint64_t>(words);
  memory.pixel_of = cutter.take<std::int32_t>(points);
  memory.index_of = cutter.take<std::uint32_t>(most);
  memory.at = cutter.take<vec<Scalar>>(most);
  memory.offsets = cutter.take<index_t>(2);
  return memory;
}

/// Z-buffers of the layers of an image. In each pixel, a layer keeps the nearest point behind the points of the layers
/// before it.
class screen_layers {
 public:
  screen_layers() = default;
  FARPOINT_HD screen_layers(std::uint64_t* words, std::int32_t width, std::int32_t height, int layers) noexcept
      : words_{words}, width_{width}, height_{height}, layers_{layers} {}

  FARPOINT_HD int size() const noexcept { return layers_; }
  FARPOINT_HD zbuffer_ref operator[](int layer) const noexcept {
    index_t const pixels = zbuffer_ref::words(width_, height_);
    return {{words_ + layer * pixels, static_cast<std::size_t>(pixels)}, width_, height_};
  }

  /// Offers a point to a layer, after all points have been offered to the layers before it.
  FARPOINT_HD void offer(int layer, index_t pixel, float depth, std::uint32_t index) const noexcept {
    if (layer > 0) {
      zbuffer_point const front = (*this)[layer - 1].front(pixel);
      if (!front.exists()) return;
      auto const front_word = zbuffer_ref::word_of(front.depth, static_cast<std::uint32_t>(front.index));
      if (front_word >= zbuffer_ref::word_of(depth, index)) return;
    }
    (*this)[layer].offer(pixel, depth, index);
  }

  /// True if a layer of the pixel shows this point.
  FARPOINT_HD bool show(index_t pixel, index_t index) const noexcept {
    for (int layer = 0; layer < layers_; ++layer) {
      if ((*this)[layer].front(pixel).index == index) return true;
    }
    return false;
  }

 private:
  std::uint64_t* words_ = nullptr;
  std::int32_t width_ = 0;
  std::int32_t height_ = 0;
  int layers_ = 0;
};

/// The layers as one image with at most one point per cell: a pixel is a square of cells, one for each layer in
/// Z-order. Has the reading functions of zbuffer_ref.
class screen_cells {
 public:
  FARPOINT_HD explicit screen_cells(screen_layers const& layers) noexcept
      : layers_{layers}, level_{screen_pixel_level(layers.size())} {}

  FARPOINT_HD std::int32_t width() const noexcept { return layers_[0].width() << level_; }
  FARPOINT_HD std::int32_t height() const noexcept { return layers_[0].height() << level_; }
  /// The point in column x and row y; 0 <= x < width(), 0 <= y < height().
  FARPOINT_HD zbuffer_point front(std::int32_t x, std::int32_t y) const noexcept {
    auto const mask = (1u << level_) - 1;
    auto const layer =
        static_cast<int>(morton_encode(static_cast<std::uint32_t>(x) & mask, static_cast<std::uint32_t>(y) & mask));
    if (layer >= layers_.size()) return {};
    zbuffer_ref const zbuffer = layers_[layer];
    return zbuffer.front(zbuffer.pixel_at(x >> level_, y >> level_));
  }

 private:
  screen_layers layers_;
  int level_;
};

/// Writes rows of neighbors that are given by their numbers as visible points.
template <class Scalar>
struct screen_row_writer {
  knn_screen_output<Scalar> output;
  std::uint32_t const* index_of;
  index_t k;
  index_t first_row;  ///< first row of the cloud, if rows are points of the input
  bool by_input;

  FARPOINT_HD index_t row_of(index_t number) const noexcept {
    return by_input ? first_row + index_t{index_of[number]} : number;
  }

  FARPOINT_HD void write(index_t row, index_t j, index_t index, Scalar distance2) const noexcept {
    output.indices.set(row * k + j, index);
    if (!output.distances.empty()) output.distances[static_cast<std::size_t>(row * k + j)] = distance2;
  }
  FARPOINT_HD void write_pixel(index_t row, index_t pixel) const noexcept {
    if (!output.pixels.empty()) output.pixels.set(row, pixel);
  }

  /// @param keys  `[count]`, ascending
  template <class Key>
  FARPOINT_HD void write_keys(index_t number, Key const* keys, int count) const noexcept {
    index_t const row = row_of(number);
    for (index_t j = 0; j < k; ++j) {
      bool const is_there = j < count;
      write(row, j, is_there ? index_t{index_of[keys[j].index()]} : -1,
            is_there ? keys[j].distance2() : infinity<Scalar>);
    }
    if (!output.counts.empty()) output.counts.set(row, count);
  }

  /// Writes the row of a point that is not visible.
  FARPOINT_HD void write_empty(index_t row) const noexcept {
    for (index_t j = 0; j < k; ++j) write(row, j, -1, infinity<Scalar>);
    if (!output.counts.empty()) output.counts.set(row, 0);
    write_pixel(row, -1);
  }
};

/// The cloud that a camera looks at; empty if its offsets are wrong.
template <class Points>
FARPOINT_HD Points cloud_to_draw(batch<Points> const& clouds) noexcept {
  Points const cloud = clouds[0];
  return count_bad_offsets(clouds) == 0 ? cloud : cloud.subview(0, 0);
}

/// Points that a camera does not see.
struct undrawn_points {
  std::uint32_t non_finite = 0;
  std::uint32_t unseen = 0;
};

/// Offers a point to a layer of the pixel that the camera sees it in.
/// @return the pixel; -1 where the camera does not see the point, which is counted
template <class Points, class Camera>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::int32_t draw_point(Points const& cloud, index_t i, Camera const& camera,
                                                           screen_layers const& zbuffers, int layer,
                                                           undrawn_points& undrawn) noexcept {
  auto const p = cloud[i];
  camera_pixel<typename Camera::scalar> pixel;
  if (!is_finite(p)) {
    ++undrawn.non_finite;
    return -1;
  }
  if (!camera.project(p, pixel, i)) {
    ++undrawn.unseen;
    return -1;
  }
  auto const at = static_cast<std::int32_t>(zbuffers[0].pixel_at(pixel.x, pixel.y));
  zbuffers.offer(layer, at, static_cast<float>(pixel.depth), static_cast<std::uint32_t>(i));
  return at;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
