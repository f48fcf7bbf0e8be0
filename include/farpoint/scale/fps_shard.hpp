/// @file
/// Farthest point sampling of a cloud whose points are spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/host/fps_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
result check_fps_shard(shard<Points> const& part, fps_params params,
                       fps_shard_output<typename Points::scalar> const& output) noexcept {
  index_t const first = part.first_index;
  if (first < 0 || first > index_t{1} << 62) return reject("fps_shard: first_index is negative, or above 2^62");
  if (part.points.size() > shard_most_points) return reject("fps_shard: more than 2^30 points of a rank");
  if (!params.firsts.empty() || !params.sample_counts.empty()) {
    return reject("fps_shard: params.firsts and params.sample_counts are for batches");
  }
  if (params.first < 0) return reject("fps_shard: params.first is negative");
  params.first = 0;  // which rank has it is not known yet
  return check_fps(batch<Points>{part.points}, params,
                   fps_output<typename Points::scalar>{output.indices, output.distances});
}

/// A number for what must be the same on all ranks.
/// @param reads_chosen  chosen points are in the host's memory
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

/// The first sample of a cloud without chosen points; -1: it is empty; -2: there are too many points to draw from.
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
  shard_header headers[max_ranks];
  int sources[max_ranks];
  result const agreed = agree_on_shards(communicator, own, mine, headers, sources);
  if (!agreed) return or_abort(communicator, agreed);
  index_t const first = fps_shard_first(params, headers, sources, ranks);
  if (first == -2) return reject("fps_shard: params.random_first is for clouds of fewer than 2^32 points");
  fps_shard_task<Communicator, Points, Rule> task{exec, communicator, part, params, output, tuning, arrays};
  return or_abort(communicator, task.run(first));
}

}  // namespace detail

/// Bytes of workspace that fps_shard() needs on a rank. The memory must be 256-byte aligned. 0 for arguments that are
/// refused. `ranks` take part.
///
/// For each point of the part 25 bytes of three floats, as for fps(); small parts take up to 185, but no more than one
/// of 131,072 points. For each sample 16. For what ranks tell each other up to 220 kB, or 4.6 kB for each rank if they
/// are more than 32. O(1).
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

/// Farthest point sampling of a cloud that no rank has all of: every rank calls it with its part, and every rank gets
/// all samples, those of one call of fps() for the whole cloud, to the bit.
///
/// Points stay where they are. In a round each rank tells all others the best candidates of its groups of neighbours,
/// and all samples at once are found that nothing better can reach (docs/scale.md). Rounds grow with the logarithm of
/// the samples, not with the points, and hardly depend on how points are spread over the ranks.
///
/// @param exec          threads of this rank; blocks until done
/// @param communicator  see is_communicator; of 1 to max_ranks ranks, all of which make this call
/// @param part          the rank's points, of 1 to 16 coordinates; may be empty. Ties go to the lowest index in the
///                      whole cloud
/// @param params        the same on all ranks, `chosen` too, with indices into the whole cloud. `firsts` and
///                      `sample_counts` must be empty. `random_first` draws from all ranks' points, fewer than 2^32
/// @param output        see fps_shard_output
/// @param workspace     fps_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return ok | bad_argument, on all ranks where one is given arguments that are refused, where parameters differ,
///         where parts overlap, or where there are points but params.first is none of them; then nothing is written |
///         workspace_too_small on a rank whose workspace is, and bad_argument on the others | communication_failure,
///         after which the output is unspecified.
/// Complexity: that of fps() for the rank's points, and for each round and each candidate listed, of all ranks,
/// O(groups of all ranks). One exchange for each round, of 2 to 40 kB a rank for three floats, two before, and one for
/// some hundreds of chosen points. Thread-safe: see is_communicator.
template <class Communicator, class Points>
result fps_shard(host_exec exec, Communicator& communicator, shard<Points> const& part, fps_params const& params,
                 fps_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  return detail::fps_shard_by<detail::fps_shard_rule>(exec, communicator, part, params, output, workspace,
                                                      detail::fps_shard_tuning{communicator.ranks()});
}

FARPOINT_END_NAMESPACE
