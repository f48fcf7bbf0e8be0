/// @file
/// fps() by rounds of many samples over Morton-ordered chunks, for every kind of group of blocks.
#pragma once

#include <farpoint/detail/fps/chunk_scan.cuh>
#include <farpoint/detail/fps/kernel_args.cuh>
#include <farpoint/detail/fps/round_acceptor.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a block keeps of a round in its shared memory.
template <class Scalar, int Dim, int ListSize, int BlockSize>
struct fps_rounds_shared {
  round_counters<Scalar> counters;
  round_exchange<Scalar, Dim, ListSize> exchange;
  typename round_acceptor<Scalar, Dim, ListSize, BlockSize>::storage acceptor;
  /// For each warp: numbers of samples that may lower something in a group.
  std::conditional_t<(ListSize <= 256), std::uint8_t, std::uint16_t> nearby[std::size_t{BlockSize / 32}]
                                                                           [std::size_t{ListSize}];
  unsigned kept;
  unsigned base;
};

/// A choice of sizes, and the types that follow from it.
template <class Points, int BlockSize, int ListSize, class Chunking>
struct fps_rounds_config {
  using points = Points;
  using scalar = typename Points::scalar;
  using chunking = Chunking;
  static constexpr int dim = Points::dim;
  static constexpr int block_size = BlockSize;
  static constexpr int list_size = ListSize;

  using args = fps_args<Points>;
  using partition = chunk_partition<scalar, dim, Chunking>;
  using scan = chunk_scan<Points, BlockSize, Chunking>;
  using acceptor = round_acceptor<scalar, dim, ListSize, BlockSize>;
  using counters = round_counters<scalar>;
  using exchange = round_exchange<scalar, dim, ListSize>;
  using shared = fps_rounds_shared<scalar, dim, ListSize, BlockSize>;

  /// A block's own memory, and what it shares with the rest of its group: null for a group of one.
  struct memory {
    shared& own;
    counters* group_counters;
    exchange* group_exchange;
  };
};

/// A group of one block. A group of several blocks is a grid_barrier.
struct fps_block_group {
  __device__ int block_rank() const noexcept { return 0; }
  __device__ int num_blocks() const noexcept { return 1; }
  __device__ void sync() const noexcept { __syncthreads(); }
};

/// One block of the group that samples cloud b; rank 0 leads.
template <class Config, class Group>
class fps_rounds {
 public:
  using scalar = typename Config::scalar;
  using points_type = typename Config::points;
  using scan_type = typename Config::scan;
  using counters_type = typename Config::counters;

  __device__ fps_rounds(typename Config::args const& args, index_t b, points_type const& cloud, scan_type& scan,
                        Group& group, typename Config::memory const& memory) noexcept
      : args_{args},
        b_{b},
        cloud_{cloud},
        scan_{scan},
        group_{group},
        own_{memory.own},
        counters_{memory.group_counters},
        exchange_{memory.group_exchange},
        acceptor_{memory.own.acceptor} {}

  __device__ void run() noexcept {
    auto& accepted = own_.exchange.accepted;
    start();
    while (true) {
      if (leads()) write_samples();
      count_ += accepted.count;
      if (accepted.finished) break;
      scan_.lower_and_collect(accepted.samples, accepted.count, accepted.threshold, own_.exchange.list, own_.counters,
                              own_.nearby[threadIdx.x / 32]);
      __syncthreads();
      if (is_alone()) {
        accept(own_.exchange.list, own_.counters, accepted);
      } else {
        share_list();
        group_.sync();
        if (leads()) accept(exchange_->list, *counters_, exchange_->accepted);
        group_.sync();
        take_accepted();
      }
      __syncthreads();
    }
    if (leads()) fps_finish<Config::block_size>(args_, b_, count_);
  }

 private:
  __device__ bool leads() const noexcept { return group_.block_rank() == 0; }
  __device__ bool is_alone() const noexcept { return exchange_ == nullptr; }

  /// Counts the chosen points as samples, and accepts the first one if there are none.
  __device__ void start() noexcept {
    auto& accepted = own_.exchange.accepted;
    bool const any = lower_to_chosen();
    acceptor_.prepare();
    if (threadIdx.x == 0) {
      own_.counters = {};
      accepted.count = 0;
      accepted.finished = cloud_.size() == 0;
      accepted.threshold = control_.threshold();
      if (!any && cloud_.size() > 0) accept_first();
    }
    __syncthreads();
  }

  __device__ void accept_first() noexcept {
    auto& accepted = own_.exchange.accepted;
    fps_first const first = fps_first_sample(args_, b_, cloud_, leads());
    accepted.finished = !first.has_cloud;
    if (first.index < 0) return;
    accepted.samples[0] = {cloud_[first.index], static_cast<std::uint32_t>(first.index)};
    accepted.distance[0] = not_yet_measured<scalar>;
    accepted.count = 1;
    accepted.finished = args_.params.samples == 1;
  }

  /// False when there is none. All blocks of a group read the same list.
  __device__ bool lower_to_chosen() noexcept {
    index_t const each = args_.chosen_per_cloud();
    bool any = false;
    for (index_t begin = 0; begin < each; begin += list_size) {
      if (threadIdx.x == 0) own_.kept = 0;
      __syncthreads();
      index_t const end = smaller<index_t>(begin + list_size, each);
      for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) take_chosen(args_.params.chosen[b_ * each + i]);
      __syncthreads();
      any = any || own_.kept != 0;
      constexpr candidate_threshold<scalar> nothing{not_yet_measured<scalar>, 0};
      scan_.lower_and_collect(own_.exchange.accepted.samples, own_.kept, nothing, own_.exchange.list, own_.counters,
                              own_.nearby[threadIdx.x / 32]);
      __syncthreads();
    }
    return any;
  }

  __device__ void take_chosen(index_t index) noexcept {
    if (!fps_is_chosen(args_, cloud_, index, leads())) return;
    own_.exchange.accepted.samples[atomicAdd(&own_.kept, 1u)] = {cloud_[index], static_cast<std::uint32_t>(index)};
  }

  /// Appends this block's list to the group's.
  __device__ void share_list() noexcept {
    if (threadIdx.x == 0) {
      counters_type const mine = own_.counters;
      own_.counters = {};
      own_.kept = smaller<unsigned>(mine.found, list_size);
      own_.base = mine.found > 0 ? atomicAdd(&counters_->found, mine.found) : 0;
      if (mine.largest != 0) atomicMax(&counters_->largest, mine.largest);
      if (mine.dropped != 0) atomicMax(&counters_->dropped, mine.dropped);
    }
    __syncthreads();
    auto const& list = own_.exchange.list;
    for (unsigned i = threadIdx.x; i < own_.kept; i += blockDim.x) {
      unsigned const to = own_.base + i;
      if (to < list_size) {
        exchange_->list.set(to, list.point(i), list.distance[i], list.index[i]);
      } else {
        atomicMax(&counters_->dropped, distance_word_of(list.distance[i]));
      }
    }
  }

  /// Copies what the leader accepted into this block's shared memory.
  __device__ void take_accepted() noexcept {
    auto& mine = own_.exchange.accepted;
    auto const& theirs = exchange_->accepted;
    if (&mine == &theirs) return;
    for (unsigned i = threadIdx.x; i < theirs.count; i += blockDim.x) {
      mine.samples[i] = theirs.samples[i];
      mine.distance[i] = theirs.distance[i];
    }
    if (threadIdx.x == 0) {
      mine.count = theirs.count;
      mine.finished = theirs.finished;
      mine.threshold = theirs.threshold;
    }
  }

  template <class List, class Accepted>
  __device__ void accept(List const& list, counters_type& counters, Accepted& accepted) noexcept {
    acceptor_.run(list, counters, control_, args_.params.samples - count_, args_.stop2, accepted);
  }

  __device__ void write_samples() noexcept {
    auto const& accepted = own_.exchange.accepted;
    for (unsigned i = threadIdx.x; i < accepted.count; i += blockDim.x) {
      args_.write(b_, count_ + i, accepted.samples[i].index, accepted.distance[i]);
    }
  }

  static constexpr unsigned list_size = Config::list_size;

  typename Config::args const& args_;
  index_t b_;
  points_type const& cloud_;
  scan_type& scan_;
  Group& group_;
  typename Config::shared& own_;
  counters_type* counters_;
  typename Config::exchange* exchange_;
  typename Config::acceptor acceptor_;
  threshold_control<scalar> control_{list_size};
  index_t count_ = 0;
};

/// Loads this block's share of cloud b, counts what is not finite, and samples.
/// @param order  the cloud's indices in Morton order
template <class Config, class Group>
__device__ void fps_run_rounds(typename Config::args const& args, index_t b, typename Config::points const& cloud,
                               typename Config::partition const& partition, std::uint32_t const* order, Group& group,
                               typename Config::memory const& memory) noexcept {
  typename Config::scan scan{cloud, static_cast<int>(group.block_rank()), static_cast<int>(group.num_blocks()),
                             partition};
  unsigned const bad = cuda_warp::sum(scan.load(cloud, order));
  if (cuda_warp::lane() == 0) count_in_report(args.output.report, &fps_report::non_finite, bad);
  fps_rounds<Config, Group>{args, b, cloud, scan, group, memory}.run();
}

}  // namespace detail
FARPOINT_END_NAMESPACE
