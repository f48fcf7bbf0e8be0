// knn(), radius() and radius_rows() under load.
#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>

#include "../search/device/knn_kernels.cuh"
#include "../search/device/radius_kernels.cuh"
#include "batches.hpp"
#include "calls.hpp"

namespace farpoint_stress {
namespace {

/// Clouds of points and of the queries, which are the points unless there are others.
struct search_data {
  batch_data points;
  batch_data queries;
  bool self = true;

  std::size_t rows() const { return static_cast<std::size_t>(self ? points.points() : queries.points()); }

  /// `call(clouds...)` with the clouds in the arrays of a call_memory.
  template <class Memory, class Call>
  farpoint::result in(Memory& memory, Call const& call) const {
    auto const clouds = points.in(memory);
    if (self) return call(clouds);
    return call(clouds, queries.in(memory));
  }

  /// A knn_output or radius_output for `each` neighbors per row.
  template <class Output, class Report, class Memory>
  Output lists_in(Memory& memory, index_t each) const {
    auto const size = rows() * static_cast<std::size_t>(each);
    Output output;
    output.indices = memory.template output<std::int32_t>(size);
    output.distances = memory.template output<float>(size);
    output.counts = memory.template output<std::int32_t>(rows());
    output.report = memory.template output<Report>(1).data();
    return output;
  }
};

// The work of a call, as make_call() takes it.

auto knn_work(search_data data, farpoint::knn_params params) {
  return [=, data = std::move(data)](auto exec, auto& memory) {
    return data.in(memory, [&](auto const&... clouds) {
      auto const output = data.lists_in<farpoint::knn_output<float>, farpoint::knn_report>(memory, params.k);
      return farpoint::knn(exec, clouds..., params, output,
                           memory.scratch(farpoint::knn_workspace_bytes(exec, clouds..., params)));
    });
  };
}

auto radius_work(search_data data, farpoint::radius_params params) {
  return [=, data = std::move(data)](auto exec, auto& memory) {
    return data.in(memory, [&](auto const&... clouds) {
      auto const output =
          data.lists_in<farpoint::radius_output<float>, farpoint::radius_report>(memory, params.max_neighbors);
      return farpoint::radius(exec, clouds..., params, output,
                              memory.scratch(farpoint::radius_workspace_bytes(exec, clouds...)));
    });
  };
}

auto radius_rows_work(search_data data, farpoint::radius_params params, index_t capacity) {
  return [=, data = std::move(data)](auto exec, auto& memory) {
    return data.in(memory, [&](auto const&... clouds) {
      farpoint::radius_rows_output<float> output;
      output.offsets = memory.template output<std::int32_t>(data.rows() + 1);
      output.indices = memory.template output<std::int32_t>(static_cast<std::size_t>(capacity));
      output.distances = memory.template output<float>(static_cast<std::size_t>(capacity));
      output.report = memory.template output<farpoint::radius_report>(1).data();
      return farpoint::radius_rows(exec, clouds..., params, output,
                                   memory.scratch(farpoint::radius_workspace_bytes(exec, clouds...)));
    });
  };
}

search_data random_search(random_source& random) {
  search_data data;
  bool const large = random.below(8) == 0;
  index_t const clouds = large ? 1 : 1 + random.below(8);
  data.self = random.below(2) == 0;
  data.points = random_batch(random, large ? 60000 : 4000, clouds);
  if (!data.self) data.queries = random_batch(random, large ? 20000 : 1500, clouds);
  return data;
}

}  // namespace

void add_search_calls(call_list& calls, call_sizes sizes, std::uint64_t seed) {
  // Radii that hold about eight points.
  bool const table = sizes == call_sizes::table;
  index_t const n = table ? 1000000 : 150000;
  std::string const of = with_commas(n);
  farpoint::radius_params params;
  params.radius = table ? 1.25 : 2.3;
  params.max_neighbors = 8;
  search_data const data{even_batch(1, n, seed), {}, true};
  calls.push_back(make_call("knn " + of + ", k 8", knn_work(data, {8})));
  calls.push_back(make_call("radius " + of + ", 8 at most", radius_work(data, params)));
  calls.push_back(make_call("radius_rows " + of, radius_rows_work(data, params, 10 * n)));
}

std::unique_ptr<stress_call> random_search_call(std::uint64_t seed) {
  random_source random{seed};
  auto data = random_search(random);
  farpoint::radius_params params;
  params.radius = random.below(10) == 0 ? 1e30 : 1.5 * static_cast<double>(random.uniform());
  params.order = random.below(2) == 0 ? farpoint::radius_order::index : farpoint::radius_order::nearest;
  params.exclude_self = random.below(2) == 0;
  auto const rows = static_cast<index_t>(data.rows());
  index_t const most = 1 + 600000 / std::max<index_t>(rows, 1);
  index_t const k = std::min<index_t>(1 + random.below(random.below(5) == 0 ? 300 : 40), most);
  params.max_neighbors = k;
  std::string const number = std::to_string(seed);
  switch (random.below(4)) {
    case 0: return make_call("random radius " + number, radius_work(std::move(data), params));
    case 1:
      return make_call("random radius_rows " + number,
                       radius_rows_work(std::move(data), params, random.below(20 * rows + 1)));
    default:
      farpoint::knn_params nearest;
      nearest.k = k;
      nearest.exclude_self = params.exclude_self;
      if (random.below(3) == 0) nearest.max_radius = params.radius;
      return make_call("random knn " + number, knn_work(std::move(data), nearest));
  }
}

}  // namespace farpoint_stress
