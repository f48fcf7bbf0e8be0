// Runs one call by the library and by the reference, and ends the program if their results differ.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>

#include <cstdio>
#include <cstdlib>

#include "../support/call_memory.hpp"
#include "fuzz_input.hpp"

namespace farpoint_tests {

/// Arrays without guards: AddressSanitizer adds its own and reports the write.
struct sanitized_space : host_space {
  static constexpr std::size_t guard = 0;
};
using fuzz_memory = call_memory<sanitized_space>;

[[noreturn]] inline void fail(char const* what, farpoint::result const& library, farpoint::result const& reference) {
  std::fprintf(stderr, "%s: library: %s, %s; reference: %s, %s\n", what, to_string(library.code), library.reason,
               to_string(reference.code), reference.reason);
  std::abort();
}

/// Makes a workspace of `needed` bytes, or rarely an invalid one.
class fuzz_workspace {
 public:
  fuzz_workspace(fuzz_input& input) : kind_{input.rarely() ? 1 + static_cast<int>(input.below(3)) : 0} {}

  farpoint::bytes in(fuzz_memory& memory, std::size_t needed) const {
    if (kind_ == wrong::too_small) return memory.scratch(needed == 0 ? 0 : needed - 1);
    if (kind_ == wrong::misaligned) return memory.scratch(needed + 8).subspan(8);
    if (kind_ == wrong::generous) return memory.scratch(needed + 1000);
    return memory.scratch(needed);
  }
  /// Returns the status of a call whose arguments are otherwise valid.
  farpoint::status expected(std::size_t needed) const {
    if (needed == 0) return farpoint::status::ok;
    if (kind_ == wrong::too_small) return farpoint::status::workspace_too_small;
    if (kind_ == wrong::misaligned) return farpoint::status::bad_argument;
    return farpoint::status::ok;
  }

 private:
  enum wrong { none, too_small, misaligned, generous };
  int kind_;
};

/// Largest workspace in bytes; calls that need more are skipped.
inline constexpr std::size_t max_workspace = std::size_t{1} << 26;

/// Compares a call with its definition. A call that fails must not write to outputs.
/// @param size     `size(memory)`: bytes of workspace that the call needs
/// @param call     `call(memory, workspace)`: makes the call
/// @param defined  `defined(memory)`: makes it by the reference
template <class Size, class Call, class Defined>
void compare_with_reference(char const* what, fuzz_workspace const& workspace, Size const& size, Call const& call,
                            Defined const& defined) {
  fuzz_memory sizes, actual, expected;
  std::size_t const needed = size(sizes);
  if (needed > max_workspace) return;
  farpoint::result const outcome = call(actual, workspace.in(actual, needed));
  farpoint::result const right = defined(expected);
  auto const must_be = right ? workspace.expected(needed) : right.code;
  // If the arguments and the workspace are both invalid, either status is right.
  bool const both_wrong = !right && workspace.expected(needed) != farpoint::status::ok && !outcome;
  if (outcome.code != must_be && !both_wrong) fail(what, outcome, right);
  auto const written = actual.outputs();
  if (outcome) {
    if (written != expected.outputs()) fail(what, outcome, right);
  } else {
    actual.wipe_outputs();
    if (written != actual.outputs()) fail("a call that failed has written", outcome, right);
  }
}

}  // namespace farpoint_tests
