// LAZ: what LASzip compresses comes back to the bit, and damaged files are refused. Skipped in builds without LASzip.
#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../../support/catch.hpp"
#include "cloud_formats.hpp"
#include "file_bytes.hpp"
#include "las_layout.hpp"
#include "las_writer.hpp"
#include "laz.hpp"

namespace {

using namespace farpoint_tools;
using kind = scalar_kind;

bool is_skipped() {
  if (!laz::is_supported()) WARN("SKIPPED: this build has no LASzip");
  return !laz::is_supported();
}

void put(std::string& to, std::size_t at, double value, kind of) {
  encode(value, to.data() + at, of);
}
std::uint64_t get(std::string const& from, std::size_t at, kind of) {
  return static_cast<std::uint64_t>(decode(from.data() + at, of));
}

// Bytes of a point after another: as random as can be, changing little, or equal.
enum class content { noise, smooth, equal };

std::string make_las(std::size_t format, std::size_t extra, std::size_t points, content what) {
  bool const is_14 = format >= 6;
  auto const header = is_14 ? las::header_bytes_of_14 : las::header_bytes;
  std::string made(header, '\0');
  made.replace(0, 4, "LASF");
  put(made, las::at::major, 1, kind::uint8);
  put(made, las::at::minor, is_14 ? 4 : 2, kind::uint8);
  put(made, las::at::header_size, static_cast<double>(header), kind::uint16);
  put(made, las::at::first_point, static_cast<double>(header), kind::uint32);
  put(made, las::at::format, static_cast<double>(format), kind::uint8);
  put(made, las::at::record_length, static_cast<double>(las::record_bytes(format) + extra), kind::uint16);
  put(made, is_14 ? las::at::points : las::at::legacy_points, static_cast<double>(points),
      is_14 ? kind::uint64 : kind::uint32);
  for (std::size_t axis = 0; axis < 3; ++axis) put(made, las::at::scale + 8 * axis, 0.01, kind::float64);
  std::mt19937 random{static_cast<unsigned>(format)};
  std::string record(las::record_bytes(format) + extra, '\7');
  for (std::size_t i = 0; i < points; ++i) {
    for (auto& byte : record) {
      if (what == content::noise) byte = static_cast<char>(random());
      if (what == content::smooth && random() % 8 == 0)
        byte = static_cast<char>(byte + static_cast<char>(random() % 3));
    }
    made += record;
  }
  return made;
}

std::size_t first_point(std::string const& file) {
  return get(file, las::at::first_point, kind::uint32);
}
std::size_t descriptor_at(std::string const& packed) {
  auto const at = packed.rfind(std::string{laz::record_user}, first_point(packed));
  return at - 2 + las::record_header_bytes;
}

// The compressed file as read_las() hands it on.
std::string unpacked(std::string const& packed) {
  auto const at = descriptor_at(packed);
  laz::packed_points what;
  what.format = get(packed, las::at::format, kind::uint8) & ~laz::packed_bit;
  what.record_length = get(packed, las::at::record_length, kind::uint16);
  what.points =
      what.format >= 6 ? get(packed, las::at::points, kind::uint64) : get(packed, las::at::legacy_points, kind::uint32);
  what.first_point = first_point(packed);
  what.descriptor = std::string_view{packed}.substr(at, what.first_point - at);
  return laz::unpack({"file", packed}, what);
}

bool is_same(cloud const& a, cloud const& b) {
  if (a.exact != b.exact || a.origin != b.origin || a.points != b.points) return false;
  if (a.columns.size() != b.columns.size()) return false;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    if (a.columns[c].name() != b.columns[c].name() || a.columns[c].kind() != b.columns[c].kind()) return false;
    if (a.columns[c].bytes() != b.columns[c].bytes()) return false;
  }
  return a.las->scale == b.las->scale && a.las->offset == b.las->offset && a.las->encoding == b.las->encoding &&
         a.las->projection == b.las->projection;
}

cloud parse(std::string const& bytes) {
  return parse_cloud({"file", bytes}, file_format::las);
}

// The complaint about bytes, or nothing.
std::string complaint_about(std::string const& bytes) {
  try {
    parse(bytes);
  } catch (cloud_error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("without LASzip, LAZ is refused with what to do", "[cloud_io]") {
  if (laz::is_supported()) return;
  CHECK_THROWS_AS(laz::pack(make_las(0, 0, 3, content::noise)), cloud_error);
  auto packed = make_las(0, 0, 3, content::noise);
  put(packed, las::at::format, 128, kind::uint8);
  CHECK(has(complaint_about(packed), "this build does not read: install LASzip 3 (liblaszip-dev)"));
}

TEST_CASE("LAZ has every point format to the bit", "[cloud_io]") {
  if (is_skipped()) return;
  for (std::size_t format = 0; format < las::formats; ++format) {
    for (auto const what : {content::noise, content::smooth, content::equal}) {
      for (std::size_t const extra : {0, 1, 13}) {
        for (std::size_t const points : {1, 2, 700}) {
          auto const file = make_las(format, extra, points, what);
          auto const packed = laz::pack(file);
          CAPTURE(format, extra, points, static_cast<int>(what));
          CHECK(unpacked(packed) == file.substr(first_point(file)));
          // The header has LASzip's bit, a record more, and else what it had.
          auto header = packed.substr(0, first_point(file));
          CHECK(get(header, las::at::format, kind::uint8) == (format | laz::packed_bit));
          CHECK(get(header, las::at::records, kind::uint32) == 1);
          CHECK(first_point(header) == descriptor_at(packed) + get(packed, descriptor_at(packed) - 34, kind::uint16));
          put(header, las::at::format, static_cast<double>(format), kind::uint8);
          put(header, las::at::records, 0, kind::uint32);
          put(header, las::at::first_point, static_cast<double>(first_point(file)), kind::uint32);
          CHECK(header == file.substr(0, first_point(file)));
          if (points > 2 && what != content::noise) CHECK(packed.size() < file.size());
        }
      }
    }
  }
}

TEST_CASE("LAZ of several chunks, of one size and of several", "[cloud_io]") {
  if (is_skipped()) return;
  for (std::size_t const format : {1, 7}) {
    for (std::size_t const points : {50'000, 50'001}) {
      auto const file = make_las(format, 0, points, content::smooth);
      auto const records = file.substr(first_point(file));
      auto packed = laz::pack(file);
      CHECK(unpacked(packed) == records);
      // A writer that cannot seek leaves the offset of the table to the end.
      auto const begin = first_point(packed);
      auto const table = get(packed, begin, kind::uint64);
      auto late = packed + packed.substr(begin, 8);
      late.replace(begin, 8, 8, '\xff');
      CHECK(unpacked(late) == records);
      // Chunks of layers state how many points they have.
      auto adaptive = packed;
      put(adaptive, descriptor_at(adaptive) + 12, 4294967295.0, kind::uint32);
      if (format == 7) {
        CHECK(unpacked(adaptive) == records);
      } else {
        CHECK(has(complaint_about(adaptive), "LAZ chunks of equal size"));
      }
      // A number of points that is not the one of the chunks.
      auto const with_points = [&](std::size_t count) {
        auto bad = packed;
        put(bad, format == 7 ? las::at::points : las::at::legacy_points, static_cast<double>(count),
            format == 7 ? kind::uint64 : kind::uint32);
        return complaint_about(bad);
      };
      CHECK(has(with_points(points + 50'000), "LAZ"));
      if (format == 7 || points > 50'000) CHECK(has(with_points(points - 1), "LAZ"));
      CHECK(table < packed.size());
    }
  }
}

TEST_CASE("LAZ has the columns, the header and the projection of LAS", "[cloud_io]") {
  if (is_skipped()) return;
  std::mt19937_64 random{5};
  for (bool const is_14 : {false, true}) {
    cloud made;
    std::vector<std::array<double, 3>> at(500);
    for (auto& p : at) p = {static_cast<double>(random() % 1'000'000) * 0.001 + 600'000, 5e6, 0.25};
    set_exact(made, at);
    std::vector<double> classes(500), times(500);
    for (std::size_t i = 0; i < 500; ++i) {
      classes[i] = static_cast<double>(i % (is_14 ? 256 : 32));
      times[i] = std::generate_canonical<double, 53>(random);
    }
    made.columns = {make_column("classification", kind::uint8, classes),
                    make_column("gps_time", kind::float64, times),
                    make_column("own", kind::float32, times),
                    make_column("red", kind::uint8, classes),
                    make_column("green", kind::uint8, classes),
                    make_column("blue", kind::uint8, classes)};
    made.las = std::make_shared<las_reference const>(
        las_reference{{0.001, 0.001, 0.25}, {600000, 5e6, 0}, 1, {{2112, "PROJCS[\"somewhere\"]"}, {34735, "abc"}}});
    auto const direct = parse(encode_las(made));
    auto const packed = parse(encode_laz(made));
    CHECK(is_same(direct, packed));
    CHECK((direct.exact == at));
    CHECK(direct.las->projection.size() == 2);
    CHECK(packed.format == (is_14 ? "LAS 1.4, point format 7, compressed" : "LAS 1.2, point format 3, compressed"));
    // A cloud that was read from LAZ gives the same files as one that was read from LAS.
    CHECK(encode_las(packed) == encode_las(direct));
    CHECK(encode_laz(packed) == encode_laz(direct));
  }
}

TEST_CASE("what a damaged LAZ file lacks is named", "[cloud_io]") {
  if (is_skipped()) return;
  for (std::size_t const format : {3, 8}) {
    auto const file = make_las(format, 2, 300, content::smooth);
    auto const good = laz::pack(file);
    auto const descriptor = descriptor_at(good);
    auto const begin = first_point(good);
    auto const with = [&good](std::size_t at, double value, kind of) {
      auto bad = good;
      put(bad, at, value, of);
      return complaint_about(bad);
    };
    CHECK(complaint_about(good).empty());
    CHECK(has(with(descriptor - las::record_header_bytes + 18, 1, kind::uint16),
              "\"laszip encoded\" in a LAZ file, found none"));
    CHECK(has(with(las::at::format, static_cast<double>(format | 0xc0U), kind::uint8),
              "LAZ points of a released LASzip"));
    CHECK(has(with(las::at::format, 127 | 128, kind::uint8), "released LASzip"));
    CHECK(has(with(las::at::format, 11 | 128, kind::uint8), "a LAS point format of 0 to 10, found 11"));
    auto const length = static_cast<double>(las::record_bytes(format));
    CHECK(has(with(las::at::record_length, length, kind::uint16), "a record \"laszip encoded\" of"));
    CHECK(has(with(las::at::record_length, length + 3, kind::uint16), "LASzip item"));
    for (double const compressor : {0, 4, 65535}) CHECK(has(with(descriptor, compressor, kind::uint16), "compressor"));
    CHECK(has(with(descriptor, format == 3 ? 3 : 2, kind::uint16), "a LASzip compression of point format"));
    CHECK(has(with(descriptor + 2, 1, kind::uint16), "coder 1"));
    CHECK(has(with(descriptor + 32, 2, kind::uint16), "a record \"laszip encoded\" of"));
    CHECK(has(with(descriptor + 34, 30, kind::uint16), "LASzip item 0 of type"));
    CHECK(has(with(descriptor + 36, 31, kind::uint16), "LASzip item 0 of type"));
    CHECK(has(with(descriptor + 38, 9, kind::uint16), "version 9"));
    CHECK(has(with(begin, 0, kind::uint64), "a table of LAZ chunks at byte"));
    CHECK(has(with(begin, static_cast<double>(good.size()), kind::uint64), "a table of LAZ chunks at byte"));
    CHECK(has(with(begin, 1e18, kind::uint64), "a table of LAZ chunks at byte"));
    CHECK_FALSE(with(begin, static_cast<double>(get(good, begin, kind::uint64)) - 1, kind::uint64).empty());
    // A header's claim costs no memory.
    if (format == 8) {
      CHECK(has(with(las::at::points, 1e15, kind::uint64), "LAZ points that unpack to 67108864 bytes at most"));
      CHECK(has(with(las::at::points, 1e6, kind::uint64), "found 300 points where 1000000 are left"));
      // Sizes of layers whose sum is small in 32 bits.
      auto const layers = begin + 8 + las::record_bytes(8) + 2 + 4;
      auto bad = good;
      put(bad, layers, 4294967295.0, kind::uint32);
      put(bad, layers + 4,
          1 + static_cast<double>(get(good, layers, kind::uint32) + get(good, layers + 4, kind::uint32)), kind::uint32);
      CHECK(has(complaint_about(bad), "LAZ chunk 0 in bytes"));
    }
  }
}

TEST_CASE("truncated LAZ files are refused", "[cloud_io]") {
  if (is_skipped()) return;
  for (std::size_t format = 0; format < las::formats; ++format) {
    auto const good = laz::pack(make_las(format, format % 3, 60, content::smooth));
    std::size_t read = 0;
    for (std::size_t size = 0; size < good.size(); ++size) {
      auto const complaint = complaint_about(good.substr(0, size));
      read += complaint.empty() ? 1 : 0;
      if (complaint.find('\n') != std::string::npos) FAIL(complaint);
    }
    CAPTURE(format);
    // Points are complete where a part of the table of chunks is cut off; version and number of chunks are needed.
    auto const table = get(good, first_point(good), kind::uint64);
    CHECK(read == good.size() - table - 8);
  }
}

TEST_CASE("mutated LAZ files give as many points, or an error", "[cloud_io]") {
  if (is_skipped()) return;
  std::mt19937 random{11};
  std::size_t errors = 0;
  for (std::size_t format = 0; format < las::formats; ++format) {
    auto const good = laz::pack(make_las(format, format % 3, 120, format % 2 == 0 ? content::smooth : content::noise));
    auto const begin = descriptor_at(good) - las::record_header_bytes;
    for (int round = 0; round < 150; ++round) {
      auto bad = good;
      for (unsigned change = 0; change <= random() % 3; ++change) {
        char const values[] = {static_cast<char>(random()), '\0', '\1', '\x7f', '\xff'};
        // Half of the changes hit the descriptor, the first chunk's sizes and the first symbols.
        auto const at = random() % 2 == 0 ? random() % bad.size() : begin + random() % 256;
        bad[std::min<std::size_t>(at, bad.size() - 1)] = values[random() % 5];
      }
      try {
        auto const read = parse(bad);
        for (auto const& column : read.columns) REQUIRE(column.size() == read.points.size());
      } catch (cloud_error const& error) {
        ++errors;
        REQUIRE(std::string{error.what()}.find('\n') == std::string::npos);
      }
    }
  }
  CHECK(errors > 300);
}
