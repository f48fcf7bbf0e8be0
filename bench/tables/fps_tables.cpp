// Tables of fps: the serial loop, threads and the GPU for batches; and the coverage of samples against random samples.
#include <farpoint/reference/fps.hpp>

#include <cmath>
#include <numeric>

#include "coverage.hpp"
#include "published.hpp"
#include "random_source.hpp"
#include "render.hpp"
#include "shading.hpp"
#include "street_scene.hpp"
#include "tables.hpp"

namespace farpoint_tools {

namespace {

struct fps_case {
  std::int64_t clouds, points, samples;
};

std::vector<fps_case> cases(bool quick) {
  std::int64_t const unit = quick ? 500 : 10'000;
  std::vector<fps_case> all;
  for (std::int64_t clouds = 1; clouds <= 6; ++clouds) all.push_back({clouds, unit, unit / 10});
  all.push_back({6, unit, unit});
  return all;
}

std::vector<point3> cube(std::int64_t size, std::uint64_t seed) {
  random_source random{seed};
  std::vector<point3> points(static_cast<std::size_t>(size));
  for (auto& p : points) {
    for (auto& coordinate : p) coordinate = static_cast<float>(random.uniform());
  }
  return points;
}

std::string measure_case(fps_case const& one, tables_options const& options) {
  auto const points = cube(one.clouds * one.points, 1);
  auto const clouds = farpoint::batch<farpoint::point_view<float>>::regular(farpoint::view_points(points), one.clouds);
  farpoint::fps_params params;
  params.samples = one.samples;
  auto const size = static_cast<std::size_t>(one.clouds * one.samples);
  std::vector<std::int64_t> expected(size);
  std::vector<std::int64_t> found(size);
  farpoint::fps_output<float> output;
  output.indices = expected;
  std::vector<std::pair<std::string, std::string>> times;
  times.push_back({"serial loop",
                   json_number(milliseconds_of(1, [&] { expect(farpoint::reference::fps(clouds, params, output)); }))});
  output.indices = found;
  for (place const& at : places(options)) {
    double const time = milliseconds_at(at, options.repeats(), [&](auto const& where, auto& info) {
      expect(farpoint::runtime::fps(clouds, params, output, where, &info));
    });
    if (found != expected) throw std::runtime_error{"fps: other samples than the serial loop's, " + at.name};
    times.push_back({at.name, json_number(time)});
  }
  if (options.on_gpu) {
    double const time = sample_by_textbook(points, one.clouds, one.samples, options.repeats(), found);
    if (found != expected)
      throw std::runtime_error{"fps: the textbook's kernel has other samples than its serial loop"};
    times.push_back({"textbook kernel, GPU", json_number(time)});
  }
  return json_fields({{"clouds", std::to_string(one.clouds)},
                      {"points", std::to_string(one.points)},
                      {"samples", std::to_string(one.samples)},
                      {"sum_of_indices", std::to_string(std::accumulate(found.begin(), found.end(), std::int64_t{0}))},
                      {"same_indices", "true"},
                      {"ms", json_fields(times)}});
}

}  // namespace

std::string measure_fps(tables_options const& options) {
  std::vector<std::string> rows;
  for (fps_case const& one : cases(options.quick)) rows.push_back(measure_case(one, options));
  return json_list(rows);
}

std::string measure_coverage(tables_options const& options) {
  auto points = simulate_street_sweep(1);
  if (options.quick) points.resize(4000);
  std::size_t const most = options.quick ? 64 : 4096;
  std::vector<std::int64_t> best(most);
  farpoint::fps_params params;
  params.samples = static_cast<std::int64_t>(most);
  farpoint::fps_output<float> output;
  output.indices = best;
  expect(farpoint::runtime::fps(farpoint::batch{farpoint::view_points(points)}, params, output));

  // Without replacement: the first of a random order.
  random_source random{2};
  std::vector<std::int64_t> any(points.size());
  std::iota(any.begin(), any.end(), std::int64_t{0});
  for (std::size_t i = 0; i < most; ++i) {
    auto const other = i + static_cast<std::size_t>(random.uniform() * static_cast<double>(any.size() - i));
    std::swap(any[i], any[other]);
  }
  any.resize(most);

  std::vector<std::size_t> counts;
  for (std::size_t count = 16; count <= most; count *= 4) counts.push_back(count);
  auto const of_fps = coverage_radii(points, best, counts, options.threads);
  auto const of_any = coverage_radii(points, any, counts, options.threads);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    rows.push_back(json_fields({{"samples", std::to_string(counts[i])},
                                {"fps_m", json_number(of_fps[i])},
                                {"uniform_m", json_number(of_any[i])}}));
  }
  auto const caption = [most](char const* how, double radius) {
    return fmt::format("{} {}: no point is farther than {:.2f} m from a sample", most, how, radius);
  };
  write_png(half_size(sheet_of({render(points, best, caption("farthest point samples", of_fps.back())),
                                render(points, any, caption("uniform samples", of_any.back()))},
                               1)),
            options.folder / "coverage.png");
  return json_fields(
      {{"points", std::to_string(points.size())}, {"picture", json_text("coverage.png")}, {"rows", json_list(rows)}});
}

}  // namespace farpoint_tools
