/// @file
/// fps() by rounds of many samples over Morton-ordered chunks, for every kind of group.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/fps/chunk_scan.cuh>
#include <farpoint/detail/fps/count.cuh>
#include <farpoint/detail/fps/group.cuh>
#include <farpoint/detail/fps/round_acceptor.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The arguments of a call, as its kernels need them.
template <class Points>
struct fps_rounds_args {
  using scalar = typename Points::scalar;

  batch<Points> clouds;
  fps_params params;
  fps_output<scalar> output;
  scalar stop2 = 0;  ///< squared params.stop_below
};

/// What a block keeps of a round in its shared memory.
template <class Scalar, int Dim, int ListSize, int BlockSize>
struct fps_rounds_shared {
  round_counters<Scalar> tally;
  round_exchange<Scalar, Dim, ListSize> board;
  typename round_acceptor<Scalar, Dim, ListSize, BlockSize>::storage acceptor;
  /// For each warp: numbers of samples that may lower something in a group.
  std::conditional_t<(ListSize <= 256), std::uint8_t, std::uint16_t> nearby[BlockSize / 32][ListSize];
  unsigned kept;
  unsigned base;
};

/// One block of the group that samples cloud b.
template <class Points, int ListSize, int BlockSize, class Chunking, class Group>
class fps_rounds {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int dim = Points::dim;
  using slice_type = chunk_scan<Points, BlockSize, Chunking>;
  using shared_type = fps_rounds_shared<scalar, dim, ListSize, BlockSize>;
  using acceptor_type = round_acceptor<scalar, dim, ListSize, BlockSize>;
  using tally_type = round_counters<scalar>;
  using board_type = round_exchange<scalar, dim, ListSize>;

  /// @param tally, board  the group's; null for a group of one, which needs no other than the block's own
  __device__ fps_rounds(fps_rounds_args<Points> const& task, index_t b, Points const& cloud, slice_type& slice,
                        Group& group, shared_type& own, tally_type* tally, board_type* board) noexcept
      : task_{task},
        b_{b},
        cloud_{cloud},
        slice_{slice},
        group_{group},
        own_{own},
        tally_{tally},
        board_{board},
        acceptor_{own.acceptor} {}

  __device__ void run() noexcept {
    auto& accepted = own_.board.accepted;
    start();
    while (true) {
      if (leads()) write_samples();
      count_ += accepted.count;
      if (accepted.finished) break;
      slice_.lower_and_collect(accepted.samples, accepted.count, accepted.cut, own_.board.list, own_.tally,
                               own_.nearby[threadIdx.x / 32]);
      __syncthreads();
      if (is_alone()) {
        accept(own_.board.list, own_.tally, accepted);
      } else {
        share_list();
        group_.sync();
        if (leads()) accept(board_->list, *tally_, board_->accepted);
        group_.sync();
        take_accepted();
      }
      __syncthreads();
    }
    if (leads()) finish();
  }

 private:
  __device__ bool leads() const noexcept { return group_.block_rank() == 0; }
  __device__ bool is_alone() const noexcept { return board_ == nullptr; }

  /// Counts the chosen points as samples, and accepts the first one if there are none.
  __device__ void start() noexcept {
    auto& accepted = own_.board.accepted;
    bool const any = lower_to_chosen();
    acceptor_.prepare();
    if (threadIdx.x == 0) {
      own_.tally = {};
      accepted.count = 0;
      accepted.finished = cloud_.size() == 0;
      accepted.cut = control_.cut();
      if (!any && cloud_.size() > 0) accept_first();
    }
    __syncthreads();
  }

  __device__ void accept_first() noexcept {
    auto& accepted = own_.board.accepted;
    index_t const first = task_.params.firsts.empty() ? task_.params.first : task_.params.firsts[b_];
    if (first < 0 || first >= cloud_.size()) {
      if (leads()) fps_count(task_.output.report, &fps_report::first_out_of_range, 1);
      accepted.finished = true;
      return;
    }
    // A point that is not finite is passed over: the first round takes the lowest index then.
    if (!is_finite(cloud_[first])) return;
    accepted.samples[0] = {cloud_[first], static_cast<std::uint32_t>(first)};
    accepted.distance[0] = not_yet_measured<scalar>;
    accepted.count = 1;
    accepted.finished = task_.params.samples == 1;
  }

  /// False when there is none. All blocks of a group read the same list.
  __device__ bool lower_to_chosen() noexcept {
    index_t const each = task_.params.chosen.size() / task_.clouds.size();
    bool any = false;
    for (index_t begin = 0; begin < each; begin += ListSize) {
      if (threadIdx.x == 0) own_.kept = 0;
      __syncthreads();
      index_t const end = begin + ListSize < each ? begin + ListSize : each;
      for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) take_chosen(task_.params.chosen[b_ * each + i]);
      __syncthreads();
      any = any || own_.kept != 0;
      constexpr candidate_threshold<scalar> nothing{not_yet_measured<scalar>, 0};
      slice_.lower_and_collect(own_.board.accepted.samples, own_.kept, nothing, own_.board.list, own_.tally,
                               own_.nearby[threadIdx.x / 32]);
      __syncthreads();
    }
    return any;
  }

  __device__ void take_chosen(index_t index) noexcept {
    if (index < -1 || index >= cloud_.size()) {
      if (leads()) fps_count(task_.output.report, &fps_report::chosen_out_of_range, 1);
    } else if (index >= 0 && is_finite(cloud_[index])) {
      own_.board.accepted.samples[atomicAdd(&own_.kept, 1u)] = {cloud_[index], static_cast<std::uint32_t>(index)};
    }
  }

  /// Appends this block's list to the group's.
  __device__ void share_list() noexcept {
    if (threadIdx.x == 0) {
      tally_type const mine = own_.tally;
      own_.tally = {};
      own_.kept = mine.found < ListSize ? mine.found : ListSize;
      own_.base = mine.found > 0 ? atomicAdd(&tally_->found, mine.found) : 0;
      if (mine.largest != 0) atomicMax(&tally_->largest, mine.largest);
      if (mine.dropped != 0) atomicMax(&tally_->dropped, mine.dropped);
    }
    __syncthreads();
    auto const& list = own_.board.list;
    for (unsigned i = threadIdx.x; i < own_.kept; i += blockDim.x) {
      unsigned const to = own_.base + i;
      if (to < ListSize) {
        board_->list.set(to, list.point(i), list.distance[i], list.index[i]);
      } else {
        atomicMax(&tally_->dropped, fps_rank<scalar>::of(list.distance[i]));
      }
    }
  }

  /// Copies what the leader accepted into this block's shared memory.
  __device__ void take_accepted() noexcept {
    auto& mine = own_.board.accepted;
    auto const& theirs = board_->accepted;
    if (&mine == &theirs) return;
    for (unsigned i = threadIdx.x; i < theirs.count; i += blockDim.x) {
      mine.samples[i] = theirs.samples[i];
      mine.distance[i] = theirs.distance[i];
    }
    if (threadIdx.x == 0) {
      mine.count = theirs.count;
      mine.finished = theirs.finished;
      mine.cut = theirs.cut;
    }
  }

  template <class List, class Accepted>
  __device__ void accept(List const& list, tally_type& tally, Accepted& accepted) noexcept {
    acceptor_.run(list, tally, control_, task_.params.samples - count_, task_.stop2, accepted);
  }

  __device__ void write_samples() noexcept {
    auto const& accepted = own_.board.accepted;
    for (unsigned i = threadIdx.x; i < accepted.count; i += blockDim.x) {
      write(count_ + i, accepted.samples[i].index, accepted.distance[i]);
    }
  }

  __device__ void finish() noexcept {
    for (index_t slot = count_ + threadIdx.x; slot < task_.params.samples; slot += blockDim.x) {
      write(slot, -1, scalar(-1));
    }
    if (threadIdx.x == 0 && !task_.output.counts.empty()) task_.output.counts.set(b_, count_);
  }

  __device__ void write(index_t slot, index_t index, scalar distance) const noexcept {
    index_t const at = b_ * task_.params.samples + slot;
    task_.output.indices.set(at, index);
    if (!task_.output.distances.empty()) task_.output.distances[static_cast<std::size_t>(at)] = distance;
  }

  fps_rounds_args<Points> const& task_;
  index_t b_;
  Points const& cloud_;
  slice_type& slice_;
  Group& group_;
  shared_type& own_;
  tally_type* tally_;
  board_type* board_;
  acceptor_type acceptor_;
  threshold_control<scalar> control_{ListSize};
  index_t count_ = 0;
};

/// Loads the slice of this block, counts what is not finite, and samples.
template <class Points, int BlockSize, int ListSize, class Chunking, class Group, class Shared, class Tally,
          class Board>
__device__ void fps_run_rounds(fps_rounds_args<Points> const& task, index_t b, Points const& cloud,
                               chunk_partition<typename Points::scalar, Points::dim, Chunking> const& memory,
                               std::uint32_t const* order, Group& group, Shared& own, Tally* tally,
                               Board* board) noexcept {
  chunk_scan<Points, BlockSize, Chunking> slice{cloud, group.block_rank(), group.num_blocks(), memory};
  unsigned const bad = cuda_warp::sum(slice.load(cloud, order));
  if (cuda_warp::lane() == 0) fps_count(task.output.report, &fps_report::non_finite, bad);
  fps_rounds<Points, ListSize, BlockSize, Chunking, Group>{task, b, cloud, slice, group, own, tally, board}.run();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
