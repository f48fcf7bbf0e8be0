/// @file
/// The cells that points are ordered by along a space-filling curve.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/geometry/hilbert.hpp>

#include <algorithm>
#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

struct morton_curve {
  template <class Code>
  FARPOINT_HD static constexpr Code encode(Code x, Code y, Code z, int) noexcept {
    return morton_encode(x, y, z);
  }
};

struct hilbert_curve {
  template <class Code>
  FARPOINT_HD static constexpr Code encode(Code x, Code y, Code z, int bits) noexcept {
    return hilbert_encode(x, y, z, bits);
  }
};

/// Axes that an order goes by: the first three.
template <int Dim>
inline constexpr int curve_axes = Dim < 3 ? Dim : 3;

/// Bounding box of finite points, halved: so its extent is finite too.
template <class Scalar, int Dim>
struct halved_box {
  static constexpr int axes = curve_axes<Dim>;
  vec<Scalar, axes> low;
  vec<Scalar, axes> high;

  static halved_box empty() noexcept {
    halved_box box{};
    for (int k = 0; k < axes; ++k) {
      box.low[k] = std::numeric_limits<Scalar>::infinity();
      box.high[k] = -std::numeric_limits<Scalar>::infinity();
    }
    return box;
  }

  void add(vec<Scalar, Dim> const& p) noexcept {
    FARPOINT_UNROLL
    for (int k = 0; k < axes; ++k) {
      Scalar const half = p[k] * Scalar(0.5);
      low[k] = half < low[k] ? half : low[k];
      high[k] = half > high[k] ? half : high[k];
    }
  }

  void add(halved_box const& other) noexcept {
    for (int k = 0; k < axes; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }

  /// 0 for one point, or several that are equal on these axes.
  Scalar extent() const noexcept {
    Scalar widest = 0;
    for (int k = 0; k < axes; ++k) widest = std::max(widest, high[k] - low[k]);
    return widest;
  }
};

/// Cubic cells over a bounding box, 2^10 on the longest of three axes, and their place on a curve.
template <class Scalar, int Dim, class Curve>
class curve_cells {
 public:
  static constexpr int axes = curve_axes<Dim>;
  static constexpr int bits_per_axis = 30 / axes;
  static constexpr int code_bits = bits_per_axis * axes;

  /// @param box  of an extent that is not 0
  explicit curve_cells(halved_box<Scalar, Dim> const& box) noexcept
      : low_{box.low},
        scale_{std::min(static_cast<Scalar>(1u << bits_per_axis) / box.extent(), std::numeric_limits<Scalar>::max())} {}

  std::uint32_t code_of(vec<Scalar, Dim> const& p) const noexcept {
    constexpr auto last = static_cast<Scalar>((1u << bits_per_axis) - (bits_per_axis > 24 ? 128 : 1));
    std::uint32_t cell[3] = {};
    FARPOINT_UNROLL
    for (int k = 0; k < axes; ++k) {
      Scalar const place = (p[k] * Scalar(0.5) - low_[k]) * scale_;
      cell[k] = static_cast<std::uint32_t>(place > 0 ? std::min(place, last) : Scalar(0));
    }
    if constexpr (axes == 1) return cell[0];
    if constexpr (axes == 2) return morton_encode(cell[0], cell[1]);
    return Curve::encode(cell[0], cell[1], cell[2], bits_per_axis);
  }

 private:
  vec<Scalar, axes> low_;
  Scalar scale_;  ///< cells per half metre
};

}  // namespace detail
FARPOINT_END_NAMESPACE
