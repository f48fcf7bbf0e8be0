/// @file
/// A block's share of a cloud: chunks of 32 neighbours in Morton order, each with its box and its largest distance.
#pragma once

#include <farpoint/block/cuda_warp.cuh>
#include <farpoint/detail/fps_rounds_memory.cuh>
#include <farpoint/spatial/box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Points of a chunk: one for each lane of a warp.
inline constexpr int fps_chunk = 32;

FARPOINT_HD constexpr index_t fps_chunks(index_t points) noexcept {
  return (points + fps_chunk - 1) / fps_chunk;
}

/// Memory for a slice, shared or global. The members of a team take the cloud's chunks in turn; in memory of its own a
/// slice's chunks lie one after another, in memory for the whole cloud they stay where they are.
template <class Scalar, int Dim>
struct fps_slice_memory {
  Scalar* points;         ///< `[Dim + 1, point_pitch]`: the coordinates, then the distance to the nearest sample
  std::uint32_t* index;   ///< `[point_pitch]`: where in the cloud the point is
  index_t point_pitch;
  Scalar* boxes;          ///< `[2 Dim + 1, chunk_pitch]`: low and high corner, then the largest distance
  index_t chunk_pitch;
  bool whole_points;      ///< points and index are for the whole cloud...
  bool whole_boxes;       ///< ...and boxes likewise

  /// Bytes of the points and of the boxes for so many chunks.
  FARPOINT_HD static constexpr std::size_t point_bytes(index_t chunks) noexcept {
    return static_cast<std::size_t>(chunks) * fps_chunk * ((Dim + 1) * sizeof(Scalar) + sizeof(std::uint32_t));
  }
  FARPOINT_HD static constexpr std::size_t box_bytes(index_t chunks) noexcept {
    return static_cast<std::size_t>(chunks) * (2 * Dim + 1) * sizeof(Scalar);
  }
};

/// The chunks rank, rank + size, rank + 2 size, ... of a cloud, worked on by the warps of a block.
template <class Points, int BlockSize>
class fps_slice {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int dim = Points::dim;
  static constexpr int warps = BlockSize / 32;

  __device__ fps_slice(Points const& cloud, int rank, int size, fps_slice_memory<scalar, dim> const& memory) noexcept
      : memory_{memory}, points_{static_cast<std::uint32_t>(cloud.size())}, rank_{rank}, size_{size} {
    int const chunks = static_cast<int>(fps_chunks(cloud.size()));
    chunks_ = rank < chunks ? (chunks - rank + size - 1) / size : 0;
  }

  /// Fills the memory: `order` is the cloud in Morton order. Returns how many points that this lane saw are not finite.
  /// Each warp loads what it works on later, so that no barrier is needed.
  __device__ unsigned load(Points const& cloud, std::uint32_t const* order) noexcept {
    unsigned bad = 0;
    for (int chunk = first_chunk(); chunk < chunks_; chunk += warps) {
      std::uint32_t const place = place_of(chunk);
      // Only a batch with broken offsets has an index beyond the cloud.
      std::uint32_t const index = place < points_ ? order[place] : points_;
      bool const real = index < points_;
      point_type const point = real ? cloud[index] : point_type{};
      bool const good = real && is_finite(point);
      bad += real && !good;
      if (place < points_) {
        index_t const at = point_at(chunk);
#pragma unroll
        for (int axis = 0; axis < dim; ++axis) memory_.points[axis * memory_.point_pitch + at] = point[axis];
        memory_.points[dim * memory_.point_pitch + at] = good ? fps_unseen<scalar> : fps_taken<scalar>;
        memory_.index[at] = index;
      }
      index_t const box = box_at(chunk);
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) {
        scalar const low = cuda_warp::min(good ? point[axis] : fps_unseen<scalar>);
        scalar const high = cuda_warp::max(good ? point[axis] : -fps_unseen<scalar>);
        if (cuda_warp::lane() == 0) {
          memory_.boxes[axis * memory_.chunk_pitch + box] = low;
          memory_.boxes[(dim + axis) * memory_.chunk_pitch + box] = high;
        }
      }
      bool const any = cuda_warp::ballot(good) != 0;
      if (cuda_warp::lane() == 0) {
        memory_.boxes[2 * dim * memory_.chunk_pitch + box] = any ? fps_unseen<scalar> : fps_taken<scalar>;
      }
      cuda_warp::sync();
    }
    return bad;
  }

  /// Lowers distances to `samples[0, count)`, all in shared memory; marks the samples themselves as taken; then puts
  /// all points above the cut into the list, with the largest distance into the tally.
  template <class List>
  __device__ void lower_and_collect(List const& samples, unsigned count, fps_cut<scalar> const& cut, List& list,
                                    fps_tally<scalar>& tally) noexcept {
    scalar largest = fps_taken<scalar>;
    for (int chunk = first_chunk(); chunk < chunks_; chunk += warps) {
      scalar const after = lower_and_collect(chunk, samples, count, cut, list, tally);
      largest = after > largest ? after : largest;
    }
    if (cuda_warp::lane() == 0 && largest >= 0) atomicMax(&tally.largest, fps_rank<scalar>::of(largest));
  }

 private:
  __device__ static int first_chunk() noexcept { return static_cast<int>(threadIdx.x) / 32; }

  /// This lane's point of my chunk: its place in the order of the cloud, and in memory.
  __device__ std::uint32_t place_of(int chunk) const noexcept {
    return (static_cast<std::uint32_t>(chunk) * static_cast<std::uint32_t>(size_) + static_cast<std::uint32_t>(rank_)) *
               fps_chunk +
           static_cast<std::uint32_t>(cuda_warp::lane());
  }
  __device__ index_t point_at(int chunk) const noexcept {
    return memory_.whole_points ? index_t{place_of(chunk)} : index_t{chunk} * fps_chunk + cuda_warp::lane();
  }
  __device__ index_t box_at(int chunk) const noexcept {
    return memory_.whole_boxes ? index_t{chunk} * size_ + rank_ : index_t{chunk};
  }

  /// Returns the chunk's largest distance.
  template <class List>
  __device__ scalar lower_and_collect(int chunk, List const& samples, unsigned count, fps_cut<scalar> const& cut,
                                      List& list, fps_tally<scalar>& tally) noexcept {
    index_t const box = box_at(chunk);
    scalar& kept_largest = memory_.boxes[2 * dim * memory_.chunk_pitch + box];
    scalar largest = kept_largest;
    if (largest < 0) return largest;

    point_type low;
    point_type high;
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      low[axis] = memory_.boxes[axis * memory_.chunk_pitch + box];
      high[axis] = memory_.boxes[(dim + axis) * memory_.chunk_pitch + box];
    }

    bool const real = place_of(chunk) < points_;
    index_t const at = point_at(chunk);
    point_type point{};
    scalar nearest = fps_taken<scalar>;
    std::uint32_t index = 0;
    bool loaded = false;
    auto const load = [&] {
      loaded = true;
      if (!real) return;
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) point[axis] = memory_.points[axis * memory_.point_pitch + at];
      nearest = memory_.points[dim * memory_.point_pitch + at];
      index = memory_.index[at];
    };

    // 32 samples are tested against the box at once, one a lane; those that may lower something come one by one.
    for (unsigned first = 0; first < count; first += 32) {
      unsigned const mine = first + static_cast<unsigned>(cuda_warp::lane());
      bool const hit = mine < count && box_distance2(low, high, samples.point(mine)) <= largest;
      unsigned hits = cuda_warp::ballot(hit);
      if (hits != 0 && !loaded) load();
      for (; hits != 0; hits &= hits - 1) {
        unsigned const s = first + static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1;
        nearest = min_number(distance2(point, samples.point(s)), nearest);
        if (index == samples.index[s]) nearest = fps_taken<scalar>;
      }
    }
    if (loaded) {
      if (real) memory_.points[dim * memory_.point_pitch + at] = nearest;
      largest = fps_rank<scalar>::back(cuda_warp::max(fps_rank<scalar>::of(nearest)));
      if (cuda_warp::lane() == 0) kept_largest = largest;
      cuda_warp::sync();
    }
    if (largest >= cut.distance) {
      if (!loaded) load();
      collect(point, nearest, index, cut, list, tally);
    }
    return largest;
  }

  template <class List>
  __device__ static void collect(point_type const& point, scalar nearest, std::uint32_t index,
                                 fps_cut<scalar> const& cut, List& list, fps_tally<scalar>& tally) noexcept {
    bool const above = nearest >= 0 && cut.is_below(nearest, index);
    unsigned const all = cuda_warp::ballot(above);
    if (all == 0) return;
    unsigned place = 0;
    if (cuda_warp::lane() == 0) place = atomicAdd(&tally.found, static_cast<unsigned>(__popc(all)));
    place = cuda_warp::shuffle(place, 0) + static_cast<unsigned>(__popc(all & ((1u << cuda_warp::lane()) - 1)));
    if (!above) return;
    if (place < List::size) {
      list.set(place, point, nearest, index);
    } else {
      atomicMax(&tally.dropped, fps_rank<scalar>::of(nearest));
    }
  }

  fps_slice_memory<scalar, dim> memory_;
  std::uint32_t points_;
  int rank_;
  int size_;
  int chunks_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
