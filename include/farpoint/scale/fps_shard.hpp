/// @file
/// Farthest point sampling of a cloud whose points are spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/host/fps_task.hpp>
#include <farpoint/scale/shard_backend.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
result check_fps_shard(shard<Points> const& part, fps_params params,
                       fps_shard_output<typename Points::scalar> const& output) noexcept {
  index_t const first = part.first_index;
  if (first < 0 || first > index_t{1} << 62) return reject("fps_shard: first_index is negative, or above 2^62");
  if (part.points.size() > shard_max_points) return reject("fps_shard: more than 2^30 points of a rank");
  if (!params.firsts.empty() || !params.sample_counts.empty()) {
    return reject("fps_shard: params.firsts and params.sample_counts are for batches");
  }
  if (params.first < 0) return reject("fps_shard: params.first is negative");
  params.first = 0;  // checked later, when the ranks have agreed on which one has it
  return check_fps(batch<Points>{part.points}, params,
                   fps_output<typename Points::scalar>{output.indices, output.distances});
}

/// Number that stands for the parameters that must be equal on all ranks.
/// @param reads_chosen  true if `params.chosen` is host memory
template <class Points>
std::uint64_t digest_of(fps_params const& params, bool reads_chosen = true) noexcept {
  digest all;
  all.add(sizeof(typename Points::scalar) + 200);
  all.add(Points::dim);
  all.add(params.samples);
  all.add(params.first);
  all.add(params.stop_below);
  all.add(params.random_first);
  all.add(params.seed);
  all.add(params.chosen.size());
  for (index_t i = 0; i < params.chosen.size() && reads_chosen; ++i) all.add(params.chosen[i]);
  return all.word();
}

/// Index of the first sample if no point is chosen. -1 if the cloud is empty, -2 if it has too many points for
/// `params.random_first`.
/// @param sources  `[ranks]`: ranks in the order of their parts
inline index_t fps_shard_first(fps_params const& params, shard_header const* headers, int const* sources,
                               int ranks) noexcept {
  index_t points = 0;
  for (int r = 0; r < ranks; ++r) points += headers[r].points;
  if (points == 0) return -1;
  if (!params.random_first) return params.first;
  if (points >= index_t{1} << 32) return -2;
  index_t place = random_first(params.seed, 0, points);
  int k = 0;
  for (; place >= headers[sources[k]].points; ++k) place -= headers[sources[k]].points;
  return headers[sources[k]].first_index + place;
}

template <class Rule, class Communicator, class Points>
result fps_shard_by(host_exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                    fps_shard_output<typename Points::scalar> const& output, bytes workspace,
                    fps_shard_tuning const& tuning) noexcept {
  using memory = fps_shard_memory<typename Points::scalar, Points::dim>;
  int const ranks = communicator.ranks();
  int const threads = resolve_threads(exec.threads);
  result own = check_threads(exec);
  if (own) own = check_fps_shard(part, params, output);
  index_t const points = own ? part.points.size() : 0;
  memory const arrays{workspace.data(), threads, ranks, points, own ? params.samples : 0, tuning};
  if (own) own = check_workspace(workspace, arrays.size, FARPOINT_WORKSPACE_OF("fps_shard"));

  shard_header const mine{own ? digest_of<Points>(params) : 0, own ? 0u : 1u, part.first_index, part.points.size(), 0};
  shard_headers<max_ranks> all;
  result const agreed = all.agree(exec, communicator, own, mine, workspace);
  if (!agreed) return or_abort(communicator, agreed);
  index_t const first = fps_shard_first(params, all.headers, all.sources, ranks);
  if (first == -2) return reject("fps_shard: params.random_first is for clouds of fewer than 2^32 points");
  fps_shard_task<Communicator, Points, Rule> task{exec, communicator, part, params, output, tuning, arrays};
  return or_abort(communicator, task.run(first));
}

}  // namespace detail

/// Bytes of workspace that fps_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// Per point of the part 25 bytes with three floats, as for fps(). Small parts take up to 185 per point, but never more
/// than a part of 131,072 points. Per sample 16. Messages take up to 220 kB, or 4.6 kB per rank with more than 32
/// ranks. O(1).
template <class Points>
std::size_t fps_shard_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part, fps_params const& params,
                                      fps_shard_output<typename Points::scalar> const& output) noexcept {
  if (!detail::is_rank_count(ranks) || !detail::check_threads(exec)) return 0;
  if (!detail::check_fps_shard(part, params, output)) return 0;
  return detail::fps_shard_memory<typename Points::scalar, Points::dim>{nullptr,        resolve_threads(exec.threads),
                                                                        ranks,          part.points.size(),
                                                                        params.samples, detail::fps_shard_tuning{ranks}}
      .size;
}

/// Farthest point sampling of a cloud that is spread over ranks. Every rank calls with its part and gets all samples,
/// to the bit as from one fps() call for the whole cloud.
///
/// Points stay where they are. In each round every rank sends all ranks the best candidates of its groups of
/// neighboring points. Every rank then accepts all candidates within whose ball no better candidate can lie
/// (docs/scale.md). The number of rounds grows with the logarithm of the samples, not with the points, and hardly
/// depends on how the points are spread over the ranks.
///
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  see is_communicator; 1 to max_ranks ranks, all of which make this call
/// @param part          the rank's points, 1 to 16 coordinates; may be empty. Ties go to the lowest index in the whole
///                      cloud
/// @param params        equal on all ranks, with `chosen`; indices are into the whole cloud. `firsts` and
///                      `sample_counts` must be empty. `random_first` draws from the points of all ranks, which must
///                      number fewer than 2^32
/// @param output        see fps_shard_output
/// @param workspace     at least fps_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or:
///         - `bad_argument` on all ranks if the arguments of one are refused, parameters differ, parts overlap, or the
///           cloud is not empty, no chosen point counts, and `params.first` is not one of its points; nothing is
///           written
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others; nothing is
///           written
///         - `communication_failure`: the output is unspecified
///
/// Complexity: fps() of the rank's points, and O(groups of all ranks) per round and listed candidate. Exchanges: one
/// per round, of 2 to 40 kB per rank with three floats; two before the rounds; one per some hundreds of chosen points.
/// Thread safety: see is_communicator.
template <class Communicator, class Points>
result fps_shard(host_exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                 fps_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  return detail::fps_shard_by<detail::fps_shard_rule>(exec, communicator, part, params, output, workspace,
                                                      detail::fps_shard_tuning{communicator.ranks()});
}

FARPOINT_END_NAMESPACE
