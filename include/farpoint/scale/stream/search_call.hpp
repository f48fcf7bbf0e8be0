/// @file
/// A search on ranks, in one call or in two halves, for all executions.
#pragma once

#include <farpoint/scale/stream/planned_search.hpp>
#include <farpoint/scale/stream/query_exchange.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Capacity of the first half alone, which exchanges no queries.
inline constexpr index_t first_half_only = -1;

/// Bytes of workspace; 0 if an argument is refused.
/// @tparam Task     knn_shard_task or radius_shard_task
/// @param capacity  number of queries that can be exchanged, or first_half_only
template <class Task, class Exec>
std::size_t search_bytes(Exec exec, int ranks, typename Task::request_type const& request, index_t capacity) noexcept {
  if (!rank_checks<Exec>::accepts(exec) || ranks < 1 || ranks > query_max_ranks<Exec> || !request.check()) return 0;
  typename Task::plan_type plan{exec, nullptr, ranks, request.source, request.queries.size(), request.each()};
  if (capacity != first_half_only) {
    typename Task::memory_type memory;
    Task::cut_exchange(exec, plan.cutter, with_query_gaps(ranks, capacity), request.each(), plan.index, memory);
  }
  return plan.cutter.used();
}

/// Communicator of tasks whose sizes alone are asked.
struct no_communicator {};

/// Call of one rank: the agreement of all ranks on the arguments, and the search.
/// @tparam Task  knn_shard_task or radius_shard_task
template <class Task, class Exec, class Communicator>
class search_call {
 public:
  using request_type = typename Task::request_type;

  /// @param capacity  number of queries that can be exchanged, or first_half_only
  search_call(Exec exec, Communicator& communicator, request_type const& request, bytes workspace,
              index_t capacity) noexcept
      : exec_{exec},
        communicator_{communicator},
        request_{request},
        fit_{checks::fit(communicator, query_max_ranks<Exec>)},
        own_{checks::own(exec_, communicator, request, workspace)},
        workspace_{workspace},
        capacity_{capacity} {
    if (own_) own_ = request.check();
    if (!own_ || !fit_) return;
    own_ = check_workspace(workspace, search_bytes<Task>(exec, communicator.ranks(), request, capacity),
                           request_type::too_small);
  }

  /// Makes the first half.
  /// @param name  of the call, in a profiler
  planned_search<Task> plan(char const* name) noexcept {
    typename checks::range const range{name};
    result done = fit_ ? or_abort(communicator_, agree()) : fit_;
    Task task{exec_, communicator_, request_, take()};
    shard_header const* const no_limits = nullptr;
    if (done) done = or_abort(communicator_, task.plan(no_limits));
    return {done, task};
  }

  /// Makes both halves.
  result run(char const* name) noexcept {
    typename checks::range const range{name};
    if (!fit_) return fit_;
    if (result const agreed = agree(); !agreed) return or_abort(communicator_, agreed);
    plan_type memory = take();
    Task task{exec_, communicator_, request_, memory};
    result done = task.plan(all_.headers);
    if (request_.output.exchanged != nullptr) *request_.output.exchanged = task.exchanged();
    if (done) {
      task.cut(memory.cutter);
      done = task.finish();
    }
    return or_abort(communicator_, done);
  }

 private:
  using plan_type = typename Task::plan_type;
  using checks = rank_checks<Exec>;

  result agree() noexcept {
    digest parameters;
    parameters.add(request_.digest_of_parameters());
    parameters.add(capacity_ == first_half_only);
    // Indices that do not follow one another may lie between those of other parts.
    auto const& part = request_.part();
    bool const is_range = names_of(request_.source).empty();
    shard_header const mine{parameters.word(), own_ ? 0u : 1u, is_range ? part.first_index : 0,
                            is_range ? part.points.size() : 0, capacity_};
    return all_.agree(exec_, communicator_, own_, mine, workspace_);
  }
  /// Workspace of the first half; empty if the arguments are refused.
  plan_type take() const noexcept {
    if (!own_ || !fit_) return {exec_, nullptr, 1, typename request_type::part_type{}, 0, 0};
    return {exec_, workspace_.data(), communicator_.ranks(), request_.source, request_.queries.size(), request_.each()};
  }

  Exec exec_;
  Communicator& communicator_;
  request_type const& request_;
  result fit_;
  result own_;
  bytes workspace_;
  index_t capacity_;
  shard_headers<query_max_ranks<Exec>> all_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
