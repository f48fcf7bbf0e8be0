/// @file
/// fps() by one block per cloud, in registers, several samples per step: for every architecture and dimension.
#pragma once

#include <farpoint/detail/fps/kernel_args.cuh>
#include <farpoint/detail/fps/multi_sample_step.cuh>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
struct fps_registers_args {
  fps_args<Points> call;
  fps_size_range sizes;
};

/// State of a block that samples a cloud of at most BlockSize * PointsPerThread points.
template <class Points, int BlockSize, int PointsPerThread>
class fps_registers {
 public:
  using scalar = typename Points::scalar;
  using steps_type = multi_sample_step<scalar, Points::dim, PointsPerThread, BlockSize>;
  using storage = typename steps_type::storage;

  __device__ fps_registers(fps_args<Points> const& args, index_t b, Points const& cloud, storage& shared) noexcept
      : args_{args}, b_{b}, cloud_{cloud}, steps_{shared} {}

  __device__ void run() noexcept {
    load();
    steps_.prepare();
    bool const any = fps_for_each_chosen(args_, b_, cloud_, [this](index_t index) { sample(index); });
    bool more = cloud_.size() > 0 && (any || take_first());
    // The first step measures the largest distance.
    steps_.restart(not_yet_measured<scalar>);
    constexpr candidate_threshold<scalar> nothing{no_candidate<scalar> / 2, 0};
    while (more && count_ < args_.params.samples) {
      index_t const room = args_.params.samples - count_;
      auto const step = steps_.step(nothing, args_.stop2, static_cast<unsigned>(room < 32 ? room : 32),
                                    [&](unsigned place, auto const&, scalar distance, std::uint32_t index) {
                                      args_.write(b_, count_ + place, static_cast<std::int32_t>(index), distance);
                                    });
      count_ += step.count;
      more = !step.too_near && (step.more || step.count > 0);
    }
    finish();
  }

 private:
  __device__ void load() noexcept {
    unsigned bad = 0;
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      unsigned const index = steps_type::number_of(i);
      if (index >= static_cast<std::uint32_t>(cloud_.size())) continue;
      auto const point = cloud_[index];
      scalar const start = fps_start(point);
      bad += start < 0;
      steps_.set(i, point, start, index);
    }
    bad = cuda_warp::sum(bad);
    if (cuda_warp::lane() == 0) count_in_report(args_.output.report, &fps_report::non_finite, bad);
  }

  /// Takes the first sample. Returns false if the cloud must get no samples.
  __device__ bool take_first() noexcept {
    fps_first const first = fps_first_sample(args_, b_, cloud_, threadIdx.x == 0);
    if (first.index < 0) return first.has_cloud;
    if (threadIdx.x == 0) args_.write(b_, 0, first.index, not_yet_measured<scalar>);
    sample(first.index);
    count_ = 1;
    return true;
  }

  __device__ void finish() const noexcept {
    fps_finish<BlockSize>(args_, b_, count_);
  }

  __device__ void sample(index_t index) noexcept {
    steps_.lower_to(cloud_[index]);
    steps_.take(static_cast<unsigned>(index));
  }

  fps_args<Points> const& args_;
  index_t b_;
  Points const& cloud_;
  steps_type steps_;
  index_t count_ = 0;
};

/// Samples cloud blockIdx.x.
template <class Points, int BlockSize, int PointsPerThread>
__global__ void __launch_bounds__(BlockSize) fps_registers_kernel(fps_registers_args<Points> const args) {
  using registers = fps_registers<Points, BlockSize, PointsPerThread>;
  __shared__ typename registers::storage storage;
  // This kernel of a ragged batch writes the output of empty clouds, and so it handles invalid offsets.
  if (fps_has_bad_offsets<BlockSize>(args.call, true)) return fps_leave_empty<BlockSize>(args.call);
  index_t const b = blockIdx.x;
  Points const cloud = args.call.clouds[b];
  if (!args.sizes.contains(cloud.size())) return;
  registers{args.call, b, cloud, storage}.run();
}

/// Enqueues the kernel. A separate function can be compiled once for several files.
template <class Points, int BlockSize, int PointsPerThread>
FARPOINT_HIDDEN void fps_enqueue_registers(kernel_launcher& launcher, fps_registers_args<Points> const& args) noexcept {
  launcher.launch(fps_registers_kernel<Points, BlockSize, PointsPerThread>,
                  static_cast<unsigned>(args.call.clouds.size()), BlockSize, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
