#include "survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace farpoint_viewer {

namespace {

constexpr std::size_t sample_size = 1U << 16U;
/// Up to here, coordinates are kept as a float has them.
constexpr std::size_t few_points = 500'000;
constexpr double largest_float = std::numeric_limits<float>::max();

/// True if floats can hold the point. Other points, and points with NaN, are left out.
bool is_float(position const& point) {
  auto const fits = [](double value) { return std::abs(value) <= largest_float; };
  return fits(point[0]) && fits(point[1]) && fits(point[2]);
}

/// Value below which `share` of the sample lies. The sample is reordered.
double quantile(std::vector<double>& sample, double share) {
  auto const place = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(sample.size() - 1)));
  std::nth_element(sample.begin(), sample.begin() + place, sample.end());
  return sample[static_cast<std::size_t>(place)];
}

/// Range of a sample without the share `outermost` at each end, or all of it if that is not much longer.
std::array<double, 2> typical_range(std::vector<double>& sample, double outermost, double tolerance) {
  if (sample.empty()) return {0, 0};
  auto const [low, high] = std::minmax_element(sample.begin(), sample.end());
  std::array<double, 2> const all{*low, *high};
  std::array<double, 2> const most{quantile(sample, outermost), quantile(sample, 1 - outermost)};
  // Halved, as the difference of doubles may be infinite.
  return all[1] / 2 - all[0] / 2 <= tolerance * (most[1] / 2 - most[0] / 2) ? all : most;
}

/// Range of one column of values, and an evenly spaced sample.
class column_survey {
 public:
  explicit column_survey(std::size_t rows) : step_{rows / sample_size + 1} {}

  void add(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
    if (seen_++ % step_ == 0) sample_.push_back(value);
  }

  value_range range() {
    if (seen_ == 0) return {};
    auto const shown = typical_range(sample_, 0.01, 1.5);
    // A column that is nearly always zero, such as an error, gets its full range: its few other values matter.
    if (!(shown[0] < shown[1])) return {low_, high_, low_, high_};
    return {low_, high_, shown[0], shown[1]};
  }

 private:
  std::size_t step_, seen_ = 0;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
  std::vector<double> sample_;
};

/// Scan of an attribute's values, row by row.
class attribute_scan {
 public:
  attribute_scan(attribute const& of, std::size_t rows) : of_{of}, column_{rows} {}

  void add(std::size_t row) {
    if (of_.kind != attribute_kind::number && of_.kind != attribute_kind::label) return;
    double const value = of_.values.at(row, 0);
    if (!std::isfinite(value)) return;
    if (of_.kind == attribute_kind::label && std::abs(value) > largest_integer) return;
    integral_ = integral_ && std::abs(value) <= largest_integer && value == std::trunc(value);
    wide_ = wide_ || std::abs(value) >= 0x1p31;
    column_.add(value);
  }

  attribute_survey result() {
    attribute_survey found;
    found.range = column_.range();
    found.wide = wide_;
    switch (of_.kind) {
      case attribute_kind::number: found.code = integral_ ? value_code::integers : value_code::steps; break;
      case attribute_kind::label: found.code = value_code::integers; break;
      case attribute_kind::direction: found.code = value_code::directions; break;
      case attribute_kind::color: found.code = value_code::colors; break;
    }
    return found;
  }

 private:
  attribute const& of_;
  column_survey column_;
  bool integral_ = true, wide_ = false;
};

struct box {
  position low{}, high{};
  bool empty = true;
};

double longest_side(box const& around) {
  double side = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) side = std::max(side, around.high[axis] / 2 - around.low[axis] / 2);
  return std::min(2 * side, largest_float);
}

/// A box around most points, from a sample.
box typical_box(cloud const& of) {
  std::array<std::vector<double>, 3> sample;
  std::size_t const step = of.points.rows() / sample_size + 1;
  // Points that are not finite may come in a pattern: a sample takes the next one that is.
  for (std::size_t begin = 0; begin < of.points.rows(); begin += step) {
    auto const end = std::min(begin + step, of.points.rows());
    for (std::size_t i = begin; i < end; ++i) {
      auto const point = point_at(of, i);
      if (!is_float(point)) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) sample[axis].push_back(point[axis]);
      break;
    }
  }
  box around;
  around.empty = sample[0].empty();
  auto const surround = [&](double outermost) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const range = typical_range(sample[axis], outermost, 1.5);
      around.low[axis] = range[0];
      around.high[axis] = range[1];
    }
  };
  surround(0.02);
  // Most points are one: the others show what there is.
  if (longest_side(around) == 0) surround(0);
  return around;
}

}  // namespace

bool is_drawn(position const& point, frame const& where) {
  return is_float(point) &&
         is_float({where.normalized(point[0], 0), where.normalized(point[1], 1), where.normalized(point[2], 2)});
}

position point_at(cloud const& of, std::size_t index) {
  return {of.points.at(index, 0), of.points.at(index, 1), of.points.at(index, 2)};
}

std::vector<cloud const*> all_clouds(scene const& content) {
  std::vector<cloud const*> all;
  for (auto const& of : content.clouds) all.push_back(&of);
  for (auto const& now : content.moments) {
    for (auto const& of : now.clouds) all.push_back(&of);
  }
  return all;
}

frame choose_frame(scene const& content) {
  frame chosen;
  std::size_t points = 0;
  double side = largest_float;
  bool first = true;
  for (auto const* const of : all_clouds(content)) {
    points += of->points.rows();
    auto const around = typical_box(*of);
    if (around.empty) continue;
    if (first) {
      for (std::size_t axis = 0; axis < 3; ++axis) chosen.origin[axis] = around.low[axis] / 2 + around.high[axis] / 2;
    }
    first = false;
    // The smallest cloud determines the step. A cloud without an extent needs no step finer than a double's.
    double finest = 0x1p-100;
    for (auto const value : around.low) finest = std::max(finest, std::abs(value) * 0x1p-20);
    side = std::min(side, std::max(longest_side(around), finest));
  }
  chosen.bits = points <= few_points ? 24 : 20;
  if (first) return chosen;
  chosen.scale = std::exp2(std::ceil(std::log2(side)));
  // Points that lie on multiples of a small power of two are then kept exactly.
  for (auto& value : chosen.origin) value = std::nearbyint(value / chosen.scale * 1024) / 1024 * chosen.scale;
  return chosen;
}

cloud_survey survey(cloud const& of, frame const& where, up_axis up) {
  auto const rows = of.points.rows();
  cloud_survey found;
  auto const around = typical_box(of);
  found.low = around.low;
  found.high = around.high;
  std::vector<attribute_scan> scans;
  for (auto const& one : of.attributes) scans.emplace_back(one, rows);
  column_survey heights{rows};
  auto const upward = up_vector(up);
  for (std::size_t i = 0; i < rows; ++i) {
    auto const point = point_at(of, i);
    if (!is_drawn(point, where)) continue;
    ++found.drawn;
    heights.add(point[0] * upward[0] + point[1] * upward[1] + point[2] * upward[2]);
    for (auto& scan : scans) scan.add(i);
  }
  found.height = heights.range();
  for (auto& scan : scans) found.attributes.push_back(scan.result());
  return found;
}

position up_vector(up_axis up) {
  switch (up) {
    case up_axis::x: return {1, 0, 0};
    case up_axis::y: return {0, 1, 0};
    case up_axis::minus_x: return {-1, 0, 0};
    case up_axis::minus_y: return {0, -1, 0};
    case up_axis::minus_z: return {0, 0, -1};
    case up_axis::z: break;
  }
  return {0, 0, 1};
}

}  // namespace farpoint_viewer
