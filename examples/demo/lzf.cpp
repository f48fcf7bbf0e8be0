// LZF, as in Marc Lehmann's LibLZF: literal runs and back references of up to 264 bytes.
#include "cloud_formats.hpp"

namespace farpoint_demo {

std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size) {
  // Three bytes expand to 264 at most: a header that claims more is damaged, so do not allocate for it.
  if (size / 88 > packed.size()) return std::nullopt;
  std::string out;
  out.reserve(size);
  std::size_t at = 0;
  auto const left = [&] { return packed.size() - at; };
  auto const next_byte = [&] { return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++])); };

  while (left() > 0) {
    std::size_t const control = next_byte();
    if (control < 32) {
      std::size_t const literals = control + 1;
      if (left() < literals || size - out.size() < literals) return std::nullopt;
      out.append(packed.substr(at, literals));
      at += literals;
      continue;
    }
    std::size_t length = control >> 5;
    if (left() < (length == 7 ? 2U : 1U)) return std::nullopt;
    if (length == 7) length += next_byte();
    length += 2;
    std::size_t const distance = ((control & 31) << 8 | next_byte()) + 1;
    if (distance > out.size() || size - out.size() < length) return std::nullopt;
    // Byte by byte: a reference may reach into what it writes.
    for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace farpoint_demo
