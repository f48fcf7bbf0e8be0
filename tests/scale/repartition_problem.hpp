// A cloud for repartition(), spread over ranks, and the points that each rank must own.
#pragma once

#include <farpoint/scale/repartition.hpp>

#include "../support/answers.hpp"
#include "knn_shard_problem.hpp"

namespace farpoint_tests {

using farpoint::status;

/// The call of one rank, and its faults.
struct repartition_rank_call {
  bool is_made = true;
  index_t first_more = 0;          ///< added to the index of the first point
  index_t capacity_less = 0;       ///< points that the outputs are too short by
  std::size_t indices_less = 0;    ///< elements
  std::size_t workspace_less = 0;  ///< bytes
  // In two halves only:
  std::size_t room_less = 0;      ///< bytes that the workspace of run() is too small by
  std::size_t features_less = 0;  ///< elements that arrays of features are too short by
  index_t channels_more = 0;
};

/// A cloud in parts.
template <class Coord>
struct repartition_problem {
  packed_points<Coord> cloud;
  std::vector<index_t> cuts;       ///< `[ranks + 1]`
  std::vector<std::size_t> parts;  ///< `[ranks]`: which of the parts a rank has
  index_t first_index = 0;
  int threads = 1;
  bool planned = false;  ///< in two halves, with features

  repartition_problem() = default;
  repartition_problem(packed_points<Coord> points, std::vector<index_t> where)
      : cloud{std::move(points)}, cuts{std::move(where)} {
    for (std::size_t r = 0; r < ranks(); ++r) parts.push_back(r);
  }

  std::size_t ranks() const { return cuts.size() - 1; }
  packed_points<Coord> part(std::size_t which) const {
    return {cloud.begin() + cuts[which], cloud.begin() + cuts[which + 1]};
  }
  /// Room of an owner for points.
  index_t capacity() const {
    return farpoint::detail::divide_up(static_cast<index_t>(cloud.size()), static_cast<index_t>(ranks()));
  }
  std::vector<repartition_rank_call> calls() const { return std::vector<repartition_rank_call>(ranks()); }
};

/// Type of the features that go to owners: three channels, of a size that is not a power of two.
using feature_type = std::int16_t;
inline constexpr index_t feature_channels = 3;

/// Feature of the point with this index.
inline feature_type feature_of(index_t index, index_t channel) {
  return static_cast<feature_type>((index * 7 + channel * 1000) % 32000);
}

template <class Coord>
struct repartition_answer {
  farpoint::result outcome;
  std::vector<Coord> points;
  std::vector<index_t> indices;
  index_t owned = -1;
  index_t first_owned = -1;
  index_t non_finite = -1;              ///< in two halves
  std::vector<feature_type> features;   ///< of the owned points
  std::vector<index_t> returned;        ///< `[points, 2]`: index and owner of each point, sent back by its owner
  std::vector<unsigned char> poisoned;  ///< `[points]`: nothing was written to `returned`
  bool untouched = true;
};

/// Sends features to the owners, and the owners' indices and ranks back.
template <template <class> class Array, class Planned, class Coord, class Wait>
farpoint::result move_features(Planned& moved, repartition_problem<Coord> const& problem, std::size_t which, int rank,
                               repartition_rank_call const& call, std::vector<index_t> const& indices,
                               repartition_answer<Coord>& answer, Wait const& wait) {
  auto const size = problem.part(which).size();
  auto const owned = static_cast<std::size_t>(moved.owned());
  index_t const channels = feature_channels + call.channels_more;
  std::vector<feature_type> own;
  for (std::size_t i = 0; i < size; ++i) {
    for (index_t channel = 0; channel < feature_channels; ++channel) {
      own.push_back(feature_of(problem.first_index + problem.cuts[which] + static_cast<index_t>(i), channel));
    }
  }
  std::vector<index_t> to_return;
  for (index_t const index : indices) {
    to_return.push_back(index);
    to_return.push_back(rank);
  }
  Array<feature_type> const features{own};
  Array<feature_type> const received{owned * feature_channels - call.features_less};
  Array<index_t> const answers{to_return};
  Array<index_t> const returned{size * 2 - call.features_less};
  std::size_t const room = moved.template features_workspace_bytes<feature_type>(feature_channels);
  std::size_t const back_room = moved.template features_workspace_bytes<index_t>(2);
  Array<unsigned char> const workspace{room};
  Array<unsigned char> const back_workspace{back_room};
  auto outcome = moved.template send_features<feature_type>({features.data(), features.size()}, channels,
                                                            {received.data(), received.size()},
                                                            {workspace.data(), room - std::min(room, call.room_less)});
  if (outcome) {
    outcome = moved.template return_features<index_t>(
        {answers.data(), answers.size()}, 2, {returned.data(), returned.size()}, {back_workspace.data(), back_room});
  }
  wait();
  if (!received.intact() || !returned.intact() || !workspace.intact() || !back_workspace.intact()) {
    return memory_was_written;
  }
  answer.features = received.download();
  answer.returned = returned.download();
  for (std::size_t i = 0; i < size && outcome; ++i) {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(answer.returned.data() + 2 * i);
    bool const is_poison = std::all_of(bytes, bytes + 2 * sizeof(index_t), [](auto byte) { return byte == poison; });
    answer.poisoned.push_back(is_poison ? 1 : 0);
  }
  return outcome;
}

/// One rank's call.
/// @tparam Array  host_array, or device_array where the call is for a GPU
/// @param wait    `wait()` returns when the call is done
template <template <class> class Array, class Exec, class Communicator, class Coord, class Wait>
repartition_answer<Coord> repartition_of_rank(Exec exec, Communicator& communicator,
                                              repartition_problem<Coord> const& problem,
                                              repartition_rank_call const& call, Wait const& wait) {
  using view = farpoint::point_view<Coord>;
  std::size_t const which = problem.parts[static_cast<std::size_t>(communicator.rank())];
  Array<std::array<Coord, 3>> const points{problem.part(which)};
  farpoint::shard<view> const part{view{reinterpret_cast<Coord const*>(points.data()),
                                        static_cast<index_t>(points.size()), index_t{3 * sizeof(Coord)}},
                                   problem.first_index + problem.cuts[which] + call.first_more};
  int const ranks = communicator.ranks();
  std::size_t const needed = problem.planned ? repartition_plan_workspace_bytes(exec, ranks, part)
                                             : repartition_workspace_bytes(exec, ranks, part);
  std::size_t const given = needed - std::min(needed, call.workspace_less);
  Array<unsigned char> const workspace{given};
  farpoint::bytes const memory{workspace.data(), given};

  repartition_answer<Coord> answer;
  auto const with_room_for = [&](index_t size, auto const& use) {
    auto const count = static_cast<std::size_t>(std::max(size - call.capacity_less, index_t{0}));
    Array<Coord> const to{count * 3};
    Array<index_t> const indices{count - std::min(count, call.indices_less)};
    farpoint::repartition_output<Coord> output;
    output.points = {to.data(), to.size()};
    output.indices = {indices.data(), indices.size()};
    output.owned = &answer.owned;
    output.first_owned = &answer.first_owned;
    answer.outcome = use(output);
    wait();
    if (!workspace.intact() || !to.intact() || !indices.intact()) answer.outcome = memory_was_written;
    answer.untouched = to.untouched() && indices.untouched();
    answer.points = to.download();
    answer.indices = indices.download();
  };
  if (!problem.planned) {
    with_room_for(problem.capacity(),
                  [&](auto const& output) { return repartition(exec, communicator, part, output, memory); });
    if (answer.outcome) answer.points.resize(static_cast<std::size_t>(answer.owned) * 3);
    if (answer.outcome) answer.indices.resize(static_cast<std::size_t>(answer.owned));
    return answer;
  }
  auto moved = repartition_plan(exec, communicator, part, memory);
  answer.non_finite = moved.non_finite();
  std::size_t const size = moved.workspace_bytes();
  Array<unsigned char> const room{size};
  with_room_for(moved.owned(), [&](auto const& output) {
    return moved.run(output, {room.data(), size - std::min(size, call.room_less)});
  });
  if (!room.intact()) answer.outcome = memory_was_written;
  if (answer.outcome) {
    answer.outcome =
        move_features<Array>(moved, problem, which, communicator.rank(), call, answer.indices, answer, wait);
  }
  return answer;
}

/// A point of the cloud, and where it is.
struct point_on_curve {
  std::uint64_t key;
  std::size_t rank;
  index_t index;

  friend bool operator<(point_on_curve const& a, point_on_curve const& b) {
    return std::tie(a.key, a.rank, a.index) < std::tie(b.key, b.rank, b.index);
  }
};

/// Owner of each point of the cloud; -1 for non-finite points.
template <class Coord>
std::vector<int> owners_of(repartition_problem<Coord> const& problem) {
  auto const view = view_of(problem.cloud);
  auto box = farpoint::bounding_box<Coord>::empty();
  for (index_t i = 0; i < view.size(); ++i) {
    if (is_finite(view[i])) box.grow(view[i]);
  }
  farpoint::detail::curve_frame<Coord> frame{};
  frame.grid = farpoint::curve_grid<Coord>{box, farpoint::detail::curve_axis_bits};
  for (int way = 0; way < farpoint::hilbert_table::ways; ++way) {
    frame.table[way] = farpoint::hilbert_table::row(way);
  }
  std::vector<point_on_curve> points;
  for (std::size_t rank = 0; rank < problem.ranks(); ++rank) {
    std::size_t const which = problem.parts[rank];
    for (index_t i = problem.cuts[which]; i < problem.cuts[which + 1]; ++i) {
      auto const point = view[i];
      if (is_finite(point)) points.push_back({frame.key_of({{point[0], point[1], point[2]}}), rank, i});
    }
  }
  std::sort(points.begin(), points.end());
  std::vector<int> owners(problem.cloud.size(), -1);
  for (std::size_t owner = 0; owner < problem.ranks(); ++owner) {
    std::size_t const end = points.size() * (owner + 1) / problem.ranks();
    for (std::size_t at = points.size() * owner / problem.ranks(); at < end; ++at) {
      owners[static_cast<std::size_t>(points[at].index)] = static_cast<int>(owner);
    }
  }
  return owners;
}

/// Checks what came back to a rank: index and owner of each of its finite points.
template <class Coord>
void check_returned(repartition_problem<Coord> const& problem, repartition_answer<Coord> const& answer,
                    std::vector<int> const& owners, std::size_t which) {
  for (index_t i = problem.cuts[which]; i < problem.cuts[which + 1]; ++i) {
    auto const own = static_cast<std::size_t>(i - problem.cuts[which]);
    int const owner = owners[static_cast<std::size_t>(i)];
    bool const is_kept = owner < 0 && answer.poisoned[own] == 1;
    bool const is_right =
        owner >= 0 && answer.returned[2 * own] == problem.first_index + i && answer.returned[2 * own + 1] == owner;
    CAPTURE(which, i, owner);
    if (!is_kept && !is_right) CHECK(is_right);
  }
}

template <class Coord>
void check_repartition_answers(repartition_problem<Coord> const& problem,
                               std::vector<repartition_answer<Coord>> const& answers) {
  auto const owners = owners_of(problem);
  index_t first_owned = 0;
  for (std::size_t rank = 0; rank < problem.ranks(); ++rank) {
    CAPTURE(rank);
    auto const& answer = answers[rank];
    INFO(answer.outcome.reason);
    REQUIRE(answer.outcome);
    std::vector<index_t> indices;
    std::vector<Coord> points;
    std::vector<feature_type> features;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] != static_cast<int>(rank)) continue;
      indices.push_back(problem.first_index + static_cast<index_t>(i));
      for (Coord const coordinate : problem.cloud[i]) points.push_back(coordinate);
      for (index_t channel = 0; channel < feature_channels; ++channel) {
        features.push_back(feature_of(indices.back(), channel));
      }
    }
    CHECK(answer.owned == static_cast<index_t>(indices.size()));
    CHECK(answer.first_owned == first_owned);
    CHECK(answer.indices == indices);
    CHECK(same_bits(answer.points, points));
    first_owned += static_cast<index_t>(indices.size());
    if (!problem.planned) continue;
    CHECK(answer.non_finite == std::count(owners.begin(), owners.end(), -1));
    CHECK(answer.features == features);
    check_returned(problem, answer, owners, problem.parts[rank]);
  }
}

template <class Coord>
repartition_problem<Coord> random_repartition_problem(std::uint64_t seed) {
  random_source random{seed + 31000};
  auto const spread = random_knn_shard_problem<Coord>(seed);
  repartition_problem<Coord> problem{spread.cloud, spread.cuts};
  for (std::size_t r = problem.ranks(); r > 1; --r) {
    std::swap(problem.parts[r - 1], problem.parts[static_cast<std::size_t>(random.below(static_cast<index_t>(r)))]);
  }
  problem.first_index = spread.first_index;
  problem.threads = spread.threads;
  problem.planned = random.below(2) == 0;
  return problem;
}

}  // namespace farpoint_tests
