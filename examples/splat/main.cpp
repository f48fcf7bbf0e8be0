// farpoint_splat: draws a point cloud as a closed surface of splats, from all sides, and measures its quality.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "cloud_io.hpp"
#include "common_options.hpp"
#include "progress.hpp"
#include "run_program.hpp"
#include "shading.hpp"
#include "steadiness.hpp"
#include "street_scene.hpp"
#include "surface_view.hpp"
#include "torus_knot.hpp"

namespace {

using namespace farpoint_demo;
namespace runtime = farpoint::runtime;

// What test drivers take as skipped.
constexpr int exit_no_gpu = 77;

// Splats are drawn at twice the picture's size, for smooth edges.
constexpr int zoom = 2;

struct splat_options {
  std::string cloud_file;  // empty: a synthetic one
  std::optional<file_format> format;
  bool street = false;
  std::size_t points = 1'000'000;
  double noise = 0.0005;
  up_axis up = up_axis::plus_z;
  double azimuth = 20;
  double elevation = 40;
  int views = 8;
  int size = 768;
  int k = 16;
  int rounds = farpoint::until_exact;
  runtime::backend backend = runtime::backend::automatic;
  int threads = 0;
  bool check = false;
  std::string picture_file = "farpoint_splat.png";

  bool is_knot() const { return cloud_file.empty() && !street; }
};

std::map<std::string, up_axis> const axes{{"x", up_axis::plus_x},   {"-x", up_axis::minus_x}, {"y", up_axis::plus_y},
                                          {"-y", up_axis::minus_y}, {"z", up_axis::plus_z},   {"-z", up_axis::minus_z}};

void declare_options(CLI::App& app, splat_options& wish) {
  app.add_option("CLOUD", wish.cloud_file,
                 "Point cloud: KITTI, nuScenes or raw xyz .bin, .ply, .pcd. Without one: the tube around a knot")
      ->option_text(" ");
  add_format_option(app, wish.format);
  app.add_flag("--street", wish.street, "Without a CLOUD: a simulated LiDAR sweep instead");
  app.add_option("--points", wish.points, "Points of the knot")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->option_text("N [1000000]");
  app.add_option("--noise", wish.noise, "Standard deviation of the knot's points (m); its tube is 0.48 m thick")
      ->check(CLI::Range(0.0, 0.1))
      ->option_text("M [0.0005]");
  add_choice<up_axis>(app, "--up", axes, "x|y|z|-x|-y|-z [z]", "The cloud's axis that points up",
                      [&wish](up_axis chosen) { wish.up = chosen; });
  app.add_option("--azimuth", wish.azimuth, "Azimuth of the first view (degrees)")->option_text("A [20]");
  app.add_option("--elevation", wish.elevation, "Elevation of the views (degrees)")
      ->check(CLI::Range(-89.0, 89.0))
      ->option_text("A [40]");
  app.add_option("--views", wish.views, "Views around the cloud")->check(CLI::Range(1, 360))->option_text("N [8]");
  app.add_option("--size", wish.size, "Width and height of a view (px)")
      ->check(CLI::Range(16, 4096))
      ->option_text("N [768]");
  app.add_option("-k", wish.k, "Neighbours per point, itself included")
      ->check(CLI::Range(3, 256))
      ->option_text("N [16]");
  app.add_option("--rounds", wish.rounds, "Draw what the approximate search finds in this many rounds; 0: exact")
      ->check(CLI::Range(0, 16))
      ->option_text("N [0]");
  add_backend_option(app, wish.backend);
  app.add_option("--threads", wish.threads, "Threads of the host; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->option_text("N [0]");
  app.add_option("-o,--output", wish.picture_file, "Picture of the first view")
      ->option_text("PNG [farpoint_splat.png]");
  app.add_flag("--check", wish.check, "Also search and fit the first view on one host thread, and compare to the bit");
  app.footer(
      "The backend computes neighbours, normals and radii; the host draws.\n"
      "Also written: the first view's normals in false colours (_error), and thumbnails of all views (_views).\n"
      "Exit code: 0 success, 1 failure, 2 wrong usage, 3 --check found a difference,\n"
      "77 --backend cuda found no GPU.\n");
}

cloud load(splat_options const& wish, torus_knot const& knot) {
  if (!wish.cloud_file.empty()) {
    return with_progress("reading", [&] { return read_cloud(wish.cloud_file, wish.format); });
  }
  return with_progress("making points", [&] {
    if (wish.street) return cloud{simulate_street_sweep(1), "simulated LiDAR sweep"};
    return cloud{knot.sample(wish.points, wish.noise, 1), fmt::format("knot, {:g} m of noise", wish.noise)};
  });
}

/// "cloud.png": "cloud_error.png".
std::filesystem::path beside(std::filesystem::path const& file, char const* what) {
  return file.parent_path() / (file.stem().string() + what + file.extension().string());
}

void print_row(std::string const& name, std::string const& value) {
  fmt::print("  {:<22} {}\n", name, value);
}

class artist {
 public:
  artist(splat_options const& wish, std::vector<point3> const& cloud, int threads)
      : wish_{wish}, cloud_{cloud}, stand_{cloud, wish.elevation}, threads_{threads} {}

  double reach() const { return stand_.reach(); }

  surface_view look(double azimuth, int rounds = farpoint::until_exact) const {
    auto const looking = stand_.at(azimuth, wish_.size, wish_.size);
    bool const on_gpu = wish_.backend != runtime::backend::host && runtime::cuda_available();
    return on_gpu ? view_on_cuda(cloud_, looking, wish_.k, rounds)
                  : view_on_host(cloud_, looking, wish_.k, rounds, threads_);
  }

  /// True if one thread of the host gives the same bits.
  bool check(surface_view const& view, int rounds) const {
    return equal_bits(view, view_on_host(cloud_, view.looking, wish_.k, rounds, 1));
  }

  /// Of the visible points' neighbours in the whole cloud.
  std::vector<point3> true_normals(surface_view const& view) const {
    auto const neighbours = search_cloud(cloud_, view.seen.visible, wish_.k, threads_);
    return fit_surface(cloud_, view.seen.visible, neighbours, eye_of(view.looking), threads_).normals;
  }

  /// @param errors  of the normals (degrees), if they are known
  frame draw(surface_view const& view, std::vector<float> const& errors = {}) const {
    auto turned = view.fitted;
    turn_with_neighbours(turned.normals, cloud_, view.seen, eye_of(view.looking), threads_);
    auto const splats = make_splats(cloud_, view.seen, turned, errors, view.looking, reach() / 64);
    return draw_splats(splats, enlarged(view.looking, zoom), threads_);
  }

 private:
  splat_options const& wish_;
  std::vector<point3> const& cloud_;
  turntable stand_;
  int threads_;
};

void print_search(std::string const& rounds, surface_view const& view, surface_view const& exact,
                  std::vector<point3> const& true_normals) {
  auto const spread = spread_of(angles_between(view.fitted.normals, true_normals));
  fmt::print("  {:<12}  {:>8.2f} %  {:>13.3f}  {:>9.3f}  {:>9.2f}\n", rounds,
             100 * share_of_equal_rows(view.seen.neighbours, exact.seen.neighbours), spread.mean, spread.deviation,
             1e3 * view.info.seconds);
  std::fflush(stdout);
}

/// The first view: how good its neighbours and normals are, and its pictures. False if a check finds a difference.
bool show_first(splat_options const& wish, artist const& hand, int threads) {
  auto const exact = with_progress("searching", [&] { return hand.look(wish.azimuth); });
  auto const true_normals = with_progress("searching", [&] { return hand.true_normals(exact); });
  print_row("visible", fmt::format("{}", exact.seen.visible.size()));
  print_row("neighbours", fmt::format("{}", wish.k));
  print_row("backend", describe(exact.info, wish.backend, threads));
  bool same = !wish.check || hand.check(exact, farpoint::until_exact);
  fmt::print("\n  rounds        right sets  normals (deg)  deviation  time (ms)\n");
  for (int rounds = 1; rounds <= 3; ++rounds) {
    auto const some = with_progress("searching", [&] { return hand.look(wish.azimuth, rounds); });
    same = same && (!wish.check || hand.check(some, rounds));
    print_search(std::to_string(rounds), some, exact, true_normals);
  }
  print_search("until exact", exact, exact, true_normals);

  auto const shown = hand.look(wish.azimuth, wish.rounds);
  auto const errors = angles_between(shown.fitted.normals, true_normals);
  auto const picture = with_progress("drawing", [&] { return hand.draw(shown, errors); });
  auto const spread = spread_of(errors);
  write_png(with_caption(shade(picture), fmt::format("{} visible points, k {}", errors.size(), wish.k), false),
            wish.picture_file);
  auto const caption = fmt::format("normals: {:.2f} deg off, deviation {:.2f}", spread.mean, spread.deviation);
  write_png(with_caption(show_errors(picture), caption, true), beside(wish.picture_file, "_error"));
  if (wish.check) {
    fmt::print("\n");
    print_row("check",
              fmt::format("neighbours, normals and radii {} those of one host thread", same ? "equal" : "DIFFER from"));
  }
  return same;
}

/// All views: how closed and how steady they are, and their picture.
void show_views(splat_options const& wish, artist const& hand, torus_knot const& knot) {
  fmt::print("\n  azimuth    visible  holes (px)            flicker\n");
  std::vector<image> small;
  for (int i = 0; i < wish.views; ++i) {
    double const azimuth = wish.azimuth + 360.0 * i / wish.views;
    auto const view = with_progress("searching", [&] { return hand.look(azimuth, wish.rounds); });
    auto const picture = with_progress("drawing", [&] { return hand.draw(view); });
    auto const next = with_progress("drawing", [&] { return hand.draw(hand.look(azimuth + 1, wish.rounds)); });
    auto const flicker = flicker_between(picture, next, hand.reach() / 200);
    std::string holes = "-";
    if (wish.is_knot()) {
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
  write_png(sheet_of(small, std::min(wish.views, 4)), beside(wish.picture_file, "_views"));
}

int run(splat_options const& wish) {
  if (wish.backend == runtime::backend::cuda && !runtime::cuda_available()) {
    fmt::print(stderr, "farpoint_splat: there is no usable CUDA device\n");
    return exit_no_gpu;
  }
  torus_knot const knot;
  auto const input = load(wish, knot);
  auto const points = wish.is_knot() ? input.points : set_upright(input.points, wish.up);
  if (std::none_of(points.begin(), points.end(), is_finite)) {
    throw cloud_error{fmt::format("{}: none of its {} points is finite", wish.cloud_file, points.size())};
  }
  int const threads =
      wish.threads > 0 ? wish.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  artist const hand{wish, points, threads};

  print_row("cloud", wish.cloud_file.empty() ? "(none given)" : wish.cloud_file);
  print_row("format", input.format);
  print_row("points", fmt::format("{}", points.size()));
  bool const same = show_first(wish, hand, threads);
  show_views(wish, hand, knot);
  fmt::print("\n");
  print_row("picture", wish.picture_file);
  print_row("errors of normals", beside(wish.picture_file, "_error").string());
  print_row("all views", beside(wish.picture_file, "_views").string());
  return same ? 0 : exit_unequal;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program<splat_options>(argc, argv, "farpoint_splat",
                                    "Draws a point cloud as a closed surface of splats, seen from all sides.",
                                    declare_options, run);
}
