/// @file
/// Host backend of draw_splats().
#pragma once

#include <farpoint/detail/splat/check_splats.hpp>
#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/tuning/screen.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Passes over the splats. No result depends on the order of the splats in a pass.
enum class splat_pass : std::uint8_t {
  cover,  ///< nearest depth of each pixel over all splats
  front,  ///< nearest depth of each pixel over the splats that are not hidden
  blend   ///< sums of weighted colors
};

/// Workspace of a call; arrays are `[height, width]`.
struct splat_memory {
  std::uint32_t* covers = nullptr;  ///< bits of depths; null if nothing is hidden
  std::uint32_t* fronts = nullptr;
  splat_sums* sums = nullptr;
  std::size_t size = 0;

  splat_memory() = default;
  splat_memory(unsigned char* workspace, splat_extent const& extent) noexcept {
    index_t const pixels = extent.width * extent.height;
    workspace_cutter cutter{workspace};
    fronts = cutter.take<std::uint32_t>(pixels);
    if (extent.hides) covers = cutter.take<std::uint32_t>(pixels);
    sums = cutter.take<splat_sums>(pixels);
    size = cutter.used();
  }
};

/// Draws splats. Concurrent threads share the image and update it by atomic operations.
template <class Points>
struct splat_painter {
  splat_scene<Points> scene;
  splat_memory memory;

  FARPOINT_ALWAYS_INLINE void draw(splat_pass pass, index_t splat) const noexcept {
    auto const& picture = scene.picture;
    splat_shape const shape = scene.shape_of(splat);
    if (shape.box.is_empty() || (pass != splat_pass::cover && picture.is_hidden(shape.form))) return;
    std::uint32_t color[3] = {};
    if (pass == splat_pass::blend) scene.shade(shape, splat, color);
    float const least_radius = picture.params.least_radius;
    for (std::int32_t y = shape.box.low[1]; y < shape.box.high[1]; ++y) {
      for (std::int32_t x = shape.box.low[0]; x < shape.box.high[0]; ++x) {
        splat_hit hit;
        if (!shape.form.meets(center_of_pixel(x, y), picture.lens, least_radius, hit)) continue;
        index_t const pixel = index_t{y} * picture.lens.size[0] + x;
        if (pass == splat_pass::blend) {
          blend(pixel, picture.weight_of(hit, shape.form.reach, memory.fronts[pixel]), color);
        } else {
          offer(pass == splat_pass::cover ? memory.covers : memory.fronts, pixel, hit.depth);
        }
      }
    }
  }

  void resolve(index_t pixel) const noexcept {
    index_t const width = scene.picture.lens.size[0];
    scene.picture.resolve(pixel % width, pixel / width, memory.sums[pixel], memory.fronts[pixel]);
  }

 private:
  static void offer(std::uint32_t* depths, index_t pixel, float depth) noexcept {
    std::uint32_t const bits = float_bits(depth);
    if (atomic_load(depths + pixel) > bits) atomic_min(depths + pixel, bits);
  }
  void blend(index_t pixel, std::uint64_t weight, std::uint32_t const (&color)[3]) const noexcept {
    if (weight == 0) return;
    splat_sums& sums = memory.sums[pixel];
    atomic_add(&sums.weight, weight);
    for (int c = 0; c < 3; ++c) atomic_add(&sums.colors[c], weight * color[c]);
  }
};

/// Part of a pass, compiled for several instruction sets.
template <class Points>
struct splat_host_pass {
  using function = void (*)(splat_painter<Points> const&, splat_pass, index_t, index_t) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(splat_painter<Points> const& painter, splat_pass pass, index_t begin,
                                         index_t end) noexcept {
    for (index_t i = begin; i < end; ++i) painter.draw(pass, i);
  }
};

/// draw_splats() for host_exec.
template <class Points>
result draw_splats_host(host_exec exec, splat_scene<Points> const& scene, bytes workspace) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  splat_painter<Points> painter{scene, {}};
  splat_memory const& memory = painter.memory;
  if (result const checked = prepare_splats(painter.scene, workspace, painter.memory); !checked) return checked;
  index_t const splats = scene.count();
  index_t const pixels = painter.scene.picture.pixels();
  auto const in_parts = [exec](index_t size, index_t worth, auto const& work) {
    auto const most = static_cast<int>(smaller(1 + size / worth, index_t{max_team_threads}));
    run_team(exec.pool, std::min(resolve_threads(exec.threads), most),
             [&](int rank, int threads) { work(size * rank / threads, size * (rank + 1) / threads); });
  };
  typename splat_host_pass<Points>::function draw = nullptr;
  isa_dispatch<splat_host_pass<Points>>(draw);
  in_parts(pixels, pixels_of_thread, [&](index_t begin, index_t end) {
    std::fill(memory.fronts + begin, memory.fronts + end, no_splat);
    if (memory.covers != nullptr) std::fill(memory.covers + begin, memory.covers + end, no_splat);
    std::fill(memory.sums + begin, memory.sums + end, splat_sums{});
  });
  for (splat_pass const pass : {splat_pass::cover, splat_pass::front, splat_pass::blend}) {
    if (pass == splat_pass::cover && memory.covers == nullptr) continue;
    in_parts(splats, splats_of_thread, [&](index_t begin, index_t end) { draw(painter, pass, begin, end); });
  }
  in_parts(pixels, pixels_of_thread, [&](index_t begin, index_t end) {
    for (index_t pixel = begin; pixel < end; ++pixel) painter.resolve(pixel);
  });
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
