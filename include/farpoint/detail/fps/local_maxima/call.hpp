/// @file
/// What is asked of fps() by local maxima, for one cloud of a batch.
#pragma once

#include <farpoint/detail/fps/args.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A cloud that a team has all of. Teams of several GPUs have the same members, with indices of the whole cloud.
template <class Machine, class Points>
class local_maxima_call {
 public:
  using scalar = typename Points::scalar;
  using point_type = vec<scalar, Points::dim>;

  FARPOINT_DEVICE local_maxima_call(fps_args<Points> const& args, index_t b, Points const& cloud) noexcept
      : args_{args}, b_{b}, cloud_{cloud} {}

  FARPOINT_DEVICE index_t points() const noexcept { return cloud_.size(); }
  FARPOINT_DEVICE index_t samples() const noexcept { return args_.params.samples; }
  /// Samples that are asked for, and can be had at most.
  FARPOINT_DEVICE unsigned wanted() const noexcept {
    return static_cast<unsigned>(smaller<index_t>(samples(), points()));
  }
  /// Whether so many samples can be kept.
  FARPOINT_DEVICE static constexpr bool has_room(unsigned) noexcept { return true; }
  FARPOINT_DEVICE scalar stop2() const noexcept { return args_.stop2; }

  /// Points that were chosen before.
  FARPOINT_DEVICE index_t chosen() const noexcept { return args_.chosen_per_cloud(); }
  FARPOINT_DEVICE index_t chosen_index(index_t i) const noexcept { return args_.params.chosen[b_ * chosen() + i]; }
  /// @param counts  whether this thread counts one that is out of range
  FARPOINT_DEVICE bool is_chosen(index_t, index_t index, bool counts) const noexcept {
    return Machine::is_chosen(args_, cloud_, index, counts);
  }
  FARPOINT_DEVICE point_type chosen_point(index_t, index_t index) const noexcept { return cloud_[index]; }

  /// The first sample of a cloud without chosen points.
  FARPOINT_DEVICE fps_first first(bool counts) const noexcept {
    return Machine::first_sample(args_, b_, cloud_, counts);
  }
  FARPOINT_DEVICE point_type first_point(index_t index) const noexcept { return cloud_[index]; }

  FARPOINT_DEVICE void write(index_t slot, index_t index, scalar distance) const noexcept {
    args_.write(b_, slot, index, distance);
  }
  FARPOINT_DEVICE void write_padding(index_t slot) const noexcept { args_.write_padding(b_, slot); }
  FARPOINT_DEVICE void write_count(index_t count) const noexcept { args_.write_count(b_, count); }
  FARPOINT_DEVICE void count_non_finite(unsigned bad) const noexcept { Machine::count_non_finite(args_, bad); }

 private:
  fps_args<Points> const& args_;
  index_t b_;
  Points const& cloud_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
