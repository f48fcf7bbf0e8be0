#include "encode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace farpoint_viewer {

namespace {

using bytes_out = std::vector<std::uint8_t>;

void put_varint(bytes_out& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7U) bytes.push_back(static_cast<std::uint8_t>(value | 128U));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void put_signed(bytes_out& bytes, std::int64_t value) {
  auto const twice = static_cast<std::uint64_t>(value) << 1U;
  put_varint(bytes, value < 0 ? ~twice : twice);
}

void put_16(bytes_out& bytes, std::uint16_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value & 255U));
  bytes.push_back(static_cast<std::uint8_t>(value >> 8U));
}

void put_float(bytes_out& bytes, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  put_16(bytes, static_cast<std::uint16_t>(bits & 0xFFFFU));
  put_16(bytes, static_cast<std::uint16_t>(bits >> 16U));
}

/// The step that a normalized coordinate is rounded to. Nothing if it lies too far away for 32 bits.
std::optional<std::int64_t> step_of(double normalized, int bits) {
  double const step = std::nearbyint(std::ldexp(normalized, bits));
  if (std::abs(step) > 0x1p30) return {};
  return static_cast<std::int64_t>(step);
}

std::int64_t integer_code(double value) {
  if (!std::isfinite(value) || std::abs(value) > largest_integer) return no_integer;
  return std::llround(value);
}

std::uint16_t step_code(double value, value_range const& range) {
  if (!std::isfinite(value)) return no_step;
  // Halved, as the difference of doubles may be infinite.
  double const extent = range.high / 2 - range.low / 2;
  if (!(extent > 0)) return 0;
  return static_cast<std::uint16_t>(std::lround((value / 2 - range.low / 2) / extent * (no_step - 1)));
}

/// -1 to 1 as 0 to 65,534.
std::uint16_t unit_code(double value) {
  return static_cast<std::uint16_t>(std::lround((value + 1) / 2 * (no_step - 1)));
}

/// Folds the unit sphere onto an octahedron, and that onto a square.
std::array<std::uint16_t, 2> direction_code(position direction) {
  double const largest = std::max({std::abs(direction[0]), std::abs(direction[1]), std::abs(direction[2])});
  // Also true for NaN.
  if (!(largest > 0) || !std::isfinite(largest) || std::isnan(direction[0] + direction[1] + direction[2])) {
    return {no_step, no_step};
  }
  for (auto& value : direction) value /= largest;
  double const sum = std::abs(direction[0]) + std::abs(direction[1]) + std::abs(direction[2]);
  double u = direction[0] / sum, v = direction[1] / sum;
  if (direction[2] < 0) {
    double const folded_u = std::copysign(1 - std::abs(v), u);
    v = std::copysign(1 - std::abs(u), v);
    u = folded_u;
  }
  return {unit_code(u), unit_code(v)};
}

std::uint8_t color_code(double value) {
  return std::isfinite(value) ? static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))) : 128;
}

}  // namespace

std::vector<std::uint8_t> block_encoder::next() {
  indices_.clear();
  for (; at_ < of_.points.rows() && indices_.size() < block_size; ++at_) {
    if (is_drawn(point_at(of_, at_), where_)) indices_.push_back(at_);
  }
  bytes_out bytes;
  if (indices_.empty()) return bytes;
  put_varint(bytes, number_);
  write_indices(bytes);
  write_points(bytes);
  for (std::size_t which = 0; which < of_.attributes.size(); ++which) write_attribute(bytes, which);
  return bytes;
}

void block_encoder::write_indices(bytes_out& bytes) const {
  put_varint(bytes, indices_.size());
  put_varint(bytes, indices_[0]);
  bytes_out runs;
  std::size_t count = 0;
  for (std::size_t begin = 0, end = 1; begin < indices_.size(); begin = end++, ++count) {
    while (end < indices_.size() && indices_[end] == indices_[end - 1] + 1) ++end;
    put_varint(runs, end - begin);
    put_varint(runs, end < indices_.size() ? indices_[end] - indices_[end - 1] - 1 : 0);
  }
  put_varint(bytes, count);
  bytes.insert(bytes.end(), runs.begin(), runs.end());
}

void block_encoder::write_points(bytes_out& bytes) {
  bytes_out steps, floats;
  bool in_steps = true;
  double error_of_steps = 0, error_of_floats = 0;
  std::array<std::int64_t, 3> before{};
  for (auto const index : indices_) {
    auto const point = point_at(of_, index);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const normalized = where_.normalized(point[axis], axis);
      auto const error = [&](float decoded) {
        return std::abs(where_.origin[axis] + where_.scale * double{decoded} - point[axis]);
      };
      put_float(floats, static_cast<float>(normalized));
      error_of_floats = std::max(error_of_floats, error(static_cast<float>(normalized)));
      auto const step = in_steps ? step_of(normalized, where_.bits) : std::nullopt;
      in_steps = step.has_value();
      if (!in_steps) continue;
      put_signed(steps, *step - before[axis]);
      before[axis] = *step;
      auto const decoded = static_cast<float>(std::ldexp(static_cast<double>(*step), -where_.bits));
      error_of_steps = std::max(error_of_steps, error(decoded));
    }
  }
  in_steps = in_steps && steps.size() < floats.size();
  bytes.push_back(in_steps ? 0 : 1);
  auto const& written = in_steps ? steps : floats;
  bytes.insert(bytes.end(), written.begin(), written.end());
  largest_error_ = std::max(largest_error_, in_steps ? error_of_steps : error_of_floats);
}

void block_encoder::write_attribute(bytes_out& bytes, std::size_t which) const {
  auto const& values = of_.attributes[which].values;
  auto const& known = known_.attributes[which];
  std::int64_t before = 0;
  for (auto const index : indices_) {
    switch (known.code) {
      case value_code::integers: {
        auto const code = integer_code(values.at(index, 0));
        put_signed(bytes, code - before);
        before = code;
        break;
      }
      case value_code::steps: put_16(bytes, step_code(values.at(index, 0), known.range)); break;
      case value_code::directions:
        for (auto const code : direction_code({values.at(index, 0), values.at(index, 1), values.at(index, 2)})) {
          put_16(bytes, code);
        }
        break;
      case value_code::colors:
        for (std::size_t channel = 0; channel < 3; ++channel) bytes.push_back(color_code(values.at(index, channel)));
        break;
    }
  }
}

}  // namespace farpoint_viewer
