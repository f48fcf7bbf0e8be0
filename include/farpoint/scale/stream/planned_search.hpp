/// @file
/// A search on ranks in two halves.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/scale/communicator.hpp>

FARPOINT_BEGIN_NAMESPACE

/// A search on ranks whose first half has been made, by knn_shard_plan(), radius_shard_plan() or a call of
/// neighborhood_shard.hpp. The sizes of the second half are known exactly, so that run() never fails for lack of room.
///
/// Refers to the communicator, and to the arrays and the workspace of the first half, which stay in use until run().
/// All ranks call run() if outcome() is `ok`; a rank that cannot, for lack of memory for example, aborts the
/// communicator.
template <class Task>
class planned_search {
 public:
  planned_search(result const& outcome, Task const& task) noexcept : outcome_{outcome}, task_{task} {}

  /// Result of the first half, `ok` on all ranks or on none.
  result const& outcome() const noexcept { return outcome_; }

  /// Larger number of queries that this rank sends to other ranks or receives from them.
  index_t exchanged() const noexcept { return outcome_ ? task_.exchanged() : 0; }

  /// Bytes of workspace of run(), 256-byte aligned.
  std::size_t workspace_bytes() const noexcept {
    if (!outcome_) return 0;
    Task task = task_;
    detail::workspace_cutter cutter;
    task.cut(cutter);
    return cutter.used();
  }

  /// Second half: queries go to the ranks that may have neighbors, and answers come back. Call it once.
  /// @param workspace  at least workspace_bytes() bytes, 256-byte aligned, in the memory of the call; may be another
  ///                   one than that of the first half
  /// @return `ok`, outcome() if this is a failure, or:
  ///         - `workspace_too_small`, and the communicator is aborted
  ///         - `communication_failure`: rows are unspecified
  ///         - `cuda_failure` on a stream, and the communicator is aborted
  result run(bytes workspace) noexcept {
    if (!outcome_) return outcome_;
    result const fits = detail::check_workspace(
        workspace, workspace_bytes(),
        FARPOINT_TOO_SMALL("planned_search::run", "workspace", "planned_search::workspace_bytes"));
    if (!fits) {
      if constexpr (detail::can_abort<decltype(task_.communicator())>) task_.communicator().abort();
      return fits;
    }
    detail::workspace_cutter cutter{workspace.data()};
    task_.cut(cutter);
    return detail::or_abort(task_.communicator(), task_.finish());
  }

 private:
  result outcome_;
  Task task_;
};

FARPOINT_END_NAMESPACE
