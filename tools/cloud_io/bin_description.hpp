// The layout of a .bin, which has no header, in a .json of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cloud_bytes.hpp"
#include "scalar.hpp"

namespace farpoint_tools {

/// Layout of a .bin: `points` rows of a number for each of `columns`, all little-endian of one kind.
struct bin_description {
  std::size_t points = 0;
  scalar_kind kind = scalar_kind::float32;  ///< float32 or float64
  std::vector<std::string> columns;         ///< names, with x, y and z among them

  std::size_t row_bytes() const { return columns.size() * size_of(kind); }
};

/// "sweep.bin.json" of "sweep.bin".
std::filesystem::path description_of(std::filesystem::path const& bin);

/// A text in quotes, as JSON has it; bytes beyond ASCII stay as they are.
std::string json_text(std::string_view text);

/// {"points": 2, "dtype": "<f4", "columns": ["x", "y", "z"]}
std::string encode(bin_description const& of);

/// The reverse of encode(); other members of the object are refused.
/// @throws cloud_error
bin_description parse_bin_description(cloud_bytes const& json);

}  // namespace farpoint_tools
