// knn(), radius() and radius_rows() on the host, and a hierarchy that is built once, against brute force.
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/reference/radius.hpp>

#include "../shared/team_tuning.hpp"
#include "fuzz_clouds.hpp"
#include "fuzz_compare.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

struct search_request {
  host_exec exec;
  farpoint::detail::for_each_cloud_tuning tuning;
  fuzz_clouds points, queries;
  bool self;
  farpoint::exact method;
  farpoint::radius_params params;
  index_t k;
  std::size_t indices, distances, counts, offsets;  ///< elements of the outputs

  explicit search_request(fuzz_input& input) : exec{1 + static_cast<int>(input.below(3))} {
    if (input.flag()) tuning = team_tuning();
    points = {input, 300, 5};
    self = input.flag();
    if (!self) {
      queries = {input, 100, 5};
      // Mostly as many clouds as there are of points.
      if (!queries.ragged && points.clouds > 0 && !input.rarely()) {
        queries.clouds = points.clouds;
        queries.points -= queries.points % queries.clouds;
      } else if (queries.ragged && points.clouds > 0 && points.clouds < 1000) {
        queries.offsets = take_offsets(input, points.clouds, queries.points);
        queries.clouds = points.clouds;
      }
    }
    method.max_radius = input.flag() ? input.take_length(4 * input.unit()) : method.max_radius;
    method.exclude_self = input.flag();
    params.radius = input.take_length(2 * input.unit());
    params.order = input.flag() ? farpoint::radius_order::index : farpoint::radius_order::nearest;
    params.exclude_self = method.exclude_self;
    index_t const wanted = 1 + (input.rarely() ? input.below(1024) : input.below(40));
    k = input.take_count(wanted);
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

  /// One of the outputs, with the parts that they have in common.
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
    return farpoint::detail::host_search_bytes(exec, points_in(memory), queries_in(memory), self, tuning);
  }
};

/// `host(memory, points, queries, bytes)` and `reference(memory, points, queries)`.
template <class Host, class Reference>
void compare_search(char const* name, search_request const& asked, fuzz_workspace const& workspace, Host const& host,
                    Reference const& reference) {
  compare_with_reference(
      name, workspace, [&](fuzz_memory& memory) { return asked.bytes(memory); },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        return host(memory, asked.points_in(memory), asked.queries_in(memory), bytes);
      },
      [&](fuzz_memory& memory) { return reference(memory, asked.points_in(memory), asked.queries_in(memory)); });
}

void compare_knn(search_request const& asked, fuzz_workspace const& workspace) {
  compare_search(
      "knn", asked, workspace,
      [&](fuzz_memory& memory, auto const& points, auto const& queries, farpoint::bytes bytes) {
        return farpoint::detail::knn_host(asked.exec, points, queries, asked.self, asked.method, asked.k,
                                          asked.knn_lists(memory), bytes, asked.tuning);
      },
      [&](fuzz_memory& memory, auto const&... clouds) {
        return farpoint::reference::knn(clouds..., asked.method, asked.k, asked.knn_lists(memory));
      });
}

/// The workspace is the memory of the hierarchy.
void compare_knn_in_bvh(search_request const& asked, fuzz_workspace const& workspace) {
  compare_with_reference(
      "build_point_bvh, knn", workspace,
      [&](fuzz_memory& memory) { return farpoint::point_bvh_bytes(asked.exec, asked.points_in(memory)); },
      [&](fuzz_memory& memory, farpoint::bytes bytes) {
        farpoint::point_bvh<float> index;
        auto const output = asked.knn_lists(memory);
        auto const built = farpoint::build_point_bvh(asked.exec, asked.points_in(memory), bytes, index);
        if (!built) return built;
        return farpoint::knn(asked.exec, index, asked.queries_in(memory), asked.method, asked.k, output);
      },
      [&](fuzz_memory& memory) {
        return farpoint::reference::knn(asked.points_in(memory), asked.queries_in(memory), asked.method, asked.k,
                                        asked.knn_lists(memory));
      });
}

void compare_radius(search_request const& asked, fuzz_workspace const& workspace) {
  compare_search(
      "radius", asked, workspace,
      [&](fuzz_memory& memory, auto const& points, auto const& queries, farpoint::bytes bytes) {
        return farpoint::detail::radius_host(asked.exec, points, queries, asked.self, asked.params, asked.k,
                                             asked.radius_lists(memory), bytes, asked.tuning);
      },
      [&](fuzz_memory& memory, auto const&... clouds) {
        return farpoint::reference::radius(clouds..., asked.params, asked.k, asked.radius_lists(memory));
      });
}

void compare_radius_rows(search_request const& asked, fuzz_workspace const& workspace) {
  compare_search(
      "radius_rows", asked, workspace,
      [&](fuzz_memory& memory, auto const& points, auto const& queries, farpoint::bytes bytes) {
        return farpoint::detail::radius_rows_host(asked.exec, points, queries, asked.self, asked.params,
                                                  asked.rows(memory), bytes, asked.tuning);
      },
      [&](fuzz_memory& memory, auto const&... clouds) {
        return farpoint::reference::radius_rows(clouds..., asked.params, asked.rows(memory));
      });
}

void ask_sizes(fuzz_input& input) {
  host_exec const exec{static_cast<int>(input.take_count(3))};
  auto const offsets = take_offsets(input, input.below(5), 100);
  auto const points = take_unbacked_batch(input, offsets);
  auto const queries = take_unbacked_batch(input, offsets);
  (void)farpoint::knn_workspace_bytes(exec, points, queries, farpoint::exact{}, input.take<index_t>());
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
  search_request const asked{input};
  switch (which) {
    case 0: compare_knn(asked, workspace); break;
    case 1: compare_knn_in_bvh(asked, workspace); break;
    case 2: compare_radius(asked, workspace); break;
    default: compare_radius_rows(asked, workspace); break;
  }
  return 0;
}
