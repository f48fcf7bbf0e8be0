/// @file
/// draw_splats() one splat and one pixel at a time: what its passes do on every backend.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/core/bits.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/screen/splat_shape.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Passes over the splats. In each of them, they come in any order.
enum class splat_pass : std::uint8_t {
  cover,  ///< the nearest depth of each pixel, of all splats
  front,  ///< the same, of those that nothing hides
  blend   ///< sums of colours
};

/// A weight and three colours, by weight. Integers, whose sums do not depend on their order: a weight is at most 2^12,
/// a colour 2^16, and splats at most 2^30.
struct splat_sums {
  std::uint64_t weight, colours[3];
};

inline constexpr std::uint32_t no_splat = 0xffffffffu;  ///< depth of a pixel without one: above the bits of all floats
inline constexpr float whole_weight = 4095, whole_colour = 65535;

/// The memory of a call, `[height, width]`. As many bytes for every backend.
struct splat_memory {
  std::uint32_t* covers = nullptr;  ///< bits of depths; null: nothing is hidden
  std::uint32_t* fronts = nullptr;
  splat_sums* sums = nullptr;
  std::size_t depth_bytes = 0;  ///< of both depths, which come first
  std::size_t size = 0;

  splat_memory() = default;
  splat_memory(unsigned char* workspace, index_t pixels, bool hides) noexcept {
    workspace_cutter cutter{workspace};
    fronts = cutter.take<std::uint32_t>(pixels);
    if (hides) covers = cutter.take<std::uint32_t>(pixels);
    depth_bytes = cutter.used();
    sums = cutter.take<splat_sums>(pixels);
    size = cutter.used();
  }
};

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

/// Arguments of a call, and of its kernels.
template <class Points>
struct splat_scene {
  using scalar = typename Points::scalar;

  batch<Points> points;  ///< one cloud
  splat_view<scalar> splats;
  pinhole_camera<scalar> camera;
  draw_splats_params params;
  splat_image image;
  splat_lens lens;
  vec<float> to_light;  ///< of length 1
  vec<float> halfway;
  splat_memory memory;

  /// Splats that there is room for.
  FARPOINT_HD index_t size() const noexcept { return static_cast<index_t>(splats.extents.size() / 2); }
  /// Splats that there are.
  FARPOINT_HD index_t count() const noexcept {
    return splats.count.empty() ? size() : smaller(size(), larger(splats.count[0], index_t{0}));
  }
  FARPOINT_HD index_t pixels() const noexcept { return index_t{camera.width} * camera.height; }

  /// The point that a splat is around, in the cloud; -1: none.
  FARPOINT_HD index_t point_of(index_t splat) const noexcept {
    index_t const own = splats.points.empty() ? splat : splats.points[splat];
    bool const is_there = own >= 0 && count_bad_offsets(points) == 0 && own < points[0].size();
    return is_there ? own : -1;
  }

  /// The splat as a pass draws it; none where it does not.
  FARPOINT_HD splat_shape shape_of(index_t splat, splat_pass pass) const noexcept {
    index_t const own = splat < count() ? point_of(splat) : -1;
    if (own < 0) return splat_shape::none();
    auto const p = points[0][own];
    if (!is_finite(p)) return splat_shape::none();
    auto const view = camera.to_view(p);
    vec<float> const c{{static_cast<float>(view[0]), static_cast<float>(view[1]), static_cast<float>(view[2])}};
    if (!is_finite(c) || !depth_is_seen(view[2], camera.near_depth, camera.far_depth) || !(c[2] > 0)) {
      return splat_shape::none();
    }
    vec<float> const normal = turned(splats.normals, splat);
    if (!params.back_faces && dot3(normal, c) > 0) return splat_shape::none();
    vec<float, 2> const extents{{extent(splat, 0), extent(splat, 1)}};
    splat_shape const shape =
        splat_shape::of(c, normal, turned(splats.tangents, splat), extents, lens, params.least_radius);
    return pass != splat_pass::cover && is_hidden(shape) ? splat_shape::none() : shape;
  }

  /// The colour of a splat under the light, in steps of 1 / whole_colour.
  FARPOINT_HD void shade(splat_shape const& shape, index_t splat, std::uint32_t (&colour)[3]) const noexcept {
    splat_light const& light = params.light;
    float const facing = fma_rn(sub_rn(1.0f, light.wrap), dot3(shape.normal, to_light), light.wrap);
    float const matt = fma_rn(light.diffuse, larger(0.0f, facing), light.ambient);
    float gloss = larger(0.0f, dot3(shape.normal, halfway));
    for (int i = 0; i < 4; ++i) gloss = mul_rn(gloss, gloss);
    index_t const row = splats.colours_of_points ? point_of(splat) : splat;
    for (int c = 0; c < 3; ++c) {
      float const own = splats.colours.empty() ? 1.0f : to_share(splats.colours[static_cast<std::size_t>(3 * row + c)]);
      float const lit = fma_rn(light.gloss, gloss, mul_rn(own, matt));
      colour[c] = nearest_integer(mul_rn(to_share(lit), whole_colour));
    }
  }

  /// Offers what a line of sight meets to its pixel, in the first two passes.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void offer(std::uint32_t* depths, index_t pixel, float depth) const noexcept {
    std::uint32_t const bits = float_bits(depth);
    if (atomic_load(depths + pixel) > bits) atomic_min(depths + pixel, bits);
  }
  /// Adds it to its pixel, if it is near enough.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void blend(splat_shape const& shape, index_t pixel, splat_hit const& hit,
                                                std::uint32_t const (&colour)[3]) const noexcept {
    float const front = depth_of(atomic_load(memory.fronts + pixel));
    if (hit.depth > fma_rn(params.slack, shape.reach, front)) return;
    float const inner = sub_rn(1.0f, hit.share);
    std::uint64_t const weight = 1 + static_cast<std::uint32_t>(mul_rn(mul_rn(inner, inner), whole_weight));
    splat_sums& sums = memory.sums[pixel];
    atomic_add(&sums.weight, weight);
    for (int c = 0; c < 3; ++c) atomic_add(&sums.colours[c], weight * colour[c]);
  }

  /// Some lanes of many draw a splat together: every `lanes`-th pixel of its box, from the `lane`-th on.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void draw(splat_pass pass, splat_shape const& shape, index_t splat,
                                               std::uint32_t lane, std::uint32_t lanes) const noexcept {
    std::uint32_t const width = shape.width();
    std::uint32_t const end = shape.pixels();
    std::uint32_t colour[3] = {};
    if (pass == splat_pass::blend && lane < end) shade(shape, splat, colour);
    for (std::uint32_t i = lane; i < end; i += lanes) {
      std::int32_t const x = shape.low[0] + static_cast<std::int32_t>(i % width);
      std::int32_t const y = shape.low[1] + static_cast<std::int32_t>(i / width);
      splat_hit hit;
      if (!shape.meets(x, y, lens, params.least_radius, hit)) continue;
      index_t const pixel = index_t{y} * camera.width + x;
      if (pass == splat_pass::blend) {
        blend(shape, pixel, hit, colour);
      } else {
        offer(pass == splat_pass::cover ? memory.covers : memory.fronts, pixel, hit.depth);
      }
    }
  }

  /// Writes a pixel of the image, when all splats are drawn.
  FARPOINT_HD void resolve(index_t pixel) const noexcept {
    splat_sums const& sums = memory.sums[pixel];
    index_t const stride = image.stride == 0 ? index_t{3} * camera.width : image.stride;
    auto const at = static_cast<std::size_t>(pixel / camera.width * stride + pixel % camera.width * 3);
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
    if (!image.depths.empty()) image.depths[static_cast<std::size_t>(pixel)] = depth_of(memory.fronts[pixel]);
  }
  FARPOINT_HD void operator()(std::uint64_t pixel) const noexcept { resolve(static_cast<index_t>(pixel)); }
  FARPOINT_HD void operator()(std::uint32_t pixel) const noexcept { resolve(static_cast<index_t>(pixel)); }

 private:
  /// A row of vectors in the frame of the camera; (0, 0, 0) where there is none.
  FARPOINT_HD vec<float> turned(span<scalar const> rows, index_t row) const noexcept {
    vec<float> seen{};
    if (rows.empty()) return seen;
    scalar const* const v = rows.data() + 3 * row;
    for (int axis = 0; axis < 3; ++axis) {
      auto const& r = camera.rotation[axis];
      seen[axis] = static_cast<float>(fma_rn(r[2], v[2], fma_rn(r[1], v[1], mul_rn(r[0], v[0]))));
    }
    return is_finite(seen) ? seen : vec<float>{};
  }
  FARPOINT_HD float extent(index_t splat, std::size_t i) const noexcept {
    scalar const own = splats.extents[2 * static_cast<std::size_t>(splat) + i];
    scalar const most = static_cast<scalar>(params.most_extent);
    auto const cut = static_cast<float>(own > 0 ? smaller(own, most) : scalar(0));
    return smaller(cut, 1e30f);
  }
  /// Whether other splats cover the centre, well before it.
  FARPOINT_HD bool is_hidden(splat_shape const& shape) const noexcept {
    if (memory.covers == nullptr) return false;
    index_t at[2];
    for (int axis = 0; axis < 2; ++axis) {
      float const place = shape.place[axis];
      if (!(place >= 0 && place < static_cast<float>(lens.size[axis]))) return false;
      at[axis] = static_cast<index_t>(place);
    }
    float const cover = depth_of(atomic_load(memory.covers + at[1] * camera.width + at[0]));
    return shape.centre[2] > fma_rn(params.hidden, shape.reach, cover);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
