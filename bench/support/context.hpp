/// @file
/// The part of the JSON context that every suite has. Google Benchmark adds the date and the processor's caches.
#pragma once

#include <farpoint/core/config.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace farpoint_bench {

/// The commit: FARPOINT_COMMIT from the environment, else from the build, else "unknown".
inline std::string commit() {
  if (char const* const given = std::getenv("FARPOINT_COMMIT"); given != nullptr && *given != '\0') return given;
#if defined(FARPOINT_COMMIT)
  return FARPOINT_COMMIT;
#else
  return "unknown";
#endif
}

/// Model name of the processor; "unknown" if the system does not provide it.
inline std::string processor() {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    auto const colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// @param suite  name of the results: "fps", "fps_host"
inline void add_common_context(std::string const& suite) {
  benchmark::AddCustomContext("suite", suite);
  benchmark::AddCustomContext("commit", commit());
  benchmark::AddCustomContext("processor", processor());
  benchmark::AddCustomContext("farpoint", std::to_string(FARPOINT_VERSION_MAJOR) + "." +
                                              std::to_string(FARPOINT_VERSION_MINOR) + "." +
                                              std::to_string(FARPOINT_VERSION_PATCH));
#if defined(FARPOINT_PEERS)
  benchmark::AddCustomContext("peers", FARPOINT_PEERS);
  benchmark::AddCustomContext("peers_not_measured", FARPOINT_PEERS_MISSING);
#endif
#if defined(__clang__)
  benchmark::AddCustomContext("host_compiler", "clang " __clang_version__);
#elif defined(__GNUC__)
  benchmark::AddCustomContext("host_compiler", "gcc " __VERSION__);
#endif
}

}  // namespace farpoint_bench
