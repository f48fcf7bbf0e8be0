/// @file
/// radius(), interpolate() and gather() in the sizes of PointNet++'s layers, and other libraries, whose features come
/// channels first.

#include "calls/calls.hpp"
#include "calls/measure.cuh"
#include "support/peer_row.cuh"

#include <farpoint/gather.cuh>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::index_t;

/// Number of calls of a peer that are timed: few where a block compares all pairs of a large cloud.
int peer_calls(index_t points, index_t queries) {
  return points * queries > 100'000'000 ? 3 : 20;
}

/// A layer: some points of each cloud are queries.
struct layer {
  index_t clouds;
  index_t points;
  index_t queries;
  index_t k;         ///< largest number of points in a ball
  double radius;     ///< (m)
  index_t channels;  ///< number of features per point

  std::string name() const {
    return std::to_string(clouds) + "x" + std::to_string(points) + "_" + std::to_string(queries);
  }
};

constexpr layer layers[] = {
    {16, 1'024, 512, 32, 0.2, 64},
    {16, 4'096, 1'024, 32, 0.1, 64},
    {4, 16'384, 4'096, 32, 0.06, 128},
    {1, 65'536, 16'384, 16, 0.03, 64},
};

/// The points of the clouds, and the queries.
class layer_data {
 public:
  explicit layer_data(layer const& shape)
      : shape_{shape},
        points_{batch_sizes::regular, shape.clouds, shape.points, 1},
        queries_{batch_sizes::regular, shape.clouds, shape.queries, 2} {}

  layer const& shape() const noexcept { return shape_; }
  cloud_batch<float> const& points() const noexcept { return points_; }
  cloud_batch<float> const& queries() const noexcept { return queries_; }

 private:
  layer shape_;
  cloud_batch<float> points_;
  cloud_batch<float> queries_;
};

/// `[clouds, channels, rows]`, random.
std::vector<float> channels_first(index_t clouds, index_t channels, index_t rows) {
  std::vector<float> values = uniform_cube(static_cast<std::size_t>(clouds * channels * rows) / 3 + 1, 7);
  values.resize(static_cast<std::size_t>(clouds * channels * rows));
  return values;
}

/// `[clouds, rows, channels]` of `[clouds, channels, rows]`.
std::vector<float> channels_last(std::vector<float> const& values, index_t clouds, index_t channels, index_t rows) {
  std::vector<float> turned(values.size());
  for (index_t b = 0; b < clouds; ++b) {
    for (index_t c = 0; c < channels; ++c) {
      for (index_t i = 0; i < rows; ++i) {
        turned[static_cast<std::size_t>((b * rows + i) * channels + c)] =
            values[static_cast<std::size_t>((b * channels + c) * rows + i)];
      }
    }
  }
  return turned;
}

/// The output of a call on the host.
template <class Call>
std::vector<std::int32_t> words_on_host(Call const& call) {
  farpoint::host_exec const exec;
  std::vector<std::int32_t> words(call.words(), -1);
  farpoint::detail::host_workspace const workspace{call.bytes(exec)};
  check(call.run(exec, words.data(), workspace.get()), "the call on the host");
  return words;
}

class ball_call {
 public:
  explicit ball_call(layer const& shape) : data_{shape} {}

  layer_data const& data() const noexcept { return data_; }
  std::size_t words() const { return queries() * static_cast<std::size_t>(shape().k); }
  template <class Exec>
  std::size_t bytes(Exec exec) const {
    return farpoint::radius_workspace_bytes(exec, data_.points().on(exec), data_.queries().on(exec));
  }
  template <class Exec>
  farpoint::result run(Exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    farpoint::radius_params params;
    params.radius = shape().radius;
    params.max_neighbors = shape().k;
    params.exclusive = true;
    farpoint::radius_output<float> output;
    output.indices = words_from<std::int32_t>(words, 0, this->words());
    return farpoint::radius(exec, data_.points().on(exec), data_.queries().on(exec), params, output, workspace);
  }
  workload work() const {
    auto const n = static_cast<double>(shape().clouds * shape().points);
    auto const q = static_cast<double>(queries());
    return {n, q * static_cast<double>(shape().points), 12 * (n + q) + 4 * static_cast<double>(words())};
  }

 private:
  layer const& shape() const noexcept { return data_.shape(); }
  std::size_t queries() const { return static_cast<std::size_t>(shape().clouds * shape().queries); }

  layer_data data_;
};

/// Number of queries whose points are not the expected ones; a point at the radius, up to rounding, may be in or out.
std::size_t mistakes_in_balls(std::vector<std::int32_t> const& found, std::vector<std::int32_t> const& expected,
                              layer_data const& data) {
  if (found.size() != expected.size()) return 1;
  layer const& shape = data.shape();
  auto const k = static_cast<std::size_t>(shape.k);
  std::size_t mistakes = 0;
  for (std::size_t q = 0; q * k < expected.size(); ++q) {
    index_t const cloud = static_cast<index_t>(q) / shape.queries;
    auto const is_at_radius = [&](std::int32_t i) {
      if (i < 0 || i >= shape.points) return false;
      double distance = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double const d =
            double{data.points().xyz().host()[3 * static_cast<std::size_t>(cloud * shape.points + i) + axis]} -
            double{data.queries().xyz().host()[3 * q + axis]};
        distance += d * d;
      }
      double const square = shape.radius * shape.radius;
      return std::fabs(distance - square) <= 1e-5 * square;
    };
    for (std::size_t j = 0; j < k && expected[q * k + j] >= 0; ++j) {
      if (found[q * k + j] == expected[q * k + j]) continue;
      if (!is_at_radius(found[q * k + j]) && !is_at_radius(expected[q * k + j])) ++mistakes;
      break;
    }
  }
  return mistakes;
}

class interpolate_call {
 public:
  explicit interpolate_call(layer const& shape)
      : data_{shape},
        first_{channels_first(shape.clouds, shape.channels, shape.points)},
        last_{channels_last(first_.host(), shape.clouds, shape.channels, shape.points)} {}

  layer_data const& data() const noexcept { return data_; }
  mirrored<float> const& features() const noexcept { return first_; }
  std::size_t words() const { return static_cast<std::size_t>(shape().clouds * shape().queries * shape().channels); }
  template <class Exec>
  std::size_t bytes(Exec exec) const {
    return farpoint::interpolate_workspace_bytes(exec, data_.points().on(exec), data_.queries().on(exec));
  }
  template <class Exec>
  farpoint::result run(Exec exec, std::int32_t* words, farpoint::bytes workspace) const {
    farpoint::interpolate_output const output{words_from<float>(words, 0, this->words())};
    return farpoint::interpolate(exec, data_.points().on(exec), last_.on(exec), data_.queries().on(exec),
                                 shape().channels, output, workspace);
  }
  workload work() const {
    auto const n = static_cast<double>(shape().clouds * shape().points);
    auto const q = static_cast<double>(shape().clouds * shape().queries);
    auto const c = static_cast<double>(shape().channels);
    return {q, q * static_cast<double>(shape().points), 12 * (n + q) + 4 * c * (n + q)};
  }

 private:
  layer const& shape() const noexcept { return data_.shape(); }

  layer_data data_;
  mirrored<float> first_;
  mirrored<float> last_;
};

/// Rows of `row_size` indices.
struct gather_case {
  layer shape;
  index_t row_size;
};

class gather_call {
 public:
  explicit gather_call(gather_case const& row)
      : row_{row},
        features_{channels_first(row.shape.clouds, row.shape.channels, row.shape.points)},
        indices_{random_indices(row)} {}

  mirrored<float> const& features() const noexcept { return features_; }
  mirrored<std::int32_t> const& indices() const noexcept { return indices_; }
  std::size_t words() const { return indices_.host().size() * static_cast<std::size_t>(row_.shape.channels); }
  template <class Exec>
  std::size_t bytes(Exec) const {
    return 0;
  }
  template <class Exec>
  farpoint::result run(Exec exec, std::int32_t* words, farpoint::bytes) const {
    using rows = farpoint::feature_rows<float>;
    using read_only_rows = farpoint::feature_rows<float const>;
    index_t const clouds = row_.shape.clouds;
    index_t const channels = row_.shape.channels;
    farpoint::span<float const> const features = features_.on(exec);
    farpoint::span<float> const output = words_from<float>(words, 0, this->words());
    return farpoint::gather(exec, read_only_rows::channels_first(features, clouds, channels), indices_.on(exec),
                            rows::channels_first(output, clouds, channels));
  }
  workload work() const {
    auto const size = static_cast<double>(indices_.host().size());
    return {size, 0, 4 * size + 4 * static_cast<double>(features_.host().size() + words())};
  }

 private:
  static std::vector<std::int32_t> random_indices(gather_case const& row) {
    random_numbers random{3};
    std::vector<std::int32_t> indices(static_cast<std::size_t>(row.shape.clouds * row.shape.queries * row.row_size));
    for (std::int32_t& i : indices) i = static_cast<std::int32_t>(random.unit() * static_cast<float>(row.shape.points));
    return indices;
  }

  gather_case row_;
  mirrored<float> features_;
  mirrored<std::int32_t> indices_;
};

void register_balls(layer const& shape, bool flush_l2) {
  std::string const name = "ball_query/" + shape.name() + "_k" + std::to_string(shape.k);
  register_call(name, 100, flush_l2, [shape] { return std::make_unique<ball_call>(shape); });
  device_ball_query::input const sizes{static_cast<int>(shape.clouds),
                                       static_cast<int>(shape.points),
                                       static_cast<int>(shape.queries),
                                       static_cast<int>(shape.k),
                                       static_cast<float>(shape.radius),
                                       nullptr,
                                       nullptr};
  register_peers<device_ball_query>(
      "calls/" + name + "/", sizes, peer_calls(shape.points, shape.queries),
      [shape, sizes, flush_l2](auto& state, auto const& peer) {
        ball_call const call{shape};
        device_ball_query::input in = sizes;
        in.xyz = call.data().points().xyz().device();
        in.queries_xyz = call.data().queries().xyz().device();
        owned_stream const stream;
        time_peer(state, peer, in, stream.get(), call.work(), flush_l2, [&](device_ball_query const& made) {
          return peer_answer{mistakes_in_balls(made.indices(), words_on_host(call), call.data()),
                             "equals host_exec but at the radius"};
        });
      });
}

void register_interpolation(layer const& shape, bool flush_l2) {
  std::string const name = "interpolate/" + shape.name() + "_channels" + std::to_string(shape.channels);
  register_call(name, 100, flush_l2, [shape] { return std::make_unique<interpolate_call>(shape); });
  device_interpolate::input const sizes{static_cast<int>(shape.clouds),
                                        static_cast<int>(shape.channels),
                                        static_cast<int>(shape.points),
                                        static_cast<int>(shape.queries),
                                        nullptr,
                                        nullptr,
                                        nullptr};
  register_peers<device_interpolate>(
      "calls/" + name + "/", sizes, peer_calls(shape.points, shape.queries),
      [shape, sizes, flush_l2](auto& state, auto const& peer) {
        interpolate_call const call{shape};
        device_interpolate::input in = sizes;
        in.xyz = call.data().points().xyz().device();
        in.queries_xyz = call.data().queries().xyz().device();
        in.features = call.features().device();
        owned_stream const stream;
        time_peer(state, peer, in, stream.get(), call.work(), flush_l2, [&](device_interpolate const& made) {
          std::vector<std::int32_t> words = words_on_host(call);
          auto const* const expected = reinterpret_cast<float const*>(words.data());
          std::vector<float> const found = channels_last(made.features(), shape.clouds, shape.channels, shape.queries);
          std::size_t mistakes = 0;
          // Weights depend on rounded distances.
          for (std::size_t i = 0; i < found.size(); ++i) mistakes += std::fabs(found[i] - expected[i]) <= 1e-3f ? 0 : 1;
          return peer_answer{mistakes, "near host_exec"};
        });
      });
}

void register_gather(gather_case const& row, bool flush_l2) {
  layer const& shape = row.shape;
  std::string const name = "gather/" + shape.name() + (row.row_size > 1 ? "x" + std::to_string(row.row_size) : "") +
                           "_channels" + std::to_string(shape.channels);
  register_call(name, 100, flush_l2, [row] { return std::make_unique<gather_call>(row); });
  device_gather::input const sizes{static_cast<int>(shape.clouds),
                                   static_cast<int>(shape.channels),
                                   static_cast<int>(shape.points),
                                   static_cast<int>(shape.queries),
                                   static_cast<int>(row.row_size),
                                   nullptr,
                                   nullptr};
  register_peers<device_gather>(
      "calls/" + name + "/", sizes, 20, [row, sizes, flush_l2](auto& state, auto const& peer) {
        gather_call const call{row};
        device_gather::input in = sizes;
        in.features = call.features().device();
        in.indices = call.indices().device();
        owned_stream const stream;
        time_peer(state, peer, in, stream.get(), call.work(), flush_l2, [&](device_gather const& made) {
          std::vector<std::int32_t> words = words_on_host(call);
          auto const* const expected = reinterpret_cast<float const*>(words.data());
          std::vector<float> const found = made.features();
          std::size_t mistakes = found.size() == words.size() ? 0 : 1;
          for (std::size_t i = 0; i < found.size() && i < words.size(); ++i)
            mistakes += found[i] == expected[i] ? 0 : 1;
          return peer_answer{mistakes, "equals host_exec"};
        });
      });
}

}  // namespace

void register_pointnet_calls(bool flush_l2) {
  for (layer const& shape : layers) register_balls(shape, flush_l2);
  for (layer shape : layers) {
    // Features of the samples, at all points.
    std::swap(shape.points, shape.queries);
    register_interpolation(shape, flush_l2);
  }
  for (layer const& shape : layers) {
    register_gather({shape, 1}, flush_l2);
    register_gather({shape, shape.k}, flush_l2);
  }
}

}  // namespace farpoint_bench
