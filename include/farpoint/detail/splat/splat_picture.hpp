/// @file
/// Interaction of splats and pixels of a picture, for points of any type, with the same bits on host and device.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/bits.hpp>
#include <farpoint/detail/splat/splat_shape.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Weight and colors of a pixel, summed over splats. Sums of integers do not depend on their order. They fit in 64
/// bits: a weight is at most 2^12, a color at most 2^16, and there are at most 2^30 splats.
struct splat_sums {
  std::uint64_t weight, colors[3];
};

/// Depth of a pixel without a splat: above the bits of all floats.
inline constexpr std::uint32_t no_splat = 0xffffffffu;
inline constexpr float whole_weight = 4095, whole_color = 65535;

FARPOINT_HD FARPOINT_ALWAYS_INLINE float depth_of(std::uint32_t bits) noexcept {
  return bits == no_splat ? infinity<float> : float_of_bits(bits);
}
/// Clamps to [0, 1]; NaN becomes 0.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float to_share(float value) noexcept {
  return value > 0 ? smaller(value, 1.0f) : 0.0f;
}
/// Rounds a number of at least 0 to the nearest integer.
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t nearest_integer(float value) noexcept {
  return static_cast<std::uint32_t>(add_rn(value, 0.5f));
}

/// Picture and parameters of drawing it.
struct splat_picture {
  draw_splats_params params;
  splat_image image;
  splat_lens lens;
  /// `[height, width]`: bits of the nearest depth over all splats, hidden ones too; null if nothing is hidden.
  std::uint32_t const* covers;

  FARPOINT_HD index_t pixels() const noexcept { return index_t{lens.size[0]} * lens.size[1]; }

  /// True if other splats cover the splat's center, well in front of it. `covers` must be complete.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool is_hidden(splat_form const& form) const noexcept {
    if (covers == nullptr) return false;
    index_t at[2];
    for (int axis = 0; axis < 2; ++axis) {
      float const place = form.place[axis];
      if (!(place >= 0 && place < static_cast<float>(lens.size[axis]))) return false;
      at[axis] = static_cast<index_t>(place);
    }
    float const cover = depth_of(atomic_load(covers + at[1] * lens.size[0] + at[0]));
    return form.center_depth > fma_rn(params.hidden, form.reach, cover);
  }

  /// Weight of a splat in a pixel; 0 if it lies too far behind the nearest splat.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t weight_of(splat_hit const& hit, float reach,
                                                             std::uint32_t front) const noexcept {
    if (hit.depth > fma_rn(params.slack, reach, depth_of(front))) return 0;
    float const inner = sub_rn(1.0f, hit.share);
    return 1 + static_cast<std::uint32_t>(mul_rn(mul_rn(inner, inner), whole_weight));
  }

  /// Writes a pixel of the image after all splats are drawn.
  /// @param front  bits of the pixel's nearest depth
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void resolve(index_t x, index_t y, splat_sums const& sums,
                                                  std::uint32_t front) const noexcept {
    index_t const stride = image.stride == 0 ? index_t{3} * lens.size[0] : image.stride;
    auto const at = static_cast<std::size_t>(y * stride + 3 * x);
    auto const weight = static_cast<float>(sums.weight);
    for (std::size_t c = 0; c < 3; ++c) {
      float const mean = sums.weight == 0 ? 0.0f : div_rn(static_cast<float>(sums.colors[c]), weight);
      float const color = sums.weight == 0 ? to_share(params.background[static_cast<int>(c)])
                                           : div_rn(static_cast<float>(nearest_integer(mean)), whole_color);
      if (!image.colors.empty()) image.colors[at + c] = color;
      if (!image.bytes.empty()) {
        image.bytes[at + c] = static_cast<std::uint8_t>(nearest_integer(mul_rn(color, 255.0f)));
      }
    }
    if (!image.depths.empty()) image.depths[static_cast<std::size_t>(y * lens.size[0] + x)] = depth_of(front);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
