// Options of `farpoint demo`.
#pragma once

#include <farpoint/runtime.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "cloud_io.hpp"

namespace farpoint_tools {

struct demo_options {
  std::string cloud_file;  // empty: a simulated sweep
  std::optional<file_format> format;
  std::uint64_t seed = 1;
  std::int64_t samples = 4096;
  std::int64_t first = 0;
  farpoint::runtime::backend backend = farpoint::runtime::backend::automatic;
  int threads = 0;
  std::string picture_file = "farpoint_demo.png";
  std::string indices_file;
  float voxel_size = 0;  // 0: from the cloud's extent
  farpoint::hard voxel_limits{160'000, 32};
  std::string voxel_picture_file;  // empty: named after the other one
  bool check = false;
};

}  // namespace farpoint_tools
