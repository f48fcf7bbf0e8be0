/// @file
/// Keys of points by cloud and by cell: the first sort of building BVHs.
#pragma once

#include <farpoint/detail/bvh/build_args.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Two phases: boxes around the clouds, and then the keys that their cells give. Called by all threads of all blocks,
/// in step.
/// @tparam Sorter  a phased_radix_sort, which counts the digits of the keys
template <class Points, int Threads, class Sorter>
class bvh_point_keys {
 public:
  using context = bvh_sort_context<Points, Sorter>;
  using scalar = typename Points::scalar;
  using accumulator = set_accumulator<scalar, bvh_extent<scalar>, Threads>;

  static constexpr int phase_count = 2;

  using storage = typename accumulator::storage;

  __device__ explicit bvh_point_keys(context const& build) noexcept : build_{build} {}

  /// Finds the extent of each cloud, its finite points, and the wrong offsets.
  __device__ void measure(storage& shared) noexcept {
    accumulator extents{build_.args.extents};
    cloud_cursor<Points> cloud{build_.args.points};
    auto const add = [&](std::uint32_t first, std::uint32_t end, auto const& p) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        std::uint32_t const i = first + j * Threads;
        if (i >= end) break;
        cloud.go_to(i);
        if (is_finite(p[j]) && cloud.has(i)) extents.add(cloud.number(), p[j]);
      }
    };
    run_shares<Threads>(
        build_.phases,
        [&](share_type const& share) {
          if (share.number() == 0) build_.sorter.clear_counts();
          for_points<at_once>(share, add);
          if (build_.args.points.is_ragged()) count_bad_offsets(share);
        },
        [&] { extents.flush_over_block(shared); });
  }
  /// Writes the key of each point. Points that are not finite come last in their cloud, and points of no cloud before
  /// the first or behind the last cloud.
  __device__ void make(std::uint32_t* keys) noexcept {
    bool const is_bad = build_.args.state->faults.bad_offsets != 0;
    std::uint32_t const none = build_.args.bits.none();
    cloud_cursor<Points> cloud{build_.args.points};
    std::uint32_t known = ~0u;
    grid known_grid{};
    auto const make = [&](std::uint32_t first, std::uint32_t end, auto const& p) {
      std::uint32_t sets[codes_at_once];
      bool goes_on[codes_at_once];
      grid grids[codes_at_once];
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) {
        std::uint32_t const i = first + j * Threads;
        cloud.go_to(i < end ? i : first);
        if (cloud.number() != known) {
          known = cloud.number();
          known_grid = {build_.args.extents[known].box.get(), build_.args.bits.axis};
        }
        grids[j] = known_grid;
        goes_on[j] = !is_bad && is_finite(p[j]) && cloud.has(i);
        // Cloud 0 has the number 1 where points may come before it.
        sets[j] = cloud.number() + (build_.args.points.is_ragged() && !cloud.is_before(i) ? 1 : 0);
      }
      std::uint32_t codes[codes_at_once];
      find_codes(grids, p, codes);
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) {
        std::uint32_t const code = !goes_on[j] ? none : grids[j].has_extent() ? codes[j] : none - 1;
        if (first + j * Threads >= end) break;
        std::uint32_t const key = build_.args.bits.key(sets[j], code);
        keys[first + j * Threads] = key;
        build_.sorter.count(key, build_.args.bits.all());
      }
    };
    build_.sorter.start_counting();
    run_shares<Threads>(
        build_.phases,
        [&](share_type const& share) {
          build_.sorter.clear_sums(build_.args.size(), share.number(), share_type::count());
          for_points<codes_at_once>(share, make);
          for (index_t b = share.thread(); b <= build_.args.points.size(); b += share_type::threads()) {
            build_.args.index.clouds[b] = is_bad ? point_bvh_cloud{} : finite_cloud(b);
          }
        },
        [&] { build_.sorter.add_counts(build_.args.bits.all()); });
  }

 private:
  using grid = curve_grid<scalar>;
  using share_type = bvh_share<Threads>;

  /// Points that a thread loads and finds codes for at a time.
  static constexpr int items = static_cast<int>(Sorter::tile_size) / Threads;
  static constexpr int at_once = items < bvh_points_at_once ? items : bvh_points_at_once;
  static constexpr int codes_at_once = items < bvh_codes_at_once ? items : bvh_codes_at_once;

  /// Calls `function(first, end, points)` for the thread's part of a share of all points, some at a time: those with
  /// the numbers first + j * Threads that are below the end.
  template <int AtOnce, class Function>
  __device__ void for_points(share_type const& share, Function&& function) const noexcept {
    auto const part = share.part_of(build_.args.size());
    vec<scalar, 3> next[AtOnce] = {};
    auto const load_from = [&](std::uint32_t first) {
#pragma unroll
      for (int j = 0; j < AtOnce; ++j) {
        std::uint32_t const i = first + j * Threads;
        if (i < part.end) next[j] = build_.args.points.points()[i];
      }
    };
    load_from(part.begin + threadIdx.x);
#pragma unroll 1
    for (std::uint32_t first = part.begin + threadIdx.x; first < part.end; first += AtOnce * Threads) {
      vec<scalar, 3> p[AtOnce];
#pragma unroll
      for (int j = 0; j < AtOnce; ++j) p[j] = next[j];
      // Prefetches the next points, so that they load while `function` works.
      load_from(first + AtOnce * Threads);
      function(first, part.end, p);
    }
  }

  /// Begin and number of the finite points of cloud b; for b = size(), the end of the last cloud. Counts the points
  /// that are not finite.
  __device__ point_bvh_cloud finite_cloud(index_t b) const noexcept {
    auto const& points = build_.args.points;
    point_bvh_cloud cloud{points.begin_of(b), 0};
    if (b == points.size()) return cloud;
    cloud.size = build_.args.extents[b].count;
    auto const left_out = static_cast<unsigned long long>(points[b].size() - cloud.size);
    if (left_out != 0) atomicAdd(&build_.args.state->faults.non_finite_points, left_out);
    return cloud;
  }

  __device__ void count_bad_offsets(share_type const& share) noexcept {
    for (index_t b = share.thread(); b <= build_.args.points.size(); b += share_type::threads()) {
      if (is_bad_offset(build_.args.points, b)) atomicAdd(&build_.args.state->faults.bad_offsets, 1u);
    }
  }

  /// The codes of all points, without branches, so that their steps overlap.
  __device__ void find_codes(grid const (&grids)[std::size_t{codes_at_once}],
                             vec<scalar, 3> const (&p)[std::size_t{codes_at_once}],
                             std::uint32_t (&codes)[std::size_t{codes_at_once}]) const noexcept {
    // The usual number of bits is a compile-time constant.
    if (build_.args.bits.axis == 8) {
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j) codes[j] = bvh_code_of(grids[j], p[j], build_.curve, 8);
    } else {
#pragma unroll
      for (int j = 0; j < codes_at_once; ++j)
        codes[j] = bvh_code_of(grids[j], p[j], build_.curve, build_.args.bits.axis);
    }
  }

  context build_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
