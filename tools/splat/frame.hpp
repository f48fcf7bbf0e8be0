// A frame of splats, from points to picture, on the host or on a GPU.
#pragma once

#include <farpoint/runtime.hpp>

#include <limits>
#include <vector>

#include "view_search.hpp"

namespace farpoint_tools {

/// What each pixel shows, `[height, width]`.
struct frame {
  static constexpr float nothing = std::numeric_limits<float>::infinity();

  camera looking;
  std::vector<float> depths;   ///< of the nearest splat (m); `nothing` where there is none
  std::vector<float> colours;  ///< `[height, width, 3]`, 0 to 1

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(looking.width) + static_cast<std::size_t>(x);
  }
  /// Of splats that have no colours of their own.
  float brightness(std::size_t pixel) const { return colours[3 * pixel]; }
};

/// What one frame takes (s); 0 where it was not measured.
struct stage_times {
  double projection = 0;
  double index = 0;  ///< on the host a part of the search
  double search = 0;
  double normals = 0;
  double splats = 0;
  double frame = 0;  ///< all of it, one after another
};

struct frame_request {
  camera looking;
  int k = 16;
  int rounds = farpoint::until_exact;
  int zoom = 2;                        ///< the picture is so many times as wide and high as what the camera sees
  bool measure = false;                ///< stage_times; computes some stages again
  double reach = 0;                    ///< of the cloud (m): splats are no larger than a 64th of it, or some pixels
  view_search const* given = nullptr;  ///< drawn in place of what a search finds; `k` and `rounds` are then unused
};

struct splat_frame {
  camera looking;
  view_search seen;
  std::vector<point3> normals;  ///< of the visible points, towards the eye; (0, 0, 0) where neighbours span no plane
  std::vector<float> extents;   ///< `[visible, 2]`: half axes (m)
  frame picture;
  farpoint::runtime::run_info info;  ///< where this was done, and the time of the search and the normals
  stage_times times;
};

/// @param cloud    at least one point
/// @param colours  `[visible, 3]`, 0 to 1; none: white under a lamp
splat_frame frame_on_host(std::vector<point3> const& cloud, frame_request const& request, int threads,
                          std::vector<float> const& colours = {});

/// The same bits, from the current GPU; there must be one (farpoint::runtime::cuda_available()). Throws
/// std::exceptions.
splat_frame frame_on_cuda(std::vector<point3> const& cloud, frame_request const& request,
                          std::vector<float> const& colours = {});

/// True if both have the same visible points, neighbours, distances, normals, extents and picture, to the bit.
bool equal_bits(splat_frame const& a, splat_frame const& b);

}  // namespace farpoint_tools
