/// @file
/// Point clouds as one HTML page that draws them: WebGL2, no network, nothing to install.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace farpoint_viewer {

/// Rows of numbers of any arithmetic type, in the caller's memory: `[rows, columns]`, read as double.
class rows_view {
 public:
  rows_view() = default;

  /// @param stride  elements from one row to the next
  template <class Scalar>
  rows_view(Scalar const* first, std::size_t rows, std::size_t columns, std::size_t stride)
      : first_{first}, read_{&read<Scalar>}, rows_{rows}, columns_{columns}, stride_{stride} {
    static_assert(std::is_arithmetic_v<Scalar>, "rows are of numbers");
  }
  /// Rows without gaps.
  template <class Scalar>
  rows_view(Scalar const* first, std::size_t rows, std::size_t columns) : rows_view{first, rows, columns, columns} {}

  /// A column.
  template <class Scalar>
  rows_view(std::vector<Scalar> const& values) : rows_view{values.data(), values.size(), 1} {}
  template <class Scalar, std::size_t Columns>
  rows_view(std::vector<std::array<Scalar, Columns>> const& values)
      : rows_view{values.empty() ? nullptr : values[0].data(), values.size(), Columns} {
    static_assert(sizeof(std::array<Scalar, Columns>) == Columns * sizeof(Scalar), "rows lie without gaps");
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double at(std::size_t row, std::size_t column) const { return read_(first_, row * stride_ + column); }

 private:
  template <class Scalar>
  static double read(void const* first, std::size_t element) {
    return static_cast<double>(static_cast<Scalar const*>(first)[element]);
  }

  void const* first_ = nullptr;
  double (*read_)(void const*, std::size_t) = nullptr;
  std::size_t rows_ = 0, columns_ = 0, stride_ = 0;
};

enum class attribute_kind {
  number,     ///< `[points, 1]`, on a scale of colors; integers are kept exactly, others in 65,534 steps of their range
  label,      ///< `[points, 1]`, integers within +-2^50, a color each; negative: gray
  direction,  ///< `[points, 3]`, any length > 0; kept within 0.01 degrees
  color,      ///< `[points, 3]`, red, green and blue, 0 to 255
};

/// A value of each point: intensity, number of its voxel, normal, error, ... A point whose value is not finite, or
/// whose direction is zero, is gray.
struct attribute {
  std::string name;  ///< clouds that have an attribute of the same name and kind share its scale
  attribute_kind kind = attribute_kind::number;
  rows_view values;
  std::string unit = {};  ///< "m", "degrees"; may be empty
};

/// Cubes, which the page draws instead of points. A point's cube reaches from `lower + size * cell` to
/// `lower + size * (cell + 1)`.
struct cube_shape {
  std::array<double, 3> lower{}, size{};
  std::array<std::size_t, 3> cells{};  ///< indices of three attributes of the cloud: x, y and z of the cell
};

/// Elliptical splats, which the page draws instead of points, as a surface. All members are indices of the cloud's
/// attributes. A point without a normal has a splat that faces the eye; a point without a tangent has a circular splat.
struct splat_shape {
  std::size_t normal = 0, tangent = 0;  ///< directions; the tangent is parallel to the longer half axis
  std::size_t along = 0, across = 0;    ///< numbers: half axes along the tangent and across it, in the scene's unit
};

/// A cloud to be drawn. Height is an attribute of each without being listed.
struct cloud {
  std::string name;
  rows_view points;  ///< `[points, 3]`
  std::vector<attribute> attributes = {};
  std::optional<cube_shape> cubes = {};
  std::optional<splat_shape> splats = {};
};

/// A line of the page's table.
struct figure {
  std::string name, value;
};

/// One moment of a sequence.
struct moment {
  std::string name;           ///< name of its file, or its time
  std::vector<cloud> clouds;  ///< one to four; clouds with equal indices share a picture
  std::vector<figure> figures = {};
};

enum class up_axis { x, y, z, minus_x, minus_y, minus_z };

/// All texts may be any bytes: what is not UTF-8 is replaced, and nothing is taken as HTML.
struct scene {
  std::string title = {};
  std::vector<cloud> clouds = {};  ///< one to four: input, result, ...; they share the camera; none for a sequence
  std::vector<figure> figures = {};
  std::string unit = "m";  ///< unit of coordinates
  up_axis up = up_axis::z;
  std::string color_by = {};         ///< initial color: an attribute's name, "Height" (the default) or "Cloud"
  bool overlaid = false;             ///< whether it begins with all clouds in one picture, not side by side
  std::vector<moment> moments = {};  ///< a sequence, which the page plays; empty: the page shows `clouds`
};

/// Counts and errors of a cloud in the page.
struct cloud_report {
  std::size_t drawn = 0;
  std::size_t left_out = 0;  ///< points with a coordinate that is not finite, or too large for a float
  double largest_error = 0;  ///< maximum error of a coordinate in the page, in the scene's unit
};

struct page_report {
  std::vector<cloud_report> clouds;  ///< clouds of a sequence are in the order of its moments
  std::uint64_t bytes = 0;           ///< size of the file
};

/// A page that cannot be written. what() names the file.
class visualize_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes `content` as a page; an older file is replaced when the new one is complete.
///
/// Points keep their index in the cloud, whatever is left out. The error of a coordinate is at most a millionth of the
/// extent of most points; with up to 500,000 points in all, and for outliers far from the others, it is the rounding
/// error of a float. The page has 3 to 12 bytes per point before base64, and 1 to 4 per point and attribute.
/// O(points * attributes), in two passes; memory does not depend on the number of points.
/// @throws visualize_error        if the file cannot be written; an older one stays
/// @throws std::invalid_argument  if there are no clouds or more than four, both clouds and moments, points without
///                                three columns, attributes whose number of rows or columns does not match their cloud
///                                and kind, or a shape whose attributes are missing from its cloud or of another kind
page_report write_page(std::filesystem::path const& file, scene const& content);

/// Opens a file in the user's browser, without waiting for it. False if there is no display or nothing to open it with.
bool open_in_browser(std::filesystem::path const& file);

}  // namespace farpoint_viewer
