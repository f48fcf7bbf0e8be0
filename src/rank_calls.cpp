// Calls of ranks on host memory.
#include <farpoint/runtime/rank_calls.hpp>

#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/neighborhood_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include "host_memory.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

static_assert(is_communicator<any_communicator>);

namespace {

/// Calls `call(workspace)` with `size_of()` bytes of `memory`. Without memory the other ranks' calls fail, too.
template <class SizeOf, class Call>
result with_workspace(host_memory& memory, any_communicator& ranks, SizeOf const& size_of, Call const& call) noexcept {
  bytes const workspace = memory.scratch(size_of);
  if (memory.is_enough()) return call(workspace);
  ranks.abort();
  return {status::out_of_memory, 0, "ranks: host memory ran out"};
}

/// Makes a search in two halves. `plan(workspace)` returns the first, a planned_search.
template <class SizeOf, class Plan>
result in_halves(host_exec exec, any_communicator& ranks, SizeOf const& size_of, Plan const& plan) noexcept {
  host_memory memory{exec};
  return with_workspace(memory, ranks, size_of, [&](bytes workspace) {
    auto search = plan(workspace);
    if (!search.outcome()) return search.outcome();
    return with_workspace(
        memory, ranks, [&] { return search.workspace_bytes(); }, [&](bytes room) { return search.run(room); });
  });
}

/// A function on ranks: call(exec, communicator, arguments...).
template <function F>
struct on_ranks;

/// Defines on_ranks for a call of NAME().
#define FARPOINT_CALL_ON_RANKS(NAME)                                                            \
  template <>                                                                                   \
  struct on_ranks<function::NAME> {                                                             \
    template <class... Args>                                                                    \
    static result call(host_exec exec, any_communicator& ranks, Args const&... args) noexcept { \
      host_memory memory{exec};                                                                 \
      return with_workspace(                                                                    \
          memory, ranks, [&] { return NAME##_workspace_bytes(exec, ranks.ranks(), args...); },  \
          [&](bytes workspace) { return NAME(exec, ranks, args..., workspace); });              \
    }                                                                                           \
  };
FARPOINT_CALL_ON_RANKS(fps_shard)
FARPOINT_CALL_ON_RANKS(voxelize_shard)
FARPOINT_CALL_ON_RANKS(gather_voxels)
#undef FARPOINT_CALL_ON_RANKS

/// Defines on_ranks for a search that is planned by NAME_plan().
#define FARPOINT_SEARCH_ON_RANKS(NAME)                                                            \
  template <>                                                                                     \
  struct on_ranks<function::NAME> {                                                               \
    template <class... Args>                                                                      \
    static result call(host_exec exec, any_communicator& ranks, Args const&... args) noexcept {   \
      return in_halves(                                                                           \
          exec, ranks, [&] { return NAME##_plan_workspace_bytes(exec, ranks.ranks(), args...); }, \
          [&](bytes workspace) { return NAME##_plan(exec, ranks, args..., workspace); });         \
    }                                                                                             \
  };
FARPOINT_SEARCH_ON_RANKS(knn_shard)
FARPOINT_SEARCH_ON_RANKS(radius_shard)
FARPOINT_SEARCH_ON_RANKS(estimate_normals_shard)
FARPOINT_SEARCH_ON_RANKS(mean_knn_distance_shard)
FARPOINT_SEARCH_ON_RANKS(interpolate_shard)
#undef FARPOINT_SEARCH_ON_RANKS

}  // namespace

template <function F, class... Args>
result rank_run<F, Args...>::call(host_exec exec, any_communicator& communicator, Args const&... args) noexcept {
  return on_ranks<F>::call(exec, communicator, args...);
}

#define FARPOINT_EXPORT_RANKS(name, ...) template struct FARPOINT_API rank_run<function::name, __VA_ARGS__>;
FARPOINT_FOR_EACH_SCALAR(FARPOINT_CALLS_OF_RANKS, FARPOINT_EXPORT_RANKS)
#undef FARPOINT_EXPORT_RANKS

}  // namespace library
FARPOINT_END_NAMESPACE
