// Options of `farpoint splat`.
#pragma once

#include <farpoint/runtime.hpp>
#include <farpoint/types/knn_screen.hpp>

#include <cstddef>
#include <optional>
#include <string>

#include "cloud_io.hpp"
#include "turntable.hpp"

namespace farpoint_tools {

struct splat_options {
  std::string cloud_file;  // empty: a synthetic one
  std::optional<file_format> format;
  bool street = false;
  std::size_t points = 1'000'000;
  double noise = 0.0005;
  up_axis up = up_axis::plus_z;
  double azimuth = 20;
  double elevation = 40;
  int views = 8;
  int size = 768;
  int k = 16;
  int rounds = farpoint::until_exact;
  farpoint::runtime::backend backend = farpoint::runtime::backend::automatic;
  int threads = 0;
  bool check = false;
  bool visualize = false;
  std::string picture_file = "farpoint_splat.png";

  bool is_knot() const { return cloud_file.empty() && !street; }
};

}  // namespace farpoint_tools
