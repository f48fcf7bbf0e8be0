/// @file
/// Parameters and outputs of fps() for one cloud of a batch, as the team of blocks that samples the cloud uses them.
#pragma once

#include <farpoint/detail/fps/args.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The call of a team that holds a whole cloud. Teams of several GPUs use a class with the same members, whose indices
/// count the points of the whole cloud.
template <class Machine, class Points>
class local_maxima_call {
 public:
  using scalar = typename Points::scalar;
  using point_type = vec<scalar, Points::dim>;

  FARPOINT_DEVICE local_maxima_call(fps_args<Points> const& args, index_t b, Points const& cloud) noexcept
      : args_{args}, b_{b}, cloud_{cloud} {}

  FARPOINT_DEVICE index_t points() const noexcept { return cloud_.size(); }
  FARPOINT_DEVICE index_t samples() const noexcept { return args_.params.samples; }
  /// Number of samples to find: the number requested, or all points if the cloud has fewer.
  FARPOINT_DEVICE unsigned wanted() const noexcept {
    return static_cast<unsigned>(smaller<index_t>(samples(), points()));
  }
  /// Returns true if this number of samples can be stored.
  FARPOINT_DEVICE static constexpr bool has_room(unsigned) noexcept { return true; }
  FARPOINT_DEVICE scalar stop2() const noexcept { return args_.stop2; }

  /// Number of entries of the cloud that name points chosen before the call.
  FARPOINT_DEVICE index_t chosen() const noexcept { return args_.chosen_per_cloud(); }
  FARPOINT_DEVICE index_t chosen_index(index_t i) const noexcept { return args_.params.chosen[b_ * chosen() + i]; }
  /// Returns true if `index` names a finite point of the cloud.
  /// @param counts  true in the one thread that reports an index out of range
  FARPOINT_DEVICE bool is_chosen(index_t, index_t index, bool counts) const noexcept {
    return Machine::is_chosen(args_, cloud_, index, counts);
  }
  FARPOINT_DEVICE point_type chosen_point(index_t, index_t index) const noexcept { return cloud_[index]; }

  /// Returns the first sample of a cloud without chosen points.
  /// @param counts  true in the one thread that reports an index out of range
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
