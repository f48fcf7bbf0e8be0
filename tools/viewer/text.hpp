/// @file
/// Text and bytes for a page: escaped, so that no name ends a tag or a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farpoint_viewer {

/// `text` as UTF-8, with U+FFFD for each byte that is no part of it.
std::string valid_utf8(std::string_view text);

/// `text` for the content of an HTML element.
std::string html_text(std::string_view text);

/// `text` as a JSON string with its quotes. It has no "<", ">" or "&", and may lie in a script element.
std::string json_text(std::string_view text);

/// The shortest number that is read as `value`, which is finite.
std::string json_number(double value);

/// `bytes` in base64, zero-padded to a multiple of three bytes, so that no "=" follows.
std::string base64(std::vector<std::uint8_t> bytes);

}  // namespace farpoint_viewer
