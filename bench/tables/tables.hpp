// The tables of docs/tables: what each is measured with, and how.
#pragma once

#include <fmt/format.h>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bin_description.hpp"
#include "figures.hpp"
#include "view.hpp"

namespace farpoint_tools {

struct tables_options {
  bool quick = false;  ///< small sizes, for tests: the figures mean nothing
  bool on_gpu = false;
  bool quality = false;                       ///< measures only measure_quality()
  int threads = 1;                            ///< host threads, measured in addition to one thread
  std::filesystem::path folder;               ///< for the JSON and the pictures
  std::vector<std::filesystem::path> clouds;  ///< further models and scans
  std::filesystem::path scans;                ///< a folder to voxelize; empty: simulated sweeps

  int repeats() const { return quick ? 1 : 3; }
};

/// `[a, b, ...]`, of JSON texts.
inline std::string json_list(std::vector<std::string> const& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}
/// `{"name": text, ...}`, of JSON texts.
inline std::string json_fields(std::vector<std::pair<std::string, std::string>> const& fields) {
  std::vector<std::string> parts;
  parts.reserve(fields.size());
  for (auto const& [name, text] : fields) parts.push_back(fmt::format("{}: {}", json_text(name), text));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}
inline std::string json_number(double number) {
  return fmt::format("{:.6g}", number);
}

/// The median time of some calls (ms); the first of several does not count.
template <class Call>
double milliseconds_of(int repeats, Call const& call) {
  std::vector<double> times;
  for (int i = repeats > 1 ? -1 : 0; i < repeats; ++i) {
    auto const start = std::chrono::steady_clock::now();
    call();
    std::chrono::duration<double, std::milli> const time = std::chrono::steady_clock::now() - start;
    if (i >= 0) times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

inline void expect(farpoint::result const& outcome) {
  if (!outcome) throw std::runtime_error{outcome.reason};
}

/// Where a call runs, with the name that tables give it. `threads` 0: the GPU.
struct place {
  std::string name;
  farpoint::runtime::options where;
};

/// One thread and all threads of the host, and with `on_gpu` the GPU.
inline std::vector<place> places(tables_options const& options) {
  using farpoint::runtime::backend;
  std::vector<place> all{{"1 thread", {backend::host, 1}}};
  if (options.threads > 1) {
    all.push_back({fmt::format("{} threads", options.threads), {backend::host, options.threads}});
  }
  if (options.on_gpu) all.push_back({"GPU", {backend::cuda, 0}});
  return all;
}

/// The median time of the call proper (ms), without transfers.
template <class Call>
double milliseconds_at(place const& at, int repeats, Call const& call) {
  std::vector<double> times;
  for (int i = repeats > 1 ? -1 : 0; i < repeats; ++i) {
    farpoint::runtime::run_info info;
    call(at.where, info);
    if (i >= 0) times.push_back(1e3 * info.seconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Each returns the JSON text of its part. Throws where a measured call has another answer than the serial loop.
std::string measure_fps(tables_options const& options);
std::string measure_coverage(tables_options const& options);
std::string measure_voxels(tables_options const& options);
std::string measure_screen(tables_options const& options);

/// What neighbors and normals in screen space are worth: no times, and the same on every machine.
std::string measure_quality(tables_options const& options);

}  // namespace farpoint_tools
