/// @file
/// Patch of an image that a warp draws, one pixel per lane. Host and device share the code.
#pragma once

#include <farpoint/detail/splat/splat_cells.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr std::int32_t splat_patch_width = 8;
inline constexpr std::int32_t splat_patch_height = 4;
inline constexpr int splat_patches_across = splat_tile_side / splat_patch_width;
inline constexpr int splat_patches_of_tile = splat_tile_pixels / (splat_patch_width * splat_patch_height);

/// Set of a tile's pixels that lie in a box.
class splat_tile_part {
 public:
  /// @param x, y  first pixel of the tile
  FARPOINT_HD FARPOINT_ALWAYS_INLINE splat_tile_part(splat_box const& box, std::int32_t x, std::int32_t y) noexcept
      : bits_{range(box.low[0] - x, box.high[0] - x) | range(box.low[1] - y, box.high[1] - y) << splat_tile_side} {}
  /// @param bits  result of bits()
  FARPOINT_HD FARPOINT_ALWAYS_INLINE explicit splat_tile_part(std::uint32_t bits) noexcept : bits_{bits} {}

  /// One bit for each column of the tile that meets the box, then one for each row.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t bits() const noexcept { return bits_; }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool is_empty() const noexcept {
    return (bits_ & 0xffffu) == 0 || bits_ >> splat_tile_side == 0;
  }
  /// Returns the bits of a pixel.
  /// @param x, y  position in the tile
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static std::uint32_t pixel(std::int32_t x, std::int32_t y) noexcept {
    return 1u << x | 1u << (splat_tile_side + y);
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool has(std::uint32_t pixel) const noexcept { return (bits_ & pixel) == pixel; }
  /// True if the box contains a pixel of a patch. The patches of a tile are numbered row by row.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool meets_patch(int patch) const noexcept {
    std::uint32_t const columns = bits_ >> patch % splat_patches_across * splat_patch_width & 0xffu;
    std::uint32_t const rows = bits_ >> (splat_tile_side + patch / splat_patches_across * splat_patch_height) & 0xfu;
    return columns != 0 && rows != 0;
  }

 private:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static std::uint32_t range(std::int32_t low, std::int32_t high) noexcept {
    low = larger(low, 0);
    high = smaller(high, splat_tile_side);
    return low < high ? (1u << high) - (1u << low) : 0u;
  }

  std::uint32_t bits_;
};

/// Patch of 8 x 4 pixels with the first pixel (x, y).
struct splat_patch {
  std::int32_t x, y;

  /// False only if no pixel of the patch meets the splat.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool may_meet(splat_form const& form, float least_radius) const noexcept {
    constexpr float half[2] = {0.5f * (splat_patch_width - 1), 0.5f * (splat_patch_height - 1)};
    float const dx = sub_rn(static_cast<float>(x) + (half[0] + 0.5f), form.place[0]);
    float const dy = sub_rn(static_cast<float>(y) + (half[1] + 0.5f), form.place[1]);
    // Half a pixel is added for rounding.
    bool const is_beside = absolute(dx) > least_radius + half[0] + 0.5f;
    bool const is_above = absolute(dy) > least_radius + half[1] + 0.5f;
    // Bounds over the patch of the functions that are linear in the image, plus eight times their rounding error.
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
    // The comparison is false if an operand is NaN, so the patch then counts as met.
    bool const is_missed = fma_rn(across, across, mul_rn(along, along)) > mul_rn(mul_rn(most, most), 1.00001f);
    // No branch: a caller that tests several patches shares the arithmetic.
    return !(is_missed & (is_beside | is_above));
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
