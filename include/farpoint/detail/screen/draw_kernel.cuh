/// @file
/// knn() in screen space on a GPU, first steps: the cloud is drawn, and its visible points become a cloud of their own.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/screen/draw_point.hpp>
#include <farpoint/detail/screen/upper_boxes.cuh>
#include <farpoint/detail/screen/visible_points.hpp>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/tuning/screen.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What one kernel leaves for the next.
struct screen_state {
  std::uint32_t ticket;       ///< tiles of points taken, to number
  std::uint32_t tree_ticket;  ///< blocks of pixels taken
  std::uint32_t boxes_done;   ///< blocks that are done with their boxes
  std::uint64_t non_finite;
  std::uint64_t unseen;
  index_t first_row;  ///< of the cloud, where rows are those of the input
};

/// A writer that knows where the cloud begins.
template <class Scalar>
__device__ inline screen_row_writer<Scalar> rows_of_cloud(screen_row_writer<Scalar> writer,
                                                          screen_state const& state) noexcept {
  writer.first_row = state.first_row;
  return writer;
}

/// Arguments of all kernels.
template <class Points, class Camera>
struct draw_args {
  using scalar = typename Points::scalar;

  batch<Points> clouds;  ///< one
  Camera camera;
  int layers;
  int layer;  ///< that is drawn
  screen_row_writer<scalar> writer;
  screen_points<scalar> points;
  screen_state* state;
  std::uint64_t* tiles;            ///< of points
  index_t tile_words;              ///< theirs, and those of what follows them
  bool numbers_points;             ///< pixel_of says in the end which number a visible point has
  point_bvh_arrays<scalar> index;  ///< whose upper boxes are not there yet; else null

  __device__ screen_layers zbuffers() const noexcept { return {points.words, camera.width, camera.height, layers}; }
  /// The cloud; empty if offsets are wrong.
  __device__ Points cloud() const noexcept {
    Points const cloud = clouds[0];
    return count_bad_offsets(clouds) == 0 ? cloud : cloud.subview(0, 0);
  }
};

template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_clear_kernel(draw_args<Points, Camera> const args) {
  index_t const first = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  index_t const step = index_t{gridDim.x} * BlockSize;
  index_t const words = zbuffer_ref::words(args.camera.width, args.camera.height) * args.layers;
  for (index_t i = first; i < words; i += step) args.points.words[i] = zbuffer_ref::clear_value;
  for (index_t i = first; i < args.tile_words; i += step) args.tiles[i] = 0;
  if (first == 0) *args.state = {0, 0, 0, 0, 0, args.clouds.begin_of(0)};
}

/// Every point that the camera sees is offered to its pixel's layer.
template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_draw_kernel(draw_args<Points, Camera> const args) {
  Points const cloud = args.cloud();
  screen_layers const zbuffers = args.zbuffers();
  undrawn_points undrawn;
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < cloud.size();
       i += index_t{gridDim.x} * BlockSize) {
    args.points.pixel_of[i] = draw_point(cloud, i, args.camera, zbuffers, args.layer, undrawn);
  }
  if (args.writer.output.report == nullptr || args.layer > 0) return;
  std::uint32_t const non_finite = cuda_warp::sum(undrawn.non_finite);
  std::uint32_t const unseen = cuda_warp::sum(undrawn.unseen);
  if (cuda_warp::lane() != 0) return;
  if (non_finite != 0) atomic_add(&args.state->non_finite, std::uint64_t{non_finite});
  if (unseen != 0) atomic_add(&args.state->unseen, std::uint64_t{unseen});
}

/// What the last tile knows.
template <class Points, class Camera>
__device__ inline void note_visible(draw_args<Points, Camera> const& args, index_t points,
                                    std::uint32_t visible) noexcept {
  args.points.offsets[0] = 0;
  args.points.offsets[1] = visible;
  auto const& output = args.writer.output;
  if (!output.visible_count.empty()) output.visible_count.set(0, visible);
  if (output.report == nullptr) return;
  knn_screen_report report;
  report.non_finite_points = args.state->non_finite;
  report.unseen_points = args.state->unseen;
  report.visible_points = visible;
  report.bad_offsets = static_cast<unsigned long long>(count_bad_offsets(args.clouds));
  report.hidden_points =
      static_cast<unsigned long long>(points) - report.non_finite_points - report.unseen_points - report.visible_points;
  *output.report = report;
}

/// All rows of a view whose offsets are wrong.
template <int BlockSize, class Points, class Camera>
__device__ inline void leave_rows_empty(draw_args<Points, Camera> const& args) noexcept {
  if (count_bad_offsets(args.clouds) == 0) return;
  index_t const step = index_t{gridDim.x} * BlockSize;
  index_t const rows = args.clouds.points().size();
  for (index_t row = index_t{blockIdx.x} * BlockSize + threadIdx.x; row < rows; row += step) {
    args.writer.write_empty(row);
  }
}

/// Numbers the visible points in the order of their indices, and gathers them if there is room. The rest of building
/// their index runs beside it: neither alone keeps the device busy.
template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_number_kernel(draw_args<Points, Camera> const args) {
  using scan = lookback_scan<BlockSize>;
  constexpr std::uint32_t tile_size = BlockSize * screen_number_items;
  __shared__ typename scan::storage storage;
  if (args.index.clouds != nullptr) {
    upper_box_builder<typename Points::scalar>{args.index, &args.state->boxes_done}.fill();
  }
  Points const cloud = args.cloud();
  screen_layers const zbuffers = args.zbuffers();
  auto const writer = rows_of_cloud(args.writer, *args.state);
  auto const size = static_cast<std::uint32_t>(cloud.size());
  if (writer.by_input && size == 0) leave_rows_empty<BlockSize>(args);
  // One tile at least: the totals of an empty cloud are written too.
  std::uint32_t const tiles = size == 0 ? 1 : divide_up(size, tile_size);
  scan const scanner{storage, args.tiles, &args.state->ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const begin = tile * tile_size + threadIdx.x * screen_number_items;
    std::int32_t pixels[screen_number_items];
#pragma unroll
    for (int j = 0; j < screen_number_items; ++j) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(j);
      pixels[j] = i < size ? args.points.pixel_of[i] : -1;
    }
    std::uint32_t visible = 0;  ///< a bit for each
#pragma unroll
    for (int j = 0; j < screen_number_items; ++j) {
      bool const is_front = pixels[j] >= 0 && zbuffers.show(pixels[j], index_t{begin} + j);
      visible |= is_front ? 1u << j : 0u;
    }
    lookback_pair total{};
    lookback_pair const before =
        scanner.exclusive(lookback_pair::of(static_cast<std::uint32_t>(__popc(visible)), 0), tile, total);
    std::uint32_t at = before.first();
#pragma unroll
    for (int j = 0; j < screen_number_items; ++j) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(j);
      if (i >= size) break;
      if ((visible >> j & 1u) == 0) {
        if (writer.by_input) writer.write_empty(writer.first_row + i);
        continue;
      }
      if (args.points.at != nullptr) {
        args.points.index_of[at] = i;
        args.points.at[at] = cloud[i];
      }
      writer.write_pixel(writer.by_input ? writer.first_row + i : index_t{at}, pixels[j]);
      if (!writer.output.visible.empty()) writer.output.visible.set(at, i);
      if (args.numbers_points) args.points.pixel_of[i] = static_cast<std::int32_t>(at);
      ++at;
    }
    if (tile + 1 == tiles && threadIdx.x == 0) note_visible(args, cloud.size(), total.first());
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
