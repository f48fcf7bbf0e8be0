// Options of the commands that change which points there are, and of `info`.
#include "declare.hpp"

namespace farpoint_tools {

void declare_info(CLI::App& app, common_options& options) {
  add_input(app, options, false);
  app.add_flag("--stats", options.stats, "Also extent, distance between points, density, and histograms");
  add_backend(app, options.backend, options.threads);
  app.footer(fmt::format("Example:\n  farpoint info scan.pcd --stats\n{}", exit_codes));
}

void declare_convert(CLI::App& app) {
  app.get_option("--output")->required();
  app.footer(
      fmt::format("The output has all points, with all columns.\nExamples:\n"
                  "  farpoint convert scan.pcd -o scan.las\n  farpoint convert FOLDER -o LAS --to las\n{}",
                  exit_codes));
}

void declare_clean(CLI::App& app, clean_options& options) {
  auto* const k = app.add_option("-k", options.k, "Neighbors whose mean distance is compared");
  k->check(CLI::Range(1, 1024))->option_text("N [16]");
  auto* const deviations =
      app.add_option("--deviations", options.deviations,
                     "Remove points whose mean distance is that many standard deviations above the mean");
  deviations->check(CLI::NonNegativeNumber)->option_text("D [2]");
  auto* const radius =
      app.add_option("--radius", options.radius, "Instead, remove points with few others this near (m)");
  radius->check(CLI::PositiveNumber)->option_text("M")->excludes(k)->excludes(deviations);
  app.add_option("--min-points", options.min_points, "Others within --radius that keep a point")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N [2]")
      ->needs(radius);
  app.footer(
      fmt::format("The output has the points that stay, in order. Points that are not finite are removed, too.\n"
                  "Examples:\n  farpoint clean scan.pcd -o clean.ply\n"
                  "  farpoint clean scan.pcd --radius 0.5 --min-points 3 -o clean.las\n{}",
                  exit_codes));
}

void declare_crop(CLI::App& app, crop_options& options) {
  add_numbers(app, "--range", options.range, {6}, "X,Y,Z,X,Y,Z",
              "Lower and upper corner of a box (m); points at or above the upper one are outside");
  add_numbers(app, "--ball", options.ball, {4}, "X,Y,Z,R", "Center and radius of a ball (m)");
  app.add_flag("--outside", options.outside, "Keep the points that are not inside");
  app.footer(
      fmt::format("The output has the points that stay, in order. Points that are not finite are removed, too.\n"
                  "Examples:\n  farpoint crop scan.pcd --range 0,-20,-5,20,20,5 -o box.ply\n"
                  "  farpoint crop scan.pcd --ball 0,0,0,2 --outside -o rest.ply\n{}",
                  exit_codes));
}

void declare_merge(CLI::App& app, merge_options& options) {
  app.add_option("INPUT", options.inputs, "Clouds and folders of clouds, of any formats")
      ->required()
      ->option_text("...");
  app.footer(fmt::format(
      "The output has the points of one file after the other, and all columns: where a file lacks one, its\n"
      "points have NaN, or 0 if the numbers are whole.\n"
      "Example:\n  farpoint merge FOLDER scan.pcd -o all.ply\n{}",
      exit_codes));
}

void declare_sample(CLI::App& app, sample_options& options) {
  auto* const samples =
      app.add_option("-n,--samples", options.samples, "Points to pick at random, at most all of them");
  samples->check(CLI::Range(std::int64_t{1}, most))->option_text("N");
  app.add_option("--seed", options.seed, "Seed of the random points")->option_text("N [1]")->needs(samples);
  auto* const size =
      app.add_option("--voxel-size", options.voxel_size, "Pick the first point of each voxel of this edge (m)");
  size->check(CLI::PositiveNumber)->option_text("M")->excludes(samples);
  app.footer(
      fmt::format("The output has the picked points, in order. For samples that are far apart there is fps.\n"
                  "Examples:\n  farpoint sample scan.pcd --samples 1000 --seed 7 -o some.ply\n"
                  "  farpoint sample scan.pcd --voxel-size 0.5 -o even.ply\n{}",
                  exit_codes));
}

}  // namespace farpoint_tools
