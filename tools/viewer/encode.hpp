/// @file
/// Blocks of points as bytes. page/decode.js reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "survey.hpp"
#include "visualize.hpp"

namespace farpoint_viewer {

/// Points of a block. A browser decodes one in a few milliseconds.
constexpr std::size_t block_size = 1U << 15U;

/// Writes the points of a cloud, block after block. All numbers are little endian; a varint has 7 bits a byte, the
/// lowest first, and the high bit where more follow; a signed one is 2 v, or -2 v - 1 below zero.
///
///     varint   number of the cloud
///     varint   points in this block
///     varint   index of the first one in the cloud
///     varint   runs of consecutive indices, and for each: varint length, varint indices left out after it
///     byte     0: coordinates are steps, each a signed varint, the difference from the point before (x, y, z, x, ...)
///              1: they are floats
///     ...      coordinates, in the scene's frame
///     ...      for each attribute its values: signed varints of differences, 16-bit numbers, or bytes
class block_encoder {
 public:
  block_encoder(cloud const& of, cloud_survey const& known, frame const& where, std::size_t number)
      : of_{of}, known_{known}, where_{where}, number_{number} {}

  /// The next block; empty after the last one.
  std::vector<std::uint8_t> next();

  /// The largest difference between a coordinate written so far and the input's.
  double largest_error() const { return largest_error_; }

 private:
  cloud const& of_;
  cloud_survey const& known_;
  frame const& where_;
  std::size_t number_;
  std::size_t at_ = 0;                ///< the next point to encode
  std::vector<std::size_t> indices_;  ///< indices of the block's points
  double largest_error_ = 0;

  void write_indices(std::vector<std::uint8_t>& bytes) const;
  void write_points(std::vector<std::uint8_t>& bytes);
  void write_attribute(std::vector<std::uint8_t>& bytes, std::size_t which) const;
};

/// "None" among the codes of an attribute. Twice the difference of two codes is below 2^53: a number in JavaScript.
constexpr std::int64_t no_integer = -(std::int64_t{1} << 51U);
constexpr std::uint16_t no_step = 0xFFFF;

}  // namespace farpoint_viewer
