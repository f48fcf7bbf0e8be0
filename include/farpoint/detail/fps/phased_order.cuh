/// @file
/// The Morton order of every cloud of a batch, in one launch whose blocks share the phases: for some thousands or
/// millions of points, of which each step alone takes no longer than its launch.
#pragma once

#include <farpoint/core/cloud_cursor.cuh>
#include <farpoint/detail/fps/point_order.cuh>
#include <farpoint/grid/phased_radix_sort.cuh>
#include <farpoint/tuning/point_order.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Boxes, keys, passes of the sort; and what the last of these claims of the next.
inline constexpr int fps_order_phases = 2 + radix_passes(32) + 1;

template <class Points>
struct fps_phased_order_args {
  point_order_args<Points> order;
  grid_phase* phases;       ///< `[fps_order_phases]`, zero at the start
  std::uint32_t* counters;  ///< `[phased_radix_sort_workspace_words()]`
  radix_words other;        ///< for as many keys and values: where they are after an odd number of passes

  __device__ std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(order.clouds.points().size()); }
  /// The index of the only cloud's point is its place.
  __device__ bool has_values() const noexcept { return order.clouds.is_ragged() || order.clouds.size() > 1; }
};

/// Called by all threads of all blocks, in step. A phase has as many units as there are blocks: parts of the points.
/// @tparam Sorter  a phased_radix_sort
template <class Points, int Threads, class Sorter>
class fps_point_orderer {
  static constexpr int axes = curve_grid<float, Points::dim>::axes;
  using scalar = typename Points::scalar;
  using extent_type = fps_extent<Points::dim>;
  using tally_type = set_accumulator<float, extent_type, Threads, axes>;
  using grid_type = curve_grid<scalar, Points::dim>;

 public:
  union storage {
    typename Sorter::storage sorter;
    typename tally_type::storage tally;
  };

  __device__ fps_point_orderer(fps_phased_order_args<Points> const& args, grid_phases& phases, storage& shared) noexcept
      : args_{args}, phases_{phases}, shared_{shared}, sorter_{args.counters, shared.sorter} {}

  __device__ void run() noexcept {
    measure();
    make_keys();
    sorter_.sort(phases_, {args_.order.keys, args_.order.values}, args_.other, args_.size(), args_.order.bits.all(),
                 args_.has_values());
  }

 private:
  /// Points that a thread loads at a time.
  static constexpr int at_once = fps_order_points_at_once;

  /// Finds the box of each cloud, and which offsets are wrong.
  __device__ void measure() noexcept {
    tally_type tally{args_.order.extents};
    cloud_cursor<Points> cloud{args_.order.clouds};
    auto const work = [&](unsigned unit) {
      if (unit == 0) sorter_.clear_counts();
      for_points(unit, [&](std::uint32_t i, auto const& point) {
        cloud.go_to(i);
        if (cloud.has(i) && is_finite(point)) tally.add(cloud.number(), fps_narrow(point));
      });
      index_t const first = index_t{unit} * Threads + threadIdx.x;
      for (index_t b = first; b < args_.order.clouds.size(); b += index_t{gridDim.x} * Threads) {
        fps_count_bad_offsets(args_.order, b);
      }
    };
    phases_.run(gridDim.x, work, [&] { tally.flush_over_block(shared_.tally); });
  }

  /// Points that are never picked come last in their cloud, points of no cloud before the first or behind the last.
  __device__ void make_keys() noexcept {
    auto const& order = args_.order;
    bool const ragged = order.clouds.is_ragged();
    auto const behind = static_cast<std::uint32_t>(order.clouds.begin_of(order.clouds.size()));
    cloud_cursor<Points> cloud{order.clouds};
    std::uint32_t known = ~0u;
    grid_type grid{};
    auto const make = [&](std::uint32_t i, auto const& point) {
      cloud.go_to(i);
      std::uint32_t const b = cloud.number();
      if (b != known) {
        known = b;
        grid = fps_grid_of(order, b);
      }
      bool const goes_on = cloud.has(i) && is_finite(point);
      std::uint32_t const code = goes_on ? grid.key_of(point, morton_curve{}, order.bits.axis) : order.bits.last_code();
      // Ragged: 0 stands for the points before the first cloud, so that numbers are one higher.
      std::uint32_t const number = !ragged              ? b
                                   : cloud.is_before(i) ? 0
                                   : i < behind         ? b + 1
                                                        : static_cast<std::uint32_t>(order.clouds.size()) + 1;
      std::uint32_t const key = order.bits.key(number, code);
      order.keys[i] = key;
      if (args_.has_values()) order.values[i] = i - static_cast<std::uint32_t>(order.clouds.begin_of(b));
      sorter_.count(key, order.bits.all());
    };
    sorter_.start_counting();
    auto const work = [&](unsigned unit) {
      sorter_.clear_sums(args_.size(), unit, gridDim.x);
      for_points(unit, make);
    };
    phases_.run(gridDim.x, work, [&] { sorter_.add_counts(order.bits.all()); });
  }

  /// Calls `function(i, point)` for the thread's points of a part.
  template <class Function>
  __device__ void for_points(unsigned unit, Function&& function) const noexcept {
    auto const& points = args_.order.clouds.points();
    std::uint32_t const each = args_.size() / gridDim.x + 1;
    std::uint32_t const begin = unit * each;
    if (begin >= args_.size()) return;
    std::uint32_t const end = args_.size() - begin < each ? args_.size() : begin + each;
    for (std::uint32_t first = begin + threadIdx.x; first < end; first += at_once * Threads) {
      typename Points::point p[at_once] = {};
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (first + j * Threads < end) p[j] = points[first + j * Threads];
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (first + j * Threads < end) function(first + j * Threads, p[j]);
      }
    }
  }

  fps_phased_order_args<Points> const& args_;
  grid_phases& phases_;
  storage& shared_;
  Sorter sorter_;
};

template <class Points, int Threads, int Items>
__global__ void __launch_bounds__(Threads, 1) fps_order_kernel(fps_phased_order_args<Points> const args) {
  using orderer_type = fps_point_orderer < Points, Threads, phased_radix_sort<Threads, Items, Items<16 ? 16 : 8>>;
  __shared__ typename orderer_type::storage shared;
  __shared__ grid_phases::storage phase;
  grid_phases phases{args.phases, phase};
  orderer_type{args, phases, shared}.run();
}

/// Enqueues it. A function of its own, so that it can be compiled once for several files.
template <class Points, int Threads, int Items>
FARPOINT_HIDDEN void fps_enqueue_order(kernel_launcher& launcher, fps_phased_order_args<Points> const& args) noexcept {
  index_t const useful = divide_up(args.order.clouds.points().size(), fps_order_points_per_block);
  launcher.launch(fps_order_kernel<Points, Threads, Items>, launcher.blocks(useful, 1, 1), Threads, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
