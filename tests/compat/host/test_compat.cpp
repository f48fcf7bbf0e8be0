// The launchers of compat/ on host_exec, against serial restatements of the kernels that they stand in for.
#include <cstring>

#include "../../support/catch.hpp"
#include "../compat_calls.hpp"
#include "../published_kernels.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::compat::furthest_point_sampling_rules;
using farpoint::compat::three_nn_distances;

namespace {

using outputs = std::vector<std::vector<unsigned char>>;

template <class T>
std::vector<unsigned char> bytes_of(std::vector<T> const& values) {
  std::vector<unsigned char> all(values.size() * sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), values.data(), all.size());
  return all;
}

/// Outputs of `call(calls)`, the same with one thread and with three.
template <class Call>
outputs run(Call const& call) {
  outputs all[2];
  for (int const threads : {1, 3}) {
    call_memory<host_space> memory;
    compat_calls calls{memory, host_exec{threads}};
    farpoint::result const outcome = call(calls);
    INFO(outcome.reason);
    REQUIRE(outcome);
    REQUIRE(memory.intact());
    all[threads / 2] = memory.outputs();
  }
  REQUIRE(all[0] == all[1]);
  return all[0];
}

/// Value of each float of an output before a call.
float poison_float() {
  float value;
  std::memset(&value, poison, sizeof value);
  return value;
}

std::size_t index_of(int i, int columns, int column) {
  return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

/// Shapes on which rounding, ties, duplicates and origins differ.
constexpr shape shapes[] = {shape::cube,      shape::lattice, shape::fine_lattice, shape::duplicates,
                            shape::all_equal, shape::rings,   shape::tiny};

void check_sampling(batch_sizes s, floats const& clouds, furthest_point_sampling_rules rules) {
  int const threads = rules.block_threads == 0 ? 1 : published::block_of(s.n, rules.block_threads);
  ints expected(s.others());
  for (int b = 0; b < s.b; ++b) {
    published::furthest_point_sampling(clouds.data() + index_of(b, 3 * s.n, 0), s.n, s.m, threads, rules.skip_origin,
                                       expected.data() + index_of(b, s.m, 0));
  }
  auto const actual = run([&](auto& calls) { return calls.sample(s, clouds, rules); });
  CHECK(actual == outputs{bytes_of(expected)});
}

constexpr furthest_point_sampling_rules all_rules[] = {
    {}, {true, 0}, farpoint::compat::openpcdet_rules, farpoint::compat::pointnet2_ops_rules};

/// Points of each shape of all clouds.
floats clouds_of(batch_sizes s, shape which, std::uint64_t seed) {
  return packed_cloud(which, s.points(), seed);
}

}  // namespace

TEST_CASE("compat, host: furthest point sampling picks what the kernels pick", "[compat][host]") {
  for (shape const which : shapes) {
    for (auto const& rules : all_rules) {
      CAPTURE(static_cast<int>(which), rules.skip_origin, rules.block_threads);
      batch_sizes const s{4, for_memory ? 1024 : 4096, 200};
      check_sampling(s, clouds_of(s, which, 1), rules);
    }
  }
}

TEST_CASE("compat, host: furthest point sampling of few points, and of more samples than points", "[compat][host]") {
  for (shape const which : shapes) {
    for (int const n : {1, 2, 3, 7, 8, 33, 100, 1023, 1500}) {
      for (auto const& rules : all_rules) {
        CAPTURE(static_cast<int>(which), n, rules.skip_origin, rules.block_threads);
        batch_sizes const s{2, n, std::min(n + 5, 60)};
        check_sampling(s, clouds_of(s, which, static_cast<std::uint64_t>(n)), rules);
      }
    }
  }
}

TEST_CASE("compat, host: furthest point sampling of padded clouds and near the origin", "[compat][host]") {
  batch_sizes const s{3, 300, 80};
  floats clouds = clouds_of(s, shape::cube, 5);
  for (float& x : clouds) x *= 0.05f;  // about half of the points are within the limit
  std::fill(clouds.begin() + 900 + 150, clouds.begin() + 1800, 0.0f);
  std::fill(clouds.begin() + 1800, clouds.end(), 0.0f);
  for (auto const& rules : all_rules) {
    CAPTURE(rules.skip_origin, rules.block_threads);
    check_sampling(s, clouds, rules);
  }
}

TEST_CASE("compat, host: furthest point sampling of a stack", "[compat][host]") {
  stack_sizes const sizes[] = {{{300, 1, 0, 7, 1500}, {40, 3, 2, 9, 100}}, {{64}, {64}}};
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates}) {
    for (auto const& s : sizes) {
      for (auto const& rules : all_rules) {
        CAPTURE(static_cast<int>(which), s.n(), rules.skip_origin, rules.block_threads);
        floats const clouds = packed_cloud(which, size_of(s.n()), 31);
        // Blocks are as large for few points.
        int const threads = std::max(rules.block_threads, 1);
        ints expected;
        int begin = 0;
        for (std::size_t b = 0; b < s.points.size(); ++b) {
          ints picks(size_of(s.others[b]));
          published::furthest_point_sampling(clouds.data() + 3 * begin, s.points[b], s.others[b], threads,
                                             rules.skip_origin, picks.data());
          for (int const pick : picks) expected.push_back(begin + pick);
          begin += s.points[b];
        }
        CHECK(run([&](auto& calls) { return calls.sample_stack(s, clouds, rules); }) == outputs{bytes_of(expected)});
      }
    }
  }
}

TEST_CASE("compat, host: furthest point sampling never picks a point that is not finite", "[compat][host]") {
  batch_sizes const s{2, 500, 300};
  floats clouds = clouds_of(s, shape::non_finite, 6);
  std::fill(clouds.begin() + 1500, clouds.end(), std::nanf(""));  // the second cloud has no other
  for (auto const& rules : all_rules) {
    auto const picks = run([&](auto& calls) { return calls.sample(s, clouds, rules); });
    ints idxs(s.others());
    std::memcpy(idxs.data(), picks[0].data(), picks[0].size());
    for (std::size_t i = 0; i < 300; ++i) {
      REQUIRE(idxs[i] >= 0);
      for (int axis = 0; axis < 3; ++axis) REQUIRE(std::isfinite(clouds[index_of(idxs[i], 3, axis)]));
    }
    CHECK(std::count(idxs.begin() + 300, idxs.end(), 0) == 300);
  }
}

namespace {

void check_ball(batch_sizes s, shape which, float radius, int nsample) {
  floats const clouds = clouds_of(s, which, 7);
  floats const queries = packed_cloud(which, s.others(), 8);
  ints expected(s.others() * size_of(nsample), 0);
  for (int i = 0; i < s.b * s.m; ++i) {
    published::ball_query(queries.data() + 3 * i, clouds.data() + index_of(i / s.m, 3 * s.n, 0), s.n, radius, nsample,
                          expected.data() + index_of(i, nsample, 0));
  }
  auto const actual = run([&](auto& calls) { return calls.ball(s, clouds, queries, radius, nsample); });
  CHECK(actual == outputs{bytes_of(expected)});
}

}  // namespace

TEST_CASE("compat, host: ball query", "[compat][host]") {
  for (shape const which : {shape::cube, shape::fine_lattice, shape::duplicates, shape::non_finite}) {
    // Distances of a lattice are exactly 1, 2 and so on; 1e-30f squared is 0.
    for (float const radius : {0.1f, 1.0f, 2.0f, -1.0f, 1e-30f, std::nanf("")}) {
      for (int const nsample : {1, 16, 40}) {
        CAPTURE(static_cast<int>(which), radius, nsample);
        check_ball({4, radius == 0.1f ? 4096 : 300, 64}, which, radius, nsample);
      }
    }
    // More samples than points, and no points.
    for (int const n : {0, 1, 5}) check_ball({3, n, 20}, which, 0.9f, 16);
  }
}

TEST_CASE("compat, host: ball query of a stack", "[compat][host]") {
  stack_sizes const s{{300, 0, 1, 700}, {20, 5, 0, 31}};
  for (float const radius : {0.0f, 0.15f, 1.0f}) {
    floats const clouds = packed_cloud(shape::cube, size_of(s.n()), 9);
    floats const queries = packed_cloud(shape::cube, size_of(s.m()), 10);
    ints expected(size_of(s.m() * 8), 0);
    int point = 0;
    int query = 0;
    for (std::size_t b = 0; b < s.points.size(); ++b) {
      for (int i = 0; i < s.others[b]; ++i, ++query) {
        int* const row = expected.data() + 8 * query;
        if (published::ball_query(&queries[size_of(3 * query)], clouds.data() + 3 * point, s.points[b], radius, 8,
                                  row) == 0) {
          row[0] = -1;
        }
      }
      point += s.points[b];
    }
    CHECK(run([&](auto& calls) { return calls.ball_stack(s, clouds, queries, radius, 8); }) ==
          outputs{bytes_of(expected)});
  }
}

TEST_CASE("compat, host: three_nn", "[compat][host]") {
  for (shape const which : {shape::cube, shape::lattice, shape::all_equal, shape::non_finite, shape::huge}) {
    for (int const n : {0, 1, 2, 3, 4096}) {
      for (auto const kind : {three_nn_distances::squared, three_nn_distances::meters}) {
        CAPTURE(static_cast<int>(which), n);
        batch_sizes const s{4, n, 90};
        floats const known = clouds_of(s, which, 11);
        floats const unknown = packed_cloud(which, s.others(), 12);
        floats dist(s.others() * 3);
        ints idx(dist.size());
        for (int i = 0; i < s.b * s.m; ++i) {
          published::three_nn(unknown.data() + 3 * i, known.data() + index_of(i / s.m, 3 * n, 0), n,
                              &dist[size_of(3 * i)], &idx[size_of(3 * i)]);
        }
        if (kind == three_nn_distances::meters) {
          for (float& d : dist) d = std::sqrt(d);
        }
        auto const actual = run([&](auto& calls) { return calls.neighbors(s, known, unknown, kind); });
        CHECK(actual == outputs{bytes_of(idx), bytes_of(dist)});
      }
    }
  }
}

TEST_CASE("compat, host: three_nn of a stack counts over all clouds", "[compat][host]") {
  stack_sizes const s{{300, 0, 2, 700}, {20, 5, 4, 31}};
  floats const known = packed_cloud(shape::lattice, size_of(s.n()), 13);
  floats const unknown = packed_cloud(shape::lattice, size_of(s.m()), 14);
  floats dist(size_of(s.m() * 3));
  ints idx(dist.size());
  int begin = 0;
  int row = 0;
  for (std::size_t b = 0; b < s.points.size(); ++b) {
    for (int i = 0; i < s.others[b]; ++i, ++row) {
      published::three_nn(unknown.data() + 3 * row, known.data() + 3 * begin, s.points[b], &dist[size_of(3 * row)],
                          &idx[size_of(3 * row)]);
      for (int j = 0; j < 3; ++j) idx[size_of(3 * row + j)] += begin;
    }
    begin += s.points[b];
  }
  CHECK(run([&](auto& calls) { return calls.neighbors_stack(s, known, unknown); }) ==
        outputs{bytes_of(idx), bytes_of(dist)});
}

TEST_CASE("compat, host: weights and interpolation", "[compat][host]") {
  batch_sizes const s{4, 200, 333};
  int const c = 7;
  floats dist = random_floats(s.others() * 3, 15);
  for (float& d : dist) d = std::fabs(d);
  for (std::size_t i = 0; i < 30; ++i) dist[7 * i] = i % 2 == 0 ? 0.0f : HUGE_VALF;
  floats weight(dist.size());
  for (std::size_t row = 0; row < s.others(); ++row) {
    float inverse[3];
    for (std::size_t j = 0; j < 3; ++j) inverse[j] = 1.0f / (dist[3 * row + j] + 1e-8f);
    float const norm = inverse[0] + inverse[1] + inverse[2];
    for (std::size_t j = 0; j < 3; ++j) weight[3 * row + j] = inverse[j] / norm;
  }
  CHECK(run([&](auto& calls) { return calls.weights(dist); }) == outputs{bytes_of(weight)});

  floats const points = random_floats(s.points() * size_of(c), 16);
  ints const idx = random_indices(weight.size(), s.n, 17);
  floats expected(s.others() * size_of(c));
  for (int i = 0; i < s.b * c * s.m; ++i) {
    int const b = i / (c * s.m);
    int const channel = i / s.m % c;
    auto const entry = index_of(b * s.m + i % s.m, 3, 0);
    float value[3] = {};
    for (std::size_t j = 0; j < 3; ++j) {
      int const from = idx[entry + j];
      if (from >= 0 && from < s.n) value[j] = points[index_of(b * c + channel, s.n, from)];
    }
    expected[size_of(i)] = published::sum_of_products(&weight[entry], value);
  }
  CHECK(run([&](auto& calls) { return calls.interpolate(s, c, points, idx, weight); }) == outputs{bytes_of(expected)});

  floats const grad_out = random_floats(expected.size(), 18);
  floats grad(points.size(), poison_float());
  for (int i = 0; i < s.b * s.m * 3; ++i) {
    int const to = idx[size_of(i)];
    int const b = i / (3 * s.m);
    if (to < 0 || to >= s.n) continue;
    for (int channel = 0; channel < c; ++channel) {
      float volatile const product = grad_out[index_of(b * c + channel, s.m, i / 3 % s.m)] * weight[size_of(i)];
      grad[index_of(b * c + channel, s.n, to)] += product;
    }
  }
  CHECK(run([&](auto& calls) { return calls.interpolate_grad(s, c, grad_out, idx, weight); }) ==
        outputs{bytes_of(grad)});
}

TEST_CASE("compat, host: interpolation of rows", "[compat][host]") {
  int const n = 300;
  int const m = 500;
  int const c = 5;
  floats const features = random_floats(size_of(n * c), 19);
  floats const weight = random_floats(size_of(m * 3), 20);
  ints idx = random_indices(weight.size(), n, 21);
  for (int& i : idx) i = std::min(i, n - 1);  // above it the launcher cannot know
  floats expected(size_of(m * c));
  floats const grad_out = random_floats(expected.size(), 22);
  floats grad(features.size(), poison_float());
  for (int p = 0; p < m; ++p) {
    for (int channel = 0; channel < c; ++channel) {
      float value[3] = {};
      for (int j = 0; j < 3; ++j) {
        int const from = idx[index_of(p, 3, j)];
        if (from < 0) continue;
        value[j] = features[index_of(from, c, channel)];
        float volatile const product = grad_out[index_of(p, c, channel)] * weight[index_of(p, 3, j)];
        grad[index_of(from, c, channel)] += product;
      }
      expected[index_of(p, c, channel)] = published::sum_of_products(&weight[index_of(p, 3, 0)], value);
    }
  }
  CHECK(run([&](auto& calls) { return calls.interpolate_stack(m, c, features, idx, weight); }) ==
        outputs{bytes_of(expected)});
  CHECK(run([&](auto& calls) { return calls.interpolate_grad_stack(n, m, c, grad_out, idx, weight); }) ==
        outputs{bytes_of(grad)});
}

TEST_CASE("compat, host: grouping and gathering", "[compat][host]") {
  for (int const nsample : {1, 9}) {
    batch_sizes const s{4, 150, 77};
    int const c = 6;
    int const places = s.m * nsample;
    floats const points = random_floats(s.points() * size_of(c), 23);
    ints const idx = random_indices(s.others() * size_of(nsample), s.n, 24);
    floats out(idx.size() * size_of(c));
    floats const grad_out = random_floats(out.size(), 25);
    floats grad(points.size(), poison_float());
    for (int row = 0; row < s.b * c; ++row) {
      for (int place = 0; place < places; ++place) {
        int const from = idx[index_of(row / c, places, place)];
        if (from < 0 || from >= s.n) continue;
        out[index_of(row, places, place)] = points[index_of(row, s.n, from)];
        grad[index_of(row, s.n, from)] += grad_out[index_of(row, places, place)];
      }
    }
    CHECK(run([&](auto& calls) { return calls.group(s, c, nsample, points, idx); }) == outputs{bytes_of(out)});
    CHECK(run([&](auto& calls) { return calls.group_grad(s, c, nsample, grad_out, idx); }) == outputs{bytes_of(grad)});
  }
}

TEST_CASE("compat, host: grouping of a stack", "[compat][host]") {
  stack_sizes const s{{30, 0, 4, 70}, {20, 5, 4, 31}};
  int const c = 3;
  int const nsample = 5;
  floats const features = random_floats(size_of(s.n() * c), 26);
  ints const idx = random_indices(size_of(s.m() * nsample), 30, 27);
  floats out(idx.size() * size_of(c));
  floats const grad_out = random_floats(out.size(), 28);
  floats grad(features.size(), poison_float());
  int begin = 0;
  int row = 0;
  for (std::size_t b = 0; b < s.points.size(); ++b) {
    for (int i = 0; i < s.others[b]; ++i, ++row) {
      for (int place = 0; place < nsample * c; ++place) {
        int const index = idx[index_of(row, nsample, place % nsample)];
        if (index < 0 || index >= s.points[b]) continue;
        auto const from = index_of(begin + index, c, place / nsample);
        out[index_of(row, nsample * c, place)] = features[from];
        grad[from] += grad_out[index_of(row, nsample * c, place)];
      }
    }
    begin += s.points[b];
  }
  CHECK(run([&](auto& calls) { return calls.group_stack(s, c, nsample, features, idx); }) == outputs{bytes_of(out)});
  CHECK(run([&](auto& calls) { return calls.group_grad_stack(s, c, nsample, grad_out, idx); }) ==
        outputs{bytes_of(grad)});
}

TEST_CASE("compat, host: voxels in the order of the points", "[compat][host]") {
  // On a lattice points are at the borders of voxels and of the range.
  voxelizer_config const configs[] = {{{4000, 3, 3, 200}, {0.1f, 0.1f, 0.25f}, {0, 0, 0, 1, 1, 1}},
                                      {{4000, 3, 1, 5}, {0.32f, 0.32f, 8}, {-5.1f, 1.5f, -3, 4.2f, 5, 5}},
                                      {{4000, 4, 40, 4000}, {1, 1, 1}, {0, 1, 2, 4, 5, 6}},
                                      {{0, 3, 2, 3}, {1, 1, 1}, {0, 0, 0, 4, 4, 4}}};
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::rings}) {
    for (auto const& config : configs) {
      auto const& s = config.sizes;
      CAPTURE(static_cast<int>(which), s.max_points, s.max_voxels);
      floats const points = packed_cloud(which, size_of(s.num_points * s.num_features), 30);
      published::voxels expected;
      int untouched;
      std::memset(&untouched, poison, sizeof untouched);
      expected.points.assign(size_of(s.max_voxels * s.max_points * s.num_features), poison_float());
      expected.coors.assign(size_of(s.max_voxels * 3), untouched);
      expected.counts.assign(size_of(s.max_voxels), untouched);
      published::hard_voxelize(points.data(), s.num_points, s.num_features, s.max_points, s.max_voxels,
                               config.voxel_size, config.range, expected);
      CHECK(run([&](auto& calls) { return calls.voxels(config, points); }) ==
            outputs{bytes_of(expected.points), bytes_of(expected.coors), bytes_of(expected.counts),
                    bytes_of(ints{expected.count})});

      ints of_points(size_of(s.num_points * 3), -1);
      for (int i = 0; i < s.num_points; ++i) {
        int zyx[3];
        bool const inside =
            published::voxel_of_point(points.data() + i * s.num_features, config.voxel_size, config.range, zyx);
        if (inside) std::copy_n(zyx, 3, of_points.data() + 3 * i);
      }
      CHECK(run([&](auto& calls) { return calls.voxels_of_points(config, points); }) == outputs{bytes_of(of_points)});

      ints indices(size_of(s.max_voxels * 4), untouched);
      std::vector<unsigned char> const poisoned(size_of(s.max_voxels * s.num_features) * 2, poison);
      std::vector<farpoint::float16> means(poisoned.size() / 2);
      std::memcpy(means.data(), poisoned.data(), poisoned.size());
      for (int v = 0; v < expected.count; ++v) {
        indices[index_of(v, 4, 0)] = 0;
        std::copy_n(expected.coors.data() + 3 * v, 3, indices.data() + 4 * v + 1);
        for (int f = 0; f < s.num_features; ++f) {
          float sum = expected.points[index_of(v * s.max_points, s.num_features, f)];
          int const count = expected.counts[size_of(v)];
          for (int k = 1; k < count; ++k) sum += expected.points[index_of(v * s.max_points + k, s.num_features, f)];
          means[index_of(v, s.num_features, f)] = farpoint::to_float16(sum / static_cast<float>(count));
        }
      }
      CHECK(run([&](auto& calls) { return calls.center_point_voxels(config, points); }) ==
            outputs{bytes_of(expected.points), bytes_of(indices), bytes_of(expected.counts),
                    bytes_of(ints{expected.count}), bytes_of(means)});
    }
  }
}

TEST_CASE("compat, host: distCUDA2", "[compat][host]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::rings, shape::tiny}) {
    for (std::size_t const n : {0u, 1u, 2u, 3u, 4u, 5u, 1500u}) {
      CAPTURE(static_cast<int>(which), n);
      floats const clouds = packed_cloud(which, n, 29);
      CHECK(run([&](auto& calls) { return calls.mean_of_three(clouds); }) ==
            outputs{bytes_of(published::mean_of_three(clouds))});
    }
  }
}

TEST_CASE("compat, host: nothing to do, and what is refused", "[compat][host]") {
  using namespace farpoint::compat;
  using farpoint::status;
  host_exec const exec{1};
  float values[9] = {};
  int idx[9] = {};
  CHECK(furthest_point_sampling_kernel_launcher(0, 5, 5, nullptr, nullptr, nullptr, exec, {}));
  CHECK(ball_query_kernel_launcher_fast(0, 3, 3, 1, 3, nullptr, nullptr, nullptr, exec, {}));
  CHECK(three_nn_kernel_launcher_fast(3, 0, 3, nullptr, values, nullptr, nullptr, exec, {}));
  CHECK(distCUDA2(0, nullptr, nullptr, exec, {}));
  auto const code = [](farpoint::result const& outcome) { return outcome.code; };
  CHECK(code(furthest_point_sampling_kernel_launcher(1, -1, 1, values, nullptr, idx, exec, {})) ==
        status::bad_argument);
  CHECK(code(furthest_point_sampling_kernel_launcher(1, 3, 1, nullptr, nullptr, idx, exec, {})) ==
        status::bad_argument);
  CHECK(code(furthest_point_sampling_kernel_launcher(1, 3, 1, values, nullptr, idx, exec, {}, {false, 3})) ==
        status::bad_argument);
  CHECK(code(furthest_point_sampling_kernel_launcher(1, 3, 1, values, nullptr, idx, exec, {})) ==
        status::workspace_too_small);
  CHECK(code(ball_query_kernel_launcher_fast(1, 3, 3, 1, 1025, values, values, idx, exec, {})) == status::bad_argument);
  CHECK(code(three_nn_kernel_launcher_fast(1, 3, 3, values, values, values, idx, exec, {})) ==
        status::workspace_too_small);
  hard_voxelize_sizes const sizes{3, 3, 1, 2};
  float const one[] = {1, 1, 1};
  float const range[] = {0, 0, 0, 1, 1, 1};
  CHECK(code(hard_voxelize(sizes, nullptr, values, idx, idx + 6, idx + 8, one, range, exec, {})) ==
        status::bad_argument);
  CHECK(code(hard_voxelize(sizes, values, nullptr, idx, idx + 6, idx + 8, one, range, exec, {})) ==
        status::bad_argument);
  CHECK(code(hard_voxelize(sizes, values, values, idx, idx + 6, idx + 8, one, range, exec, {})) ==
        status::workspace_too_small);
  CHECK(code(group_points_grad_kernel_launcher_fast(1, 1, 3, 1, 3, values, idx, values, exec, {})) ==
        status::workspace_too_small);
}
