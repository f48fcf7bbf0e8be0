// A point cloud in memory: points, and what a file has beside their coordinates.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
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

/// Names in columns do not depend on the format: intensity, ring; red, green, blue, alpha; nx, ny, nz, curvature.
/// Others are as in the file.
struct cloud {
  std::vector<std::array<float, 3>> points;  ///< in the file's order, including points without a return (NaN)
  std::string format;                        ///< what the file was read as, for display
  std::vector<column> columns = {};          ///< each as long as `points`

  /// The first column of a name, or null.
  column const* find(std::string const& name) const;
};

/// The cloud of some of the points, in the order of `indices`, with all columns.
template <class Indices>
cloud select(cloud const& from, Indices const& indices) {
  cloud some{{}, from.format, {}};
  some.points.reserve(std::size(indices));
  for (auto const i : indices) some.points.push_back(from.points[static_cast<std::size_t>(i)]);
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
