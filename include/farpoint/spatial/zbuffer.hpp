/// @file
/// Front-most point of each pixel, computed by any number of threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/geometry/camera.hpp>

#include <cstring>
#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Front-most point of a pixel.
struct zbuffer_point {
  static constexpr float nowhere = std::numeric_limits<float>::infinity();

  float depth = nowhere;  ///< depth (m); +inf without a point
  index_t index = -1;     ///< index in the cloud; -1 without a point

  FARPOINT_HD constexpr bool exists() const noexcept { return index >= 0; }
};

/// Keeps the nearest point offered to each pixel, in one word per pixel; ties go to the lowest index. A non-owning
/// view, trivially copyable: pass it by value into kernels.
///
/// A word has the depth's bits above the index: bits of non-negative floats compare like the floats, so one atomic
/// minimum updates a pixel. Memory is global, shared or host memory. Pixel (x, y) has the number y * width + x, which
/// is not checked.
///
/// **Races.** Any number of threads of one device, or of the host, may call offer() and front() on one z-buffer
/// concurrently, through copies of one view. clear() needs exclusive access to its pixel, or to the whole z-buffer; a
/// barrier, the end of a kernel or a join must order it with accesses before and after.
/// - Once all offers are done, the result does not depend on their order or on the number of threads.
/// - front() concurrent with offer() returns no point, or a point that was offered; later calls never return a farther
///   one.
/// - All operations are relaxed: seeing a point does not order other memory.
class zbuffer_ref {
 public:
  /// Word of a pixel without a point: all bits set, so that a byte fill clears it, and above every other word.
  static constexpr std::uint64_t clear_value = ~std::uint64_t{0};

  /// Number of words of an image. Width and height must not be negative.
  FARPOINT_HD static constexpr index_t words(std::int32_t width, std::int32_t height) noexcept {
    return index_t{width} * height;
  }

  zbuffer_ref() = default;
  /// @param memory  at least words(width, height) words; clear() them before the first offer
  /// @param width, height  px
  FARPOINT_HD zbuffer_ref(span<std::uint64_t> memory, std::int32_t width, std::int32_t height) noexcept
      : words_{memory.data()}, width_{width}, height_{height} {}

  FARPOINT_HD std::int32_t width() const noexcept { return width_; }
  FARPOINT_HD std::int32_t height() const noexcept { return height_; }
  /// Number of pixels.
  FARPOINT_HD index_t size() const noexcept { return words(width_, height_); }
  /// `[height, width]`: the words.
  FARPOINT_HD std::uint64_t* data() const noexcept { return words_; }
  /// Number of pixel (x, y).
  FARPOINT_HD index_t pixel_at(std::int32_t x, std::int32_t y) const noexcept { return index_t{y} * width_ + x; }

  /// Clears one pixel, for kernels with one thread per pixel.
  FARPOINT_HD void clear(index_t pixel) const noexcept { atomic_store(words_ + pixel, clear_value); }
  /// Clears all pixels, on the calling thread.
  FARPOINT_HD void clear() const noexcept {
    for (index_t pixel = 0; pixel < size(); ++pixel) clear(pixel);
  }

  /// Stores a point in a pixel unless the pixel has a nearer point, or an equally near one of lower index.
  ///
  /// Loads before it writes, so that hidden points, which are frequent, cost one load. A depth that is negative or NaN
  /// is ignored; -0 counts as 0.
  /// @param pixel  number of the pixel, below size()
  /// @param depth  depth (m)
  /// @param index  index of the point in its cloud
  FARPOINT_HD void offer(index_t pixel, float depth, std::uint32_t index) const noexcept {
    if (!(depth >= 0)) return;
    std::uint64_t const offered = word_of(depth, index);
    if (atomic_load(words_ + pixel) > offered) atomic_min(words_ + pixel, offered);
  }

  /// Front-most point of a pixel so far.
  FARPOINT_HD zbuffer_point front(index_t pixel) const noexcept {
    std::uint64_t const word = atomic_load(words_ + pixel);
    return word == clear_value ? zbuffer_point{} : point_of(word);
  }

  /// Word of a point. Words compare like (depth, index). The depth must not be NaN or negative; -0 is allowed.
  FARPOINT_HD static std::uint64_t word_of(float depth, std::uint32_t index) noexcept {
    std::uint32_t bits;
    std::memcpy(&bits, &depth, sizeof bits);
    return std::uint64_t{bits & 0x7fffffffu} << 32 | index;
  }
  /// Inverse of word_of().
  FARPOINT_HD static zbuffer_point point_of(std::uint64_t word) noexcept {
    auto const bits = static_cast<std::uint32_t>(word >> 32);
    zbuffer_point point{};
    std::memcpy(&point.depth, &bits, sizeof bits);
    point.index = static_cast<index_t>(word & 0xffffffffu);
    return point;
  }

 private:
  std::uint64_t* words_ = nullptr;
  std::int32_t width_ = 0;
  std::int32_t height_ = 0;
};

/// Offers the visible points among the points [begin, end) of a cloud, in a plain loop on the calling host thread.
/// Threads may draw parts of a cloud, or several clouds, concurrently.
///
/// Depths of a double-precision camera are rounded to float first: among points whose rounded depths are equal, the
/// lowest index is in front. O(end - begin); allocates nothing.
/// @param camera   see geometry/camera.hpp
/// @param points   view of the cloud: `points[i]` is point i; at most 2^32 points
/// @param begin, end  indices of the points
/// @param zbuffer  width and height of the camera; cleared
template <class Camera, class Points>
void draw_points(Camera const& camera, Points const& points, index_t begin, index_t end, zbuffer_ref zbuffer) noexcept {
  for (index_t i = begin; i < end; ++i) {
    camera_pixel<typename Camera::scalar> pixel;
    if (!camera.project(points[i], pixel, i)) continue;
    zbuffer.offer(zbuffer.pixel_at(pixel.x, pixel.y), static_cast<float>(pixel.depth), static_cast<std::uint32_t>(i));
  }
}

FARPOINT_END_NAMESPACE
