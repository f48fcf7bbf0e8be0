#include "models.hpp"

#include <cmath>

#include "cloud_io.hpp"
#include "random_source.hpp"
#include "torus_knot.hpp"
#include "turntable.hpp"

namespace farpoint_tools {

namespace {

std::vector<point3> make_waves(std::size_t size) {
  random_source random{1};
  std::vector<point3> points(size);
  for (auto& p : points) {
    double const up = random.between(-1, 1);
    double const turn = random.between(0, 6.283185307179586);
    double const level = std::sqrt(1 - up * up);
    double const radius = 1 + 0.06 * std::sin(9 * turn) * level + 0.05 * std::sin(14 * up);
    p = {static_cast<float>(radius * level * std::cos(turn)), static_cast<float>(radius * level * std::sin(turn)),
         static_cast<float>(radius * up)};
  }
  return points;
}

std::vector<point3> make_cloud(std::size_t size) {
  random_source random{2};
  std::vector<point3> points(size);
  for (auto& p : points) {
    for (auto& coordinate : p) coordinate = static_cast<float>(random.normal());
  }
  return points;
}

}  // namespace

std::vector<model> models(tables_options const& options) {
  std::size_t const size = options.quick ? 5000 : 300'000;
  torus_knot const knot;
  std::vector<model> all{{"knot", knot.sample(size, 0.0005, 1), [knot](point3 const& p) { return knot.normal_at(p); }},
                         {"waves", make_waves(size), {}},
                         {"cloud", make_cloud(size), {}}};
  for (auto const& file : options.clouds) {
    all.push_back({file.stem().string(), set_upright(read_cloud(file).points, up_axis::plus_z), {}});
  }
  return all;
}

}  // namespace farpoint_tools
