/// @file
/// The part of an image that a warp draws, a lane for each pixel. The same on host and device.
#pragma once

#include <farpoint/detail/screen/splat_shape.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr std::int32_t splat_patch_width = 8;
inline constexpr std::int32_t splat_patch_height = 4;

/// 8 x 4 pixels from (x, y) on.
struct splat_patch {
  std::int32_t x, y;

  /// Those that are in a box: bit i is the pixel of lane i, row by row.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t pixels_in(splat_box const& box) const noexcept {
    std::int32_t const left = larger(box.low[0] - x, 0);
    std::int32_t const right = smaller(box.high[0] - x, splat_patch_width);
    std::int32_t const top = larger(box.low[1] - y, 0);
    std::int32_t const bottom = smaller(box.high[1] - y, splat_patch_height);
    if (left >= right || top >= bottom) return 0;
    std::uint32_t const row = (1u << right) - (1u << left);
    std::uint32_t const above = (1u << splat_patch_width * top) - 1;
    std::uint32_t const below = bottom == splat_patch_height ? 0u : ~0u << splat_patch_width * bottom;
    return row * 0x01010101u & ~(above | below);
  }

  /// False only where no pixel of the patch meets the splat.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool may_meet(splat_form const& form, float least_radius) const noexcept {
    constexpr float half[2] = {0.5f * (splat_patch_width - 1), 0.5f * (splat_patch_height - 1)};
    float const dx = sub_rn(static_cast<float>(x) + (half[0] + 0.5f), form.place[0]);
    float const dy = sub_rn(static_cast<float>(y) + (half[1] + 0.5f), form.place[1]);
    // Half a pixel more for the rounding.
    if (!(absolute(dx) > least_radius + half[0] + 0.5f || absolute(dy) > least_radius + half[1] + 0.5f)) return true;
    // The bounds of what is linear in the image, and eight times what rounding can make of it.
    auto const change = [&](float const(&factors)[2]) {
      constexpr float rounding = 1e-6f;
      float const across = mul_rn(absolute(factors[0]), fma_rn(rounding, absolute(dx) + half[0], half[0]));
      return fma_rn(absolute(factors[1]), fma_rn(rounding, absolute(dy) + half[1], half[1]), across);
    };
    auto const least = [&](float const(&factors)[2]) {
      float const middle = absolute(fma_rn(factors[0], dx, mul_rn(factors[1], dy)));
      return larger(0.0f, sub_rn(middle, change(factors)));
    };
    float const along = least(form.u);
    float const across = least(form.v);
    float const most = absolute(fma_rn(form.n[0], dx, fma_rn(form.n[1], dy, 1.0f))) + change(form.n) + 1e-6f;
    // Not a number where one of them is not: then any pixel may.
    return !(fma_rn(across, across, mul_rn(along, along)) > mul_rn(mul_rn(most, most), 1.00001f));
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
