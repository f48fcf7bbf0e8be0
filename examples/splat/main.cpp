// farpoint_splat: draws a point cloud as a closed surface of splats, from all sides, and tells how good it is.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <thread>

#include "cloud_io.hpp"
#include "normals.hpp"
#include "progress.hpp"
#include "shading.hpp"
#include "steadiness.hpp"
#include "street_scene.hpp"
#include "torus_knot.hpp"

namespace {

using namespace farpoint_demo;

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

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
  int threads = 0;
  std::string picture_file = "farpoint_splat.png";
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

/// A view with what is drawn of it.
struct drawn_view {
  view_search seen;
  std::vector<float> errors;  // of the normals (degrees); none if they were not asked for
  frame picture;
  double search_seconds;
};

class artist {
 public:
  artist(splat_options const& wish, std::vector<point3> const& cloud, int threads)
      : wish_{wish}, cloud_{cloud}, stand_{cloud, wish.elevation}, threads_{threads} {}

  double reach() const { return stand_.reach(); }

  drawn_view draw(double azimuth, bool with_errors) const {
    auto const looking = stand_.at(azimuth, wish_.size, wish_.size);
    drawn_view view;
    auto const start = std::chrono::steady_clock::now();
    view.seen = search_view(cloud_, looking, wish_.k, threads_);
    view.search_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    auto normals = normals_from(view.seen.visible, view.seen.neighbours, looking);
    if (with_errors) {
      auto const all = search_cloud(cloud_, view.seen.visible, wish_.k, threads_);
      view.errors = angles_between(normals, normals_from(view.seen.visible, all, looking));
    }
    turn_with_neighbours(normals, cloud_, view.seen, eye_of(looking), threads_);
    auto const splats = make_splats(cloud_, view.seen, normals, view.errors, looking, reach() / 64);
    view.picture = draw_splats(splats, enlarged(looking, zoom), threads_);
    return view;
  }

 private:
  std::vector<point3> normals_from(std::vector<std::int32_t> const& visible, neighbour_rows const& rows,
                                   camera const& looking) const {
    return fit_normals(cloud_, visible, rows, eye_of(looking), threads_);
  }

  splat_options const& wish_;
  std::vector<point3> const& cloud_;
  turntable stand_;
  int threads_;
};

void write_pictures(splat_options const& wish, drawn_view const& view, std::vector<image> const& small) {
  auto const spread = spread_of(view.errors);
  write_png(with_caption(shade(view.picture), fmt::format("{} splats, k {}", view.seen.visible.size(), wish.k), false),
            wish.picture_file);
  auto const caption = fmt::format("normals: {:.2f} deg off, deviation {:.2f}", spread.mean, spread.deviation);
  write_png(with_caption(show_errors(view.picture), caption, true), beside(wish.picture_file, "_error"));
  write_png(sheet_of(small, 4), beside(wish.picture_file, "_views"));
}

/// One line for each view; holes where the surface is known.
void print_view(splat_options const& wish, double azimuth, drawn_view const& view, drawn_view const& next,
                torus_knot const& knot, double reach) {
  auto const flicker = flicker_between(view.picture, next.picture, reach / 200);
  std::string holes = "-";
  if (wish.cloud_file.empty() && !wish.street) {
    // The noise moves the border by some pixels.
    auto const depths = knot.depths(view.picture.looking, 0.95 * torus_knot::tube_radius);
    auto const found = holes_in(view.picture, depths, torus_knot::tube_radius);
    holes = fmt::format("{} of {}", found.found, found.of);
  }
  fmt::print("  {:>7.1f}  {:>8}  {:>8.1f}  {:>18}  {:>8.3f} %\n", azimuth, view.seen.visible.size(),
             view.search_seconds * 1e3, holes, 100 * flicker.share());
  std::fflush(stdout);
}

int run(splat_options const& wish) {
  torus_knot const knot;
  auto const input = load(wish, knot);
  auto const points = wish.cloud_file.empty() && !wish.street ? input.points : set_upright(input.points, wish.up);
  if (std::none_of(points.begin(), points.end(), is_finite)) {
    throw cloud_error{fmt::format("{}: none of its {} points is finite", wish.cloud_file, points.size())};
  }
  int const threads =
      wish.threads > 0 ? wish.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  artist const hand{wish, points, threads};

  print_row("cloud", wish.cloud_file.empty() ? "(none given)" : wish.cloud_file);
  print_row("format", input.format);
  print_row("points", fmt::format("{}", points.size()));
  fmt::print("\n  azimuth   visible  search ms  holes (px)       flicker\n");
  drawn_view first;
  std::vector<image> small;
  for (int i = 0; i < wish.views; ++i) {
    double const azimuth = wish.azimuth + 360.0 * i / wish.views;
    auto view = with_progress("drawing", [&] { return hand.draw(azimuth, i == 0); });
    auto const next = with_progress("drawing", [&] { return hand.draw(azimuth + 1, false); });
    print_view(wish, azimuth, view, next, knot, hand.reach());
    small.push_back(half_size(half_size(shade(view.picture))));
    if (i == 0) first = std::move(view);
  }
  auto const spread = spread_of(first.errors);
  fmt::print("\n");
  print_row("normals", fmt::format("{:.3f} degrees off, deviation {:.3f}", spread.mean, spread.deviation));
  write_pictures(wish, first, small);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  splat_options wish;
  CLI::App app{"Draws a point cloud as a closed surface of splats, seen from all sides."};
  app.name("farpoint_splat");
  declare_options(app, wish);
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const& help) {
    return app.exit(help);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "farpoint_splat: {} (--help lists the options)\n", error.what());
    return exit_usage;
  }
  try {
    return run(wish);
  } catch (std::bad_alloc const&) {
    fmt::print(stderr, "farpoint_splat: out of memory\n");
  } catch (std::exception const& error) {
    fmt::print(stderr, "farpoint_splat: {}\n", error.what());
  }
  return exit_failure;
}
