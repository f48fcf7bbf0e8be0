// farpoint_splat: draws a point cloud as a closed surface of splats, from all sides, and tells how good it is.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "cloud_io.hpp"
#include "normals.hpp"
#include "progress.hpp"
#include "run_program.hpp"
#include "shading.hpp"
#include "steadiness.hpp"
#include "street_scene.hpp"
#include "torus_knot.hpp"

namespace {

using namespace farpoint_demo;

// Splats are drawn at twice the picture's size, for smooth edges.
constexpr int zoom = 2;

struct splat_options {
  std::string cloud_file;  // empty: a made-up one
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
  int threads = 0;
  std::string picture_file = "farpoint_splat.png";

  bool is_knot() const { return cloud_file.empty() && !street; }
};

std::map<std::string, file_format> const formats{{"kitti", file_format::kitti},
                                                 {"nuscenes", file_format::nuscenes},
                                                 {"xyz", file_format::xyz},
                                                 {"ply", file_format::ply},
                                                 {"pcd", file_format::pcd}};
std::map<std::string, up_axis> const axes{{"x", up_axis::plus_x},   {"-x", up_axis::minus_x}, {"y", up_axis::plus_y},
                                          {"-y", up_axis::minus_y}, {"z", up_axis::plus_z},   {"-z", up_axis::minus_z}};

void declare_options(CLI::App& app, splat_options& wish) {
  app.add_option("CLOUD", wish.cloud_file,
                 "Point cloud: KITTI, nuScenes or raw xyz .bin, .ply, .pcd. Without one: the tube around a knot")
      ->option_text(" ");
  app.add_option_function<std::string>(
         "--format", [&wish](std::string const& word) { wish.format = formats.at(word); },
         "What CLOUD is, where neither name nor content tells")
      ->check(CLI::IsMember(&formats))
      ->option_text("kitti|nuscenes|xyz|ply|pcd");
  app.add_flag("--street", wish.street, "Without a CLOUD: a simulated LiDAR sweep instead");
  app.add_option("--points", wish.points, "Points of the knot")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->option_text("N [1000000]");
  app.add_option("--noise", wish.noise, "Standard deviation of the knot's points (m); its tube is 0.48 m thick")
      ->check(CLI::Range(0.0, 0.1))
      ->option_text("M [0.0005]");
  app.add_option_function<std::string>(
         "--up", [&wish](std::string const& word) { wish.up = axes.at(word); }, "The cloud's axis that points up")
      ->check(CLI::IsMember(&axes))
      ->option_text("x|y|z|-x|-y|-z [z]");
  app.add_option("--azimuth", wish.azimuth, "Where the first view is taken from (degrees)")->option_text("A [20]");
  app.add_option("--elevation", wish.elevation, "How high above the ground (degrees)")
      ->check(CLI::Range(-89.0, 89.0))
      ->option_text("A [40]");
  app.add_option("--views", wish.views, "Views around the cloud")->check(CLI::Range(1, 360))->option_text("N [8]");
  app.add_option("--size", wish.size, "Width and height of a view (px)")
      ->check(CLI::Range(16, 4096))
      ->option_text("N [768]");
  app.add_option("-k", wish.k, "Neighbours of a point, itself among them")
      ->check(CLI::Range(3, 256))
      ->option_text("N [16]");
  app.add_option("--rounds", wish.rounds, "Draw what the approximate search finds in so many rounds; 0: all neighbours")
      ->check(CLI::Range(0, 16))
      ->option_text("N [0]");
  app.add_option("--threads", wish.threads, "Threads; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->option_text("N [0]");
  app.add_option("-o,--output", wish.picture_file, "Picture of the first view")
      ->option_text("PNG [farpoint_splat.png]");
  app.footer(
      "Also written: the first view's normals in false colours (_error), and all views in small (_views).\n"
      "Exit code: 0 all went well, 1 something failed, 2 wrong usage.\n");
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

/// A search in a view, and the normals it gives.
struct searched_view {
  camera looking;
  view_search seen;
  std::vector<point3> normals;
  double milliseconds;
};

class artist {
 public:
  artist(splat_options const& wish, std::vector<point3> const& cloud, int threads)
      : wish_{wish}, cloud_{cloud}, stand_{cloud, wish.elevation}, threads_{threads} {}

  double reach() const { return stand_.reach(); }

  searched_view search(double azimuth, int rounds = farpoint::until_exact) const {
    searched_view view;
    view.looking = stand_.at(azimuth, wish_.size, wish_.size);
    auto const start = std::chrono::steady_clock::now();
    view.seen = search_view(cloud_, view.looking, wish_.k, threads_, rounds);
    view.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    view.normals = normals_from(view, view.seen.neighbours);
    return view;
  }

  /// Of the visible points' neighbours in the whole cloud.
  std::vector<point3> true_normals(searched_view const& view) const {
    return normals_from(view, search_cloud(cloud_, view.seen.visible, wish_.k, threads_));
  }

  /// @param errors  of the normals (degrees), if they are known
  frame draw(searched_view const& view, std::vector<float> const& errors = {}) const {
    auto normals = view.normals;
    turn_with_neighbours(normals, cloud_, view.seen, eye_of(view.looking), threads_);
    auto const splats = make_splats(cloud_, view.seen, normals, errors, view.looking, reach() / 64);
    return draw_splats(splats, enlarged(view.looking, zoom), threads_);
  }

 private:
  std::vector<point3> normals_from(searched_view const& view, neighbour_rows const& rows) const {
    return fit_normals(cloud_, view.seen.visible, rows, eye_of(view.looking), threads_);
  }

  splat_options const& wish_;
  std::vector<point3> const& cloud_;
  turntable stand_;
  int threads_;
};

void print_search(std::string const& rounds, searched_view const& view, searched_view const& exact,
                  std::vector<point3> const& true_normals) {
  auto const spread = spread_of(angles_between(view.normals, true_normals));
  fmt::print("  {:<12}  {:>8.2f} %  {:>13.3f}  {:>9.3f}  {:>9.1f}\n", rounds,
             100 * share_of_equal_rows(view.seen.neighbours, exact.seen.neighbours), spread.mean, spread.deviation,
             view.milliseconds);
  std::fflush(stdout);
}

/// The first view: how good its neighbours and normals are, and its pictures.
void show_first(splat_options const& wish, artist const& hand) {
  auto const exact = with_progress("searching", [&] { return hand.search(wish.azimuth); });
  auto const true_normals = with_progress("searching", [&] { return hand.true_normals(exact); });
  print_row("visible", fmt::format("{}", exact.seen.visible.size()));
  print_row("neighbours", fmt::format("{}", wish.k));
  fmt::print("\n  rounds        right sets  normals (deg)  deviation  time (ms)\n");
  for (int rounds = 1; rounds <= 3; ++rounds) {
    auto const some = with_progress("searching", [&] { return hand.search(wish.azimuth, rounds); });
    print_search(std::to_string(rounds), some, exact, true_normals);
  }
  print_search("until exact", exact, exact, true_normals);

  auto const shown = hand.search(wish.azimuth, wish.rounds);
  auto const errors = angles_between(shown.normals, true_normals);
  auto const picture = with_progress("drawing", [&] { return hand.draw(shown, errors); });
  auto const spread = spread_of(errors);
  write_png(with_caption(shade(picture), fmt::format("{} visible points, k {}", errors.size(), wish.k), false),
            wish.picture_file);
  auto const caption = fmt::format("normals: {:.2f} deg off, deviation {:.2f}", spread.mean, spread.deviation);
  write_png(with_caption(show_errors(picture), caption, true), beside(wish.picture_file, "_error"));
}

/// All views: how closed and how steady they are, and their picture.
void show_views(splat_options const& wish, artist const& hand, torus_knot const& knot) {
  fmt::print("\n  azimuth    visible  holes (px)            flicker\n");
  std::vector<image> small;
  for (int i = 0; i < wish.views; ++i) {
    double const azimuth = wish.azimuth + 360.0 * i / wish.views;
    auto const view = with_progress("searching", [&] { return hand.search(azimuth, wish.rounds); });
    auto const picture = with_progress("drawing", [&] { return hand.draw(view); });
    auto const next = with_progress("drawing", [&] { return hand.draw(hand.search(azimuth + 1, wish.rounds)); });
    auto const flicker = flicker_between(picture, next, hand.reach() / 200);
    std::string holes = "-";
    if (wish.is_knot()) {
      // Splats need not reach the border, which the noise moves.
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
  show_first(wish, hand);
  show_views(wish, hand, knot);
  fmt::print("\n");
  print_row("picture", wish.picture_file);
  print_row("errors of normals", beside(wish.picture_file, "_error").string());
  print_row("all views", beside(wish.picture_file, "_views").string());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program<splat_options>(argc, argv, "farpoint_splat",
                                    "Draws a point cloud as a closed surface of splats, seen from all sides.",
                                    declare_options, run);
}
