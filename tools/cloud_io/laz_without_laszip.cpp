// The functions of laz.hpp in builds without LASzip.
#include "cloud_io.hpp"
#include "laz.hpp"

namespace farpoint_tools::laz {

bool is_supported() {
  return false;
}

std::string unpack(cloud_bytes const& file, packed_points const&) {
  file.fail("uncompressed LAS points", not_read);
}

std::string pack(std::string_view) {
  throw cloud_error{not_written};
}

}  // namespace farpoint_tools::laz
