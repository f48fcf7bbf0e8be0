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

/// Chunks of a group: samples are tested against its box before they are tested against theirs.
inline constexpr int fps_group = 2;

FARPOINT_HD constexpr index_t fps_groups(index_t chunks) noexcept {
  return (chunks + fps_group - 1) / fps_group;
}

/// Memory for a slice, shared or global. The members of a team take the cloud's chunks in turn; in memory of its own a
/// slice's chunks lie one after another, in memory for the whole cloud they stay where they are.
template <class Scalar, int Dim>
struct fps_slice_memory {
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
    return static_cast<std::size_t>(chunks) * fps_chunk * ((Dim + 1) * sizeof(Scalar) + sizeof(std::uint32_t));
  }
  FARPOINT_HD static constexpr std::size_t box_bytes(index_t chunks) noexcept {
    return static_cast<std::size_t>(chunks + fps_groups(chunks)) * (2 * Dim + 1) * sizeof(Scalar);
  }
};

/// For each warp: which of a round's samples may lower something in one of its chunks.
template <int ListSize, int BlockSize>
struct fps_near_samples {
  std::uint16_t sample[BlockSize / 32][ListSize];
};

/// The chunks rank, rank + size, rank + 2 size, ... of a cloud, worked on by the warps of a block in groups.
template <class Points, int BlockSize>
class fps_slice {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int dim = Points::dim;
  static constexpr int warps = BlockSize / 32;

  __device__ fps_slice(Points const& cloud, int rank, int size, fps_slice_memory<scalar, dim> const& memory) noexcept
      : memory_{memory}, points_{static_cast<std::uint32_t>(cloud.size())}, rank_{rank}, size_{size} {
    int const all = static_cast<int>(fps_chunks(cloud.size()));
    chunks_ = rank < all ? (all - rank + size - 1) / size : 0;
  }

  /// Fills the memory: `order` is the cloud in Morton order. Returns how many points that this lane saw are not finite.
  /// Each warp loads what it works on later, so that no barrier is needed.
  __device__ unsigned load(Points const& cloud, std::uint32_t const* order) noexcept {
    unsigned bad = 0;
    for (int group = warp(); group * fps_group < chunks_; group += warps) {
      extent around = nothing();
      for (int chunk = group * fps_group; chunk < end_of(group); ++chunk) {
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
        extent const box = around_warp(point, good);
        write_extent(memory_.boxes + chunk, memory_.chunk_pitch, box);
#pragma unroll
        for (int axis = 0; axis < dim; ++axis) {
          around.low[axis] = min_number(around.low[axis], box.low[axis]);
          around.high[axis] = max_number(around.high[axis], box.high[axis]);
        }
        around.largest = max_number(around.largest, box.largest);
      }
      write_extent(memory_.groups + group, memory_.group_pitch, around);
    }
    cuda_warp::sync();
    return bad;
  }

  /// Lowers distances to `samples[0, count)`, all in shared memory; marks the samples themselves as taken; then puts
  /// all points above the cut into the list, with the largest distance into the tally.
  /// @param nearby  this warp's scratch memory for numbers of samples
  template <class Sample, class List, class Number>
  __device__ void lower_and_collect(Sample const* samples, unsigned count, fps_cut<scalar> const& cut, List& list,
                                    fps_tally<scalar>& tally, Number* nearby) noexcept {
    scalar largest = fps_taken<scalar>;
    for (int group = warp(); group * fps_group < chunks_; group += warps) {
      extent const box = read_extent(memory_.groups + group, memory_.group_pitch);
      if (box.largest < 0) continue;
      unsigned const near_count = find_near(box, samples, count, nearby);
      scalar after = box.largest;
      if (near_count > 0 || box.largest >= cut.distance) {
        after = fps_taken<scalar>;
        for (int chunk = group * fps_group; chunk < end_of(group); ++chunk) {
          after = max_number(after, lower_and_collect(chunk, samples, nearby, near_count, cut, list, tally));
        }
        if (cuda_warp::lane() == 0) memory_.groups[2 * dim * memory_.group_pitch + group] = after;
        cuda_warp::sync();
      }
      largest = max_number(largest, after);
    }
    if (cuda_warp::lane() == 0 && largest >= 0) atomicMax(&tally.largest, fps_rank<scalar>::of(largest));
  }

 private:
  /// A box, and the largest distance in it.
  struct extent {
    point_type low;
    point_type high;
    scalar largest;
  };

  __device__ static extent nothing() noexcept {
    extent e;
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      e.low[axis] = fps_unseen<scalar>;
      e.high[axis] = -fps_unseen<scalar>;
    }
    e.largest = fps_taken<scalar>;
    return e;
  }

  /// Around the good points of all lanes.
  __device__ static extent around_warp(point_type const& point, bool good) noexcept {
    extent e = nothing();
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      e.low[axis] = cuda_warp::min(good ? point[axis] : e.low[axis]);
      e.high[axis] = cuda_warp::max(good ? point[axis] : e.high[axis]);
    }
    if (cuda_warp::ballot(good) != 0) e.largest = fps_unseen<scalar>;
    return e;
  }

  __device__ static extent read_extent(scalar const* from, index_t pitch) noexcept {
    extent e;
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      e.low[axis] = from[axis * pitch];
      e.high[axis] = from[(dim + axis) * pitch];
    }
    e.largest = from[2 * dim * pitch];
    return e;
  }

  __device__ static void write_extent(scalar* to, index_t pitch, extent const& e) noexcept {
    if (cuda_warp::lane() != 0) return;
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      to[axis * pitch] = e.low[axis];
      to[(dim + axis) * pitch] = e.high[axis];
    }
    to[2 * dim * pitch] = e.largest;
  }

  __device__ static int warp() noexcept {
    return static_cast<int>(threadIdx.x) / 32;
  }
  __device__ int end_of(int group) const noexcept {
    return ::min((group + 1) * fps_group, chunks_);
  }

  /// This lane's point of my chunk: its place in the order of the cloud, and in memory.
  __device__ std::uint32_t place_of(int chunk) const noexcept {
    return (static_cast<std::uint32_t>(chunk) * static_cast<std::uint32_t>(size_) + static_cast<std::uint32_t>(rank_)) *
               fps_chunk +
           static_cast<std::uint32_t>(cuda_warp::lane());
  }
  __device__ index_t point_at(int chunk) const noexcept {
    return memory_.whole_points ? index_t{place_of(chunk)} : index_t{chunk} * fps_chunk + cuda_warp::lane();
  }

  /// Lists the samples that may lower something in a group; returns how many.
  template <class Sample, class Number>
  __device__ static unsigned find_near(extent const& box, Sample const* samples, unsigned count,
                                       Number* nearby) noexcept {
    unsigned near_count = 0;
    for (unsigned first = 0; first < count; first += 32) {
      unsigned const mine = first + static_cast<unsigned>(cuda_warp::lane());
      bool const hit = mine < count && box_distance2(box.low, box.high, samples[mine].point) <= box.largest;
      unsigned const hits = cuda_warp::ballot(hit);
      if (hit) nearby[near_count + __popc(hits & ((1u << cuda_warp::lane()) - 1))] = static_cast<Number>(mine);
      near_count += static_cast<unsigned>(__popc(hits));
    }
    cuda_warp::sync();
    return near_count;
  }

  /// Returns the chunk's largest distance.
  template <class Sample, class List, class Number>
  __device__ scalar lower_and_collect(int chunk, Sample const* samples, Number const* nearby, unsigned near_count,
                                      fps_cut<scalar> const& cut, List& list, fps_tally<scalar>& tally) noexcept {
    extent const box = read_extent(memory_.boxes + chunk, memory_.chunk_pitch);
    if (box.largest < 0) return box.largest;

    bool const real = place_of(chunk) < points_;
    index_t const at = point_at(chunk);
    point_type point{};
    scalar nearest = fps_taken<scalar>;
    bool loaded = false;
    auto const load = [&] {
      loaded = true;
      if (!real) return;
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) point[axis] = memory_.points[axis * memory_.point_pitch + at];
      nearest = memory_.points[dim * memory_.point_pitch + at];
    };

    // 32 samples are tested against the box at once, one a lane; those that may lower something come one by one.
    for (unsigned first = 0; first < near_count; first += 32) {
      unsigned const mine = first + static_cast<unsigned>(cuda_warp::lane());
      bool const hit =
          mine < near_count && box_distance2(box.low, box.high, samples[nearby[mine]].point) <= box.largest;
      unsigned hits = cuda_warp::ballot(hit);
      if (hits == 0) continue;
      if (!loaded) load();
      while (hits != 0) {
        // From both ends, so that two loads overlap; the last of an odd number comes twice.
        auto const a = samples[nearby[first + static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1]];
        unsigned const last = 31 - static_cast<unsigned>(__clz(static_cast<int>(hits)));
        auto const b = samples[nearby[first + last]];
        nearest = min_number(min_number(distance2(point, a.point), distance2(point, b.point)), nearest);
        hits &= (hits - 1) & ~(1u << last);
      }
    }
    scalar largest = box.largest;
    if (loaded) {
      // A sample is at distance 0 of itself, but so are its duplicates.
      if (cuda_warp::ballot(nearest == 0) != 0) nearest = without_samples(chunk, nearest, samples, nearby, near_count);
      if (real) memory_.points[dim * memory_.point_pitch + at] = nearest;
      largest = fps_rank<scalar>::back(cuda_warp::max(fps_rank<scalar>::of(nearest)));
      if (cuda_warp::lane() == 0) memory_.boxes[2 * dim * memory_.chunk_pitch + chunk] = largest;
      cuda_warp::sync();
    }
    if (largest >= cut.distance) {
      if (!loaded) load();
      collect(point, nearest, real ? memory_.index[at] : 0, cut, list, tally);
    }
    return largest;
  }

  /// The distance of this lane's point, or none if it is a sample.
  template <class Sample, class Number>
  __device__ scalar without_samples(int chunk, scalar nearest, Sample const* samples, Number const* nearby,
                                    unsigned near_count) const noexcept {
    if (nearest != 0) return nearest;
    std::uint32_t const index = memory_.index[point_at(chunk)];
    for (unsigned s = 0; s < near_count; ++s) {
      if (samples[nearby[s]].index == index) return fps_taken<scalar>;
    }
    return nearest;
  }

  template <class List>
  __device__ static void collect(point_type const& point, scalar nearest, std::uint32_t index,
                                 fps_cut<scalar> const& cut, List& list, fps_tally<scalar>& tally) noexcept {
    bool const above = cut.is_below(nearest, index);
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
