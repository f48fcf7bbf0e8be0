/// @file
/// The front-most point of each pixel, found by any number of threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/geometry/camera.hpp>

#include <cstring>
#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// What a pixel shows.
struct zbuffer_point {
  static constexpr float nowhere = std::numeric_limits<float>::infinity();

  float depth = nowhere;  ///< (m); +inf where there is no point
  index_t index = -1;     ///< of the point in its cloud; -1 where there is none

  FARPOINT_HD constexpr bool exists() const noexcept { return index >= 0; }
};

/// Keeps the nearest point offered to each pixel, in a word per pixel; ties go to the lowest index. A non-owning view,
/// trivially copyable: pass it by value into kernels.
///
/// A word is the depth's bits above the index: the bits of floats that are not negative are in the order of the floats,
/// so that an atomic minimum of words is all it takes. Memory is global, shared, or the host's. Pixels are numbered by
/// rows, pixel (x, y) being y * width + x; the number is not checked.
///
/// **Races.** Any number of threads of one device, or of the host, may call offer() and front() on one z-buffer at the
/// same time, through copies of one view. clear() needs exclusive access to its pixel, or to the whole z-buffer; a
/// barrier, a kernel's end or a join must order it with what comes before and after.
/// - Once all offers are done, what a pixel shows does not depend on their order, nor on the number of threads.
/// - front() beside offer() is some point that was offered, or none yet; a later one is never farther away.
/// - All of this is relaxed: seeing a point says nothing about other memory.
class zbuffer_ref {
 public:
  /// The word of a pixel without a point: all bits set, so that a fill of bytes can clear, and above every other word.
  static constexpr std::uint64_t clear_value = ~std::uint64_t{0};

  /// Words that an image takes. Neither may be negative.
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
  /// `[height, width]`, the words.
  FARPOINT_HD std::uint64_t* data() const noexcept { return words_; }
  /// Number of a pixel.
  FARPOINT_HD index_t pixel_at(std::int32_t x, std::int32_t y) const noexcept { return index_t{y} * width_ + x; }

  /// Clears one pixel, for a kernel with a thread for each.
  FARPOINT_HD void clear(index_t pixel) const noexcept { atomic_store(words_ + pixel, clear_value); }
  /// Clears all pixels, by the calling thread.
  FARPOINT_HD void clear() const noexcept {
    for (index_t pixel = 0; pixel < size(); ++pixel) clear(pixel);
  }

  /// Shows a point in a pixel unless the pixel shows a nearer one, or an equally near one of lower index.
  ///
  /// Reads before it writes, so that points behind the front, which are many, cost one load. A depth that is negative
  /// or NaN is ignored; -0 is 0.
  /// @param pixel  its number
  /// @param depth  (m)
  /// @param index  of the point in its cloud
  FARPOINT_HD void offer(index_t pixel, float depth, std::uint32_t index) const noexcept {
    if (!(depth >= 0)) return;
    std::uint64_t const offered = word_of(depth, index);
    if (atomic_load(words_ + pixel) > offered) atomic_min(words_ + pixel, offered);
  }

  /// The point that a pixel shows.
  FARPOINT_HD zbuffer_point front(index_t pixel) const noexcept {
    std::uint64_t const word = atomic_load(words_ + pixel);
    return word == clear_value ? zbuffer_point{} : point_of(word);
  }

  /// Words are in the order of (depth, index). The depth is neither negative, except -0, nor NaN.
  FARPOINT_HD static std::uint64_t word_of(float depth, std::uint32_t index) noexcept {
    std::uint32_t bits;
    std::memcpy(&bits, &depth, sizeof bits);
    return std::uint64_t{bits & 0x7fffffffu} << 32 | index;
  }
  /// Undoes word_of().
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

/// Offers the points [begin, end) of a cloud that a camera sees, in a plain loop on the calling host thread. Threads
/// may draw parts of a cloud, or several clouds, at the same time.
///
/// Depths of a camera in double precision are rounded to float first: of points that are equal then, that of lowest
/// index is in front. O(end - begin); allocates nothing.
/// @param camera   see geometry/camera.hpp
/// @param points   a view of the cloud: `points[i]` is point i; at most 2^32 of them
/// @param begin, end  numbers of the points
/// @param zbuffer  of the camera's width and height, cleared
template <class Camera, class Points>
void draw_points(Camera const& camera, Points const& points, index_t begin, index_t end, zbuffer_ref zbuffer) noexcept {
  for (index_t i = begin; i < end; ++i) {
    camera_pixel<typename Camera::scalar> pixel;
    if (!camera.project(points[i], pixel, i)) continue;
    zbuffer.offer(zbuffer.pixel_at(pixel.x, pixel.y), static_cast<float>(pixel.depth), static_cast<std::uint32_t>(i));
  }
}

FARPOINT_END_NAMESPACE
