#include "laz_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "las_layout.hpp"
#include "scalar.hpp"

namespace farpoint_tools::laz {

namespace {

// Kinds of compression.
enum compressor : std::size_t { point_by_point = 1, in_chunks = 2, in_layers = 3 };

std::size_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(decode(bytes.data() + at, scalar_kind::uint16));
}
std::uint64_t u32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint64_t>(decode(bytes.data() + at, scalar_kind::uint32));
}
// A double has no 64 bits.
std::uint64_t u64(std::string_view bytes, std::size_t at) {
  return u32(bytes, at) | u32(bytes, at + 4) << 32;
}

bool is_14(packed_points const& what) {
  return what.format >= 6;
}

// The versions of an item that LASzip reads.
bool is_version(item const& of, std::size_t version) {
  if (of.type == wave_packet) return version == 1;
  if (of.type == wave_packet_14) return version == 3 || version == 4;
  return of.type >= point_14 ? version >= 2 && version <= 4 : version == 1 || version == 2;
}

void expect_descriptor(cloud_bytes const& file, packed_points const& what) {
  auto const bytes = what.descriptor;
  if (bytes.empty()) file.fail("a record \"laszip encoded\" in a LAZ file", "none");
  auto const items = items_of(what.format, what.record_length);
  auto const size = descriptor_bytes + items.size() * item_bytes;
  if (bytes.size() != size || u16(bytes, descriptor_bytes - 2) != items.size()) {
    file.fail(fmt::format("a record \"laszip encoded\" of {} bytes", size), fmt::format("{} bytes", bytes.size()));
  }
  auto const kind = u16(bytes, 0);
  bool const known = is_14(what) ? kind == in_layers : kind == point_by_point || kind == in_chunks;
  if (!known || u16(bytes, 2) != 0) {
    file.fail(fmt::format("a LASzip compression of point format {}", what.format),
              fmt::format("compressor {}, coder {}", kind, u16(bytes, 2)));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto const at = descriptor_bytes + i * item_bytes;
    auto const type = u16(bytes, at);
    auto const item_size = u16(bytes, at + 2);
    auto const version = u16(bytes, at + 4);
    if (type != items[i].type || item_size != items[i].size || !is_version(items[i], version)) {
      file.fail(
          fmt::format("LASzip item {} of type {} and {} bytes, in a known version", i, items[i].type, items[i].size),
          fmt::format("type {} and {} bytes, version {}", type, item_size, version));
    }
  }
}

// The offset of the table of chunks, which ends the chunks.
std::size_t end_of_chunks(cloud_bytes const& file, packed_points const& what) {
  auto const bytes = file.view();
  auto const least = what.first_point + 8;
  // Version and number of chunks.
  constexpr std::size_t table_bytes = 8;
  if (bytes.size() < least + table_bytes) {
    file.fail("LAZ points", fmt::format("an end after {} bytes", bytes.size() - what.first_point));
  }
  auto end = u64(bytes, what.first_point);
  // LASzip writes the offset behind all else where it cannot seek.
  if (end == std::numeric_limits<std::uint64_t>::max()) end = u64(bytes, bytes.size() - 8);
  if (end < least || end > bytes.size() - table_bytes) {
    file.fail(fmt::format("a table of LAZ chunks at byte {} to {}", least, bytes.size() - table_bytes),
              fmt::format("an offset of {}", end));
  }
  return static_cast<std::size_t>(end);
}

// Layers that each chunk of an item has.
std::size_t layers_of(item const& of) {
  switch (of.type) {
    case point_14: return 9;
    case rgb_nir_14: return 2;
    case extra_bytes_14: return of.size;
    default: return 1;
  }
}

// Chunks of layers: a record, the number of points, the size of each layer, and the layers.
std::vector<chunk> layered_chunks(cloud_bytes const& file, packed_points const& what, std::size_t end) {
  auto const chunk_size = u32(what.descriptor, chunk_size_at);
  bool const equal = chunk_size != 0 && chunk_size != std::numeric_limits<std::uint32_t>::max();
  std::size_t layers = 0;
  for (auto const& one : items_of(what.format, what.record_length)) layers += layers_of(one);
  auto const head = what.record_length + 4 + 4 * layers;
  auto const bytes = file.view().substr(0, end);
  std::vector<chunk> made;
  std::size_t at = what.first_point + 8;
  std::uint64_t left = what.points;
  while (left > 0) {
    auto const fail = [&](std::string const& found) {
      file.fail(fmt::format("LAZ chunk {} in bytes {} to {}", made.size(), at, end), found);
    };
    if (head > end - at) fail("an end within its sizes");
    auto const stated = u32(bytes, at + what.record_length);
    if (stated == 0 || stated > left || (equal && stated != std::min(chunk_size, left))) {
      fail(fmt::format("{} points where {} are left", stated, left));
    }
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < layers; ++i) size += u32(bytes, at + what.record_length + 4 + 4 * i);
    // LASzip adds the sizes in 32 bits.
    if (size > end - at - head || size > std::numeric_limits<std::uint32_t>::max()) {
      fail(fmt::format("layers of {} bytes", size));
    }
    auto const whole = head + static_cast<std::size_t>(size);
    made.push_back({stated, bytes.substr(at, whole)});
    at += whole;
    left -= stated;
  }
  if (at != end) file.fail(fmt::format("{} LAZ points that end at byte {}", what.points, end), fmt::format("{}", at));
  return made;
}

}  // namespace

std::vector<item> items_of(std::size_t format, std::size_t record_length) {
  bool const is_long = format >= 6;
  bool const has_time = format == 1 || (format >= 3 && format <= 5);
  bool const has_nir = format == 8 || format == 10;
  bool const has_color = format == 2 || format == 3 || format == 5 || format == 7 || has_nir;
  bool const has_wave = format == 4 || format == 5 || format >= 9;
  std::vector<item> made;
  made.push_back(is_long ? item{point_14, 30} : item{point_10, 20});
  if (has_time) made.push_back({gps_time, 8});
  if (has_nir) {
    made.push_back({rgb_nir_14, 8});
  } else if (has_color) {
    made.push_back({is_long ? rgb_14 : rgb, 6});
  }
  if (has_wave) made.push_back({is_long ? wave_packet_14 : wave_packet, 29});
  auto const extra = record_length - las::record_bytes(format);
  if (extra > 0) made.push_back({is_long ? extra_bytes_14 : extra_bytes, extra});
  return made;
}

chunks chunks_of(cloud_bytes const& file, packed_points const& what) {
  expect_descriptor(file, what);
  auto const most = max_unpacked(file.view().size());
  if (what.points > most / what.record_length) {
    file.fail(fmt::format("LAZ points that unpack to {} bytes at most", most),
              fmt::format("{} points of {} bytes", what.points, what.record_length));
  }
  if (what.points == 0) return {};
  auto const kind = u16(what.descriptor, 0);
  if (kind == point_by_point) return {false, false, {{what.points, file.view().substr(what.first_point)}}};
  auto const end = end_of_chunks(file, what);
  if (kind == in_layers) return {true, true, layered_chunks(file, what, end)};
  auto const chunk_size = u32(what.descriptor, chunk_size_at);
  // LASzip takes the number of points from the table of chunks, whose size it does not check.
  if (chunk_size == 0 || chunk_size == std::numeric_limits<std::uint32_t>::max()) {
    file.fail("LAZ chunks of equal size, for point formats 0 to 5 (\"laszip -i IN -o OUT\" makes such ones)",
              "chunks of several sizes");
  }
  auto const begin = what.first_point + 8;
  return {true, false, {{what.points, file.view().substr(begin, end - begin)}}};
}

}  // namespace farpoint_tools::laz
