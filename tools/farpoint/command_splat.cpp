// farpoint splat: draws a point cloud as a closed surface of splats, from all sides, and measures its quality.
#include <fmt/format.h>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <thread>

#include "commands.hpp"
#include "figures.hpp"
#include "frame.hpp"
#include "machine.hpp"
#include "normals.hpp"
#include "page_text.hpp"
#include "progress.hpp"
#include "session.hpp"
#include "shading.hpp"
#include "show.hpp"
#include "steadiness.hpp"
#include "street_scene.hpp"
#include "torus_knot.hpp"

namespace farpoint_tools {

namespace runtime = farpoint::runtime;

namespace {

// Splats are drawn at twice the picture's size, for smooth edges.
constexpr int zoom = 2;

cloud load(splat_options const& options, torus_knot const& knot) {
  if (!options.cloud_file.empty()) {
    return with_progress("reading", [&] { return read_cloud(options.cloud_file, options.format); });
  }
  return with_progress("making points", [&] {
    if (options.street) return cloud{simulate_street_sweep(1), "simulated LiDAR sweep", {}};
    return cloud{
        knot.sample(options.points, options.noise, 1), fmt::format("knot, {:g} m of noise", options.noise), {}};
  });
}

/// "cloud.png": "cloud_error.png".
std::filesystem::path beside(std::filesystem::path const& file, char const* what) {
  return file.parent_path() / (file.stem().string() + what + file.extension().string());
}

class artist {
 public:
  artist(splat_options const& options, std::vector<point3> const& cloud, int threads)
      : options_{options}, cloud_{cloud}, stand_{cloud, options.elevation}, threads_{threads} {}

  double reach() const { return stand_.reach(); }

  splat_frame look(double azimuth, int rounds, bool measure = false) const {
    return on_gpu() ? frame_on_cuda(cloud_, request(azimuth, rounds, measure))
                    : frame_on_host(cloud_, request(azimuth, rounds, measure), threads_);
  }
  /// True if one thread of the host gives the same bits.
  bool check(double azimuth, int rounds, splat_frame const& view) const {
    return equal_bits(view, frame_on_host(cloud_, request(azimuth, rounds, false), 1));
  }
  /// Normals of the visible points, from their neighbors in the whole cloud.
  std::vector<point3> true_normals(splat_frame const& view) const {
    auto const neighbors = search_cloud(cloud_, view.seen.visible, options_.k, threads_);
    return normals_of(cloud_, view.seen.visible, neighbors, eye_of(view.looking), threads_);
  }
  /// Draws the view in false colors of the normals' errors (degrees).
  frame draw_errors(double azimuth, int rounds, std::vector<float> const& errors) const {
    auto const colors = colors_of_errors(errors);
    auto const asked = request(azimuth, rounds, false);
    return (on_gpu() ? frame_on_cuda(cloud_, asked, colors) : frame_on_host(cloud_, asked, threads_, colors)).picture;
  }

 private:
  bool on_gpu() const { return options_.backend != runtime::backend::host && runtime::cuda_available(); }
  frame_request request(double azimuth, int rounds, bool measure) const {
    frame_request asked;
    asked.looking = stand_.at(azimuth, options_.size, options_.size);
    asked.k = options_.k;
    asked.rounds = rounds;
    asked.zoom = zoom;
    asked.reach = reach();
    asked.measure = measure;
    return asked;
  }

  splat_options const& options_;
  std::vector<point3> const& cloud_;
  turntable stand_;
  int threads_;
};

void print_search(std::string const& rounds, splat_frame const& view, splat_frame const& exact,
                  std::vector<point3> const& true_normals) {
  auto const spread = spread_of(angles_between(view.normals, true_normals));
  fmt::print("  {:<12}  {:>8.2f} %  {:>13.3f}  {:>9.3f}  {:>9.2f}\n", rounds,
             100 * share_of_equal_rows(view.seen.neighbors, exact.seen.neighbors), spread.mean, spread.deviation,
             1e3 * view.info.seconds);
  std::fflush(stdout);
}

void print_stages(stage_times const& times) {
  fmt::print("\n  projection     index    search   normals    splats     frame (ms)\n  ");
  for (double const seconds : {times.projection, times.index, times.search, times.normals, times.splats, times.frame}) {
    fmt::print("{:>10}", seconds > 0 ? fmt::format("{:.3f}", 1e3 * seconds) : "-");
  }
  fmt::print("\n");
}

/// Results of the first view.
struct first_view {
  bool same = true;  ///< false: a check found a difference
  std::vector<std::int32_t> visible;
  std::vector<float> errors;  ///< errors of the visible points' normals (degrees)
};

/// The first view: how good its neighbors and normals are, what its stages take, and its pictures.
first_view show_first(splat_options const& options, artist const& hand) {
  auto const exact = with_progress("searching", [&] { return hand.look(options.azimuth, farpoint::until_exact); });
  auto const true_normals = with_progress("searching", [&] { return hand.true_normals(exact); });
  print_row("visible", fmt::format("{}", exact.seen.visible.size()));
  print_row("neighbors", fmt::format("{}", options.k));
  print_row("backend", describe(exact.info, options.backend));
  bool same = !options.check || hand.check(options.azimuth, farpoint::until_exact, exact);

  fmt::print("\n  rounds        right sets  normals (deg)  deviation  time (ms)\n");
  for (int rounds = 1; rounds <= 3; ++rounds) {
    auto const some = with_progress("searching", [&] { return hand.look(options.azimuth, rounds); });
    same = same && (!options.check || hand.check(options.azimuth, rounds, some));
    print_search(std::to_string(rounds), some, exact, true_normals);
  }
  print_search("until exact", exact, exact, true_normals);

  auto const shown = with_progress("drawing", [&] { return hand.look(options.azimuth, options.rounds, true); });
  print_stages(shown.times);
  auto const errors = angles_between(shown.normals, true_normals);
  auto const spread = spread_of(errors);
  write_png(with_caption(shade(shown.picture), fmt::format("{} visible points, k {}", errors.size(), options.k), false),
            options.picture_file);
  auto const caption = fmt::format("normals: {:.2f} deg off, deviation {:.2f}", spread.mean, spread.deviation);
  auto const in_colors =
      with_progress("drawing", [&] { return hand.draw_errors(options.azimuth, options.rounds, errors); });
  write_png(with_caption(show_colors(in_colors), caption, true), beside(options.picture_file, "_error"));
  if (options.check) {
    fmt::print("\n");
    print_row("check", fmt::format("neighbors, normals and pictures {} those of one host thread",
                                   same ? "equal" : "DIFFER from"));
  }
  return {same, shown.seen.visible, errors};
}

/// All views: how closed and how steady they are, and their picture.
void show_views(splat_options const& options, artist const& hand, torus_knot const& knot) {
  fmt::print("\n  azimuth    visible  holes (px)            flicker\n");
  std::vector<image> small;
  for (int i = 0; i < options.views; ++i) {
    double const azimuth = options.azimuth + 360.0 * i / options.views;
    auto const view = with_progress("drawing", [&] { return hand.look(azimuth, options.rounds); });
    auto const& picture = view.picture;
    auto const next = with_progress("drawing", [&] { return hand.look(azimuth + 1, options.rounds); });
    auto const flicker = flicker_between(picture, next.picture, hand.reach() / 200);
    std::string holes = "-";
    if (options.is_knot()) {
      // Splats need not reach the silhouette, which the noise moves.
      auto const depths = knot.depths(picture.looking, 0.95 * torus_knot::tube_radius);
      auto const found = holes_in(picture, depths, torus_knot::tube_radius);
      holes = fmt::format("{} of {}", found.found, found.of);
    }
    fmt::print("  {:>7.1f}  {:>9}  {:<20}  {:.4f} %\n", azimuth, view.seen.visible.size(), holes,
               100 * flicker.share());
    std::fflush(stdout);
    small.push_back(half_size(half_size(shade(picture))));
  }
  write_png(sheet_of(small, std::min(options.views, 4)), beside(options.picture_file, "_views"));
}

farpoint_viewer::up_axis up_of(up_axis up) {
  using farpoint_viewer::up_axis;
  constexpr up_axis axes[] = {up_axis::x, up_axis::minus_x, up_axis::y, up_axis::minus_y, up_axis::z, up_axis::minus_z};
  return axes[static_cast<std::size_t>(up)];
}

/// A page with a splat for each point, and the errors of the normals of the first view.
std::filesystem::path write_page_of(splat_options const& options, cloud const& input, first_view const& first) {
  outcome made;
  made.result = input;
  made.result_name = "Splats";
  made.done = fmt::format("splats from {} neighbors", options.k);
  made.summary = {{"points", "points", static_cast<std::int64_t>(input.points.size())},
                  {"visible", "visible in the first view", static_cast<std::int64_t>(first.visible.size())},
                  {"error", "mean error of normals there (degrees)", spread_of(first.errors).mean}};
  made.drawn.has_input = true;
  constexpr double no_radius = std::numeric_limits<double>::infinity();
  made.drawn.splats = with_progress("fitting splats", [&] {
    return make_splats(input, options.k, no_radius, {options.backend, options.threads});
  });
  column errors{error_of_normal, scalar_kind::float32, input.points.size()};
  for (std::size_t i = 0; i < errors.size(); ++i) errors.set(i, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < first.visible.size(); ++i) {
    errors.set(static_cast<std::size_t>(first.visible[i]), double{first.errors[i]});
  }
  made.drawn.more.push_back(std::move(errors));
  auto const angles = angles_to_columns(*made.drawn.splats, input);
  if (!angles.empty()) made.drawn.more.push_back(make_column(angle_to_the_input, scalar_kind::float32, angles));

  auto const name = options.is_knot() ? std::string{"Knot"}
                    : options.street  ? std::string{"Street"}
                                      : std::filesystem::path{options.cloud_file}.filename().string();
  page_maker page{std::filesystem::path{options.picture_file}.replace_extension(".html"), name, input.points.size()};
  page.set_up(up_of(options.up));
  auto const summary = made.summary;
  page.add(name, {}, std::move(made));
  with_progress("writing the page", [&] { page.write(summary); });
  open_page(page.page());
  return page.page();
}

}  // namespace

int run_splat(splat_options const& options) {
  if (options.backend == runtime::backend::cuda && !runtime::cuda_available()) {
    throw compute_error{"splat: there is no usable CUDA device"};
  }
  torus_knot const knot;
  auto const input = load(options, knot);
  auto const points = options.is_knot() ? input.points : set_upright(input.points, options.up);
  if (std::none_of(points.begin(), points.end(), is_finite)) {
    throw cloud_error{fmt::format("{}: none of its {} points is finite", options.cloud_file, points.size())};
  }
  int const threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  artist const hand{options, points, threads};

  print_row("cloud", options.cloud_file.empty() ? "(none given)" : options.cloud_file);
  print_row("format", input.format);
  print_row("points", fmt::format("{}", points.size()));
  auto const first = show_first(options, hand);
  show_views(options, hand, knot);
  fmt::print("\n");
  print_row("picture", options.picture_file);
  print_row("errors of normals", beside(options.picture_file, "_error").string());
  print_row("all views", beside(options.picture_file, "_views").string());
  if (options.visualize) print_row("page", write_page_of(options, input, first).string());
  return first.same ? 0 : exit_code::unequal;
}

}  // namespace farpoint_tools
