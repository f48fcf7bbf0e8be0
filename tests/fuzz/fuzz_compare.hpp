// Runs one call by the library and by the reference, and ends the program where they part.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>

#include <cstdio>
#include <cstdlib>

#include "../support/call_memory.hpp"
#include "fuzz_input.hpp"

namespace farpoint_tests {

/// Arrays without guards of their own: AddressSanitizer has some, and tells who wrote.
struct sanitized_space : host_space {
  static constexpr std::size_t guard = 0;
};
using fuzz_memory = call_memory<sanitized_space>;

[[noreturn]] inline void fail(char const* what, farpoint::result const& library, farpoint::result const& reference) {
  std::fprintf(stderr, "%s: library: %s, %s; reference: %s, %s\n", what, to_string(library.code), library.reason,
               to_string(reference.code), reference.reason);
  std::abort();
}

/// A workspace of `needed` bytes, or a wrong one.
class fuzz_workspace {
 public:
  fuzz_workspace(fuzz_input& input) : kind_{input.rarely() ? 1 + static_cast<int>(input.below(3)) : 0} {}

  farpoint::bytes in(fuzz_memory& memory, std::size_t needed) const {
    if (kind_ == wrong::too_small) return memory.scratch(needed == 0 ? 0 : needed - 1);
    if (kind_ == wrong::misaligned) return memory.scratch(needed + 8).subspan(8);
    if (kind_ == wrong::generous) return memory.scratch(needed + 1000);
    return memory.scratch(needed);
  }
  /// What a call must return that would else have been ok.
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

/// More than a fuzzer has: such a call is not made.
inline constexpr std::size_t most_workspace = std::size_t{1} << 26;

/// Compares a call with its definition. Where a call fails, it must not have written.
/// @param size     `size(memory)`: bytes of workspace that the call needs
/// @param call     `call(memory, workspace)`: makes it
/// @param defined  `defined(memory)`: the same by the reference
template <class Size, class Call, class Defined>
void compare_with_reference(char const* what, fuzz_workspace const& workspace, Size const& size, Call const& call,
                            Defined const& defined) {
  fuzz_memory sizes, actual, expected;
  std::size_t const needed = size(sizes);
  if (needed > most_workspace) return;
  farpoint::result const outcome = call(actual, workspace.in(actual, needed));
  farpoint::result const right = defined(expected);
  auto const must_be = right ? workspace.expected(needed) : right.code;
  // Which of two wrongs is told is not promised.
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
