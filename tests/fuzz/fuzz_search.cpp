// knn(), radius() and radius_rows() on the host, and a hierarchy that is built once, against brute force.
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/reference/radius.hpp>

#include "../search/search_tuned.hpp"
#include "../support/team_tuning.hpp"
#include "fuzz_clouds.hpp"
#include "fuzz_compare.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

/// A search problem and its workspace.
struct search_request {
  fuzz_workspace workspace;
  host_exec exec;
  search_tuning tuning;
  fuzz_clouds points, queries;
  bool self;
  farpoint::knn_params nearest;
  farpoint::radius_params params;
  std::size_t indices, distances, counts, offsets;  ///< elements of the outputs

  search_request(fuzz_input& input, fuzz_workspace const& given)
      : workspace{given}, exec{1 + static_cast<int>(input.below(3))} {
    if (input.flag()) tuning = team_tuning();
    points = {input, 300, 5};
    self = input.flag();
    if (!self) {
      queries = {input, 100, 5};
      // Mostly an equal number of clouds of points and of queries.
      if (!queries.ragged && points.clouds > 0 && !input.rarely()) {
        queries.clouds = points.clouds;
        queries.points -= queries.points % queries.clouds;
      } else if (queries.ragged && points.clouds > 0 && points.clouds < 1000) {
        queries.offsets = take_offsets(input, points.clouds, queries.points);
        queries.clouds = points.clouds;
      }
    }
    nearest.max_radius = input.flag() ? input.take_length(4 * input.unit()) : nearest.max_radius;
    nearest.exclude_self = input.flag();
    params.radius = input.take_length(2 * input.unit());
    params.order = input.flag() ? farpoint::radius_order::index : farpoint::radius_order::nearest;
    params.exclude_self = nearest.exclude_self;
    index_t const wanted = 1 + (input.rarely() ? input.below(1024) : input.below(40));
    nearest.k = params.max_neighbors = input.take_count(wanted);
    auto const rows = static_cast<std::size_t>(self ? points.points : queries.points);
    auto const size = [&](std::size_t usual) {
      return input.rarely() ? static_cast<std::size_t>(input.below(3000)) : usual;
    };
    indices = size(rows * static_cast<std::size_t>(wanted));
    distances = input.flag() ? size(indices) : 0;
    counts = input.flag() ? size(rows) : 0;
    offsets = size(rows + 1);
  }

  auto points_in(fuzz_memory& memory) const { return points.in(memory); }
  auto queries_in(fuzz_memory& memory) const { return self ? points.in(memory) : queries.in(memory); }

  /// Makes an output with the arrays that all searches have.
  template <class Output>
  Output lists_in(fuzz_memory& memory) const {
    Output output;
    output.indices = memory.output<std::int32_t>(indices);
    if (distances > 0) output.distances = memory.output<float>(distances);
    return output;
  }
  farpoint::knn_output<float> knn_lists(fuzz_memory& memory) const {
    auto output = lists_in<farpoint::knn_output<float>>(memory);
    if (counts > 0) output.counts = memory.output<std::int64_t>(counts);
    output.report = memory.output<farpoint::knn_report>(1).data();
    return output;
  }
  farpoint::radius_output<float> radius_lists(fuzz_memory& memory) const {
    auto output = lists_in<farpoint::radius_output<float>>(memory);
    if (counts > 0) output.counts = memory.output<std::int32_t>(counts);
    output.report = memory.output<farpoint::radius_report>(1).data();
    return output;
  }
  farpoint::radius_rows_output<float> rows(fuzz_memory& memory) const {
    auto output = lists_in<farpoint::radius_rows_output<float>>(memory);
    output.offsets = memory.output<std::int32_t>(offsets);
    output.report = memory.output<farpoint::radius_report>(1).data();
    return output;
  }

  std::size_t bytes(fuzz_memory& memory) const {
    return search_tuned_bytes(exec, points_in(memory), queries_in(memory), self, tuning);
  }
};

/// Compares `host(exec, points, queries, self, wanted..., output, workspace, tuning)` with
/// `reference(points, queries, wanted..., output)`.
/// @param outputs  the member of `asked` that makes `output`
template <class Outputs, class Host, class Reference, class... Wanted>
void compare_search(char const* name, search_request const& asked, Outputs outputs, Host const& host,
                    Reference const& reference, Wanted const&... wanted) {
  compare_with_reference(
      name, asked.workspace, [&](fuzz_memory& memory) { return asked.bytes(memory); },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        return host(asked.exec, asked.points_in(memory), asked.queries_in(memory), asked.self, wanted...,
                    (asked.*outputs)(memory), bytes, asked.tuning);
      },
      [&](fuzz_memory& memory) {
        return reference(asked.points_in(memory), asked.queries_in(memory), wanted..., (asked.*outputs)(memory));
      });
}

/// Compares knn() in a point_bvh. The workspace serves as the memory of the hierarchy.
void compare_knn_in_bvh(search_request const& asked) {
  compare_with_reference(
      "build_point_bvh, knn", asked.workspace,
      [&](fuzz_memory& memory) { return farpoint::point_bvh_bytes(asked.exec, asked.points_in(memory)); },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        farpoint::point_bvh<float> index;
        auto const output = asked.knn_lists(memory);
        auto const built = farpoint::build_point_bvh(asked.exec, asked.points_in(memory), bytes, index);
        if (!built) return built;
        return farpoint::knn(asked.exec, index, asked.queries_in(memory), asked.nearest, output);
      },
      [&](fuzz_memory& memory) {
        return farpoint::reference::knn(asked.points_in(memory), asked.queries_in(memory), asked.nearest,
                                        asked.knn_lists(memory));
      });
}

void compare_knn(search_request const& asked) {
  compare_search(
      "knn", asked, &search_request::knn_lists, [](auto const&... all) { return knn_tuned(all...); },
      [](auto const&... all) { return farpoint::reference::knn(all...); }, asked.nearest);
}

void compare_radius(search_request const& asked) {
  compare_search(
      "radius", asked, &search_request::radius_lists, [](auto const&... all) { return radius_tuned(all...); },
      [](auto const&... all) { return farpoint::reference::radius(all...); }, asked.params);
}

void compare_radius_rows(search_request const& asked) {
  compare_search(
      "radius_rows", asked, &search_request::rows, [](auto const&... all) { return radius_rows_tuned(all...); },
      [](auto const&... all) { return farpoint::reference::radius_rows(all...); }, asked.params);
}

void ask_sizes(fuzz_input& input) {
  host_exec const exec{static_cast<int>(input.take_count(3))};
  auto const offsets = take_offsets(input, input.below(5), 100);
  auto const points = take_unbacked_batch(input, offsets);
  auto const queries = take_unbacked_batch(input, offsets);
  (void)farpoint::knn_workspace_bytes(exec, points, queries, farpoint::knn_params{input.take<index_t>()});
  (void)farpoint::radius_workspace_bytes(exec, points, queries);
  (void)farpoint::point_bvh_bytes(exec, points);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  fuzz_input input{data, size};
  if (input.rarely()) {
    ask_sizes(input);
    return 0;
  }
  fuzz_workspace const workspace{input};
  auto const which = input.below(4);
  search_request const asked{input, workspace};
  switch (which) {
    case 0: compare_knn(asked); break;
    case 1: compare_knn_in_bvh(asked); break;
    case 2: compare_radius(asked); break;
    default: compare_radius_rows(asked); break;
  }
  return 0;
}
