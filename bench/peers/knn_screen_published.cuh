/// @file
/// FastKNN and Auto Splats, neighbors in screen space as they were published. Needs nvcc.
///
/// FastKNN: a pyramid of counts down to the pixels, built bottom-up and then top-down, a launch a level; the points
/// packed in its order; a thread a pixel that walks down with a stack, collects candidates in a local array in up to
/// three rounds of a scaled radius, and takes the nearest by a heap. Its z-buffer had a lock for each pixel; here both
/// baselines have farpoint's atomic minimum, which is faster.
///
/// FastKNN's program is not its text: it has a thread for each packed visible point, in the order of the tree, and its
/// radius begins at 1.44 times the text's. Both are here, `launch_fastknn()` and `launch_fastknn_program()`.
///
/// Auto Splats (Preiner, Jeschke and Wimmer 2012): a thread a pixel; passes over the whole image scale each radius by
/// bisection until its ball holds k to 2 k points, then a last pass gathers them.
#pragma once

#include "support/cuda_check.hpp"

#include <farpoint/container/topk.hpp>
#include <farpoint/geometry/camera.hpp>
#include <farpoint/spatial/zbuffer.hpp>

#include <cuda_runtime.h>
#include <cstdint>

namespace farpoint_bench {

/// Arguments of both methods. Arrays are `[pixels]` unless noted otherwise; device memory.
struct knn_screen_published_args {
  farpoint::pinhole_camera<float> camera;
  float const* xyz;  ///< `[points, 3]`
  std::int64_t points;
  int k;
  int top;  ///< the pyramid's root covers 2^top x 2^top pixels

  std::uint64_t* words;  ///< words of the z-buffer
  float4* at;            ///< the pixel's point, its index as bits; -1 without a point
  std::uint32_t* count;  ///< `[nodes]`, plane after plane from the pixels up, each by rows
  std::uint32_t* first;  ///< `[nodes]`
  float4* packed;
  std::uint32_t* pixel_of;  ///< `[packed]`: pixel of each entry of `packed`
  float* radius;            ///< Auto Splats, px: to try, known to be too small, known to be too large
  float* too_small;
  float* too_large;
  std::int32_t* found;  ///< `[pixels, k]`: indices, in any order, padded with -1

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

static __global__ void published_draw(knn_screen_published_args const args) {
  std::int64_t const i = published_thread();
  if (i >= args.points) return;
  farpoint::camera_pixel<float> pixel;
  if (!args.camera.project({{args.xyz[3 * i], args.xyz[3 * i + 1], args.xyz[3 * i + 2]}}, pixel)) return;
  args.zbuffer().offer(args.zbuffer().pixel_at(pixel.x, pixel.y), pixel.depth, static_cast<std::uint32_t>(i));
}

static __global__ void published_resolve(knn_screen_published_args const args) {
  std::int64_t const pixel = published_thread();
  if (pixel >= args.pixels()) return;
  auto const front = args.zbuffer().front(pixel);
  float4 at{0, 0, 0, __int_as_float(-1)};
  if (front.exists()) {
    float const* const p = args.xyz + 3 * front.index;
    at = {p[0], p[1], p[2], __int_as_float(static_cast<int>(front.index))};
  }
  args.at[pixel] = at;
  for (int j = 0; j < args.k; ++j) args.found[pixel * args.k + j] = -1;
}

// --- FastKNN

static __global__ void fastknn_leaves(knn_screen_published_args const args) {
  auto const i = static_cast<std::uint32_t>(published_thread());
  int const x = static_cast<int>(i & ((1u << args.top) - 1));
  int const y = static_cast<int>(i >> args.top);
  if (y >= 1 << args.top) return;
  bool const is_inside = x < args.camera.width && y < args.camera.height;
  args.count[i] = is_inside && __float_as_int(args.at[std::int64_t{y} * args.camera.width + x].w) >= 0 ? 1 : 0;
}

/// A node of a level of the pyramid: its column and row, and its offset in the level's plane.
struct fastknn_node {
  int x;
  int y;
  std::uint32_t at;
};

/// The thread's node of a level; false beyond the last.
__device__ inline bool fastknn_thread_node(knn_screen_published_args const& args, int level, fastknn_node& node) {
  auto const i = static_cast<std::uint32_t>(published_thread());
  int const side = args.top - level;
  if (i >= 1u << 2 * side) return false;
  node = {static_cast<int>(i & ((1u << side) - 1)), static_cast<int>(i >> side), i};
  return true;
}

/// Child i of a node, in Z-order.
__device__ inline std::uint32_t fastknn_child(knn_screen_published_args const& args, int level,
                                              fastknn_node const& node, int i) {
  return args.plane(args.top, level - 1) +
         ((static_cast<std::uint32_t>(2 * node.y + (i >> 1)) << (args.top - level + 1)) +
          static_cast<std::uint32_t>(2 * node.x + (i & 1)));
}

static __global__ void fastknn_up(knn_screen_published_args const args, int level) {
  fastknn_node node;
  if (!fastknn_thread_node(args, level, node)) return;
  std::uint32_t sum = 0;
  for (int c = 0; c < 4; ++c) sum += args.count[fastknn_child(args, level, node, c)];
  args.count[args.plane(args.top, level) + node.at] = sum;
  if (level == args.top) args.first[args.plane(args.top, level)] = 0;
}

static __global__ void fastknn_down(knn_screen_published_args const args, int level) {
  fastknn_node node;
  if (!fastknn_thread_node(args, level, node)) return;
  std::uint32_t first = args.first[args.plane(args.top, level) + node.at];
  for (int c = 0; c < 4; ++c) {
    std::uint32_t const child = fastknn_child(args, level, node, c);
    args.first[child] = first;
    first += args.count[child];
  }
}

static __global__ void fastknn_pack(knn_screen_published_args const args) {
  std::int64_t const pixel = published_thread();
  if (pixel >= args.pixels() || __float_as_int(args.at[pixel].w) < 0) return;
  auto const x = static_cast<std::uint32_t>(pixel % args.camera.width);
  auto const y = static_cast<std::uint32_t>(pixel / args.camera.width);
  std::uint32_t const to = args.first[(y << args.top) + x];
  args.packed[to] = args.at[pixel];
  args.pixel_of[to] = static_cast<std::uint32_t>(pixel);
}

__device__ inline float squared_distance(float4 const& a, float4 const& b) {
  return farpoint::distance2(farpoint::vec<float>{{a.x, a.y, a.z}}, farpoint::vec<float>{{b.x, b.y, b.z}});
}

/// The radius of a disc with k points, in pixels: from the smallest node with at least k points.
__device__ inline float fastknn_radius(knn_screen_published_args const& args, int x, int y) {
  for (int level = 0; true; ++level) {
    std::uint32_t const node = args.plane(args.top, level) +
                               (static_cast<std::uint32_t>(y >> level) << (args.top - level)) +
                               static_cast<std::uint32_t>(x >> level);
    auto const count = static_cast<float>(args.count[node]);
    if (count < static_cast<float>(args.k) && level < args.top) continue;
    auto const area = static_cast<float>(1u << 2 * level);
    return sqrtf(area / 3.1415927f * static_cast<float>(args.k) / count);
  }
}

/// The row of one visible point.
/// @tparam Most  candidates that the local arrays hold
/// @param begin  of the radius, by the text's
template <int Most>
__device__ void fastknn_ask(knn_screen_published_args const& args, std::int64_t pixel, float4 const& query,
                            float begin) {
  int const x = static_cast<int>(pixel % args.camera.width);
  int const y = static_cast<int>(pixel / args.camera.width);
  float const span = args.camera.pixel_span(args.zbuffer().front(pixel).depth);
  auto const k = static_cast<float>(args.k);

  float distance[Most];
  std::int32_t index[Most];
  std::uint32_t stack[64];
  int size = 0;
  float inner = 0;
  float radius = begin * fastknn_radius(args, x, y);
  for (int round = 0; round < 3; ++round) {
    float const outer = radius * span;
    int const before = size;
    int depth = 0;
    stack[depth++] = static_cast<std::uint32_t>(args.top) << 26;  // level, then y and x of 13 bits
    while (depth > 0) {
      std::uint32_t const entry = stack[--depth];
      auto const level = static_cast<int>(entry >> 26);
      auto const ny = static_cast<int>(entry >> 13 & 0x1fffu);
      auto const nx = static_cast<int>(entry & 0x1fffu);
      std::uint32_t const node = args.plane(args.top, level) + (static_cast<std::uint32_t>(ny) << (args.top - level)) +
                                 static_cast<std::uint32_t>(nx);
      std::uint32_t const count = args.count[node];
      if (count == 0) continue;
      if (level <= 2) {
        std::uint32_t const first = args.first[node];
        for (std::uint32_t i = first; i < first + count && size < Most; ++i) {
          float const d = squared_distance(args.packed[i], query);
          if (d < inner * inner || d >= outer * outer) continue;
          distance[size] = d;
          index[size++] = __float_as_int(args.packed[i].w);
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
    } else if (size < args.k) {
      inner = outer;
      radius *= sqrtf(2 * k / static_cast<float>(size < 1 ? 1 : size));
    } else {
      break;
    }
  }
  using key = farpoint::neighbor_key<float>;
  key keys[Most / 8];
  farpoint::topk_heap<key> heap{keys, args.k, key{3e38f, farpoint::no_index}};
  for (int i = 0; i < size; ++i) heap.push({distance[i], static_cast<std::uint32_t>(index[i])});
  for (int j = 0; j < args.k; ++j) args.found[pixel * args.k + j] = static_cast<std::int32_t>(keys[j].index());
}

/// The text: a thread a pixel.
template <int Most>
__global__ void __launch_bounds__(128) fastknn_search(knn_screen_published_args const args) {
  std::int64_t const pixel = published_thread();
  if (pixel >= args.pixels()) return;
  float4 const query = args.at[pixel];
  if (__float_as_int(query.w) >= 0) fastknn_ask<Most>(args, pixel, query, 1);
}

/// The program: a thread for each packed point. How many there are is known on the device alone, so that a graph can
/// replay it.
template <int Most>
__global__ void __launch_bounds__(128) fastknn_search_packed(knn_screen_published_args const args) {
  std::int64_t const i = published_thread();
  if (i >= args.count[args.plane(args.top, args.top)]) return;
  fastknn_ask<Most>(args, args.pixel_of[i], args.packed[i], 1.44f);
}

// --- Auto Splats

/// Passes that adjust the radii.
inline constexpr int auto_splats_passes = 8;

static __global__ void auto_splats_begin(knn_screen_published_args const args) {
  std::int64_t const pixel = published_thread();
  if (pixel >= args.pixels()) return;
  args.radius[pixel] = 2 * sqrtf(static_cast<float>(args.k) / 8);
  args.too_small[pixel] = 0;
  args.too_large[pixel] = 0;
}

/// Calls visit(point, squared distance) for the points of the window around a pixel that are in the ball.
template <class Visit>
__device__ void for_each_in_ball(knn_screen_published_args const& args, std::int64_t pixel, float4 const& query,
                                 float radius, Visit const& visit) {
  int const x = static_cast<int>(pixel % args.camera.width);
  int const y = static_cast<int>(pixel / args.camera.width);
  int const away = static_cast<int>(ceilf(radius));
  float const reach = radius * args.camera.pixel_span(args.zbuffer().front(pixel).depth);
  for (int wy = max(y - away, 0); wy <= min(y + away, args.camera.height - 1); ++wy) {
    for (int wx = max(x - away, 0); wx <= min(x + away, args.camera.width - 1); ++wx) {
      float4 const point = args.at[std::int64_t{wy} * args.camera.width + wx];
      if (__float_as_int(point.w) < 0) continue;
      float const d = squared_distance(point, query);
      if (d <= reach * reach) visit(point, d);
    }
  }
}

static __global__ void __launch_bounds__(128) auto_splats_adjust(knn_screen_published_args const args) {
  std::int64_t const pixel = published_thread();
  if (pixel >= args.pixels()) return;
  float4 const query = args.at[pixel];
  if (__float_as_int(query.w) < 0) return;
  float const radius = args.radius[pixel];
  int count = 0;
  for_each_in_ball(args, pixel, query, radius, [&count](float4 const&, float) { ++count; });
  if (count >= args.k && count <= 2 * args.k) return;
  (count < args.k ? args.too_small : args.too_large)[pixel] = radius;
  float const large = args.too_large[pixel];
  // The image has no ball of more than 64 pixels: a point alone would go through all of it.
  args.radius[pixel] = large == 0 ? fminf(2 * radius, 64) : (args.too_small[pixel] + large) / 2;
}

/// @tparam Most  k at most
template <int Most>
__global__ void __launch_bounds__(128) auto_splats_gather(knn_screen_published_args const args) {
  std::int64_t const pixel = published_thread();
  if (pixel >= args.pixels()) return;
  float4 const query = args.at[pixel];
  if (__float_as_int(query.w) < 0) return;
  using key = farpoint::neighbor_key<float>;
  key keys[Most];
  farpoint::topk_heap<key> heap{keys, args.k, key{3e38f, farpoint::no_index}};
  for_each_in_ball(args, pixel, query, args.radius[pixel], [&heap](float4 const& point, float d) {
    heap.push({d, static_cast<std::uint32_t>(__float_as_int(point.w))});
  });
  for (int j = 0; j < args.k; ++j) args.found[pixel * args.k + j] = static_cast<std::int32_t>(keys[j].index());
}

// --- both

inline unsigned published_blocks(std::int64_t threads, int block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

inline void launch_published_view(cudaStream_t stream, knn_screen_published_args const& args) {
  check(cudaMemsetAsync(args.words, 0xff, static_cast<std::size_t>(args.pixels()) * 8, stream), "cudaMemsetAsync");
  published_draw<<<published_blocks(args.points, 256), 256, 0, stream>>>(args);
  published_resolve<<<published_blocks(args.pixels(), 256), 256, 0, stream>>>(args);
}

/// The pyramid and the packed points.
inline void launch_fastknn_tree(cudaStream_t stream, knn_screen_published_args const& args) {
  launch_published_view(stream, args);
  auto const nodes = [&args](int level) { return std::int64_t{1} << 2 * (args.top - level); };
  fastknn_leaves<<<published_blocks(nodes(0), 256), 256, 0, stream>>>(args);
  for (int level = 1; level <= args.top; ++level) {
    fastknn_up<<<published_blocks(nodes(level), 256), 256, 0, stream>>>(args, level);
  }
  for (int level = args.top; level > 0; --level) {
    fastknn_down<<<published_blocks(nodes(level), 256), 256, 0, stream>>>(args, level);
  }
  fastknn_pack<<<published_blocks(args.pixels(), 256), 256, 0, stream>>>(args);
}

/// The text; k up to 32.
inline void launch_fastknn(cudaStream_t stream, knn_screen_published_args const& args) {
  launch_fastknn_tree(stream, args);
  auto const search = args.k <= 8 ? fastknn_search<64> : args.k <= 16 ? fastknn_search<128> : fastknn_search<256>;
  search<<<published_blocks(args.pixels(), 128), 128, 0, stream>>>(args);
  check(cudaGetLastError(), "FastKNN");
}

/// The program; k up to 32.
inline void launch_fastknn_program(cudaStream_t stream, knn_screen_published_args const& args) {
  launch_fastknn_tree(stream, args);
  auto const search = args.k <= 8    ? fastknn_search_packed<64>
                      : args.k <= 16 ? fastknn_search_packed<128>
                                     : fastknn_search_packed<256>;
  std::int64_t const most = args.points < args.pixels() ? args.points : args.pixels();
  search<<<published_blocks(most, 128), 128, 0, stream>>>(args);
  check(cudaGetLastError(), "FastKNN's program");
}

/// k up to 32.
inline void launch_auto_splats(cudaStream_t stream, knn_screen_published_args const& args) {
  launch_published_view(stream, args);
  auto_splats_begin<<<published_blocks(args.pixels(), 128), 128, 0, stream>>>(args);
  for (int pass = 0; pass < auto_splats_passes; ++pass) {
    auto_splats_adjust<<<published_blocks(args.pixels(), 128), 128, 0, stream>>>(args);
  }
  auto const gather = args.k <= 8    ? auto_splats_gather<8>
                      : args.k <= 16 ? auto_splats_gather<16>
                                     : auto_splats_gather<32>;
  gather<<<published_blocks(args.pixels(), 128), 128, 0, stream>>>(args);
  check(cudaGetLastError(), "Auto Splats");
}

}  // namespace farpoint_bench
