// Files of the tests: a folder for them, their bytes, and what a reader complains about.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "../../support/catch.hpp"
#include "cloud_io.hpp"

namespace farpoint_tools {

// A folder that goes with the test.
class scratch_folder {
 public:
  scratch_folder() {
    static int folders = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("farpoint_test_" + std::to_string(std::hash<std::string>{}(std::filesystem::current_path().string())) +
             "_" + std::to_string(++folders));
    std::filesystem::create_directories(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;

  std::filesystem::path write(std::string const& name, std::string const& content) const {
    auto const file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << content;
    return file;
  }
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Bytes of a value on this (little-endian) machine.
template <class Value>
std::string raw(Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class Value>
std::string big_endian(Value value) {
  auto bytes = raw(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

inline std::string floats(std::vector<float> const& values) {
  std::string bytes;
  for (float const value : values) bytes += raw(value);
  return bytes;
}

// Message of the error that read_cloud() throws; checks that it names the file.
inline std::string complaint(std::filesystem::path const& file, std::optional<file_format> forced = {}) {
  try {
    read_cloud(file, forced);
  } catch (file_error const& error) {
    std::string const message = error.what();
    CHECK(message.find(file.string() + ": ") == 0);
    return message;
  } catch (cloud_error const& error) {
    std::string const message = error.what();
    CHECK(message.find(file.string()) == 0);
    CHECK(message.find("expected ") != std::string::npos);
    CHECK(message.find("found ") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  return "no complaint";
}

inline std::string content_of(std::filesystem::path const& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

inline bool has(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace farpoint_tools
