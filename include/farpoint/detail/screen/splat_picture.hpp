/// @file
/// What splats and pixels of a picture have to do with each other, whatever the type of the points: the same bits on
/// host and device.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/bits.hpp>
#include <farpoint/detail/screen/splat_shape.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A weight and three colours, by weight. Integers, whose sums do not depend on their order: a weight is at most 2^12,
/// a colour 2^16, and splats at most 2^30.
struct splat_sums {
  std::uint64_t weight, colours[3];
};

inline constexpr std::uint32_t no_splat = 0xffffffffu;  ///< depth of a pixel without one: above the bits of all floats
inline constexpr float whole_weight = 4095, whole_colour = 65535;

FARPOINT_HD FARPOINT_ALWAYS_INLINE float depth_of(std::uint32_t bits) noexcept {
  return bits == no_splat ? infinity<float> : float_of_bits(bits);
}
/// 0 to 1; NaN is 0.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float to_share(float value) noexcept {
  return value > 0 ? smaller(value, 1.0f) : 0.0f;
}
/// The nearest of the integers that are not negative.
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t nearest_integer(float value) noexcept {
  return static_cast<std::uint32_t>(add_rn(value, 0.5f));
}

/// A picture, and the rules by which it is drawn.
struct splat_picture {
  draw_splats_params params;
  splat_image image;
  splat_lens lens;
  /// `[height, width]`, bits of the nearest depth of all splats, hidden ones too; null: nothing is hidden.
  std::uint32_t const* covers;

  FARPOINT_HD index_t pixels() const noexcept { return index_t{lens.size[0]} * lens.size[1]; }

  /// Whether other splats cover the centre, well before it. What covers holds must be complete.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool is_hidden(splat_form const& form) const noexcept {
    if (covers == nullptr) return false;
    index_t at[2];
    for (int axis = 0; axis < 2; ++axis) {
      float const place = form.place[axis];
      if (!(place >= 0 && place < static_cast<float>(lens.size[axis]))) return false;
      at[axis] = static_cast<index_t>(place);
    }
    float const cover = depth_of(atomic_load(covers + at[1] * lens.size[0] + at[0]));
    return form.centre_depth > fma_rn(params.hidden, form.reach, cover);
  }

  /// What a splat weighs in a pixel; 0 where it lies too far behind the nearest.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t weight_of(splat_hit const& hit, float reach,
                                                             std::uint32_t front) const noexcept {
    if (hit.depth > fma_rn(params.slack, reach, depth_of(front))) return 0;
    float const inner = sub_rn(1.0f, hit.share);
    return 1 + static_cast<std::uint32_t>(mul_rn(mul_rn(inner, inner), whole_weight));
  }

  /// Writes a pixel of the image, when all splats are drawn.
  /// @param front  bits of its nearest depth
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void resolve(index_t x, index_t y, splat_sums const& sums,
                                                  std::uint32_t front) const noexcept {
    index_t const stride = image.stride == 0 ? index_t{3} * lens.size[0] : image.stride;
    auto const at = static_cast<std::size_t>(y * stride + 3 * x);
    auto const weight = static_cast<float>(sums.weight);
    for (std::size_t c = 0; c < 3; ++c) {
      float const mean = sums.weight == 0 ? 0.0f : div_rn(static_cast<float>(sums.colours[c]), weight);
      float const colour = sums.weight == 0 ? to_share(params.background[static_cast<int>(c)])
                                            : div_rn(static_cast<float>(nearest_integer(mean)), whole_colour);
      if (!image.colours.empty()) image.colours[at + c] = colour;
      if (!image.bytes.empty()) {
        image.bytes[at + c] = static_cast<std::uint8_t>(nearest_integer(mul_rn(colour, 255.0f)));
      }
    }
    if (!image.depths.empty()) image.depths[static_cast<std::size_t>(y * lens.size[0] + x)] = depth_of(front);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
