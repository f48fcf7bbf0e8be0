/// @file
/// What knn() in screen space takes and fills.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/geometry/camera.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// screen_space::rounds of a search that misses no neighbour.
inline constexpr int until_exact = 0;

/// Most rounds of an approximate search: a radius grows by a factor of 1.4 or more where it has too few candidates, so
/// that 64 rounds take any radius beyond any image.
inline constexpr int max_screen_rounds = 64;

/// screen_space::first_area if nothing else is asked for.
inline constexpr float default_first_area = 8;

/// Which points have a row in the output of knn() in screen space.
enum class screen_rows : std::uint8_t {
  visible,  ///< row r belongs to the r-th visible point; rows behind the last are not written
  input     ///< row i belongs to point i of the view; points that are not visible have an empty row
};

/// Method of knn(): the neighbours among the points that a camera sees.
///
/// A point is visible if the camera sees it and no point of its pixel is in front of it, or fewer than `layers` are:
/// nearer, or equally near with a lower index (see zbuffer_ref). Only visible points are neighbours and only they have
/// neighbours, by their distance in 3-D space: the screen says which points take part, not how far apart they are.
/// @tparam Camera  see geometry/camera.hpp; of the points' scalar type
template <class Camera>
struct screen_space {
  using camera_type = Camera;

  Camera camera;  ///< width and height 1 to 8192 px

  /// until_exact, or how often a search may try a radius, at most max_screen_rounds: the thesis's approximate search,
  /// with 3. That one goes by the size of a pixel, which the camera must know (pixel_span()).
  int rounds = until_exact;

  /// The approximate search shrinks a radius that has more candidates than this, except the last one; at least k,
  /// 0: 8 k.
  index_t candidates = 0;

  /// As in exact: metres, compared as squares in the coordinates' scalar type; one at this distance is a neighbour.
  double max_radius = std::numeric_limits<double>::infinity();

  /// A point is not its own neighbour. By index, not by distance.
  bool exclude_self = false;

  screen_rows rows = screen_rows::visible;

  /// Points of a pixel that are visible, the front-most ones; 1 to 16. The approximate search takes images of at most
  /// 4096 px a side with 2 to 4 layers, and of 2048 px with more.
  int layers = 1;

  /// Where the approximate search begins: its first disc has this many times the area that k points take by the
  /// density of the pixels around; 1/1024 to 1024. 1 is the thesis's text, with which one round finds few right sets:
  /// the ball of a disc that just holds k points holds fewer, unless the surface is seen from straight ahead.
  float first_area = default_first_area;
};

template <class Camera>
screen_space(Camera) -> screen_space<Camera>;

/// Limits of the searches in screen space that a workspace is for: it is enough for all that have no more of anything,
/// by every camera, with all other parameters.
struct screen_limits {
  index_t points = 0;        ///< of the view
  index_t width = 0;         ///< of the image, px; 1 to 8192
  index_t height = 0;        ///< 1 to 8192
  index_t k = 1;             ///< 1 to 1,024; what an exact search needs does not grow with it
  int layers = 1;            ///< 1 to 16
  int rounds = until_exact;  ///< 0 to 64; of one or more, it is enough for exact searches, too
};

/// What became of the points of the cloud. The first four add up to its size.
struct knn_screen_report {
  unsigned long long non_finite_points = 0;  ///< with a NaN or infinite coordinate; not visible
  unsigned long long unseen_points = 0;      ///< finite, but behind the camera, outside of the image or its depths
  unsigned long long hidden_points = 0;      ///< seen in a pixel where others are in front
  unsigned long long visible_points = 0;

  /// Wrong offsets: then there is no point, and all rows of screen_rows::input are empty.
  unsigned long long bad_offsets = 0;
};

/// Where the answer goes. All in the memory space of the execution; every part but `indices` may be left out.
///
/// `rows` is, with screen_rows::visible, the smaller of the points of the view and layers * pixels of the image; with
/// screen_rows::input the points of the view. Rows of points that ragged offsets leave out are not written; where
/// offsets are wrong, all of these are empty.
template <class Scalar = float>
struct knn_screen_output {
  /// `[rows, k]`, row-major: indices into the cloud, ascending by (squared distance, index); -1 past the count.
  index_span indices;

  /// `[rows, k]`: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[rows]`: neighbours found, at most k.
  index_span counts = {};

  /// `[rows]`: the pixel of the row's point, y * width + x; -1 for a point that is not visible.
  index_span pixels = {};

  /// `[the smaller of points and layers * pixels]`: indices of the visible points, ascending; not written behind the
  /// last.
  index_span visible = {};

  /// `[1]`: number of visible points.
  index_span visible_count = {};

  /// Overwritten, not added to.
  knn_screen_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
