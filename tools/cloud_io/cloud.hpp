// A point cloud in memory: coordinates, and the other columns of its file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scalar.hpp"

namespace farpoint_tools {

/// A number for each point, in the type that the file has: nothing is lost on the way to another file.
class column {
 public:
  /// `size` zeros.
  column(std::string name, scalar_kind kind, std::size_t size)
      : name_{std::move(name)}, kind_{kind}, bytes_(size * size_of(kind)) {}

  std::string const& name() const { return name_; }
  scalar_kind kind() const { return kind_; }
  std::size_t size() const { return bytes_.size() / size_of(kind_); }
  /// The values one after another, little-endian.
  std::vector<char> const& bytes() const { return bytes_; }

  /// True if float32 has every value; NaN counts as one that it has.
  bool fits_float32() const;

  double at(std::size_t i) const { return decode(bytes_.data() + i * size_of(kind_), kind_); }
  /// Sets a value to the nearest one of the column's kind.
  void set(std::size_t i, double value) { encode(value, bytes_.data() + i * size_of(kind_), kind_); }
  /// Sets a value to the bytes of a file, which are of the column's kind.
  void copy(std::size_t i, char const* from, byte_order order = byte_order::little);

 private:
  std::string name_;
  scalar_kind kind_;
  std::vector<char> bytes_;
};

/// A column of the values, which are converted to `kind`.
template <class Values>
column make_column(std::string name, scalar_kind kind, Values const& values) {
  column made{std::move(name), kind, std::size(values)};
  std::size_t i = 0;
  for (auto const value : values) made.set(i++, static_cast<double>(value));
  return made;
}

/// Header values of a LAS file that apply to all points; a LAS file written from the cloud gets them again.
struct las_reference {
  /// A record of the projection, whose data are not interpreted.
  struct record {
    std::uint16_t id;
    std::string data;

    friend bool operator==(record const& a, record const& b) { return a.id == b.id && a.data == b.data; }
  };

  std::array<double, 3> scale{};   ///< a coordinate is its integer * scale + offset
  std::array<double, 3> offset{};  ///< meters
  std::uint16_t encoding = 0;      ///< the kinds of GPS time and of projection, see las::kept_encoding
  std::vector<record> projection = {};
};

/// Names in columns do not depend on the format: intensity, ring; red, green, blue, alpha; nx, ny, nz, curvature.
/// Others are as in the file.
struct cloud {
  std::vector<std::array<float, 3>> points;  ///< in the file's order, including points without a return (NaN)
  std::string format;                        ///< name of the format that the reader used, for display
  std::vector<column> columns = {};          ///< each as long as `points`

  /// Coordinates of a file whose type for them holds more than float32 does; empty for other files.
  std::vector<std::array<double, 3>> exact = {};
  /// With `exact`, `points` are `exact - origin`, rounded once; 0 otherwise.
  std::array<double, 3> origin = {};

  /// Null for a cloud of another format.
  std::shared_ptr<las_reference const> las = {};

  /// Coordinate of point i along an axis, as the file has it.
  double coordinate(std::size_t i, std::size_t axis) const {
    return exact.empty() ? double{points[i][axis]} : exact[i][axis];
  }
  /// True if all coordinates of point i are finite.
  bool is_finite(std::size_t i) const;

  /// The first column of a name, or null.
  column const* find(std::string const& name) const;
  /// Appends a column; it replaces every other column of its name.
  void set(column made);
};

/// Calls `work(rows)` with the coordinates as the file has them: rows of three doubles, or of three floats.
template <class Work>
auto with_coordinates(cloud const& of, Work const& work) {
  return of.exact.empty() ? work(of.points) : work(of.exact);
}

/// Sets `to.exact`, and `points` and `origin` by it. The origin is 0 for a cloud whose distance from 0 is below some
/// eight times its extent, which float32 resolves to a millionth; otherwise it is near the middle of most points.
void set_exact(cloud& to, std::vector<std::array<double, 3>> coordinates);

/// The cloud of some of the points, in the order of `indices`, with all columns.
template <class Indices>
cloud select(cloud const& from, Indices const& indices) {
  cloud some{{}, from.format, {}};
  some.origin = from.origin;
  some.las = from.las;
  for (auto const i : indices) {
    auto const row = static_cast<std::size_t>(i);
    some.points.push_back(from.points[row]);
    if (!from.exact.empty()) some.exact.push_back(from.exact[row]);
  }
  for (auto const& all : from.columns) {
    column part{all.name(), all.kind(), some.points.size()};
    std::size_t row = 0;
    for (auto const i : indices) {
      part.copy(row++, all.bytes().data() + static_cast<std::size_t>(i) * size_of(all.kind()));
    }
    some.columns.push_back(std::move(part));
  }
  return some;
}

}  // namespace farpoint_tools
