// How closed the surface is, and how steady from one view to the next: holes and flicker in figures.
#pragma once

#include "frame.hpp"

namespace farpoint_tools {

/// Number of pixels found, and of pixels examined.
struct pixel_share {
  std::size_t found = 0;
  std::size_t of = 0;

  double share() const { return of == 0 ? 0 : static_cast<double>(found) / static_cast<double>(of); }
};

/// Pixels that should show the surface at a depth, but show nothing or something more than `slack` meters behind it.
/// @param depths  `[height, width]` of the picture; +inf where there need not be anything
pixel_share holes_in(frame const& picture, std::vector<float> const& depths, double slack);

/// Pixels whose surface has another brightness, by more than 1/16, where the other view shows it.
///
/// The lamp moves with the camera, which changes the brightness by at most 1/50 between views that differ by one
/// degree; the rest comes from points that enter or leave the view and change their neighbors' splats.
/// Surface that the other view does not show, or that something else covers there, does not count.
/// @param slack  greatest distance (m) between the two views' surfaces at which they count as one
pixel_share flicker_between(frame const& first, frame const& second, double slack);

}  // namespace farpoint_tools
