/// @file
/// Calls of ranks on clouds in host memory, by the compiled library, for the communicator of the program.
///
/// Each call does what the function of its header does for a host_exec, with the same bits, agreements and failures on
/// all ranks, and needs no workspace: a search is planned, and has the memory that it needs and no more. A rank without
/// memory returns out_of_memory and aborts the communicator. A cloud is a point_view of float or double. Each thread
/// keeps the memory of its largest call; release_thread_memory() gives it back. The communicator must not call the
/// library from its own members. Thread-safe; see is_communicator of <farpoint/scale/communicator.hpp>.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps_shard.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn_shard.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/radius_shard.hpp>
#include <farpoint/types/shard.hpp>
#include <farpoint/types/voxelize_shard.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Communicator of a program, as compiled calls see it.
class any_communicator {
 public:
  virtual int ranks() const noexcept = 0;
  virtual int rank() const noexcept = 0;
  virtual result all_gather(void const* mine, void* all, std::size_t size) noexcept = 0;
  virtual result all_to_all(all_to_all_messages const& messages) noexcept = 0;
  virtual void abort() noexcept = 0;

 protected:
  ~any_communicator() = default;
};

/// Forwards to a communicator.
template <class Communicator>
class communicator_of final : public any_communicator {
 public:
  explicit communicator_of(Communicator& communicator) noexcept : communicator_{communicator} {}

  int ranks() const noexcept override { return communicator_.ranks(); }
  int rank() const noexcept override { return communicator_.rank(); }
  result all_gather(void const* mine, void* all, std::size_t size) noexcept override {
    return communicator_.all_gather(mine, all, size);
  }
  result all_to_all(all_to_all_messages const& messages) noexcept override {
    return communicator_.all_to_all(messages);
  }
  void abort() noexcept override { communicator_.abort(); }

 private:
  Communicator& communicator_;
};

/// A call of a rank. The library has it for the arguments of the functions that forward to it.
template <function F, class... Args>
struct FARPOINT_API rank_run {
  static result call(host_exec exec, any_communicator& communicator, Args const&... args) noexcept;
};

/// Calls rank_run with the types of the arguments.
template <function F, class Communicator, class... Args>
result run_on_ranks(host_exec exec, Communicator& communicator, Args const&... args) noexcept {
  communicator_of<Communicator> any{communicator};
  return rank_run<F, Args...>::call(exec, any, args...);
}

}  // namespace library

namespace runtime {

/// fps_shard(): see <farpoint/scale/fps_shard.hpp>
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result fps_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                 fps_params const& params, fps_shard_output<scalar_of<Scalar>> const& output) noexcept {
  return library::run_on_ranks<library::function::fps_shard>(exec, communicator, part, params, output);
}

/// voxelize_shard(): see <farpoint/scale/voxelize_shard.hpp>
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result voxelize_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                      voxelize_params<scalar_of<Scalar>> const& params,
                      voxelize_shard_output<scalar_of<Scalar>> const& output) noexcept {
  return library::run_on_ranks<library::function::voxelize_shard>(exec, communicator, part, params, output);
}

/// gather_voxels(): see <farpoint/scale/gather_voxels.hpp>
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result gather_voxels(host_exec exec, Communicator& communicator, voxelize_params<Scalar> const& params,
                     voxelize_shard_output<scalar_of<Scalar>> const& own,
                     voxelize_output<scalar_of<Scalar>> const& all) noexcept {
  return library::run_on_ranks<library::function::gather_voxels>(exec, communicator, params, own, all);
}

/// @name Searches: see <farpoint/scale/knn_shard.hpp>, radius_shard.hpp and neighborhood_shard.hpp
///
/// `exchanged_capacity` and `exchanged` of outputs are not used.
/// @{
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result knn_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                 point_view<scalar_of<Scalar>> const& queries, knn_params const& params,
                 knn_shard_output<scalar_of<Scalar>> const& output) noexcept {
  return library::run_on_ranks<library::function::knn_shard>(exec, communicator, part, queries, params, output);
}
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result radius_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                    point_view<scalar_of<Scalar>> const& queries, radius_params const& params,
                    radius_shard_output<scalar_of<Scalar>> const& output) noexcept {
  return library::run_on_ranks<library::function::radius_shard>(exec, communicator, part, queries, params, output);
}
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result estimate_normals_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                              normals_params const& params, normals_output<scalar_of<Scalar>> const& output) noexcept {
  return library::run_on_ranks<library::function::estimate_normals_shard>(exec, communicator, part, params, output);
}
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result mean_knn_distance_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                               mean_knn_distance_params const& params,
                               mean_knn_distance_output<scalar_of<Scalar>> const& output) noexcept {
  return library::run_on_ranks<library::function::mean_knn_distance_shard>(exec, communicator, part, params, output);
}
template <class Communicator, class Scalar, library::if_scalar<Scalar> = 0>
result interpolate_shard(host_exec exec, Communicator& communicator, shard<point_view<Scalar>> const& part,
                         span<float const> features, point_view<scalar_of<Scalar>> const& queries, index_t channels,
                         interpolate_output const& output) noexcept {
  return library::run_on_ranks<library::function::interpolate_shard>(exec, communicator, part, features, queries,
                                                                     channels, output);
}
/// @}

}  // namespace runtime
FARPOINT_END_NAMESPACE
