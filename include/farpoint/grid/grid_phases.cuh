/// @file
/// Phases of work shared by the blocks of an ordinary launch.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/atomic.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Counters of a phase; zero when the kernel starts.
struct grid_phase {
  unsigned claimed;  ///< number of claimed units, and of claims beyond the last
  unsigned done;     ///< number of finished units
};

/// Runs phases in order. The units of a phase are independent, and a phase begins when the previous one is done.
///
/// Running blocks claim units in ascending order. No block waits for a block that does not run, so an ordinary launch
/// with any number of blocks suffices: blocks that start late or find no room on the device are not needed, whereas a
/// barrier of the grid would wait for them. A unit may wait for a lower unit of its phase, as in a decoupled look-back.
///
/// All threads of a one-dimensional block call every function together, and all blocks call the same phases with the
/// same numbers of units. A phase costs two additions and a spinning load per block, and one more addition per further
/// unit; a one-block grid pays nothing. parallel_phases is the host counterpart.
class grid_phases {
 public:
  struct storage {
    unsigned unit;
    bool is_over;
  };

  /// @param phases  one element per call of run() and run_last()
  /// @param shared  shared memory of the block
  __device__ grid_phases(grid_phase* phases, storage& shared) noexcept : now_{phases}, shared_{shared} {
    if (!is_alone()) take();
  }

  /// Runs a phase. Writes by any thread in it are visible to all threads of all blocks afterwards.
  /// @param units    number of units that the blocks share
  /// @param work     `work(unit)`
  /// @param finish   `finish()`: called after one or more units of this block, so that each unit is followed by a call
  /// @param is_last  true for the last phase: no block waits for its end
  template <class Work, class Finish>
  __device__ void run(unsigned units, Work const& work, Finish const& finish, bool is_last = false) noexcept {
    // If each block has at most one unit, report it as done at once: the other blocks wait for it.
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

  /// Runs the last phase: no block waits for its end.
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

  /// Reports the block's finished units, and continues with another unit of this phase or, if all are done, with a unit
  /// of the next phase.
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

  /// Claims a unit of the next phase before this one is over. This is safe: the claiming block runs, so it will execute
  /// the unit.
  __device__ storage next(unsigned units, unsigned worked) noexcept {
    // Release and acquire by one thread suffice: they are cumulative, so they also order the accesses of the block's
    // other threads, which __syncthreads() orders before and after them.
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
  unsigned next_ = none;  ///< first thread only: claimed unit of the next phase, or none
};

FARPOINT_END_NAMESPACE
