/// @file
/// How the points of a cloud lie in memory for a block: chunks of neighbours in Morton order, each with its box and its
/// largest distance.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/round_memory.cuh>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// How the points of a partition are bundled: neighbours into chunks, and chunks into groups. A lane has one point of a
/// chunk of 32; several of a larger one; and smaller chunks lie side by side in a warp.
template <int ChunkSize, int GroupSize>
struct fps_chunking {
  static constexpr int chunk = ChunkSize;  ///< points of a chunk
  static constexpr int group = GroupSize;  ///< chunks of a group: samples are tested against its box first

  static constexpr int lanes = chunk < 32 ? chunk : 32;  ///< that work on a chunk
  static constexpr int abreast = 32 / lanes;             ///< chunks that a warp works on at once
  static constexpr int each = chunk / lanes;             ///< points of a chunk for each of its lanes
  static_assert(chunk >= 8 && chunk <= 256 && is_power_of_two(chunk),
                "farpoint: a chunk holds 8, 16, 32, 64, 128 or 256 points");
  static_assert(group > 0 && group % abreast == 0,
                "farpoint: a group must be a multiple of the chunks that a warp handles at once");

  /// Chunks that hold so many points, and groups that hold so many chunks.
  FARPOINT_HD static constexpr index_t chunks(index_t points) noexcept { return divide_up<index_t>(points, chunk); }
  FARPOINT_HD static constexpr index_t groups(index_t chunks) noexcept { return divide_up<index_t>(chunks, group); }
};

/// A box, and the largest distance in it.
template <class Scalar, int Dim>
struct chunk_extent {
  vec<Scalar, Dim> low;
  vec<Scalar, Dim> high;
  Scalar largest;

  /// Of no point.
  __device__ static chunk_extent nothing() noexcept {
    chunk_extent e;
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      e.low[axis] = not_yet_measured<Scalar>;
      e.high[axis] = -not_yet_measured<Scalar>;
    }
    e.largest = no_candidate<Scalar>;
    return e;
  }

  __device__ void grow(chunk_extent const& other) noexcept {
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      low[axis] = min_number(low[axis], other.low[axis]);
      high[axis] = max_number(high[axis], other.high[axis]);
    }
    largest = max_number(largest, other.largest);
  }

  /// Around what `Lanes` neighbouring lanes have.
  template <int Lanes>
  __device__ chunk_extent around_lanes() const noexcept {
    chunk_extent e;
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      e.low[axis] = cuda_warp::min<Lanes>(low[axis]);
      e.high[axis] = cuda_warp::max<Lanes>(high[axis]);
    }
    e.largest = largest_of_lanes<Lanes>(largest);
    return e;
  }

  /// As unsigned integers: one instruction for all 32 lanes.
  template <int Lanes>
  __device__ static Scalar largest_of_lanes(Scalar distance) noexcept {
    return distance_of<Scalar>(cuda_warp::max<Lanes>(distance_word_of(distance)));
  }

  __device__ static chunk_extent read(Scalar const* from, index_t pitch) noexcept {
    chunk_extent e;
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      e.low[axis] = from[axis * pitch];
      e.high[axis] = from[(Dim + axis) * pitch];
    }
    e.largest = from[2 * Dim * pitch];
    return e;
  }

  __device__ void write(Scalar* to, index_t pitch) const noexcept {
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      to[axis * pitch] = low[axis];
      to[(Dim + axis) * pitch] = high[axis];
    }
    to[2 * Dim * pitch] = largest;
  }
};

/// Memory for a block's share of a cloud, shared or global. The blocks of a group take the cloud's chunks in turn; in
/// memory of its own a share's chunks lie one after another, in memory for the whole cloud they stay where they are.
template <class Scalar, int Dim, class Chunking>
struct chunk_partition {
  Scalar* points;        ///< `[Dim + 1, point_pitch]`: the coordinates, then the distance to the nearest sample
  std::uint32_t* index;  ///< `[point_pitch]`: where in the cloud the point is
  index_t point_pitch;
  Scalar* boxes;  ///< `[2 Dim + 1, chunk_pitch]`: low and high corner, then the largest distance
  index_t chunk_pitch;
  Scalar* groups;  ///< `[2 Dim + 1, group_pitch]`: the same for groups of chunks
  index_t group_pitch;
  bool whole_points;  ///< points and index are for the whole cloud

  /// Bytes of the points and of the boxes for so many chunks.
  FARPOINT_HD static constexpr std::size_t point_bytes(index_t chunks) noexcept {
    return static_cast<std::size_t>(chunks) * Chunking::chunk * ((Dim + 1) * sizeof(Scalar) + sizeof(std::uint32_t));
  }
  FARPOINT_HD static constexpr std::size_t box_bytes(index_t chunks) noexcept {
    return static_cast<std::size_t>(chunks + Chunking::groups(chunks)) * (2 * Dim + 1) * sizeof(Scalar);
  }
  /// Of all.
  FARPOINT_HD static constexpr std::size_t bytes(index_t chunks) noexcept {
    return point_bytes(chunks) + box_bytes(chunks);
  }

  /// `chunks` chunks in a row, from `memory` on.
  FARPOINT_HD static chunk_partition at(void* memory, index_t chunks) noexcept {
    index_t const pitch = Chunking::chunk * chunks;
    auto* const points = static_cast<Scalar*>(memory);
    auto* const index = reinterpret_cast<std::uint32_t*>(points + (Dim + 1) * pitch);
    // Behind an even number of indices: aligned for doubles, too.
    auto* const boxes = reinterpret_cast<Scalar*>(index + pitch);
    return {points, index, pitch, boxes, chunks, boxes + (2 * Dim + 1) * chunks, Chunking::groups(chunks), false};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
