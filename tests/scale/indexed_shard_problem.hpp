// A cloud whose parts have BVHs that are built once, and searches among them.
#pragma once

#include <farpoint/reference/knn.hpp>
#include <farpoint/reference/radius.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/repartition.hpp>

#include "../support/answers.hpp"
#include "knn_shard_problem.hpp"

#include <stdexcept>

namespace farpoint_tests {

using farpoint::radius_order;
using farpoint::radius_params;
using farpoint::status;

/// A search that all ranks make.
struct indexed_search {
  bool is_radius = false;
  index_t k = 1;  ///< or radius_params::max_neighbors
  farpoint::neighborhood_params limits;
  radius_params params;
  bool self = true;  ///< queries are the rank's points
  bool planned = false;

  knn_params nearest() const { return limits.with_k(k); }
  radius_params within() const {
    radius_params lists = params;
    lists.max_neighbors = k;
    return lists;
  }
};

/// Points of each rank, and the searches.
template <class Coord>
struct indexed_shard_problem {
  packed_points<Coord> cloud;
  std::vector<std::size_t> owners;  ///< `[points]`: rank of each point
  std::size_t ranks = 1;
  bool is_moved = false;        ///< points move to owners before they are indexed; owners ascend, and parts are named
  bool knows_owners = true;     ///< searches of moved points use the borders along the curve
  bool is_named = true;         ///< parts have indices; otherwise owners ascend, and indices count from the first one
  std::vector<char> is_built;   ///< `[ranks]`: the rank has a BVH; without names only
  packed_points<Coord> others;  ///< queries of each rank if they are not its points
  index_t first_index = 0;
  int threads = 1;
  std::vector<indexed_search> searches;

  /// Indices of a rank's points in the cloud.
  std::vector<index_t> points_of(std::size_t rank) const {
    std::vector<index_t> points;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] == rank) points.push_back(static_cast<index_t>(i));
    }
    return points;
  }
  index_t query_count(std::size_t rank, indexed_search const& search) const {
    return static_cast<index_t>(search.self ? points_of(rank).size() : others.size());
  }
};

template <class Coord>
struct indexed_search_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  std::vector<index_t> counts;  ///< of radius_shard()
  farpoint::radius_report report;
  std::vector<index_t> numbers;  ///< indices of the rank's points in the cloud
  index_t exchanged = 0;
};

/// Faults of a rank's index.
struct odd_index {
  bool never_built = false;
  index_t points_less = 0;  ///< points that the BVH lacks
  std::size_t indices_less = 0;
};

/// Calls of one kind, so that one body makes both.
struct knn_calls {
  template <class... Args>
  static std::size_t bytes(Args const&... args) {
    return knn_shard_workspace_bytes(args...);
  }
  template <class... Args>
  static std::size_t plan_bytes(Args const&... args) {
    return knn_shard_plan_workspace_bytes(args...);
  }
  template <class Exec, class Communicator, class... Args>
  static auto call(Exec exec, Communicator& communicator, Args const&... args) {
    return knn_shard(exec, communicator, args...);
  }
  template <class Exec, class Communicator, class... Args>
  static auto plan(Exec exec, Communicator& communicator, Args const&... args) {
    return knn_shard_plan(exec, communicator, args...);
  }
};
struct radius_calls {
  template <class... Args>
  static std::size_t bytes(Args const&... args) {
    return radius_shard_workspace_bytes(args...);
  }
  template <class... Args>
  static std::size_t plan_bytes(Args const&... args) {
    return radius_shard_plan_workspace_bytes(args...);
  }
  template <class Exec, class Communicator, class... Args>
  static auto call(Exec exec, Communicator& communicator, Args const&... args) {
    return radius_shard(exec, communicator, args...);
  }
  template <class Exec, class Communicator, class... Args>
  static auto plan(Exec exec, Communicator& communicator, Args const&... args) {
    return radius_shard_plan(exec, communicator, args...);
  }
};

/// Makes a search on one rank.
/// @tparam Calls  knn_calls or radius_calls
template <template <class> class Array, class Calls, class Exec, class Communicator, class Part, class Queries,
          class Params, class Output, class Wait>
farpoint::result search_indexed(Exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                                Params const& params, indexed_search const& search, Output const& output,
                                Wait const& wait) {
  int const ranks = communicator.ranks();
  std::size_t const needed = search.planned ? Calls::plan_bytes(exec, ranks, part, queries, params, output)
                                            : Calls::bytes(exec, ranks, part, queries, params, output);
  Array<unsigned char> const workspace{needed};
  farpoint::bytes const memory{workspace.data(), needed};
  farpoint::result outcome;
  if (search.planned) {
    auto planned = Calls::plan(exec, communicator, part, queries, params, output, memory);
    Array<unsigned char> const room{planned.workspace_bytes()};
    outcome = planned.run({room.data(), planned.workspace_bytes()});
    wait();
    if (!room.intact()) outcome = memory_was_written;
  } else {
    outcome = Calls::call(exec, communicator, part, queries, params, output, memory);
    wait();
  }
  return workspace.intact() ? outcome : memory_was_written;
}

/// Points of a rank in the memory of its calls.
template <class Coord>
struct rank_points {
  std::vector<index_t> numbers;  ///< indices in the cloud
  farpoint::shard<farpoint::point_view<Coord>> part;
  farpoint::span<index_t const> names;
  farpoint::curve_owners<Coord> owners{};
};

template <template <class> class Array, class Coord>
farpoint::point_view<Coord> view_of_array(Array<std::array<Coord, 3>> const& points) {
  return {reinterpret_cast<Coord const*>(points.data()), static_cast<index_t>(points.size()),
          index_t{3 * sizeof(Coord)}};
}

/// All searches of one rank, with one BVH.
/// @tparam Array  host_array, or device_array where the call is for a GPU
/// @tparam Bvh    point_bvh or device_point_bvh
/// @param wait    `wait()` returns when the calls are done
template <template <class> class Array, class Bvh, class Exec, class Communicator, class Coord, class Wait>
std::vector<indexed_search_answer<Coord>> search_among(Exec exec, Communicator& communicator,
                                                       indexed_shard_problem<Coord> const& problem,
                                                       odd_index const& odd, rank_points<Coord> const& own,
                                                       Wait const& wait) {
  using view = farpoint::point_view<Coord>;
  auto const rank = static_cast<std::size_t>(communicator.rank());
  Array<std::array<Coord, 3>> const asked{problem.others};
  farpoint::indexed_shard<view, Bvh> indexed;
  indexed.part = own.part;
  indexed.owners = own.owners;
  farpoint::batch const cloud{own.part.points.subview(0, own.part.points.size() - odd.points_less)};
  std::size_t const size = point_bvh_bytes(exec, cloud);
  Array<unsigned char> const memory{size};
  // Catch's checks are for one thread.
  if (!odd.never_built && !build_point_bvh(exec, cloud, farpoint::bytes{memory.data(), size}, indexed.bvh)) {
    throw std::runtime_error{"the BVH"};
  }
  if (problem.is_named) indexed.indices = {own.names.data(), own.names.size() - odd.indices_less};

  std::vector<indexed_search_answer<Coord>> answers;
  for (auto const& search : problem.searches) {
    view const queries = search.self ? indexed.part.points : view_of_array<Array, Coord>(asked);
    auto const count = static_cast<std::size_t>(queries.size());
    Array<index_t> const indices{count * static_cast<std::size_t>(search.k)};
    Array<Coord> const distances{indices.size()};
    Array<index_t> const counts{search.is_radius ? count : 0};
    indexed_search_answer<Coord> answer;
    answer.numbers = own.numbers;
    auto const find = [&](auto calls, auto const& params, auto output, auto report_type) {
      Array<decltype(report_type)> const report{1};
      output.indices = {indices.data(), indices.size()};
      output.distances = {distances.data(), distances.size()};
      output.report = report.data();
      output.exchanged = &answer.exchanged;
      output.exchanged_capacity = queries.size() * communicator.ranks() + 1000;
      bool const with_bvh = problem.is_named || problem.is_built[rank] != 0;
      auto const by = [&](auto const& part) {
        return search_indexed<Array, decltype(calls)>(exec, communicator, part, queries, params, search, output, wait);
      };
      answer.outcome = with_bvh ? by(indexed) : by(indexed.part);
      auto const found = report.download()[0];
      answer.report.non_finite_points = found.non_finite_points;
      answer.report.non_finite_queries = found.non_finite_queries;
    };
    if (search.is_radius) {
      farpoint::radius_shard_output<Coord> output;
      output.counts = {counts.data(), counts.size()};
      find(radius_calls{}, search.within(), output, farpoint::radius_report{});
    } else {
      find(knn_calls{}, search.nearest(), farpoint::knn_shard_output<Coord>{}, farpoint::knn_report{});
    }
    if (!indices.intact() || !distances.intact() || !counts.intact()) answer.outcome = memory_was_written;
    answer.indices = indices.download();
    answer.distances = distances.download();
    answer.counts = counts.download();
    answers.push_back(answer);
  }
  return answers;
}

/// Calls `use(points)` with the points of a rank, which may move to owners first.
/// @return the result of `use`, or `failed(outcome)` if the repartition fails
template <template <class> class Array, class Exec, class Communicator, class Coord, class Wait, class Use,
          class Failed>
auto with_rank_points(Exec exec, Communicator& communicator, indexed_shard_problem<Coord> const& problem,
                      Wait const& wait, Use const& use, Failed const& failed) {
  auto const rank = static_cast<std::size_t>(communicator.rank());
  rank_points<Coord> own;
  own.numbers = problem.points_of(rank);
  packed_points<Coord> coordinates;
  std::vector<index_t> shifted;
  for (index_t const number : own.numbers) {
    coordinates.push_back(problem.cloud[static_cast<std::size_t>(number)]);
    shifted.push_back(number + problem.first_index);
  }
  Array<std::array<Coord, 3>> const points{coordinates};
  Array<index_t> const names{shifted};
  // The first index of a part with names is not used.
  index_t const unused = (index_t{1} << 50) + static_cast<index_t>(rank);
  bool const is_unused = problem.is_named && !problem.is_moved;
  own.part = {view_of_array<Array, Coord>(points), is_unused ? unused : shifted.empty() ? 0 : shifted[0]};
  own.names = {names.data(), names.size()};
  if (!problem.is_moved) return use(own);

  std::size_t const size = repartition_plan_workspace_bytes(exec, communicator.ranks(), own.part);
  Array<unsigned char> const workspace{size};
  auto moved = repartition_plan(exec, communicator, own.part, farpoint::bytes{workspace.data(), size});
  auto const owned = static_cast<std::size_t>(moved.owned());
  Array<unsigned char> const room{moved.workspace_bytes()};
  Array<std::array<Coord, 3>> const owned_points{owned};
  Array<index_t> const owned_names{owned};
  auto* const to = reinterpret_cast<Coord*>(owned_points.data());
  auto const done = moved.run({{to, owned * 3}, {owned_names.data(), owned}}, {room.data(), room.size()});
  wait();
  if (!done) return failed(done);
  own.numbers = owned_names.download();
  for (index_t& number : own.numbers) number -= problem.first_index;
  own.part = {view_of_array<Array, Coord>(owned_points), unused};
  own.names = {owned_names.data(), owned};
  if (problem.knows_owners) own.owners = moved.owners();
  return use(own);
}

/// All searches of one rank.
template <template <class> class Array, class Bvh, class Exec, class Communicator, class Coord, class Wait>
std::vector<indexed_search_answer<Coord>> search_on_rank(Exec exec, Communicator& communicator,
                                                         indexed_shard_problem<Coord> const& problem,
                                                         odd_index const& odd, Wait const& wait) {
  return with_rank_points<Array>(
      exec, communicator, problem, wait,
      [&](rank_points<Coord> const& own) {
        return search_among<Array, Bvh>(exec, communicator, problem, odd, own, wait);
      },
      [&](farpoint::result const& failure) {
        return std::vector<indexed_search_answer<Coord>>(problem.searches.size(), {failure, {}, {}, {}, {}, {}, 0});
      });
}

/// Rows of one call for the whole cloud.
template <class Coord>
indexed_search_answer<Coord> expected_of(indexed_shard_problem<Coord> const& problem, indexed_search const& search) {
  indexed_search_answer<Coord> expected;
  packed_points<Coord> const& queries = search.self ? problem.cloud : problem.others;
  expected.indices.resize(queries.size() * static_cast<std::size_t>(search.k));
  expected.distances.resize(expected.indices.size());
  farpoint::batch const points{view_of(problem.cloud)};
  farpoint::batch const asked{view_of(queries)};
  if (search.is_radius) {
    expected.counts.resize(queries.size());
    farpoint::radius_output<Coord> const output{expected.indices, expected.distances, expected.counts,
                                                &expected.report};
    REQUIRE(farpoint::reference::radius(points, asked, search.within(), output));
  } else {
    farpoint::knn_report report;
    farpoint::knn_output<Coord> const output{expected.indices, expected.distances, {}, &report};
    REQUIRE(farpoint::reference::knn(points, asked, search.nearest(), output));
    expected.report.non_finite_points = report.non_finite_points;
    expected.report.non_finite_queries = report.non_finite_queries;
  }
  for (index_t& index : expected.indices) index += index < 0 ? 0 : problem.first_index;
  return expected;
}

/// @param answers  `[ranks, searches]`
template <class Coord>
void check_indexed_answers(indexed_shard_problem<Coord> const& problem,
                           std::vector<std::vector<indexed_search_answer<Coord>>> const& answers) {
  for (std::size_t s = 0; s < problem.searches.size(); ++s) {
    auto const& search = problem.searches[s];
    CAPTURE(s, search.is_radius, search.k, search.self, search.planned);
    auto const expected = expected_of(problem, search);
    auto const width = static_cast<std::size_t>(search.k);
    for (std::size_t rank = 0; rank < problem.ranks; ++rank) {
      CAPTURE(rank);
      auto const& answer = answers[rank][s];
      INFO(answer.outcome.reason);
      REQUIRE(answer.outcome);
      indexed_search_answer<Coord> own;
      std::vector<index_t> rows = answer.numbers;
      if (!search.self) rows.resize(problem.others.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const row = search.self ? static_cast<std::size_t>(rows[i]) : i;
        for (std::size_t j = row * width; j < (row + 1) * width; ++j) {
          own.indices.push_back(expected.indices[j]);
          own.distances.push_back(expected.distances[j]);
        }
        if (search.is_radius) own.counts.push_back(expected.counts[row]);
      }
      CHECK(answer.indices == own.indices);
      CHECK(same_bits(answer.distances, own.distances));
      CHECK(answer.counts == own.counts);
      // Non-finite points have no owner.
      CHECK(answer.report.non_finite_points == (problem.is_moved ? 0 : expected.report.non_finite_points));
      std::uint64_t const asking = !search.self ? problem.ranks : problem.is_moved ? 0 : 1;
      CHECK(answer.report.non_finite_queries == expected.report.non_finite_queries * asking);
    }
  }
}

/// Searches of each kind.
inline std::vector<indexed_search> some_searches(random_source& random) {
  std::vector<indexed_search> searches(6);
  index_t const ks[] = {1, 2, 5, 16, 40};
  for (std::size_t i = 0; i < searches.size(); ++i) {
    auto& one = searches[i];
    one.is_radius = i % 2 == 1;
    one.k = ks[random.below(5)];
    if (one.is_radius && random.below(4) == 0) one.k = 0;
    one.self = random.below(2) == 0;
    one.planned = random.below(2) == 0;
    one.limits.exclude_self = one.params.exclude_self = one.self && random.below(2) == 0;
    if (random.below(3) == 0) one.limits.max_radius = 0.3;
    one.params.radius = static_cast<double>(random.uniform());
    one.params.order = random.below(2) == 0 ? radius_order::index : radius_order::nearest;
  }
  return searches;
}

template <class Coord>
indexed_shard_problem<Coord> random_indexed_problem(std::uint64_t seed) {
  random_source random{seed + 41000};
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  indexed_shard_problem<Coord> problem;
  problem.cloud = packed<Coord>(make_cloud(which, static_cast<std::size_t>(random.below(300)), seed));
  problem.others = packed<Coord>(make_cloud(which, static_cast<std::size_t>(random.below(60)), seed + 1));
  problem.ranks = static_cast<std::size_t>(1 + random.below(4));
  problem.is_named = random.below(4) != 0;
  for (std::size_t r = 0; r < problem.ranks; ++r) problem.is_built.push_back(random.below(3) != 0 ? 1 : 0);
  auto const ranks = static_cast<std::int64_t>(problem.ranks);
  for (std::size_t i = 0; i < problem.cloud.size(); ++i) {
    problem.owners.push_back(static_cast<std::size_t>(random.below(ranks)));
  }
  problem.is_moved = problem.is_named && random.below(2) == 0;
  problem.knows_owners = random.below(3) != 0;
  if (!problem.is_named || problem.is_moved) std::sort(problem.owners.begin(), problem.owners.end());
  index_t const firsts[] = {0, 9, (index_t{1} << 32) - 50};
  problem.first_index = firsts[random.below(3)];
  problem.threads = random.below(4) == 0 ? 2 : 1;
  problem.searches = some_searches(random);
  return problem;
}

}  // namespace farpoint_tests
