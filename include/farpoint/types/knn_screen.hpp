/// @file
/// Parameters, report and output of knn() in screen space.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/geometry/camera.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Value of screen_space::rounds for a search that misses no neighbor.
inline constexpr int until_exact = 0;

/// Maximum number of rounds of an approximate search. A radius with too few candidates grows by a factor of 1.4 or
/// more, so that 64 rounds extend any radius beyond any image.
inline constexpr int max_screen_rounds = 64;

/// Default of screen_space::first_area.
inline constexpr float default_first_area = 8;

/// Points that have a row in the output of knn() in screen space.
enum class screen_rows : std::uint8_t {
  visible,  ///< row r belongs to the r-th visible point; rows past the last are not written
  input     ///< row i belongs to point i of the view; rows of points that are not visible are empty
};

/// Parameters of knn() in screen space: neighbors among the points that a camera sees.
///
/// A point is visible if the camera sees it and fewer than `layers` points of its pixel (by default none) are in front
/// of it, that is, nearer, or equally near with a lower index (see zbuffer_ref). Only visible points are neighbors,
/// and only they have neighbors. Distances are 3-D: the screen decides which points take part, not their distances.
/// @tparam Camera  see geometry/camera.hpp; scalar type of the points
template <class Camera>
struct screen_space {
  using camera_type = Camera;

  Camera camera;  ///< width and height 1 to 8192 px
  index_t k = 1;  ///< number of neighbors per point, 1 to 1,024

  /// until_exact, or the maximum number of radii that a search tries, at most max_screen_rounds: the approximate
  /// search, which the thesis runs with 3. It depends on the size of a pixel, so the camera must have pixel_span().
  int rounds = until_exact;

  /// Maximum number of candidates: the approximate search shrinks a radius that has more, except the last radius. At
  /// least k; 0 means 8 k.
  index_t candidates = 0;

  /// Maximum distance of a neighbor in meters, inclusive, as in knn_params; squares are compared, in the coordinates'
  /// scalar type.
  double max_radius = std::numeric_limits<double>::infinity();

  /// True to exclude a point from its own neighbors. Compares indices, not distances.
  bool exclude_self = false;

  screen_rows rows = screen_rows::visible;

  /// Maximum number of visible points per pixel, the front-most ones; 1 to 16. The approximate search takes images of
  /// at most 4096 px a side with 2 to 4 layers, and of 2048 px with more.
  int layers = 1;

  /// Area of the first disc of the approximate search, as a multiple of the area that contains k points at the density
  /// of the surrounding pixels; 1/1024 to 1024. The thesis uses 1, with which one round finds few correct sets: the
  /// ball of a disc with k points contains fewer, unless the surface is seen head-on.
  float first_area = default_first_area;
};

template <class Camera>
screen_space(Camera) -> screen_space<Camera>;
template <class Camera>
screen_space(Camera, index_t) -> screen_space<Camera>;

/// Limits of the searches in screen space that a workspace is for: it suffices for every search within all limits, with
/// any camera and any other parameters.
struct screen_limits {
  index_t points = 0;        ///< points of the view
  index_t width = 0;         ///< width of the image, 1 to 8192 px
  index_t height = 0;        ///< height of the image, 1 to 8192 px
  index_t k = 1;             ///< 1 to 1,024; an exact search needs the same memory for every k
  int layers = 1;            ///< 1 to 16
  int rounds = until_exact;  ///< 0 to 64; limits of one or more include exact searches, too
};

/// Counts of the cloud's points by outcome. The first four add up to the size of the cloud.
struct knn_screen_report {
  unsigned long long non_finite_points = 0;  ///< NaN or infinite coordinate; not visible
  unsigned long long unseen_points = 0;      ///< finite, but behind the camera, outside of the image or its depth range
  unsigned long long hidden_points = 0;      ///< behind other points of their pixel
  unsigned long long visible_points = 0;

  /// Invalid offsets; if not 0, the cloud is empty, and so are all rows of screen_rows::input.
  unsigned long long bad_offsets = 0;
};

/// Output of knn() in screen space, in the memory space of the execution. Every part but `indices` is optional.
///
/// With screen_rows::visible, `rows` is the smaller of the number of points of the view and layers * pixels of the
/// image; with screen_rows::input it is the number of points of the view. Rows of points that ragged offsets leave out
/// are not written; if offsets are invalid, all rows of screen_rows::input are empty.
template <class Scalar = float>
struct knn_screen_output {
  /// `[rows, k]`, row-major: indices into the cloud, ascending by (squared distance, index); -1 past the count.
  index_span indices;

  /// `[rows, k]`: squared distances (m^2); +inf past the count.
  span<Scalar> distances = {};

  /// `[rows]`: number of neighbors found, at most k.
  index_span counts = {};

  /// `[rows]`: pixel of the row's point, y * width + x; -1 for a point that is not visible.
  index_span pixels = {};

  /// `[min(points, layers * pixels)]`: indices of the visible points, ascending; not written past the last.
  index_span visible = {};

  /// `[1]`: number of visible points.
  index_span visible_count = {};

  /// Optional; overwritten, not added to.
  knn_screen_report* report = nullptr;
};

FARPOINT_END_NAMESPACE
