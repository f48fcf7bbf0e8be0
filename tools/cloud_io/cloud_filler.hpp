// Puts the values of a file's records where they belong in a cloud.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cloud.hpp"

namespace farpoint_tools {

/// Records have the same values, in the same order. The first "x", "y" and "z" are coordinates, all others columns.
class cloud_filler {
 public:
  /// Allocates memory when values are declared: the caller has made sure that the file has `points` points.
  explicit cloud_filler(std::size_t points) : points_{points} {}

  /// The next value of each record. Returns its number, from 0.
  std::size_t add(std::string_view name, scalar_kind kind);
  /// The next value of each record is PCL's color: a byte each of blue, green, red and, if `with_alpha`, alpha.
  std::size_t add_packed_color(scalar_kind kind, bool with_alpha);

  std::size_t points() const { return points_; }
  /// Sets a value of record i.
  void put(std::size_t value, std::size_t i, double number);
  /// Sets a value of record i from bytes of the value's scalar kind.
  void copy(std::size_t value, std::size_t i, char const* bytes, byte_order order = byte_order::little);

  cloud take(std::string format);

 private:
  // The coordinate `at`, the column `at`, or `channels` columns from there on.
  struct place {
    bool coordinate;
    std::size_t at;
    std::size_t channels;
    scalar_kind kind;
  };

  bool is_exact() const { return !made_.exact.empty(); }

  std::size_t points_;
  cloud made_;
  std::vector<place> places_;
};

}  // namespace farpoint_tools
