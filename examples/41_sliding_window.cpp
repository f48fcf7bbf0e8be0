// A window of the last scans around a vehicle, as an index for searches: each scan is appended, what the vehicle has
// left behind is erased, and the BVH is built again, in memory that is allocated once.
#include <farpoint/search/point_window.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using point_list = std::vector<std::array<float, 3>>;

/// A scan on a road of wavy ground: points up to 20 m around the vehicle.
point_list scan_at(float x, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<float> meters{-20, 20};
  point_list points(3000);
  for (auto& p : points) {
    p = {x + meters(random), meters(random), 0};
    p[2] = std::sin(p[0] / 5);
  }
  return points;
}

int main() {
  farpoint::host_exec const exec;
  //! [window]
  farpoint::index_t const capacity = 10000;
  farpoint::host_scratch const memory{farpoint::point_window_bytes<float>(exec, capacity)};
  farpoint::point_window<float> window;
  farpoint::result outcome = point_window_clear(exec, capacity, memory, window);

  farpoint::slide_params<float> params;
  params.box = {{{-15, -15, -5}}, {{15, 15, 5}}};  // meters around the vehicle
  std::array<float, 3> vehicle{};
  params.origin = vehicle;
  farpoint::slide_report report;
  farpoint::point_bvh<float> index;
  for (unsigned second = 0; second < 20 && outcome; ++second) {
    vehicle[0] = 3 * float(second);
    point_list const scan = scan_at(vehicle[0], second);
    farpoint::batch const cloud{farpoint::view_points(scan)};
    outcome = point_window_slide(exec, window, cloud, params, {{}, &report}, {}, index);
  }
  //! [window]
  if (!outcome) {
    std::puts(outcome.reason);
    return 1;
  }

  // The ground below the vehicle, and what lies where it started.
  auto const below = farpoint::knn(index, point_list{{vehicle[0], vehicle[1], 0}, {0, 0, 0}}, 1);
  auto const row = std::size_t(below.indices[0]);
  float const x = window.points[3 * row], height = window.points[3 * row + 2];
  std::printf("%lld points, %llu erased, %llu dropped; ground at %.2f m; the start is %.0f m behind the window\n",
              static_cast<long long>(window.offsets[1]), report.erased, report.dropped, double(height),
              std::sqrt(double(below.distances[1])));
  bool const is_near = std::fabs(x - vehicle[0]) < 1 && height == std::sin(x / 5);
  return is_near && window.offsets[1] <= capacity && below.distances[1] > 1600 ? 0 : 1;
}
