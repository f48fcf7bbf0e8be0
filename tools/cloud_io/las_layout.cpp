#include "las_layout.hpp"

namespace farpoint_tools::las {

namespace {

constexpr scalar_kind byte = scalar_kind::uint8;
constexpr scalar_kind word = scalar_kind::uint16;

void add_color(std::vector<field>& to, std::size_t at) {
  for (char const* const name : {"red", "green", "blue"}) {
    to.push_back({name, word, at});
    at += 2;
  }
}

// Formats 0 to 5.
std::vector<field> short_fields(std::size_t format) {
  std::vector<field> made{{"intensity", word, 12},
                          {"return_number", byte, 14, 0, 3},
                          {"number_of_returns", byte, 14, 3, 3},
                          {"scan_direction_flag", byte, 14, 6, 1},
                          {"edge_of_flight_line", byte, 14, 7, 1},
                          {"classification", byte, 15, 0, 5},
                          {"synthetic", byte, 15, 5, 1},
                          {"key_point", byte, 15, 6, 1},
                          {"withheld", byte, 15, 7, 1},
                          {"scan_angle_rank", scalar_kind::int8, 16},
                          {"user_data", byte, 17},
                          {"point_source_id", word, 18}};
  bool const has_time = format != 0 && format != 2;
  if (has_time) made.push_back({"gps_time", scalar_kind::float64, 20});
  if (format == 2 || format == 3 || format == 5) add_color(made, has_time ? 28 : 20);
  return made;
}

// Formats 6 to 10.
std::vector<field> long_fields(std::size_t format) {
  std::vector<field> made{{"intensity", word, 12},
                          {"return_number", byte, 14, 0, 4},
                          {"number_of_returns", byte, 14, 4, 4},
                          {"synthetic", byte, 15, 0, 1},
                          {"key_point", byte, 15, 1, 1},
                          {"withheld", byte, 15, 2, 1},
                          {"overlap", byte, 15, 3, 1},
                          {"scanner_channel", byte, 15, 4, 2},
                          {"scan_direction_flag", byte, 15, 6, 1},
                          {"edge_of_flight_line", byte, 15, 7, 1},
                          {"classification", byte, 16},
                          {"user_data", byte, 17},
                          {"scan_angle", scalar_kind::int16, 18},
                          {"point_source_id", word, 20},
                          {"gps_time", scalar_kind::float64, 22}};
  bool const has_infrared = format == 8 || format == 10;
  if (format == 7 || has_infrared) add_color(made, 30);
  if (has_infrared) made.push_back({"nir", word, 36});
  return made;
}

}  // namespace

std::size_t record_bytes(std::size_t format) {
  constexpr std::size_t bytes[formats] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
  return bytes[format];
}

std::vector<field> fields_of(std::size_t format) {
  return format < 6 ? short_fields(format) : long_fields(format);
}

}  // namespace farpoint_tools::las
