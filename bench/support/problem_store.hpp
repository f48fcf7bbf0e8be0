/// @file
/// Keeps the problem of the row that is being measured.
#pragma once

#include "clouds.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {

/// The points, memory and expected output of one row at a time: the contenders of a row follow one another.
/// @tparam Problem  is constructed from a row and the points of its scan, or none
/// @tparam Row      has `name()` and `scan_name`, null where the points are synthetic
template <class Problem, class Row>
class problem_store {
 public:
  explicit problem_store(std::vector<named_scan> scans) : scans_{std::move(scans)} {}

  std::vector<named_scan> const& scans() const noexcept { return scans_; }

  Problem& operator[](Row const& row) {
    if (problem_ == nullptr || name_ != row.name()) {
      static std::vector<float> const none;
      // Frees first: there may be no room for two.
      problem_.reset();
      problem_ = std::make_unique<Problem>(row, row.scan_name == nullptr ? none : find_scan(scans_, row.scan_name));
      name_ = row.name();
    }
    return *problem_;
  }

 private:
  std::vector<named_scan> scans_;
  std::unique_ptr<Problem> problem_;
  std::string name_;
};

}  // namespace farpoint_bench
