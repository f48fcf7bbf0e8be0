/// @file
/// Phases of work that the blocks of an ordinary launch share.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/atomic.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Counters of a phase; zero when the kernel starts.
struct grid_phase {
  unsigned claimed;  ///< units, and claims beyond the last
  unsigned done;     ///< units
};

/// Runs one phase after another: units that do not depend on one another, and a phase begins when the one before is
/// done.
///
/// Blocks claim units, in ascending order, when they run. Nobody waits for a block that does not run, so the launch is
/// an ordinary one of any number of blocks, and those that find no room on the device, or find it late, are not missed:
/// grid_barrier would wait for them. A unit may wait for a lower one of its phase, as those of a look-back do.
///
/// All threads of a one-dimensional block call every function together, and all blocks call the same phases with the
/// same numbers of units. A phase costs two additions and a spinning load per block, and one addition more for each
/// further unit; nothing where the grid is one block. The host's twin is parallel_phases.
class grid_phases {
 public:
  struct storage {
    unsigned unit;
    bool is_over;
  };

  /// @param phases  one for each call of run() and run_last()
  /// @param shared  shared memory of the block
  __device__ grid_phases(grid_phase* phases, storage& shared) noexcept : now_{phases}, shared_{shared} {
    if (!is_alone()) take();
  }

  /// A phase. What any thread wrote in it is visible to all threads of all blocks afterwards.
  /// @param units    that the blocks share out
  /// @param work     `work(unit)`
  /// @param finish   `finish()`: called after units of this block, once for all of them or once for some at a time
  /// @param is_last  the last phase: nobody waits for its end
  template <class Work, class Finish>
  __device__ void run(unsigned units, Work const& work, Finish const& finish, bool is_last = false) noexcept {
    // Where there is a unit for each block, the others are told at once that it is done.
    bool const is_one_each = units <= gridDim.x;
    do {
      unsigned worked = 0;
      while (unit_ < units) {
        work(unit_);
        ++worked;
        if (is_one_each && !is_last) break;
        take();
      }
      if (worked > 0) finish();
      if (is_last) return;
      meet(units, worked);
    } while (!shared_.is_over);
    ++now_;
  }
  template <class Work>
  __device__ void run(unsigned units, Work const& work) noexcept {
    run(units, work, [] {});
  }

  /// The last phase: nobody waits for its end.
  template <class Work>
  __device__ void run_last(unsigned units, Work const& work) noexcept {
    run(
        units, work, [] {}, true);
  }

 private:
  static constexpr unsigned none = ~0u;

  __device__ static bool is_alone() noexcept { return gridDim.x == 1; }

  /// Claims a unit of this phase.
  __device__ void take() noexcept {
    __syncthreads();
    if (is_alone()) {
      ++unit_;
      return;
    }
    if (threadIdx.x == 0) shared_.unit = atomicAdd(&now_->claimed, 1u);
    __syncthreads();
    unit_ = shared_.unit;
  }

  /// Tells what the block has done, and goes on to another unit of this phase or, when all are done, to one of the
  /// next.
  __device__ void meet(unsigned units, unsigned worked) noexcept {
    __syncthreads();
    if (threadIdx.x == 0) {
      if (is_alone()) {
        shared_ = {0, true};
      } else {
        shared_ = next(units, worked);
      }
    }
    __syncthreads();
    unit_ = shared_.unit;
  }

  /// Claims a unit of the next phase before this one is over: whoever does so is running, and will do it.
  __device__ storage next(unsigned units, unsigned worked) noexcept {
    // This thread's release and acquire carry, beyond its own reads and writes, those that __syncthreads() orders
    // before and behind.
    if (worked > 0) asm volatile("red.release.gpu.add.u32 [%0], %1;" ::"l"(&now_->done), "r"(worked) : "memory");
    unsigned const again = unit_ < units ? atomicAdd(&now_->claimed, 1u) : none;
    if (next_ == none) next_ = atomicAdd(&now_[1].claimed, 1u);
    unsigned done = atomic_load_acquire(&now_->done);
    if (again < units) return {again, false};
    while (done < units) done = atomic_load_acquire(&now_->done);
    unsigned const first = next_;
    next_ = none;
    return {first, true};
  }

  grid_phase* now_;
  storage& shared_;
  unsigned unit_ = 0;
  unsigned next_ = none;  ///< of the first thread: a unit of the next phase, once it is claimed
};

FARPOINT_END_NAMESPACE
