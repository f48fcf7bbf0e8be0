// Version of the GPU's driver.
#pragma once

#include <fstream>
#include <string>

namespace farpoint_tools {

/// Version in the first line of the Linux driver's own file, e.g. "580.95.05"; "unknown" if the file has none.
inline std::string driver_version() {
  std::ifstream file{"/proc/driver/nvidia/version"};
  std::string word;
  while (file >> word) {
    bool const is_version = word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == word.npos;
    if (is_version) return word;
  }
  return "unknown";
}

}  // namespace farpoint_tools
