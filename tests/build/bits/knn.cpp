// Prints checksums of neighbors, and of what is made from them, for every kind of cloud. Built by several compilers
// with several flags; all must print the same.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>

#include <cstdio>

#include "../../search/knn_problem.hpp"
#include "bits_part.hpp"

using namespace farpoint_tests;

namespace {

void print_outcome(char const* name, farpoint::result outcome, checksum const& sum) {
  std::printf("%s: %s %016llx\n", name, outcome.reason, sum.value());
}

template <class Coord>
void print(xyz_cloud const& cloud, int threads) {
  knn_problem<Coord> const problem{cloud, 8};
  using scalar = typename knn_problem<Coord>::scalar;
  auto const clouds = clouds_in_place(problem.points);
  farpoint::host_exec const exec{threads};
  std::size_t const n = cloud.size();
  farpoint::detail::host_workspace const workspace{knn_workspace_bytes(exec, clouds, knn_params{8})};

  for (index_t const k : {1, 8, 40}) {
    std::vector<std::int32_t> indices(n * static_cast<std::size_t>(k));
    std::vector<scalar> distances(indices.size());
    auto const outcome =
        knn(exec, clouds, knn_params{k}, farpoint::knn_output<scalar>{indices, distances}, workspace.get());
    print_outcome("knn", outcome, checksum{}.add(indices).add(distances));
  }

  farpoint::radius_params params;
  params.radius = 0.1;
  std::vector<std::int32_t> offsets(n + 1), list(20 * n);
  std::vector<scalar> distances(20 * n);
  auto const rows = radius_rows(exec, clouds, params, farpoint::radius_rows_output<scalar>{offsets, list, distances},
                                workspace.get());
  print_outcome("radius_rows", rows, checksum{}.add(offsets).add(list).add(distances));

  std::vector<scalar> means(n), normals(3 * n), curvatures(n);
  auto const averaged = mean_knn_distance(exec, clouds, {3}, {means}, workspace.get());
  print_outcome("mean_knn_distance", averaged, checksum{}.add(means));
  auto const estimated = estimate_normals(exec, clouds, {}, {normals, curvatures}, workspace.get());
  print_outcome("estimate_normals", estimated, checksum{}.add(normals).add(curvatures));

  knn_problem<Coord> const asked{make_cloud(shape::cube, 500, 3), 3};
  std::vector<float> features(n), interpolated(500);
  for (std::size_t i = 0; i < n; ++i) features[i] = static_cast<float>(i % 1000) / 8;
  auto const done = interpolate(exec, clouds, farpoint::span<float const>{features}, clouds_in_place(asked.points), 1,
                                {interpolated}, workspace.get());
  print_outcome("interpolate", done, checksum{}.add(interpolated));
}

void print_all(int threads) {
  for (shape const which : all_shapes) {
    // An index of several levels; unoptimized builds are slow.
    auto const cloud = make_cloud(which, 700, 17);
    std::printf("shape %d\n", static_cast<int>(which));
    print<float>(cloud, threads);
    print<double>(cloud, threads);
    print<farpoint::float16>(cloud, threads);
  }
  // A part of a scan shows what there is to show.
  for (auto const& scan : real_scans()) {
    xyz_cloud part;
    for (std::size_t i = 0; i < scan.points.size() && part.size() < 4000; i += 17) part.push_back(scan.points[i]);
    std::printf("%s\n", scan.name.c_str());
    print<float>(part, threads);
  }
}

bits_part const part{"knn", print_all};

}  // namespace
