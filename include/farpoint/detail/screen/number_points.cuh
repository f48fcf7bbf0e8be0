/// @file
/// knn() in screen space on a GPU, first steps: z-buffers are cleared, the cloud is drawn, and the visible points are
/// numbered in the order of their indices.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/screen/visible_points.hpp>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/tuning/screen.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counters that one kernel leaves for the next.
struct screen_state {
  std::uint32_t ticket;       ///< number of tiles of points taken for numbering
  std::uint32_t tree_ticket;  ///< number of blocks of pixels taken
  std::uint32_t boxes_done;   ///< number of tiles with complete boxes, or of blocks that finished
  std::uint64_t non_finite;
  std::uint64_t unseen;
  index_t first_row;  ///< first row of the cloud, if rows are points of the input
};

/// Returns a writer with the first row of the cloud.
template <class Scalar>
__device__ inline screen_row_writer<Scalar> rows_of_cloud(screen_row_writer<Scalar> writer,
                                                          screen_state const& state) noexcept {
  writer.first_row = state.first_row;
  return writer;
}

/// Arguments of the kernels that draw and number a cloud.
template <class Points>
struct number_args {
  using scalar = typename Points::scalar;

  batch<Points> clouds;  ///< a single cloud
  screen_layers images;
  screen_row_writer<scalar> writer;
  screen_points<scalar> points;
  screen_state* state;
  std::uint64_t* tiles;  ///< words of the scan over points, zero-initialized
  bool numbers_points;   ///< whether the number of a visible point replaces its pixel_of
};

/// Numbers the visible points in the order of their indices, and gathers them if there is memory for them.
template <class Points, int BlockSize>
class screen_numbering {
  using scan = lookback_scan<BlockSize>;

 public:
  using storage = typename scan::storage;

  __device__ screen_numbering(number_args<Points> const& args, storage& shared) noexcept
      : args_{args}, shared_{shared}, writer_{rows_of_cloud(args.writer, *args.state)} {}

  /// Takes tiles of points until all are taken. All blocks of the grid call it, at any time.
  __device__ void run() const noexcept {
    Points const cloud = cloud_to_draw(args_.clouds);
    auto const size = static_cast<std::uint32_t>(cloud.size());
    if (writer_.by_input && size == 0) leave_rows_empty();
    // At least one tile, so that the totals of an empty cloud are written, too.
    std::uint32_t const tiles = size == 0 ? 1 : divide_up(size, tile_size);
    scan const scanner{shared_, args_.tiles, &args_.state->ticket};
    for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
      std::uint32_t const begin = tile * tile_size + threadIdx.x * screen_number_items;
      std::int32_t pixels[screen_number_items];
      std::uint32_t const visible = look(begin, size, pixels);
      lookback_pair total{};
      lookback_pair const before =
          scanner.exclusive(lookback_pair::of(static_cast<std::uint32_t>(__popc(visible)), 0), tile, total);
      write(cloud, begin, visible, pixels, before.first());
      if (tile + 1 == tiles && threadIdx.x == 0) note_visible(cloud.size(), total.first());
    }
  }

 private:
  static constexpr std::uint32_t tile_size = BlockSize * screen_number_items;

  /// Returns a bit for each of the thread's points, set if its pixel shows it.
  __device__ std::uint32_t look(std::uint32_t begin, std::uint32_t size,
                                std::int32_t (&pixels)[screen_number_items]) const noexcept {
#pragma unroll
    for (int j = 0; j < screen_number_items; ++j) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(j);
      pixels[j] = i < size ? args_.points.pixel_of[i] : -1;
    }
    std::uint32_t visible = 0;
#pragma unroll
    for (int j = 0; j < screen_number_items; ++j) {
      bool const is_front = pixels[j] >= 0 && args_.images.show(pixels[j], index_t{begin} + j);
      visible |= is_front ? 1u << j : 0u;
    }
    return visible;
  }

  /// @param at  number of the thread's first visible point
  __device__ void write(Points const& cloud, std::uint32_t begin, std::uint32_t visible,
                        std::int32_t const (&pixels)[screen_number_items], std::uint32_t at) const noexcept {
    auto const size = static_cast<std::uint32_t>(cloud.size());
#pragma unroll
    for (int j = 0; j < screen_number_items; ++j) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(j);
      if (i >= size) break;
      if ((visible >> j & 1u) == 0) {
        if (writer_.by_input) writer_.write_empty(writer_.first_row + i);
        continue;
      }
      if (args_.points.at != nullptr) {
        args_.points.index_of[at] = i;
        args_.points.at[at] = cloud[i];
      }
      writer_.write_pixel(writer_.by_input ? writer_.first_row + i : index_t{at}, pixels[j]);
      if (!writer_.output.visible.empty()) writer_.output.visible.set(at, i);
      if (args_.numbers_points) args_.points.pixel_of[i] = static_cast<std::int32_t>(at);
      ++at;
    }
  }

  /// Writes the totals, which the last tile has.
  __device__ void note_visible(index_t points, std::uint32_t visible) const noexcept {
    args_.points.offsets[0] = 0;
    args_.points.offsets[1] = visible;
    auto const& output = writer_.output;
    if (!output.visible_count.empty()) output.visible_count.set(0, visible);
    if (output.report == nullptr) return;
    knn_screen_report report;
    report.non_finite_points = args_.state->non_finite;
    report.unseen_points = args_.state->unseen;
    report.visible_points = visible;
    report.bad_offsets = static_cast<unsigned long long>(count_bad_offsets(args_.clouds));
    report.hidden_points = static_cast<unsigned long long>(points) - report.non_finite_points - report.unseen_points -
                           report.visible_points;
    *output.report = report;
  }

  /// Writes empty rows for all points of a view whose offsets are wrong.
  __device__ void leave_rows_empty() const noexcept {
    if (count_bad_offsets(args_.clouds) == 0) return;
    index_t const step = index_t{gridDim.x} * BlockSize;
    index_t const rows = args_.clouds.points().size();
    for (index_t row = index_t{blockIdx.x} * BlockSize + threadIdx.x; row < rows; row += step) {
      writer_.write_empty(row);
    }
  }

  number_args<Points> const& args_;
  storage& shared_;
  screen_row_writer<typename Points::scalar> const writer_;
};

template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_number_kernel(number_args<Points> const args) {
  using numbering = screen_numbering<Points, BlockSize>;
  __shared__ typename numbering::storage storage;
  numbering{args, storage}.run();
}

template <class Points, class Camera>
struct draw_args : number_args<Points> {
  Camera camera;
  int layer;           ///< that is drawn
  index_t tile_words;  ///< of `tiles`, and of what follows them
};

template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_clear_kernel(draw_args<Points, Camera> const args) {
  index_t const first = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  index_t const step = index_t{gridDim.x} * BlockSize;
  index_t const words = args.images[0].size() * args.images.size();
  // Clears 16 bytes at a time: the 8 bytes behind an odd number of words are unused.
  constexpr std::uint64_t clear = zbuffer_ref::clear_value;
  auto* const pairs = reinterpret_cast<ulonglong2*>(args.points.words);
  for (index_t i = first; 2 * i < words; i += step) pairs[i] = make_ulonglong2(clear, clear);
  for (index_t i = first; i < args.tile_words; i += step) args.tiles[i] = 0;
  if (first == 0) *args.state = {0, 0, 0, 0, 0, args.clouds.begin_of(0)};
}

/// Every point that the camera sees is offered to its pixel's layer.
template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_draw_kernel(draw_args<Points, Camera> const args) {
  Points const cloud = cloud_to_draw(args.clouds);
  undrawn_points undrawn;
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < cloud.size();
       i += index_t{gridDim.x} * BlockSize) {
    args.points.pixel_of[i] = draw_point(cloud, i, args.camera, args.images, args.layer, undrawn);
  }
  if (args.writer.output.report == nullptr || args.layer > 0) return;
  std::uint32_t const non_finite = cuda_warp::sum(undrawn.non_finite);
  std::uint32_t const unseen = cuda_warp::sum(undrawn.unseen);
  if (cuda_warp::lane() != 0) return;
  if (non_finite != 0) atomic_add(&args.state->non_finite, std::uint64_t{non_finite});
  if (unseen != 0) atomic_add(&args.state->unseen, std::uint64_t{unseen});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
