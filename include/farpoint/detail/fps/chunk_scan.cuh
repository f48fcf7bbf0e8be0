/// @file
/// What a block does with its share of a cloud: loads it, lowers its distances, and collects candidates.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/chunk_partition.cuh>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The numbers of those samples of a round that may lower a distance.
template <class Sample, class Number>
struct nearby_samples {
  Sample const* samples;
  Number const* numbers;  ///< of this warp
  unsigned count;

  __device__ Sample const& operator[](unsigned i) const noexcept { return samples[numbers[i]]; }
};

/// The chunks rank, rank + size, rank + 2 size, ... of a cloud, worked on by the warps of a block in groups.
///
/// Whatever the size of a chunk, all lanes of a warp take the same path. A lane's own chunk ("my chunk") is the one
/// that it has points of; where several lie side by side, the warp does what any of them needs.
template <class Points, int BlockSize, class Chunking>
class chunk_scan {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  using partition_type = chunk_partition<scalar, Points::dim, Chunking>;
  static constexpr int dim = Points::dim;
  static constexpr int warps = BlockSize / 32;

  __device__ chunk_scan(Points const& cloud, int rank, int size, partition_type const& partition) noexcept
      : partition_{partition}, points_{static_cast<std::uint32_t>(cloud.size())}, rank_{rank}, size_{size} {
    int const all = static_cast<int>(Chunking::chunks(cloud.size()));
    chunks_ = rank < all ? divide_up(all - rank, size) : 0;
  }

  /// Fills the memory: `order` is the cloud in Morton order. Returns how many points that this lane saw are not finite.
  /// Each warp loads what it works on later, so that no barrier is needed.
  __device__ unsigned load(Points const& cloud, std::uint32_t const* order) noexcept {
    unsigned bad = 0;
    for (int group = warp(); group * Chunking::group < chunks_; group += warps) {
      extent around = extent::nothing();
      for (int first = group * Chunking::group; first < end_of(group); first += Chunking::abreast) {
        int const chunk = first + part();
        extent const box = load_chunk(chunk, cloud, order, bad);
        if (is_leader() && exists(chunk)) box.write(partition_.boxes + chunk, partition_.chunk_pitch);
        around.grow(box);
      }
      if constexpr (Chunking::abreast > 1) around = around.template around_lanes<32>();
      if (cuda_warp::lane() == 0) around.write(partition_.groups + group, partition_.group_pitch);
    }
    cuda_warp::sync();
    return bad;
  }

  /// Lowers distances to `samples[0, count)`, all in shared memory; marks the samples themselves as taken; then puts
  /// all points above the threshold into the list, with the largest distance into the counters.
  /// @param nearby  this warp's scratch memory for numbers of samples
  template <class Sample, class List, class Number>
  __device__ void lower_and_collect(Sample const* samples, unsigned count, candidate_threshold<scalar> const& threshold,
                                    List& list, round_counters<scalar>& counters, Number* nearby) noexcept {
    scalar largest = no_candidate<scalar>;
    for (int group = warp(); group * Chunking::group < chunks_; group += warps) {
      extent const box = extent::read(partition_.groups + group, partition_.group_pitch);
      if (box.largest < 0) continue;
      auto const near = find_near(box, samples, count, nearby);
      scalar after = box.largest;
      if (near.count > 0 || box.largest >= threshold.distance) {
        after = no_candidate<scalar>;
        for (int first = group * Chunking::group; first < end_of(group); first += Chunking::abreast) {
          after = max_number(after, lower_and_collect(first, near, threshold, list, counters));
        }
        if constexpr (Chunking::abreast > 1) after = extent::template largest_of_lanes<32>(after);
        if (cuda_warp::lane() == 0) partition_.groups[2 * dim * partition_.group_pitch + group] = after;
        cuda_warp::sync();
      }
      largest = max_number(largest, after);
    }
    if (cuda_warp::lane() == 0 && largest >= 0) atomicMax(&counters.largest, distance_word_of(largest));
  }

 private:
  static constexpr int each = Chunking::each;
  using extent = chunk_extent<scalar, dim>;

  __device__ static int warp() noexcept { return static_cast<int>(threadIdx.x) / 32; }
  __device__ int end_of(int group) const noexcept { return ::min((group + 1) * Chunking::group, chunks_); }

  /// My chunk among those abreast, and my lane in it.
  __device__ static int part() noexcept { return cuda_warp::lane() / Chunking::lanes; }
  __device__ static unsigned lane() noexcept { return static_cast<unsigned>(cuda_warp::lane() % Chunking::lanes); }
  __device__ static bool is_leader() noexcept { return lane() == 0; }
  __device__ bool exists(int chunk) const noexcept { return Chunking::abreast == 1 || chunk < chunks_; }
  /// Whether it holds for any chunk of this warp's step.
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
    return partition_.whole_points ? index_t{place_of(chunk, i)}
                                   : index_t{chunk} * Chunking::chunk + i * Chunking::lanes + lane();
  }

  /// Fills the memory of my chunk's points; returns what is around them.
  __device__ extent load_chunk(int chunk, Points const& cloud, std::uint32_t const* order, unsigned& bad) noexcept {
    extent box = extent::nothing();
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
      for (int axis = 0; axis < dim; ++axis) partition_.points[axis * partition_.point_pitch + at] = point[axis];
      partition_.points[dim * partition_.point_pitch + at] = good ? not_yet_measured<scalar> : no_candidate<scalar>;
      partition_.index[at] = index;
      if (good) box.grow({point, point, not_yet_measured<scalar>});
    }
    return box.template around_lanes<Chunking::lanes>();
  }

  /// Lists the samples that may lower a distance in a group.
  template <class Sample, class Number>
  __device__ static nearby_samples<Sample, Number> find_near(extent const& box, Sample const* samples, unsigned count,
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
    return {samples, nearby, near_count};
  }

  /// This lane's points of its chunk.
  struct own_points {
    point_type point[std::size_t{each}];
    scalar nearest[std::size_t{each}];
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
      for (int axis = 0; axis < dim; ++axis)
        mine.point[i][axis] = partition_.points[axis * partition_.point_pitch + at];
      mine.nearest[i] = partition_.points[dim * partition_.point_pitch + at];
    }
    return mine;
  }

  /// For the chunks abreast from `first` on. Returns the largest distance of my chunk.
  template <class Near, class List>
  __device__ scalar lower_and_collect(int first, Near const& near, candidate_threshold<scalar> const& threshold,
                                      List& list, round_counters<scalar>& counters) noexcept {
    int const chunk = first + part();
    extent const box =
        exists(chunk) ? extent::read(partition_.boxes + chunk, partition_.chunk_pitch) : extent::nothing();
    if (!any(box.largest >= 0)) return box.largest;

    own_points mine;
    bool loaded = false;
    auto const load = [&] {
      loaded = true;
      mine = read_points(chunk);
    };

    // A sample for each lane is tested against the box at once; those that may lower something come one by one. Where a
    // chunk is all of its group, the group's box was its own.
    for (unsigned start = 0; start < near.count; start += Chunking::lanes) {
      unsigned const number = start + lane();
      bool const hit = number < near.count &&
                       (Chunking::group == 1 || box_distance2(box.low, box.high, near[number].point) <= box.largest);
      unsigned const votes = cuda_warp::ballot(hit);
      if (votes == 0) continue;
      if (!loaded) load();
      for (unsigned hits = of_chunk(votes); hits != 0;) {
        // From both ends, so that two loads overlap; with an odd number the middle one is applied twice.
        auto const a = near[start + static_cast<unsigned>(lowest_bit(hits))];
        unsigned const last = 31 - static_cast<unsigned>(__clz(static_cast<int>(hits)));
        auto const b = near[start + last];
#pragma unroll
        for (int i = 0; i < each; ++i) {
          scalar const nearer = min_number(distance2(mine.point[i], a.point), distance2(mine.point[i], b.point));
          mine.nearest[i] = min_number(nearer, mine.nearest[i]);
        }
        hits &= (hits - 1) & ~(1u << last);
      }
    }
    scalar largest = box.largest;
    if (loaded) largest = write_distances(chunk, mine, near);
    if (any(largest >= threshold.distance)) {
      if (!loaded) load();
#pragma unroll
      for (int i = 0; i < each; ++i) collect(chunk, i, mine, threshold, list, counters);
    }
    return largest;
  }

  /// Writes the distances of my points, none for samples; returns the largest of my chunk.
  template <class Near>
  __device__ scalar write_distances(int chunk, own_points& mine, Near const& near) noexcept {
    // A sample is at distance 0 from itself, but so are its duplicates.
    bool zero = false;
#pragma unroll
    for (int i = 0; i < each; ++i) zero |= mine.nearest[i] == 0;
    if (cuda_warp::ballot(zero) != 0) take_samples(chunk, mine, near);

    scalar largest = no_candidate<scalar>;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (place_of(chunk, i) < points_)
        partition_.points[dim * partition_.point_pitch + point_at(chunk, i)] = mine.nearest[i];
      largest = max_number(largest, mine.nearest[i]);
    }
    largest = extent::template largest_of_lanes<Chunking::lanes>(largest);
    // Chunks abreast went through different numbers of samples: all lanes have read the box before it is written.
    if constexpr (Chunking::abreast > 1) cuda_warp::sync();
    if (is_leader() && exists(chunk)) partition_.boxes[2 * dim * partition_.chunk_pitch + chunk] = largest;
    cuda_warp::sync();
    return largest;
  }

  /// Marks those of my points that are samples as no candidates.
  template <class Near>
  __device__ void take_samples(int chunk, own_points& mine, Near const& near) const noexcept {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine.nearest[i] != 0) continue;
      std::uint32_t const index = partition_.index[point_at(chunk, i)];
      for (unsigned s = 0; s < near.count; ++s) {
        if (near[s].index == index) mine.nearest[i] = no_candidate<scalar>;
      }
    }
  }

  template <class List>
  __device__ void collect(int chunk, int i, own_points const& mine, candidate_threshold<scalar> const& threshold,
                          List& list, round_counters<scalar>& counters) const noexcept {
    std::uint32_t const index = place_of(chunk, i) < points_ ? partition_.index[point_at(chunk, i)] : 0;
    bool const above = threshold.admits(mine.nearest[i], index);
    unsigned const all = cuda_warp::ballot(above);
    if (all == 0) return;
    unsigned place = 0;
    if (cuda_warp::lane() == 0) place = atomicAdd(&counters.found, static_cast<unsigned>(__popc(all)));
    place = cuda_warp::shuffle(place, 0) + static_cast<unsigned>(__popc(all & ((1u << cuda_warp::lane()) - 1)));
    if (!above) return;
    if (place < List::size) {
      list.set(place, mine.point[i], mine.nearest[i], index);
    } else {
      atomicMax(&counters.dropped, distance_word_of(mine.nearest[i]));
    }
  }

  partition_type partition_;
  std::uint32_t points_;
  int rank_;
  int size_;
  int chunks_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
