// Workspace that fps() needs on a GPU. Sizes are computed on the host: no kernel runs.
#include <farpoint/fps.cuh>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random_batches.hpp"

using namespace farpoint;
using farpoint_tests::random_magnitude;

namespace {

/// Choice set at run time: one selector type per kernel would compile a plan for each kernel and type of points.
struct only : fps_selector {
  static fps_choice choose(fps_case const&) noexcept { return choice; }

  inline static fps_choice choice{};
};

constexpr fps_choice choice_of(fps_kernel kernel, int blocks = 1, bool boxes = false) {
  return {kernel, blocks, boxes};
}

/// One kernel of each kind, and blocks shared out.
constexpr fps_choice every_kernel[] = {
    choice_of(fps_kernel::in_regions),
    choice_of(fps_kernel::in_global_memory),
    choice_of(fps_kernel::in_teams, 40, false),
    choice_of(fps_kernel::in_teams, 40, true),
    {fps_kernel::in_teams, 0, true, 40, 32, 0, true},
};

/// An H200, and a T4.
constexpr detail::device_properties devices[] = {{132, 232448, 1}, {40, 65536, 1}};

/// Bytes per point that suffice. Doubles of up to three dimensions may have teams: a key of 16 bytes, an index, four
/// scalars in memory, a cell, and a bit for chosen points.
template <class Points>
constexpr index_t point_bytes = sizeof(typename Points::scalar) == 8 && Points::dim <= 3 ? 57 : 40;
/// Bounds of the workspace beyond the bytes per point: per cloud, its extent and cells, and an incomplete chunk; per
/// multiprocessor, the boards of two blocks; per call, alignment.
constexpr index_t cloud_bytes = 256;
constexpr index_t chunk_bytes = 4096;
constexpr index_t multiprocessor_bytes = 20 << 10;
constexpr index_t call_bytes = 64 << 10;

/// Parts of a device, as a green context or a limit of the caller leaves them.
std::vector<detail::device_properties> parts_of(detail::device_properties const& device) {
  std::vector<detail::device_properties> parts;
  for (int const multiprocessors : {8, 9, 16, 33, 64, 120, device.multiprocessors}) {
    if (multiprocessors > device.multiprocessors) continue;
    parts.push_back(device);
    parts.back().multiprocessors = multiprocessors;
  }
  return parts;
}

struct sizes {
  index_t n;
  index_t clouds;
  bool is_ragged;
};

template <class Selector, class Points>
index_t bytes_of(sizes const& of, detail::device_properties const& device) {
  // A plan does not read offsets.
  index_t const offset = 0;
  Points const points{nullptr, of.n * of.clouds};
  auto const all = of.is_ragged ? batch<Points>::ragged(points, {&offset, static_cast<std::size_t>(of.clouds) + 1})
                                : batch<Points>::regular(points, of.clouds);
  fps_params params;
  params.samples = of.n / 4 + 1;
  return static_cast<index_t>(detail::fps_cuda_plan<Selector, Points>{all, params, device}.bytes());
}

/// Type of bytes_of(): the checks are compiled once for all its instantiations.
using bytes_function = index_t (*)(sizes const&, detail::device_properties const&);

void check_bytes(bytes_function bytes_of_plan, index_t each, sizes const& of, detail::device_properties const& device) {
  index_t const bytes = bytes_of_plan(of, device);
  CAPTURE(device.multiprocessors, of.n, of.clouds, of.is_ragged, bytes);
  index_t const others =
      (cloud_bytes + chunk_bytes) * of.clouds + multiprocessor_bytes * device.multiprocessors + call_bytes;
  if (bytes > each * of.n * of.clouds + others) FAIL("more than " << each << " bytes a point");
  for (detail::device_properties const& part : parts_of(device)) {
    CAPTURE(part.multiprocessors);
    if (bytes_of_plan(of, part) > bytes) FAIL("more for a part of the device than for all of it");
  }
}

void check_sizes(bytes_function bytes_of_plan, index_t each_point) {
  constexpr index_t each[] = {0, 1, 100, 1000, 4097, 12289, 40000, 131072, 3000000, 30000000, 2000000000};
  int checked = 0;
  for (detail::device_properties const& device : devices) {
    for (index_t const n : each) {
      for (index_t const clouds : {1, 2, 100, 10000}) {
        if (n * clouds > 4000000000) continue;
        for (bool const is_ragged : {false, true}) {
          check_bytes(bytes_of_plan, each_point, {n, clouds, is_ragged}, device);
          ++checked;
        }
      }
    }
  }
  CHECK(checked == 160);
}

template <class Points>
void check_kernels() {
  CAPTURE(Points::dim, sizeof(typename Points::coord));
  check_sizes(bytes_of<fps_selector, Points>, point_bytes<Points>);
  for (fps_choice const& choice : every_kernel) {
    CAPTURE(static_cast<int>(choice.kernel), choice.boxes, choice.shared_out);
    only::choice = choice;
    check_sizes(bytes_of<only, Points>, point_bytes<Points>);
  }
}

template <class Coord, int... Dim>
void check_dimensions(std::integer_sequence<int, Dim...>) {
  (check_kernels<point_view<Coord, Dim>>(), ...);
}

/// Checks fps_bytes_at_most() of a device against random smaller batches on parts of it.
template <class Points>
void check_bound(std::uint64_t seed) {
  farpoint_tests::random_source random{seed};
  detail::device_properties device = devices[random.below(2)];
  device.multiprocessors -= static_cast<int>(random.below(device.multiprocessors));
  auto const parts = parts_of(device);
  batch_limits const limits{random_magnitude(random, 29), 1 + random_magnitude(random, 14)};
  std::size_t const bound = detail::fps_bytes_at_most<Points>(limits, device);
  CAPTURE(seed, Points::dim, sizeof(typename Points::coord), limits.points, limits.clouds, device.multiprocessors);
  auto const check = [&](auto const& clouds, index_t samples) {
    fps_params params;
    params.samples = samples;
    CAPTURE(clouds.points().size(), clouds.size(), clouds.is_ragged(), clouds.largest(), samples);
    for (auto const& part : parts) {
      CAPTURE(part.multiprocessors);
      std::size_t const needed = detail::fps_cuda_plan<fps_selector, Points>{clouds, params, part}.bytes();
      if (needed > bound) FAIL("the bound is " << bound << ", less than " << needed);
    }
  };
  for (int i = 0; i < 20; ++i) {
    check(farpoint_tests::random_batch_within<Points>(limits, random), random_magnitude(random, 20));
  }
  // Clouds for which teams are chosen.
  index_t const clouds = detail::smaller<index_t>(limits.clouds, 1 + random.below(device.multiprocessors));
  check(batch<Points>::regular(Points{nullptr, limits.points / clouds * clouds}, clouds), 4096);
  index_t const offset = 0;
  for (index_t const each : {1, 2}) {
    index_t const largest = each * limits.points / clouds;
    check(
        batch<Points>::ragged(Points{nullptr, limits.points}, {&offset, static_cast<std::size_t>(clouds) + 1}, largest),
        4096);
  }

  batch_limits const less{random.below(limits.points + 1), random.below(limits.clouds + 1)};
  std::size_t const fewer_points = detail::fps_bytes_at_most<Points>({less.points, limits.clouds}, device);
  std::size_t const fewer_clouds = detail::fps_bytes_at_most<Points>({limits.points, less.clouds}, device);
  CAPTURE(less.points, less.clouds);
  if (fewer_points > bound || fewer_clouds > bound) FAIL("more for less");
  // The bound is close to the need of the largest batch. Only batches of a limited number of clouds lie in chunks.
  index_t const in_chunks = Points::dim <= 3 ? std::min<index_t>(limits.clouds, 32767) : 0;
  index_t const most = (point_bytes<Points> + 1) * limits.points + chunk_bytes * in_chunks + 300 * limits.clouds +
                       (200 + 45 * device.multiprocessors) * 1024;
  CHECK(static_cast<index_t>(bound) <= most);
}

template <class Coord, int... Dim>
void check_bounds(std::integer_sequence<int, Dim...>) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) (check_bound<point_view<Coord, Dim>>(seed), ...);
}

}  // namespace

TEST_CASE("fps, device: a bound that is enough for all smaller batches, on all parts of a device", "[fps][device]") {
  using dimensions = std::integer_sequence<int, 1, 2, 3, 4, 16>;
  check_bounds<float16>(dimensions{});
  check_bounds<float>(dimensions{});
  check_bounds<double>(dimensions{});
}

TEST_CASE("fps, device: a bound, or a sentence where there is no device", "[fps][device]") {
  std::size_t bound = 77;
  result const outcome = fps_workspace_bound<point_view<float>>(cuda_exec{cudaStream_t{}}, {8192 * 50, 50}, bound);
  int devices_here = 0;
  if (cudaGetDeviceCount(&devices_here) == cudaSuccess && devices_here > 0) {
    CHECK(outcome);
    CHECK(bound > 8000000);
  } else {
    CHECK(outcome.code == status::cuda_failure);
    CHECK(std::string{outcome.reason} == "fps: there is no device to ask");
    CHECK(bound == 77);
  }
}

TEST_CASE("fps, device: at most 40 bytes of workspace a point, or 57 of doubles by teams, and a constant a cloud",
          "[fps][device]") {
  // Dimensions at which the set of kernels changes, and the largest.
  using dimensions = std::integer_sequence<int, 1, 2, 3, 4, 5, 9, 10, 16>;
  check_dimensions<float16>(dimensions{});
  check_dimensions<float>(dimensions{});
  check_dimensions<double>(dimensions{});
}

TEST_CASE("fps, device: what a point takes in each kernel", "[fps][device]") {
  using detail::fps_global_memory_scalars;
  STATIC_REQUIRE(fps_global_memory_scalars<point_view<float, 9>> == 10);
  STATIC_REQUIRE(fps_global_memory_scalars<point_view<float, 10>> == 10);
  STATIC_REQUIRE(fps_global_memory_scalars<point_view<float16, 16>> == 10);
  STATIC_REQUIRE(fps_global_memory_scalars<point_view<double, 4>> == 5);
  STATIC_REQUIRE(fps_global_memory_scalars<point_view<double, 5>> == 5);

  auto const bytes = [](fps_choice const& choice, auto points, index_t clouds) {
    only::choice = choice;
    using plan = detail::fps_cuda_plan<only, decltype(points)>;
    fps_params params;
    params.samples = 1000;
    auto const all = batch<decltype(points)>::regular(points, clouds);
    return static_cast<double>(plan{all, params, devices[0]}.bytes()) / static_cast<double>(points.size());
  };
  constexpr index_t n = 1000000;
  CHECK(bytes(choice_of(fps_kernel::in_global_memory), point_view<float, 16>{nullptr, n}, 1) == 40);
  CHECK(bytes(choice_of(fps_kernel::in_global_memory), point_view<double, 16>{nullptr, n}, 1) == 40);
  CHECK(bytes(choice_of(fps_kernel::in_global_memory), point_view<float, 3>{nullptr, n}, 1) == 16);
  CHECK(bytes(choice_of(fps_kernel::in_regions), point_view<float, 3>{nullptr, n}, 1000) == 0);
  CHECK(bytes(choice_of(fps_kernel::in_regions), point_view<double, 5>{nullptr, n}, 1000) == 0);
  // Teams: a key of 8 bytes, an index, four scalars in memory, and cells.
  // Without a sort, the memory of the kernel in global memory suffices.
  CHECK(bytes(choice_of(fps_kernel::in_teams, 4), point_view<float, 3>{nullptr, 33 * 4096}, 33) == 16);
  CHECK(bytes(choice_of(fps_kernel::in_teams, 132, true), point_view<float, 3>{nullptr, n}, 1) < 30.3);
  CHECK(bytes(choice_of(fps_kernel::in_teams, 132, true), point_view<float16, 3>{nullptr, n}, 1) < 30.3);
  // Doubles by teams: a key of 16 bytes.
  CHECK(bytes(choice_of(fps_kernel::in_teams, 132, true), point_view<double, 3>{nullptr, n}, 1) > 52);
  CHECK(bytes(choice_of(fps_kernel::in_teams, 132, true), point_view<double, 3>{nullptr, n}, 1) < 54);
}
