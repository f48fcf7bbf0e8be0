#include "declare.hpp"

#include <filesystem>

namespace farpoint_tools {

namespace {

void add_seed(CLI::App& app, std::string const& name, std::optional<std::uint64_t>& seed, std::string const& help) {
  app.add_option_function<std::uint64_t>(
         name, [&seed](std::uint64_t value) { seed = value; }, help)
      ->option_text("SEED");
}

// Refuses "", which a shell makes of a variable that is not set: nothing would be written.
CLI::Validator const name_of_file{
    [](std::string const& name) { return std::string{name.empty() ? "expected a name, found \"\"" : ""}; }, ""};

void add_radius(CLI::App& app, double& radius) {
  app.add_option("--max-radius", radius, "No neighbor is farther away (m)")
      ->check(CLI::PositiveNumber)
      ->option_text("M");
}

template <class Options>
void add_samples(CLI::App& app, Options& options) {
  app.add_option("-n,--samples", options.samples, "Points to pick, at most all of them")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N [4096]");
  app.add_option("--first", options.first, "Index of the first sample")
      ->check(CLI::NonNegativeNumber)
      ->option_text("INDEX [0]");
}

// Refuses a name whose ending is not one of `known`; the message names the first ending.
CLI::Validator name_with_ending(std::vector<std::string> const& known) {
  auto const check = [known](std::string const& name) {
    auto const ending = std::filesystem::path{name}.extension().string();
    bool const fits = std::find(known.begin(), known.end(), ending) != known.end();
    return fits ? std::string{} : fmt::format("{}: expected a name that ends in {}", name, known.front());
  };
  return CLI::Validator{check, ""};
}

CLI::Validator const picture_name = name_with_ending({".png"});
CLI::Validator const text_name = name_with_ending({".txt", ".csv", ""});

}  // namespace

void add_format(CLI::App& app, std::optional<file_format>& format) {
  std::map<std::string, file_format> const formats{
      {"kitti", file_format::kitti}, {"nuscenes", file_format::nuscenes}, {"xyz", file_format::xyz},
      {"ply", file_format::ply},     {"pcd", file_format::pcd},           {"obj", file_format::obj},
      {"npy", file_format::npy},     {"las", file_format::las},           {"text", file_format::text}};
  add_choice<file_format>(app, "--format", formats, "kitti|nuscenes|xyz|ply|pcd|obj|npy|las|text",
                          "Format of the input, if neither its name nor its content tells",
                          [&format](file_format chosen) { format = chosen; });
}

void add_backend(CLI::App& app, farpoint::runtime::backend& where, int& threads) {
  using farpoint::runtime::backend;
  std::map<std::string, backend> const backends{
      {"auto", backend::automatic}, {"host", backend::host}, {"cuda", backend::cuda}};
  add_choice<backend>(app, "--backend", backends, "auto|host|cuda [auto]",
                      "Where to run; auto: on a usable GPU, otherwise on the host",
                      [&where](backend chosen) { where = chosen; });
  app.add_option("--threads", threads, "Threads of the host; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->option_text("N [0]");
}

void add_input(CLI::App& app, common_options& options, bool required) {
  auto* const input = app.add_option("INPUT", options.input, about_input);
  input->option_text(" ");
  if (required) input->required();
  add_reading(app, options);
}

void add_reading(CLI::App& app, common_options& options) {
  add_format(app, options.format);
  app.add_flag("--verbose", options.verbose, "The machine, and a line for each file of a folder");
  app.add_flag("--json", options.json, "Print one JSON object");
}

void add_running(CLI::App& app, common_options& options) {
  add_backend(app, options.backend, options.threads);
  app.add_option("--repeat", options.repeat, "Times each file this many times and reports the median")
      ->check(CLI::Range(1, 1000))
      ->option_text("N [1]");
  app.add_flag("--cpu", options.cpu, "Also time one thread and all threads of the host");
}

void add_check(CLI::App& app, common_options& options) {
  app.add_flag("--check", options.check, "Compare with the host, or on the host with the definition, to the bit");
}

void add_output(CLI::App& app, common_options& options) {
  app.add_option("-o,--output", options.output,
                 "A .ply, .pcd, .npy, .csv, .bin, .las or .laz to write, or - for standard output; a folder for those "
                 "of a folder")
      ->check(name_of_file)
      ->option_text("FILE");
  std::map<std::string, output_format> const formats{{"ply", output_format::ply}, {"pcd", output_format::pcd},
                                                     {"npy", output_format::npy}, {"csv", output_format::csv},
                                                     {"bin", output_format::bin}, {"las", output_format::las},
                                                     {"laz", output_format::laz}};
  add_choice<output_format>(app, "--to", formats, "ply|pcd|npy|csv|bin|las|laz [ply]",
                            "Format of what is written into a folder, or to standard output",
                            [&options](output_format chosen) { options.to = chosen; });
  app.add_flag("--ascii", options.ascii, "Write .ply and .pcd as text");
  app.add_flag(
      "--visualize", options.visualize,
      "Write a page that draws input and result, and open it where there is a browser; of a folder it plays all files");
  app.add_option("--page-points", options.page_points,
                 "Most points of a page; of a longer sequence it shows one file in 2, 4, 8, ...")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N [12000000]");
}

void declare_fps(CLI::App& app, fps_options& options) {
  add_samples(app, options);
  add_seed(app, "--random-first", options.seed, "Draw the first sample, from this seed");
  app.add_flag("--origin-skip", options.origin_skip,
               "Never pick points with a squared norm of 1e-3 or less, as pointnet2_ops does, but for the first sample")
      ->excludes(app.get_option("--random-first"));
  app.add_option("--stop-below", options.stop_below, "Stop before samples would be nearer to one another than this (m)")
      ->check(CLI::PositiveNumber)
      ->option_text("M");
  app.footer(fmt::format(
      "The output has the samples in order, all columns, their index and their distance to the earlier ones.\n"
      "Examples:\n  farpoint fps scan.pcd --samples 4096 -o out.ply\n"
      "  farpoint fps FOLDER -o SAMPLES --to npy\n{}",
      exit_codes));
}

void declare_voxelize(CLI::App& app, voxelize_options& options) {
  add_numbers(
      app, "--voxel-size", options.size, {1, 3}, "M[,M,M]",
      "Edge of a voxel (m), or one for each axis; by default range / cells, or about a hundredth of the first cloud");
  auto* const range = add_numbers(
      app, "--range", options.range, {6}, "X,Y,Z,X,Y,Z",
      "Lower and upper corner (m); points at or above the upper one are outside. Default: around all clouds");
  auto const set_cells = add_numbers(app, "--cells", options.cells, {3}, "X,Y,Z",
                                     "Voxels along the axes; by default range / size, rounded up unless it divides");
  set_cells->needs(range);
  app.add_option("--max-voxels", options.max_voxels, "Most voxels; others are dropped")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N");
  app.add_option("--max-points", options.max_points, "Most points kept per voxel")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N");
  using farpoint::voxel_order;
  add_choice<voxel_order>(app, "--order", {{"first", voxel_order::first_occurrence}, {"grid", voxel_order::grid}},
                          "first|grid [first]", "Order of voxels: by their first point, or along the grid",
                          [&options](voxel_order order) { options.order = order; });
  add_seed(app, "--random-points", options.seed,
           "Beyond --max-points, keep a subset drawn from this seed, not the first");
  add_choice<reduction>(app, "--reduce",
                        {{"mean", reduction::mean}, {"max", reduction::max}, {"first", reduction::first}},
                        "mean|max|first [mean]", "What a voxel has of its points' columns",
                        [&options](reduction chosen) { options.reduce = chosen; });
  app.footer(
      fmt::format("The output has the voxels' centroids, numbers of points, places in the grid, and columns.\n"
                  "Examples:\n  farpoint voxelize FOLDER --cpu --verbose\n"
                  "  farpoint voxelize FOLDER --voxel-size 0.16,0.16,4 --range 0,-39.68,-3,69.12,39.68,1 \\\n"
                  "    --max-voxels 16000 --max-points 32 -o VOXELS\n{}",
                  exit_codes));
}

void declare_knn(CLI::App& app, search_options& options) {
  app.add_option("-k", options.k, "Neighbors per point")->check(CLI::Range(1, 1024))->option_text("N [8]");
  add_radius(app, options.max_radius);
  app.add_flag("--with-self", options.with_self, "A point is its own nearest neighbor");
  app.add_option("--indices", options.indices,
                 "Also write all indices as a .npy of int32, [points, k]; a folder for those of a folder")
      ->check(name_of_file)
      ->option_text("NPY");
  app.footer(
      fmt::format("The output has all points, with the number of neighbors, and mean and largest distance (m).\n"
                  "Example:\n  farpoint knn scan.pcd -k 8 --indices neighbors.npy\n{}",
                  exit_codes));
}

void declare_normals(CLI::App& app, normals_options& options) {
  app.add_option("-k", options.k, "Neighbors per point, itself included")
      ->check(CLI::Range(3, 1024))
      ->option_text("N [16]");
  add_radius(app, options.max_radius);
  add_numbers(app, "--viewpoint", options.viewpoint, {3}, "X,Y,Z [0,0,0]", "Normals face this point (m)");
  app.footer(
      fmt::format("The output has all points, with nx, ny, nz and curvature.\n"
                  "Example:\n  farpoint normals scan.pcd -k 16 -o normals.ply\n{}",
                  exit_codes));
}

void declare_demo(CLI::App& app, demo_options& options) {
  app.add_option("INPUT", options.cloud_file, "A cloud. Without one: a simulated LiDAR sweep")->option_text(" ");
  add_samples(app, options);
  add_backend(app, options.backend, options.threads);
  add_format(app, options.format);
  app.add_option("--seed", options.seed, "Seed of the simulated sweep")->option_text("N [1]");
  app.add_option("-o,--output", options.picture_file, "Picture to write")
      ->check(picture_name)
      ->option_text("PNG [farpoint_demo.png]");
  app.add_option("--indices", options.indices_file, "Also write the samples' indices as text, one per line, in order")
      ->check(name_of_file)
      ->check(text_name)
      ->option_text("TXT");
  app.add_option("--voxel-size", options.voxel_size, "Edge of a voxel (m); by default about a hundredth of the cloud")
      ->check(CLI::PositiveNumber)
      ->option_text("M");
  app.add_option("--max-voxels", options.voxel_limits.max_voxels, "Most voxels; others are dropped")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N [160000]");
  app.add_option("--max-points", options.voxel_limits.max_points, "Most points kept per voxel")
      ->check(CLI::Range(std::int64_t{1}, most))
      ->option_text("N [32]");
  app.add_option("--voxel-picture", options.voxel_picture_file, "Where to write the picture of the voxels")
      ->check(picture_name)
      ->option_text("PNG [the other's name with _voxels]");
  app.add_flag("--check", options.check, "Also run the plain serial loops and compare all results");
  app.footer(fmt::format(
      "Coverage after k samples: the largest distance from any point to the nearest of the first k.\n{}", exit_codes));
}

void declare_splat(CLI::App& app, splat_options& options) {
  app.add_option("INPUT", options.cloud_file, "A cloud. Without one: the tube around a knot")->option_text(" ");
  add_format(app, options.format);
  app.add_flag("--street", options.street, "Without an INPUT: a simulated LiDAR sweep instead");
  app.add_option("--points", options.points, "Points of the knot")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->option_text("N [1000000]");
  app.add_option("--noise", options.noise, "Standard deviation of the knot's points (m); its tube is 0.48 m thick")
      ->check(CLI::Range(0.0, 0.1))
      ->option_text("M [0.0005]");
  std::map<std::string, up_axis> const axes{{"x", up_axis::plus_x}, {"-x", up_axis::minus_x},
                                            {"y", up_axis::plus_y}, {"-y", up_axis::minus_y},
                                            {"z", up_axis::plus_z}, {"-z", up_axis::minus_z}};
  add_choice<up_axis>(app, "--up", axes, "x|y|z|-x|-y|-z [z]", "The cloud's axis that points up",
                      [&options](up_axis chosen) { options.up = chosen; });
  app.add_option("--azimuth", options.azimuth, "Azimuth of the first view (degrees)")->option_text("A [20]");
  app.add_option("--elevation", options.elevation, "Elevation of the views (degrees)")
      ->check(CLI::Range(-89.0, 89.0))
      ->option_text("A [40]");
  app.add_option("--views", options.views, "Views around the cloud")->check(CLI::Range(1, 360))->option_text("N [8]");
  app.add_option("--size", options.size, "Width and height of a view (px)")
      ->check(CLI::Range(16, 4096))
      ->option_text("N [768]");
  app.add_option("-k", options.k, "Neighbors per point, itself included")
      ->check(CLI::Range(3, 256))
      ->option_text("N [16]");
  app.add_option("--rounds", options.rounds, "Draw what the approximate search finds in this many rounds; 0: exact")
      ->check(CLI::Range(0, 16))
      ->option_text("N [0]");
  add_backend(app, options.backend, options.threads);
  app.add_option("-o,--output", options.picture_file, "Picture of the first view")
      ->check(picture_name)
      ->option_text("PNG [farpoint_splat.png]");
  app.add_flag("--visualize", options.visualize,
               "Also write a page that draws the splats from all sides, and open it where there is a browser");
  app.add_flag("--check", options.check,
               "Also search and fit the first view on one host thread, and compare to the bit");
  app.footer(fmt::format(
      "The backend computes neighbors, normals and radii; the host draws.\n"
      "Also written: the first view's normals in false colors (_error), and thumbnails of all views (_views).\n"
      "Example:\n  farpoint splat model.ply\n{}",
      exit_codes));
}

}  // namespace farpoint_tools
