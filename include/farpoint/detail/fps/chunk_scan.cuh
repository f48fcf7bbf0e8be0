/// @file
/// A block's share of a cloud: chunks of neighbours in Morton order, each with its box and its largest distance.
#pragma once

#include <farpoint/detail/fps/round_memory.cuh>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// How the points of a slice are bundled: neighbours into chunks, and chunks into groups. A lane has one point of a
/// chunk of 32; several of a larger one; and smaller chunks lie side by side in a warp.
template <int ChunkSize, int GroupSize>
struct fps_chunking {
  static constexpr int chunk = ChunkSize;  ///< points of a chunk
  static constexpr int group = GroupSize;  ///< chunks of a group: samples are tested against its box first

  static constexpr int lanes = chunk < 32 ? chunk : 32;  ///< that work on a chunk
  static constexpr int abreast = 32 / lanes;             ///< chunks that a warp works on at once
  static constexpr int each = chunk / lanes;             ///< points of a chunk for each of its lanes
  static_assert(chunk >= 8 && chunk <= 256 && (chunk & (chunk - 1)) == 0, "farpoint: 8, 16, 32, ... 256 points");
  static_assert(group > 0 && group % abreast == 0, "farpoint: a group is one or more of a warp's steps");

  /// Chunks that hold so many points, and groups that hold so many chunks.
  FARPOINT_HD static constexpr index_t chunks(index_t points) noexcept { return (points + chunk - 1) / chunk; }
  FARPOINT_HD static constexpr index_t groups(index_t chunks) noexcept { return (chunks + group - 1) / group; }
};

/// Memory for a slice, shared or global. The blocks of a group take the cloud's chunks in turn; in memory of its own a
/// slice's chunks lie one after another, in memory for the whole cloud they stay where they are.
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
};

/// The chunks rank, rank + size, rank + 2 size, ... of a cloud, worked on by the warps of a block in groups.
///
/// Whatever the size of a chunk, all lanes of a warp go the same way together. What a lane calls "my chunk" is the one
/// that it has points of; where chunks lie abreast, a warp does what any of them needs.
template <class Points, int BlockSize, class Chunking>
class chunk_scan {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  using memory_type = chunk_partition<scalar, Points::dim, Chunking>;
  static constexpr int dim = Points::dim;
  static constexpr int warps = BlockSize / 32;

  __device__ chunk_scan(Points const& cloud, int rank, int size, memory_type const& memory) noexcept
      : memory_{memory}, points_{static_cast<std::uint32_t>(cloud.size())}, rank_{rank}, size_{size} {
    int const all = static_cast<int>(Chunking::chunks(cloud.size()));
    chunks_ = rank < all ? (all - rank + size - 1) / size : 0;
  }

  /// Fills the memory: `order` is the cloud in Morton order. Returns how many points that this lane saw are not finite.
  /// Each warp loads what it works on later, so that no barrier is needed.
  __device__ unsigned load(Points const& cloud, std::uint32_t const* order) noexcept {
    unsigned bad = 0;
    for (int group = warp(); group * Chunking::group < chunks_; group += warps) {
      extent around = nothing();
      for (int first = group * Chunking::group; first < end_of(group); first += Chunking::abreast) {
        int const chunk = first + part();
        extent const box = load_chunk(chunk, cloud, order, bad);
        if (is_leader() && exists(chunk)) write_extent(memory_.boxes + chunk, memory_.chunk_pitch, box);
        grow(around, box);
      }
      if constexpr (Chunking::abreast > 1) around = around_lanes<32>(around);
      if (cuda_warp::lane() == 0) write_extent(memory_.groups + group, memory_.group_pitch, around);
    }
    cuda_warp::sync();
    return bad;
  }

  /// Lowers distances to `samples[0, count)`, all in shared memory; marks the samples themselves as taken; then puts
  /// all points above the cut into the list, with the largest distance into the tally.
  /// @param nearby  this warp's scratch memory for numbers of samples
  template <class Sample, class List, class Number>
  __device__ void lower_and_collect(Sample const* samples, unsigned count, candidate_threshold<scalar> const& cut,
                                    List& list, round_counters<scalar>& tally, Number* nearby) noexcept {
    scalar largest = no_candidate<scalar>;
    for (int group = warp(); group * Chunking::group < chunks_; group += warps) {
      extent const box = read_extent(memory_.groups + group, memory_.group_pitch);
      if (box.largest < 0) continue;
      unsigned const near_count = find_near(box, samples, count, nearby);
      scalar after = box.largest;
      if (near_count > 0 || box.largest >= cut.distance) {
        after = no_candidate<scalar>;
        for (int first = group * Chunking::group; first < end_of(group); first += Chunking::abreast) {
          after = max_number(after, lower_and_collect(first, samples, nearby, near_count, cut, list, tally));
        }
        if constexpr (Chunking::abreast > 1) after = largest_of<32>(after);
        if (cuda_warp::lane() == 0) memory_.groups[2 * dim * memory_.group_pitch + group] = after;
        cuda_warp::sync();
      }
      largest = max_number(largest, after);
    }
    if (cuda_warp::lane() == 0 && largest >= 0) atomicMax(&tally.largest, fps_rank<scalar>::of(largest));
  }

 private:
  static constexpr int each = Chunking::each;

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
      e.low[axis] = not_yet_measured<scalar>;
      e.high[axis] = -not_yet_measured<scalar>;
    }
    e.largest = no_candidate<scalar>;
    return e;
  }

  __device__ static void grow(extent& e, extent const& other) noexcept {
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      e.low[axis] = min_number(e.low[axis], other.low[axis]);
      e.high[axis] = max_number(e.high[axis], other.high[axis]);
    }
    e.largest = max_number(e.largest, other.largest);
  }

  /// Around what `Lanes` neighbouring lanes have.
  template <int Lanes>
  __device__ static extent around_lanes(extent e) noexcept {
#pragma unroll
    for (int axis = 0; axis < dim; ++axis) {
      e.low[axis] = cuda_warp::min<Lanes>(e.low[axis]);
      e.high[axis] = cuda_warp::max<Lanes>(e.high[axis]);
    }
    e.largest = largest_of<Lanes>(e.largest);
    return e;
  }

  /// As unsigned integers: one instruction for all 32 lanes.
  template <int Lanes>
  __device__ static scalar largest_of(scalar distance) noexcept {
    return fps_rank<scalar>::back(cuda_warp::max<Lanes>(fps_rank<scalar>::of(distance)));
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
    return ::min((group + 1) * Chunking::group, chunks_);
  }

  /// My chunk among those abreast, and my lane in it.
  __device__ static int part() noexcept {
    return cuda_warp::lane() / Chunking::lanes;
  }
  __device__ static unsigned lane() noexcept {
    return static_cast<unsigned>(cuda_warp::lane() % Chunking::lanes);
  }
  __device__ static bool is_leader() noexcept {
    return lane() == 0;
  }
  __device__ bool exists(int chunk) const noexcept {
    return Chunking::abreast == 1 || chunk < chunks_;
  }
  /// Whether it is so for a chunk of this warp's step.
  __device__ static bool any(bool mine) noexcept {
    return Chunking::abreast == 1 ? mine : cuda_warp::ballot(mine) != 0;
  }
  /// The votes of my chunk's lanes.
  __device__ static unsigned of_chunk(unsigned votes) noexcept {
    if constexpr (Chunking::abreast == 1) {
      return votes;
    } else {
      return votes >> (part() * Chunking::lanes) & ((1u << Chunking::lanes) - 1);
    }
  }

  /// This lane's point i of a chunk: its place in the order of the cloud, and in memory. The places of a chunk that
  /// does not exist are beyond the cloud.
  __device__ std::uint32_t place_of(int chunk, int i) const noexcept {
    return (static_cast<std::uint32_t>(chunk) * static_cast<std::uint32_t>(size_) + static_cast<std::uint32_t>(rank_)) *
               Chunking::chunk +
           static_cast<unsigned>(i) * Chunking::lanes + lane();
  }
  __device__ index_t point_at(int chunk, int i) const noexcept {
    return memory_.whole_points ? index_t{place_of(chunk, i)}
                                : index_t{chunk} * Chunking::chunk + i * Chunking::lanes + lane();
  }

  /// Fills the memory of my chunk's points; returns what is around them.
  __device__ extent load_chunk(int chunk, Points const& cloud, std::uint32_t const* order, unsigned& bad) noexcept {
    extent box = nothing();
#pragma unroll
    for (int i = 0; i < each; ++i) {
      std::uint32_t const place = place_of(chunk, i);
      if (place >= points_) continue;
      // Only a batch with broken offsets has an index beyond the cloud.
      std::uint32_t const index = order[place];
      bool const real = index < points_;
      point_type const point = real ? cloud[index] : point_type{};
      bool const good = real && is_finite(point);
      bad += real && !good;
      index_t const at = point_at(chunk, i);
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) memory_.points[axis * memory_.point_pitch + at] = point[axis];
      memory_.points[dim * memory_.point_pitch + at] = good ? not_yet_measured<scalar> : no_candidate<scalar>;
      memory_.index[at] = index;
      if (good) grow(box, {point, point, not_yet_measured<scalar>});
    }
    return around_lanes<Chunking::lanes>(box);
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

  /// This lane's points of its chunk.
  struct own_points {
    point_type point[each];
    scalar nearest[each];
  };

  __device__ own_points read_points(int chunk) const noexcept {
    own_points mine;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      mine.point[i] = {};
      mine.nearest[i] = no_candidate<scalar>;
      if (place_of(chunk, i) >= points_) continue;
      index_t const at = point_at(chunk, i);
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) mine.point[i][axis] = memory_.points[axis * memory_.point_pitch + at];
      mine.nearest[i] = memory_.points[dim * memory_.point_pitch + at];
    }
    return mine;
  }

  /// For the chunks abreast from `first` on. Returns the largest distance of my chunk.
  template <class Sample, class List, class Number>
  __device__ scalar lower_and_collect(int first, Sample const* samples, Number const* nearby, unsigned near_count,
                                      candidate_threshold<scalar> const& cut, List& list,
                                      round_counters<scalar>& tally) noexcept {
    int const chunk = first + part();
    extent const box = exists(chunk) ? read_extent(memory_.boxes + chunk, memory_.chunk_pitch) : nothing();
    if (!any(box.largest >= 0)) return box.largest;

    own_points mine;
    bool loaded = false;
    auto const load = [&] {
      loaded = true;
      mine = read_points(chunk);
    };

    // A sample for each lane is tested against the box at once; those that may lower something come one by one. Where a
    // chunk is all of its group, the group's box was its own.
    for (unsigned start = 0; start < near_count; start += Chunking::lanes) {
      unsigned const number = start + lane();
      bool const hit =
          number < near_count &&
          (Chunking::group == 1 || box_distance2(box.low, box.high, samples[nearby[number]].point) <= box.largest);
      unsigned const votes = cuda_warp::ballot(hit);
      if (votes == 0) continue;
      if (!loaded) load();
      for (unsigned hits = of_chunk(votes); hits != 0;) {
        // From both ends, so that two loads overlap; the last of an odd number comes twice.
        auto const a = samples[nearby[start + static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1]];
        unsigned const last = 31 - static_cast<unsigned>(__clz(static_cast<int>(hits)));
        auto const b = samples[nearby[start + last]];
#pragma unroll
        for (int i = 0; i < each; ++i) {
          scalar const nearer = min_number(distance2(mine.point[i], a.point), distance2(mine.point[i], b.point));
          mine.nearest[i] = min_number(nearer, mine.nearest[i]);
        }
        hits &= (hits - 1) & ~(1u << last);
      }
    }
    scalar largest = box.largest;
    if (loaded) largest = write_distances(chunk, mine, samples, nearby, near_count);
    if (any(largest >= cut.distance)) {
      if (!loaded) load();
#pragma unroll
      for (int i = 0; i < each; ++i) collect(chunk, i, mine, cut, list, tally);
    }
    return largest;
  }

  /// Writes the distances of my points, none for samples; returns the largest of my chunk.
  template <class Sample, class Number>
  __device__ scalar write_distances(int chunk, own_points& mine, Sample const* samples, Number const* nearby,
                                    unsigned near_count) noexcept {
    // A sample is at distance 0 of itself, but so are its duplicates.
    bool zero = false;
#pragma unroll
    for (int i = 0; i < each; ++i) zero |= mine.nearest[i] == 0;
    if (cuda_warp::ballot(zero) != 0) take_samples(chunk, mine, samples, nearby, near_count);

    scalar largest = no_candidate<scalar>;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (place_of(chunk, i) < points_)
        memory_.points[dim * memory_.point_pitch + point_at(chunk, i)] = mine.nearest[i];
      largest = max_number(largest, mine.nearest[i]);
    }
    largest = largest_of<Chunking::lanes>(largest);
    // Chunks abreast went through different numbers of samples: all lanes have read the box before it is written.
    if constexpr (Chunking::abreast > 1) cuda_warp::sync();
    if (is_leader() && exists(chunk)) memory_.boxes[2 * dim * memory_.chunk_pitch + chunk] = largest;
    cuda_warp::sync();
    return largest;
  }

  /// Leaves those of my points that are samples without a distance.
  template <class Sample, class Number>
  __device__ void take_samples(int chunk, own_points& mine, Sample const* samples, Number const* nearby,
                               unsigned near_count) const noexcept {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine.nearest[i] != 0) continue;
      std::uint32_t const index = memory_.index[point_at(chunk, i)];
      for (unsigned s = 0; s < near_count; ++s) {
        if (samples[nearby[s]].index == index) mine.nearest[i] = no_candidate<scalar>;
      }
    }
  }

  template <class List>
  __device__ void collect(int chunk, int i, own_points const& mine, candidate_threshold<scalar> const& cut, List& list,
                          round_counters<scalar>& tally) const noexcept {
    std::uint32_t const index = place_of(chunk, i) < points_ ? memory_.index[point_at(chunk, i)] : 0;
    bool const above = cut.admits(mine.nearest[i], index);
    unsigned const all = cuda_warp::ballot(above);
    if (all == 0) return;
    unsigned place = 0;
    if (cuda_warp::lane() == 0) place = atomicAdd(&tally.found, static_cast<unsigned>(__popc(all)));
    place = cuda_warp::shuffle(place, 0) + static_cast<unsigned>(__popc(all & ((1u << cuda_warp::lane()) - 1)));
    if (!above) return;
    if (place < List::size) {
      list.set(place, mine.point[i], mine.nearest[i], index);
    } else {
      atomicMax(&tally.dropped, fps_rank<scalar>::of(mine.nearest[i]));
    }
  }

  memory_type memory_;
  std::uint32_t points_;
  int rank_;
  int size_;
  int chunks_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
