// Processor, GPU and driver that the program runs on.
#pragma once

#include <farpoint/runtime.hpp>

#include <string>

#include "figures.hpp"

namespace farpoint_tools {

/// Processor, threads, memory, and the GPU that would be used.
figures machine_figures();

/// "cuda (NVIDIA H200)", "host (2 host threads)"
std::string describe(farpoint::runtime::run_info const& info, farpoint::runtime::backend asked_for);

}  // namespace farpoint_tools
