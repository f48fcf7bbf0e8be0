// LZF, as in Marc Lehmann's LibLZF: literal runs and back references of up to 264 bytes.
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

// Calls `literals(bytes)` and `reference(distance, length)` for each part; false if the data is damaged or does not
// give exactly `size` bytes.
template <class Literals, class Reference>
bool unpack(std::string_view packed, std::size_t size, Literals const& literals, Reference const& reference) {
  std::size_t at = 0;
  std::size_t made = 0;
  auto const left = [&] { return packed.size() - at; };
  auto const next_byte = [&] { return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++])); };

  while (left() > 0) {
    std::size_t const control = next_byte();
    std::size_t length = control + 1;
    if (control < 32) {
      if (left() < length || size - made < length) return false;
      literals(packed.substr(at, length));
      at += length;
    } else {
      length = control >> 5;
      if (left() < (length == 7 ? 2U : 1U)) return false;
      if (length == 7) length += next_byte();
      length += 2;
      std::size_t const distance = ((control & 31) << 8 | next_byte()) + 1;
      if (distance > made || size - made < length) return false;
      reference(distance, length);
    }
    made += length;
  }
  return made == size;
}

}  // namespace

std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size) {
  // Once without writing anything: damaged data shall not cost memory.
  if (!unpack(
          packed, size, [](std::string_view) {}, [](std::size_t, std::size_t) {}))
    return std::nullopt;
  std::string out;
  out.reserve(size);
  unpack(
      packed, size, [&](std::string_view bytes) { out.append(bytes); },
      [&](std::size_t distance, std::size_t length) {
        // Byte by byte: a reference may reach into what it writes.
        for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
      });
  return out;
}

}  // namespace farpoint_tools
