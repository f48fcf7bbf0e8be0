// A frame of splats, from points to picture, on the host or on a GPU.
#pragma once

#include <farpoint/runtime.hpp>

#include <limits>
#include <vector>

#include "view_search.hpp"

namespace farpoint_tools {

/// Depth and color of each pixel, `[height, width]`.
struct frame {
  static constexpr float nothing = std::numeric_limits<float>::infinity();

  camera looking;
  std::vector<float> depths;  ///< depth of the nearest splat (m); `nothing` without one
  std::vector<float> colors;  ///< `[height, width, 3]`, 0 to 1

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(looking.width) + static_cast<std::size_t>(x);
  }
  /// Brightness of a pixel, 0 to 1, for splats without colors of their own.
  float brightness(std::size_t pixel) const { return colors[3 * pixel]; }
};

/// Times of one frame's stages (s); 0 where a stage was not measured.
struct stage_times {
  double projection = 0;
  double index = 0;  ///< on the host a part of the search
  double search = 0;
  double normals = 0;
  double splats = 0;
  double frame = 0;  ///< all stages, one after another
};

struct frame_request {
  camera looking;
  int k = 16;
  int rounds = farpoint::until_exact;
  int zoom = 2;                        ///< ratio of the picture's width and height to the camera's
  bool measure = false;                ///< stage_times; computes some stages again
  double reach = 0;                    ///< extent of the cloud (m): limits splats to a 64th of it, or some pixels
  view_search const* given = nullptr;  ///< drawn instead of a search's result; `k` and `rounds` are then unused
};

struct splat_frame {
  camera looking;
  view_search seen;
  std::vector<point3> normals;  ///< `[visible]`, towards the eye; (0, 0, 0) where neighbors span no plane
  std::vector<float> extents;   ///< `[visible, 2]`: half axes (m)
  frame picture;
  farpoint::runtime::run_info info;  ///< backend, device, and time of the search and the normals
  stage_times times;
};

/// @param cloud    at least one point
/// @param colors  `[visible, 3]`, 0 to 1; none: white under a lamp
splat_frame frame_on_host(std::vector<point3> const& cloud, frame_request const& request, int threads,
                          std::vector<float> const& colors = {});

/// frame_on_host() on the current GPU, with equal bits. Needs farpoint::runtime::cuda_available(). Throws
/// std::exceptions.
splat_frame frame_on_cuda(std::vector<point3> const& cloud, frame_request const& request,
                          std::vector<float> const& colors = {});

/// True if both have the same visible points, neighbors, distances, normals, extents and picture, to the bit.
bool equal_bits(splat_frame const& a, splat_frame const& b);

}  // namespace farpoint_tools
