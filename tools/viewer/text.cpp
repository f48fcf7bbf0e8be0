#include "text.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace farpoint_viewer {

namespace {

/// U+FFFD, which stands for what is not text.
constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// Length in bytes of the UTF-8 character that `text` begins with; 0 if it does not begin with valid UTF-8.
std::size_t character_size(std::string_view text) {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const is_continuation = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  unsigned const first = byte(0);
  if (first < 0x80) return 1;
  // 0xC0 and 0xC1 begin only overlong encodings.
  if (first >= 0xC2 && first <= 0xDF) return is_continuation(1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0) {
    // Overlong encodings of characters below U+0800 are invalid, and so are surrogates, U+D800 to U+DFFF.
    bool const valid = is_continuation(1) && is_continuation(2) && (first != 0xE0 || byte(1) >= 0xA0) &&
                       (first != 0xED || byte(1) < 0xA0);
    return valid ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    // Overlong encodings of characters below U+10000 are invalid, and so are numbers above U+10FFFF.
    bool const valid = is_continuation(1) && is_continuation(2) && is_continuation(3) &&
                       (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) < 0x90);
    return valid ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    auto const size = character_size(text);
    if (size == 0) {
      valid += replacement_character;
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, size);
      text.remove_prefix(size);
    }
  }
  return valid;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (char const character : valid_utf8(text)) {
    switch (character) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      case '\0': escaped += replacement_character; break;
      default: escaped += character;
    }
  }
  return escaped;
}

std::string json_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string escaped{'"'};
  for (char const character : valid_utf8(text)) {
    auto const code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == '"' || code == '\\' || code == '<' || code == '>' || code == '&') {
      escaped += "\\u00";
      escaped += digits[code / 16];
      escaped += digits[code % 16];
    } else {
      escaped += character;
    }
  }
  return escaped += '"';
}

std::string json_number(double value) {
  std::array<char, 32> text{};
  auto const written = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

std::string base64(std::vector<std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  bytes.resize((bytes.size() + 2) / 3 * 3);
  std::string text;
  text.reserve(bytes.size() / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned const three = (unsigned{bytes[i]} << 16U) | (unsigned{bytes[i + 1]} << 8U) | bytes[i + 2];
    for (unsigned shift = 24; shift > 0;) text += digits[(three >> (shift -= 6)) & 63U];
  }
  return text;
}

}  // namespace farpoint_viewer
