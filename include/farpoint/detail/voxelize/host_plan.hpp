/// @file
/// Division of a call of voxelize() on the host among threads, and its memory.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/voxelize/host_voxel_table.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/tuning/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays of a call in the workspace.
struct voxelize_host_memory {
  std::uint64_t* keys = nullptr;      ///< `[points]`: key of each point; with several threads only
  std::uint32_t* voxel_of = nullptr;  ///< `[points]`: number of each point's voxel
  /// `[points]`: voxels; a part's begin at the number of points in the parts before.
  host_voxel* voxels = nullptr;
  std::uint32_t* part_sizes = nullptr;  ///< `[chunks, parts]`: number of points of each chunk in each part
  std::uint64_t* slots = nullptr;       ///< `[4 points]`: hash table; reused by the arrays below

  std::uint64_t* sort_keys[2] = {};
  std::uint32_t* order[2] = {};      ///< `[points]`: numbers of the voxels, in the order of the rows
  std::uint32_t* row_of = nullptr;   ///< `[points]`: row of each voxel
  std::uint32_t* list_at = nullptr;  ///< `[points]`: position of each voxel's next point in the list
  std::uint32_t* list = nullptr;     ///< `[points]`: points by row; overwrites the sort keys

  std::size_t size = 0;  ///< bytes of the workspace
};

/// Division of a call among threads, and the memory that it takes.
class voxelize_host_plan {
 public:
  static constexpr int max_threads = voxelize_host_tuning::max_threads;
  static constexpr int max_chunks = voxelize_host_tuning::chunks_per_thread * max_threads;

  /// @param points  number of points of the view
  /// @param frame   number of points in clouds; fewer points need no more memory
  voxelize_host_plan(host_exec exec, index_t points, index_t frame, voxelize_host_tuning const& tuning) noexcept
      : points_{bounded_points(points)} {
    index_t const worth = std::max<index_t>(1, frame / std::max<index_t>(1, tuning.points_per_thread));
    threads_ = std::min(resolve_threads(exec.threads), static_cast<int>(std::min<index_t>(worth, max_threads)));
    index_t const worth_chunks = std::max<index_t>(1, frame / std::max<index_t>(1, tuning.chunk_points));
    if (threads_ > 1)
      chunks_ = static_cast<int>(
          std::min<index_t>(index_t{voxelize_host_tuning::chunks_per_thread} * threads_, worth_chunks));
  }

  int threads() const noexcept { return threads_; }
  /// Number of ranges of points, which can be processed in any order.
  int chunks() const noexcept { return chunks_; }
  /// Number of shares of the voxels, divided by hash. Each part processes its points in input order.
  int parts() const noexcept { return threads_; }

  std::size_t workspace_size() const noexcept { return memory({}).size; }
  voxelize_host_memory memory(bytes workspace) const noexcept {
    voxelize_host_memory memory;
    workspace_cutter cutter{workspace.data()};
    if (threads_ > 1) {
      memory.keys = cutter.take<std::uint64_t>(points_);
      memory.part_sizes = cutter.take<std::uint32_t>(index_t{chunks_} * parts());
    }
    memory.voxel_of = cutter.take<std::uint32_t>(points_);
    memory.voxels = cutter.take<host_voxel>(points_);
    workspace_cutter second = cutter;
    memory.slots = cutter.take<std::uint64_t>(voxel_table::slots_per_point * points_);
    for (auto& keys : memory.sort_keys) keys = second.take<std::uint64_t>(points_);
    for (auto& order : memory.order) order = second.take<std::uint32_t>(points_);
    memory.row_of = second.take<std::uint32_t>(points_);
    memory.list_at = second.take<std::uint32_t>(points_);
    memory.list = reinterpret_cast<std::uint32_t*>(memory.sort_keys[0]);
    memory.size = std::max(cutter.used(), second.used());
    return memory;
  }

 private:
  index_t points_;
  int threads_ = 1;
  int chunks_ = 1;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
