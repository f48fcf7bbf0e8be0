// BVHs that stay on the backend of their searches, for points and queries in host memory.
#define FARPOINT_BUILDS_LIBRARY
#include <farpoint/runtime/host_index.hpp>

#include <farpoint/interpolate.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

#include "host_call.hpp"
#include "kept_memory.hpp"

#include <new>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

using library::call_anywhere;
using library::place;

namespace runtime {

template <class Scalar>
struct point_index<Scalar>::state {
  library::kept_memory memory;
  int threads = 0;
  index_t clouds = 0;
  index_t points = 0;
  point_bvh<Scalar> on_host;
  device_point_bvh<Scalar> on_device;

  point_bvh<Scalar>& index_for(host_exec) noexcept { return on_host; }
  device_point_bvh<Scalar>& index_for(cuda_exec) noexcept { return on_device; }
  /// Returns options that choose the backend of the index.
  options own_options(host_stop* stop) const noexcept { return {memory.where(), threads, stop}; }
};

template <class Scalar>
point_index<Scalar>::point_index() noexcept = default;
template <class Scalar>
point_index<Scalar>::point_index(point_index&& other) noexcept : state_{std::exchange(other.state_, nullptr)} {}
template <class Scalar>
point_index<Scalar>& point_index<Scalar>::operator=(point_index&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
template <class Scalar>
point_index<Scalar>::~point_index() {
  delete state_;
}

template <class Scalar>
index_t point_index<Scalar>::size() const noexcept {
  return state_ == nullptr ? 0 : state_->clouds;
}

template <class Scalar>
backend point_index<Scalar>::where() const noexcept {
  return state_ == nullptr ? backend::automatic : state_->memory.where();
}

template <class Scalar>
result point_index<Scalar>::build(clouds const& points, options const& call_options, run_info* info) noexcept {
  constexpr char const* no_memory = "build_point_bvh: there is not so much memory for the index";
  if (state_ == nullptr) state_ = new (std::nothrow) state;
  if (state_ == nullptr) return {status::out_of_memory, 0, no_memory};
  result const checked = detail::check_host_search(host_exec{}, points, points);
  bool is_enough = true;
  result const outcome =
      call_anywhere(FARPOINT_SENTENCES("build_point_bvh"), checked, call_options, info, [&](auto exec, auto& memory) {
        auto const cloud = place(memory, points);
        std::size_t const size = point_bvh_bytes(exec, cloud);
        bytes const kept = state_->memory.reserve(exec, size);
        is_enough = is_enough && kept.size() >= size;
        auto& index = state_->index_for(exec);
        return [=, &index] { return farpoint::build_point_bvh(exec, cloud, kept, index); };
      });
  bool const is_whole = call_options.stop == nullptr || !call_options.stop->requested();
  if (outcome && is_whole) {
    state_->threads = call_options.threads;
    state_->clouds = points.size();
    state_->points = points.points().size();
    return outcome;
  }
  delete std::exchange(state_, nullptr);
  return is_enough ? outcome : result{status::out_of_memory, 0, no_memory};
}

namespace {

/// Checks the arguments that all searches by an index have; `rest` checks the others.
template <class State, class Queries, class Rest>
result check_index(State const* state, Queries const& queries, Rest const& rest) noexcept {
  if (state == nullptr) return detail::reject("index: it has not been built");
  if (!state->memory.is_here()) return detail::reject("index: it is not on the current device");
  if (result const checked = detail::check_queries(queries, state->clouds); !checked) return checked;
  return rest();
}

/// Searches by an index on the backend that holds it. `rest` checks the arguments of one search; `search(memory, exec,
/// index, asked, workspace)` returns the call, see call_anywhere(). All searches take the workspace of knn().
template <class State, class Queries, class Rest, class Search>
result search_index(library::sentences const& messages, State* state, Queries const& queries, Rest const& rest,
                    run_info* info, host_stop* stop, Search const& search) noexcept {
  result const checked = check_index(state, queries, rest);
  if (!checked) return checked;
  return call_anywhere(messages, checked, state->own_options(stop), info, [&](auto exec, auto& memory) {
    auto const asked = place(memory, queries);
    auto const& index = state->index_for(exec);
    bytes const workspace = memory.scratch([&] { return knn_workspace_bytes(exec, index, asked); });
    return search(memory, exec, index, asked, workspace);
  });
}

}  // namespace

template <class Scalar>
result point_index<Scalar>::knn(clouds const& queries, knn_params const& params, knn_output<Scalar> const& output,
                                run_info* info, host_stop* stop) const noexcept {
  auto const check = [&] { return detail::check_knn(queries.points().size(), params, output); };
  return search_index(FARPOINT_SENTENCES("knn"), state_, queries, check, info, stop,
                      [&](auto& memory, auto exec, auto const& index, auto const& asked, bytes workspace) {
                        auto const found = place(memory, output, queries, params.k);
                        return [=, &index] { return farpoint::knn(exec, index, asked, params, found, workspace); };
                      });
}

template <class Scalar>
result point_index<Scalar>::radius(clouds const& queries, radius_params const& params,
                                   radius_output<Scalar> const& output, run_info* info,
                                   host_stop* stop) const noexcept {
  auto const check = [&] { return detail::check_radius(queries.points().size(), params, output); };
  return search_index(FARPOINT_SENTENCES("radius"), state_, queries, check, info, stop,
                      [&](auto& memory, auto exec, auto const& index, auto const& asked, bytes workspace) {
                        auto const found = place(memory, output, queries, params.max_neighbors);
                        return [=, &index] { return farpoint::radius(exec, index, asked, params, found, workspace); };
                      });
}

template <class Scalar>
result point_index<Scalar>::interpolate(span<float const> features, clouds const& queries, index_t channels,
                                        interpolate_output const& output, run_info* info,
                                        host_stop* stop) const noexcept {
  auto const check = [&] {
    return detail::check_interpolate(state_->points, features, queries.points().size(), channels, output);
  };
  return search_index(FARPOINT_SENTENCES("interpolate"), state_, queries, check, info, stop,
                      [&](auto& memory, auto exec, auto const& index, auto const& asked, bytes workspace) {
                        auto const values = place(memory, features);
                        auto const found = place(memory, output, queries, channels);
                        return [=, &index] {
                          return farpoint::interpolate(exec, index, values, asked, channels, found, workspace);
                        };
                      });
}

template class FARPOINT_API point_index<float>;
template class FARPOINT_API point_index<double>;

}  // namespace runtime
FARPOINT_END_NAMESPACE
