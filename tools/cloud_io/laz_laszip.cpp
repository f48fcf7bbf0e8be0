// LAZ by LASzip: the functions of laz.hpp in builds that have it.
#include <fmt/format.h>
#include <laszip/laszip_api.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <sstream>
#include <streambuf>
#include <utility>

#include "cloud_io.hpp"
#include "las_layout.hpp"
#include "laz_chunks.hpp"
#include "scalar.hpp"

namespace farpoint_tools::laz {

namespace {

// Bytes in memory as a stream that LASzip reads.
class bytes_in_memory : public std::streambuf {
 public:
  explicit bytes_in_memory(std::string bytes) : bytes_{std::move(bytes)} {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  }

  bool is_at_end() const { return gptr() == egptr(); }

 protected:
  pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override {
    auto const at = from == std::ios_base::beg ? off_type{0} : from == std::ios_base::cur ? gptr() - eback() : size();
    if (by < -at || by > size() - at) return pos_type(off_type{-1});
    setg(eback(), eback() + at + by, egptr());
    return at + by;
  }
  pos_type seekpos(pos_type at, std::ios_base::openmode which) override {
    return seekoff(off_type{at}, std::ios_base::beg, which);
  }

 private:
  off_type size() const { return egptr() - eback(); }

  std::string bytes_;
};

// A reader or a writer of LASzip, which the stream that it reads or writes has to outlive. LASzip's functions return 0
// if they succeed.
class codec {
 public:
  codec() {
    if (laszip_create(&made_) != 0 || laszip_get_point_pointer(made_, &point_) != 0) {
      throw cloud_error{"LASzip cannot be started"};
    }
  }
  codec(codec const&) = delete;
  codec& operator=(codec const&) = delete;
  // LASzip frees no reader or writer that is open. Closing one that is not fails, and does nothing.
  ~codec() {
    laszip_close_reader(made_);
    laszip_close_writer(made_);
    laszip_destroy(made_);
  }

  laszip_POINTER get() const { return made_; }
  laszip_point& point() { return *point_; }
  std::string error() const {
    laszip_CHAR* text = nullptr;
    bool const has_text = laszip_get_error(made_, &text) == 0 && text != nullptr && *text != '\0';
    return has_text ? excerpt(text) : "no reason given";
  }

 private:
  laszip_POINTER made_ = nullptr;
  laszip_point_struct* point_ = nullptr;
};

// Copies the values of a record that LASzip has as bytes: `copy(theirs, ours, size)`.
template <class Record, class Copy>
void for_each_part(laszip_point& point, Record* record, std::size_t format, std::size_t record_length,
                   Copy const& copy) {
  auto* at = record;
  auto const part = [&](void* theirs, std::size_t size) {
    copy(theirs, at, size);
    at += size;
  };
  for (auto const& one : items_of(format, record_length)) {
    switch (one.type) {
      case point_10: part(&point.X, one.size); break;
      case point_14: at += one.size; break;  // to_long_record() and from_long_record() copy it
      case gps_time: part(&point.gps_time, one.size); break;
      case rgb:
      case rgb_14:
      case rgb_nir_14: part(point.rgb, one.size); break;
      case wave_packet:
      case wave_packet_14: part(point.wave_packet, one.size); break;
      default: part(point.extra_bytes, one.size);
    }
  }
}

// The first 30 bytes of point formats 6 to 10.
void to_long_record(laszip_point const& point, char* record) {
  std::memcpy(record, &point.X, 14);
  auto const byte = [record](std::size_t at, unsigned value) { record[at] = static_cast<char>(value); };
  byte(14, point.extended_return_number | unsigned{point.extended_number_of_returns} << 4);
  byte(15, point.extended_classification_flags | unsigned{point.extended_scanner_channel} << 4 |
               unsigned{point.scan_direction_flag} << 6 | unsigned{point.edge_of_flight_line} << 7);
  byte(16, point.extended_classification);
  byte(17, point.user_data);
  std::memcpy(record + 18, &point.extended_scan_angle, 2);
  std::memcpy(record + 20, &point.point_source_ID, 2);
  std::memcpy(record + 22, &point.gps_time, 8);
}

void from_long_record(char const* record, laszip_point& point) {
  std::memcpy(&point.X, record, 14);
  auto const bits = [record](std::size_t at, unsigned first, unsigned count) {
    return static_cast<laszip_U8>(static_cast<unsigned char>(record[at]) >> first & ((1U << count) - 1U));
  };
  point.extended_point_type = 1;
  point.extended_return_number = bits(14, 0, 4) & 15U;
  point.extended_number_of_returns = bits(14, 4, 4) & 15U;
  point.extended_classification_flags = bits(15, 0, 4) & 15U;
  // LASzip compares the flags of both kinds.
  point.synthetic_flag = bits(15, 0, 1) & 1U;
  point.keypoint_flag = bits(15, 1, 1) & 1U;
  point.withheld_flag = bits(15, 2, 1) & 1U;
  point.extended_scanner_channel = bits(15, 4, 2) & 3U;
  point.scan_direction_flag = bits(15, 6, 1) & 1U;
  point.edge_of_flight_line = bits(15, 7, 1) & 1U;
  point.extended_classification = bits(16, 0, 8);
  point.user_data = bits(17, 0, 8);
  std::memcpy(&point.extended_scan_angle, record + 18, 2);
  std::memcpy(&point.point_source_ID, record + 20, 2);
  std::memcpy(&point.gps_time, record + 22, 8);
}

void put(std::string& to, std::size_t at, std::uint64_t value, scalar_kind kind) {
  encode(static_cast<double>(value), to.data() + at, kind);
}

// A file for LASzip, up to its points: a header of 1.4 and the descriptor. LASzip gets only numbers of the file's own
// header that have been checked. `chunk_size` replaces the descriptor's, unless it is 0.
std::string head_for_laszip(packed_points const& what, bool with_table, std::uint64_t chunk_size) {
  auto const first_point = las::header_bytes_of_14 + las::record_header_bytes + what.descriptor.size();
  std::string made(first_point, '\0');
  made.replace(0, 4, "LASF");
  put(made, las::at::major, 1, scalar_kind::uint8);
  put(made, las::at::minor, 4, scalar_kind::uint8);
  put(made, las::at::header_size, las::header_bytes_of_14, scalar_kind::uint16);
  put(made, las::at::first_point, first_point, scalar_kind::uint32);
  put(made, las::at::records, 1, scalar_kind::uint32);
  put(made, las::at::format, what.format | packed_bit, scalar_kind::uint8);
  put(made, las::at::record_length, what.record_length, scalar_kind::uint16);
  for (std::size_t axis = 0; axis < 3; ++axis) encode(1, made.data() + las::at::scale + 8 * axis, scalar_kind::float64);
  auto const record = las::header_bytes_of_14;
  made.replace(record + 2, record_user.size(), record_user);
  put(made, record + 18, record_id, scalar_kind::uint16);
  put(made, record + 20, what.descriptor.size(), scalar_kind::uint16);
  auto const descriptor = record + las::record_header_bytes;
  made.replace(descriptor, what.descriptor.size(), what.descriptor);
  if (chunk_size != 0) put(made, descriptor + chunk_size_at, chunk_size, scalar_kind::uint32);
  if (with_table) {
    // An offset that points at itself: LASzip then reads chunk after chunk, without their table.
    made.append(8, '\0');
    put(made, first_point, first_point, scalar_kind::uint32);
  }
  return made;
}

// Appends the records of a part.
void unpack_part(cloud_bytes const& file, packed_points const& what, chunks const& all, chunk const& from,
                 std::string& to) {
  auto head = head_for_laszip(what, all.have_table, all.are_single ? from.points : 0);
  bytes_in_memory bytes{head.append(from.bytes)};
  std::istream stream{&bytes};
  codec reader;
  auto const fail = [&](std::string const& found) { file.fail("LAZ points that LASzip can decompress", found); };
  laszip_BOOL is_packed = 0;
  if (laszip_open_reader_stream(reader.get(), stream, &is_packed) != 0 || is_packed == 0) fail(reader.error());
  for (std::uint64_t i = 0; i < from.points; ++i) {
    if (laszip_read_point(reader.get()) != 0) fail(fmt::format("damage at point {}", to.size() / what.record_length));
    auto const at = to.size();
    to.resize(at + what.record_length);
    auto* const record = to.data() + at;
    if (what.format >= 6) to_long_record(reader.point(), record);
    for_each_part(reader.point(), record, what.format, what.record_length,
                  [](void* theirs, char* ours, std::size_t size) { std::memcpy(ours, theirs, size); });
  }
  if (all.have_table && !bytes.is_at_end()) fail("points that end before the table of chunks");
}

packed_points described(std::string_view las) {
  auto const number = [las](std::size_t at, scalar_kind kind) {
    return static_cast<std::size_t>(decode(las.data() + at, kind));
  };
  packed_points made;
  made.format = number(las::at::format, scalar_kind::uint8);
  made.record_length = number(las::at::record_length, scalar_kind::uint16);
  made.first_point = number(las::at::first_point, scalar_kind::uint32);
  made.points = (las.size() - made.first_point) / made.record_length;
  return made;
}

}  // namespace

bool is_supported() {
  return true;
}

std::string unpack(cloud_bytes const& file, packed_points const& what) {
  auto const found = chunks_of(file, what);
  std::string records;
  for (auto const& part : found.parts) unpack_part(file, what, found, part, records);
  return records;
}

std::string pack(std::string_view las) {
  auto const what = described(las);
  std::ostringstream out;
  codec writer;
  auto const expect = [&writer](laszip_I32 code) {
    if (code != 0) throw cloud_error{fmt::format("LASzip cannot compress the points: {}", writer.error())};
  };
  expect(laszip_set_point_type_and_size(writer.get(), static_cast<laszip_U8>(what.format),
                                        static_cast<laszip_U16>(what.record_length)));
  laszip_U8* record = nullptr;
  laszip_U32 record_bytes = 0;
  expect(laszip_create_laszip_vlr(writer.get(), &record, &record_bytes));

  std::string head{las.substr(0, what.first_point)};
  auto const records = static_cast<std::uint64_t>(decode(head.data() + las::at::records, scalar_kind::uint32));
  put(head, las::at::format, what.format | packed_bit, scalar_kind::uint8);
  put(head, las::at::first_point, what.first_point + record_bytes, scalar_kind::uint32);
  put(head, las::at::records, records + 1, scalar_kind::uint32);
  head.append(reinterpret_cast<char const*>(record), record_bytes);
  out << head;

  expect(laszip_open_writer_stream(writer.get(), out, 1, 1));
  auto const records_of_las = las.substr(what.first_point);
  for (std::uint64_t i = 0; i < what.points; ++i) {
    auto const* const from = records_of_las.data() + i * what.record_length;
    if (what.format >= 6) from_long_record(from, writer.point());
    for_each_part(writer.point(), from, what.format, what.record_length,
                  [](void* theirs, char const* ours, std::size_t size) { std::memcpy(theirs, ours, size); });
    expect(laszip_write_point(writer.get()));
  }
  expect(laszip_close_writer(writer.get()));
  return out.str();
}

}  // namespace farpoint_tools::laz
