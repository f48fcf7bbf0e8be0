/// @file
/// The baselines of knn() in screen space, as they were published. Needs nvcc.
///
/// FastKNN: a pyramid of counts down to the pixels, built bottom-up and then top-down, a launch a level; the points
/// packed in its order; a thread a pixel that walks down with a stack, collects candidates in a local array in up to
/// three rounds of a scaled radius, and takes the nearest by a heap. Its z-buffer had a lock for each pixel; here both
/// baselines have farpoint's atomic minimum, which is faster.
///
/// Auto Splats (Preiner, Jeschke and Wimmer 2012): a thread a pixel; passes over the whole image scale each radius by
/// bisection until its ball holds k points and no more than twice as many, then a last pass gathers them.
#pragma once

#include "support/cuda_check.hpp"

#include <farpoint/container/topk.hpp>
#include <farpoint/geometry/camera.hpp>
#include <farpoint/spatial/zbuffer.hpp>

#include <cuda_runtime.h>
#include <cstdint>

namespace farpoint_bench {

/// What both work on. `[pixels]` unless they say otherwise; device memory.
struct published_args {
  farpoint::pinhole_camera<float> camera;
  float const* xyz;  ///< `[points, 3]`
  std::int64_t points;
  int k;
  int top;  ///< the pyramid's root covers 2^top x 2^top pixels

  std::uint64_t* words;  ///< of the z-buffer
  float4* at;            ///< the pixel's point, its index as bits; of no point the index is -1
  std::uint32_t* count;  ///< `[nodes]`, plane after plane from the pixels up, each by rows
  std::uint32_t* first;  ///< `[nodes]`
  float4* packed;
  std::uint32_t* pixel_of;  ///< by place in `packed`
  float* radius;            ///< Auto Splats, px: to try, known to be too small, known to be too large
  float* too_small;
  float* too_large;
  std::int32_t* found;  ///< `[pixels, k]`: indices, in any order; -1 where there are fewer

  __host__ __device__ std::int64_t pixels() const { return std::int64_t{camera.width} * camera.height; }
  __host__ __device__ static std::uint32_t plane(int top, int level) {
    std::uint32_t before = 0;
    for (int l = 0; l < level; ++l) before += 1u << 2 * (top - l);
    return before;
  }
  __device__ farpoint::zbuffer_ref zbuffer() const {
    return {{words, static_cast<std::size_t>(pixels())}, camera.width, camera.height};
  }
};

__device__ inline std::int64_t published_thread() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

static __global__ void published_draw(published_args const t) {
  std::int64_t const i = published_thread();
  if (i >= t.points) return;
  farpoint::camera_pixel<float> pixel;
  if (!t.camera.project({{t.xyz[3 * i], t.xyz[3 * i + 1], t.xyz[3 * i + 2]}}, pixel)) return;
  t.zbuffer().offer(t.zbuffer().pixel_at(pixel.x, pixel.y), pixel.depth, static_cast<std::uint32_t>(i));
}

static __global__ void published_resolve(published_args const t) {
  std::int64_t const pixel = published_thread();
  if (pixel >= t.pixels()) return;
  auto const front = t.zbuffer().front(pixel);
  float4 at{0, 0, 0, __int_as_float(-1)};
  if (front.exists()) {
    float const* const p = t.xyz + 3 * front.index;
    at = {p[0], p[1], p[2], __int_as_float(static_cast<int>(front.index))};
  }
  t.at[pixel] = at;
  for (int j = 0; j < t.k; ++j) t.found[pixel * t.k + j] = -1;
}

// --- FastKNN

static __global__ void fastknn_leaves(published_args const t) {
  auto const i = static_cast<std::uint32_t>(published_thread());
  int const x = static_cast<int>(i & ((1u << t.top) - 1));
  int const y = static_cast<int>(i >> t.top);
  if (y >= 1 << t.top) return;
  bool const is_inside = x < t.camera.width && y < t.camera.height;
  t.count[i] = is_inside && __float_as_int(t.at[std::int64_t{y} * t.camera.width + x].w) >= 0 ? 1 : 0;
}

/// Child i of node (x, y), in Z-order.
__device__ inline std::uint32_t fastknn_child(published_args const& t, int level, int x, int y, int i) {
  return t.plane(t.top, level - 1) + ((static_cast<std::uint32_t>(2 * y + (i >> 1)) << (t.top - level + 1)) +
                                      static_cast<std::uint32_t>(2 * x + (i & 1)));
}

static __global__ void fastknn_up(published_args const t, int level) {
  auto const i = static_cast<std::uint32_t>(published_thread());
  int const side = t.top - level;
  if (i >= 1u << 2 * side) return;
  int const x = static_cast<int>(i & ((1u << side) - 1));
  int const y = static_cast<int>(i >> side);
  std::uint32_t sum = 0;
  for (int c = 0; c < 4; ++c) sum += t.count[fastknn_child(t, level, x, y, c)];
  t.count[t.plane(t.top, level) + i] = sum;
  if (level == t.top) t.first[t.plane(t.top, level)] = 0;
}

static __global__ void fastknn_down(published_args const t, int level) {
  auto const i = static_cast<std::uint32_t>(published_thread());
  int const side = t.top - level;
  if (i >= 1u << 2 * side) return;
  int const x = static_cast<int>(i & ((1u << side) - 1));
  int const y = static_cast<int>(i >> side);
  std::uint32_t first = t.first[t.plane(t.top, level) + i];
  for (int c = 0; c < 4; ++c) {
    std::uint32_t const child = fastknn_child(t, level, x, y, c);
    t.first[child] = first;
    first += t.count[child];
  }
}

static __global__ void fastknn_pack(published_args const t) {
  std::int64_t const pixel = published_thread();
  if (pixel >= t.pixels() || __float_as_int(t.at[pixel].w) < 0) return;
  auto const x = static_cast<std::uint32_t>(pixel % t.camera.width);
  auto const y = static_cast<std::uint32_t>(pixel / t.camera.width);
  std::uint32_t const to = t.first[(y << t.top) + x];
  t.packed[to] = t.at[pixel];
  t.pixel_of[to] = static_cast<std::uint32_t>(pixel);
}

__device__ inline float squared_distance(float4 const& a, float4 const& b) {
  return farpoint::distance2(farpoint::vec<float>{{a.x, a.y, a.z}}, farpoint::vec<float>{{b.x, b.y, b.z}});
}

/// The radius of a disc with k points, in pixels: from the smallest node with as many.
__device__ inline float fastknn_radius(published_args const& t, int x, int y) {
  for (int level = 0; true; ++level) {
    std::uint32_t const node = t.plane(t.top, level) + (static_cast<std::uint32_t>(y >> level) << (t.top - level)) +
                               static_cast<std::uint32_t>(x >> level);
    auto const count = static_cast<float>(t.count[node]);
    if (count < static_cast<float>(t.k) && level < t.top) continue;
    auto const area = static_cast<float>(1u << 2 * level);
    return sqrtf(area / 3.1415927f * static_cast<float>(t.k) / count);
  }
}

/// @tparam Most  candidates that the local arrays hold
template <int Most>
__global__ void __launch_bounds__(128) fastknn_search(published_args const t) {
  std::int64_t const pixel = published_thread();
  if (pixel >= t.pixels()) return;
  float4 const query = t.at[pixel];
  if (__float_as_int(query.w) < 0) return;
  int const x = static_cast<int>(pixel % t.camera.width);
  int const y = static_cast<int>(pixel / t.camera.width);
  float const span = t.camera.pixel_span(t.zbuffer().front(pixel).depth);
  auto const k = static_cast<float>(t.k);

  float distance[Most];
  std::int32_t index[Most];
  std::uint32_t stack[64];
  int size = 0;
  float inner = 0;
  float radius = fastknn_radius(t, x, y);
  for (int round = 0; round < 3; ++round) {
    float const outer = radius * span;
    int const before = size;
    int depth = 0;
    stack[depth++] = static_cast<std::uint32_t>(t.top) << 26;  // level, then y and x of 13 bits
    while (depth > 0) {
      std::uint32_t const entry = stack[--depth];
      auto const level = static_cast<int>(entry >> 26);
      auto const ny = static_cast<int>(entry >> 13 & 0x1fffu);
      auto const nx = static_cast<int>(entry & 0x1fffu);
      std::uint32_t const node =
          t.plane(t.top, level) + (static_cast<std::uint32_t>(ny) << (t.top - level)) + static_cast<std::uint32_t>(nx);
      std::uint32_t const count = t.count[node];
      if (count == 0) continue;
      if (level <= 2) {
        std::uint32_t const first = t.first[node];
        for (std::uint32_t i = first; i < first + count && size < Most; ++i) {
          float const d = squared_distance(t.packed[i], query);
          if (d < inner * inner || d >= outer * outer) continue;
          distance[size] = d;
          index[size++] = __float_as_int(t.packed[i].w);
        }
        continue;
      }
      int const side = 1 << (level - 1);
      for (int c = 0; c < 4; ++c) {
        int const cx = 2 * nx + (c & 1);
        int const cy = 2 * ny + (c >> 1);
        auto const near = [radius, side](int at, int cell) {
          auto const low = static_cast<float>(cell * side);
          return static_cast<float>(at) >= low - radius &&
                 static_cast<float>(at) <= low + static_cast<float>(side - 1) + radius;
        };
        if (near(x, cx) && near(y, cy)) {
          stack[depth++] = static_cast<std::uint32_t>(level - 1) << 26 | static_cast<std::uint32_t>(cy) << 13 |
                           static_cast<std::uint32_t>(cx);
        }
      }
    }
    if (size >= Most) {
      size = before;
      radius *= sqrtf(2 * k / Most);
    } else if (size < t.k) {
      inner = outer;
      radius *= sqrtf(2 * k / static_cast<float>(size < 1 ? 1 : size));
    } else {
      break;
    }
  }
  using key = farpoint::neighbour_key<float>;
  key keys[Most / 8];
  farpoint::topk_heap<key> heap{keys, t.k, key{3e38f, farpoint::no_index}};
  for (int i = 0; i < size; ++i) heap.push({distance[i], static_cast<std::uint32_t>(index[i])});
  for (int j = 0; j < t.k; ++j) t.found[pixel * t.k + j] = static_cast<std::int32_t>(keys[j].index());
}

// --- Auto Splats

/// Passes that adjust the radii.
inline constexpr int auto_splats_passes = 8;

static __global__ void auto_splats_begin(published_args const t) {
  std::int64_t const pixel = published_thread();
  if (pixel >= t.pixels()) return;
  t.radius[pixel] = 2 * sqrtf(static_cast<float>(t.k) / 8);
  t.too_small[pixel] = 0;
  t.too_large[pixel] = 0;
}

/// Calls visit(point, squared distance) for the points of the window around a pixel that are in the ball.
template <class Visit>
__device__ void for_each_in_ball(published_args const& t, std::int64_t pixel, float4 const& query, float radius,
                                 Visit const& visit) {
  int const x = static_cast<int>(pixel % t.camera.width);
  int const y = static_cast<int>(pixel / t.camera.width);
  int const away = static_cast<int>(ceilf(radius));
  float const reach = radius * t.camera.pixel_span(t.zbuffer().front(pixel).depth);
  for (int wy = max(y - away, 0); wy <= min(y + away, t.camera.height - 1); ++wy) {
    for (int wx = max(x - away, 0); wx <= min(x + away, t.camera.width - 1); ++wx) {
      float4 const point = t.at[std::int64_t{wy} * t.camera.width + wx];
      if (__float_as_int(point.w) < 0) continue;
      float const d = squared_distance(point, query);
      if (d <= reach * reach) visit(point, d);
    }
  }
}

static __global__ void __launch_bounds__(128) auto_splats_adjust(published_args const t) {
  std::int64_t const pixel = published_thread();
  if (pixel >= t.pixels()) return;
  float4 const query = t.at[pixel];
  if (__float_as_int(query.w) < 0) return;
  float const radius = t.radius[pixel];
  int count = 0;
  for_each_in_ball(t, pixel, query, radius, [&count](float4 const&, float) { ++count; });
  if (count >= t.k && count <= 2 * t.k) return;
  (count < t.k ? t.too_small : t.too_large)[pixel] = radius;
  float const large = t.too_large[pixel];
  // The image has no ball of more than 64 pixels: a point alone would go through all of it.
  t.radius[pixel] = large == 0 ? fminf(2 * radius, 64) : (t.too_small[pixel] + large) / 2;
}

/// @tparam Most  k at most
template <int Most>
__global__ void __launch_bounds__(128) auto_splats_gather(published_args const t) {
  std::int64_t const pixel = published_thread();
  if (pixel >= t.pixels()) return;
  float4 const query = t.at[pixel];
  if (__float_as_int(query.w) < 0) return;
  using key = farpoint::neighbour_key<float>;
  key keys[Most];
  farpoint::topk_heap<key> heap{keys, t.k, key{3e38f, farpoint::no_index}};
  for_each_in_ball(t, pixel, query, t.radius[pixel], [&heap](float4 const& point, float d) {
    heap.push({d, static_cast<std::uint32_t>(__float_as_int(point.w))});
  });
  for (int j = 0; j < t.k; ++j) t.found[pixel * t.k + j] = static_cast<std::int32_t>(keys[j].index());
}

// --- both

inline unsigned published_blocks(std::int64_t threads, int block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

inline void launch_published_view(cudaStream_t stream, published_args const& t) {
  check(cudaMemsetAsync(t.words, 0xff, static_cast<std::size_t>(t.pixels()) * 8, stream), "cudaMemsetAsync");
  published_draw<<<published_blocks(t.points, 256), 256, 0, stream>>>(t);
  published_resolve<<<published_blocks(t.pixels(), 256), 256, 0, stream>>>(t);
}

/// k up to 32.
inline void launch_fastknn(cudaStream_t stream, published_args const& t) {
  launch_published_view(stream, t);
  auto const nodes = [&t](int level) { return std::int64_t{1} << 2 * (t.top - level); };
  fastknn_leaves<<<published_blocks(nodes(0), 256), 256, 0, stream>>>(t);
  for (int level = 1; level <= t.top; ++level) {
    fastknn_up<<<published_blocks(nodes(level), 256), 256, 0, stream>>>(t, level);
  }
  for (int level = t.top; level > 0; --level) {
    fastknn_down<<<published_blocks(nodes(level), 256), 256, 0, stream>>>(t, level);
  }
  fastknn_pack<<<published_blocks(t.pixels(), 256), 256, 0, stream>>>(t);
  auto const search = t.k <= 8 ? fastknn_search<64> : t.k <= 16 ? fastknn_search<128> : fastknn_search<256>;
  search<<<published_blocks(t.pixels(), 128), 128, 0, stream>>>(t);
  check(cudaGetLastError(), "FastKNN");
}

/// k up to 32.
inline void launch_auto_splats(cudaStream_t stream, published_args const& t) {
  launch_published_view(stream, t);
  auto_splats_begin<<<published_blocks(t.pixels(), 128), 128, 0, stream>>>(t);
  for (int pass = 0; pass < auto_splats_passes; ++pass) {
    auto_splats_adjust<<<published_blocks(t.pixels(), 128), 128, 0, stream>>>(t);
  }
  auto const gather = t.k <= 8 ? auto_splats_gather<8> : t.k <= 16 ? auto_splats_gather<16> : auto_splats_gather<32>;
  gather<<<published_blocks(t.pixels(), 128), 128, 0, stream>>>(t);
  check(cudaGetLastError(), "Auto Splats");
}

}  // namespace farpoint_bench
