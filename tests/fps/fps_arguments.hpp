// fps_params with arrays of their own.
#pragma once

#include <farpoint/types/fps.hpp>

#include <vector>

namespace farpoint_tests {

/// @tparam Chosen  what `chosen` points to
template <class Chosen>
struct fps_arguments {
  farpoint::fps_params params;
  std::vector<std::int32_t> firsts;
  std::vector<Chosen> chosen;

  /// The parameters with the arrays in a call_memory.
  template <class Memory>
  farpoint::fps_params in(Memory& memory) const {
    auto given = params;
    if (!firsts.empty()) given.firsts = memory.input(firsts);
    if (!chosen.empty()) given.chosen = memory.input(chosen);
    return given;
  }
};

}  // namespace farpoint_tests
