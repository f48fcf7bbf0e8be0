// Links a shared library of farpoint's answers for each set of a compiler's flags, that of the fastest mathematics
// first, and compares them in one process: in the environment that a program has by default, and in one that rounds up
// and flushes subnormal numbers to zero.
//   FARPOINT_LIBRARIES  a list of X(name), the first of which answers right
#include <cstdio>
#include <cstring>

#include "answers.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define X(name) extern "C" void name(answers& out, int threads);
FARPOINT_LIBRARIES
#undef X

namespace {

struct library {
  char const* name;
  void (*answer)(answers& out, int threads);
};

library const libraries[] = {
#define X(name) {#name, name},
    FARPOINT_LIBRARIES
#undef X
};

/// Sets the bits for rounding and subnormal numbers of this thread; 0 is the default.
void set_environment(unsigned bits) {
#if defined(__x86_64__)
  _mm_setcsr(0x1f80u | bits);
#else
  static_cast<void>(bits);
#endif
}

unsigned environment() {
#if defined(__x86_64__)
  return _mm_getcsr() & 0xe040u;
#else
  return 0;
#endif
}

}  // namespace

int main() {
  int failures = 0;
  answers expected;
  set_environment(0);
  libraries[0].answer(expected, 1);
  for (std::size_t i = 0; i < expected.names.size(); ++i) {
    std::printf("%s %016llx\n", expected.names[i], static_cast<unsigned long long>(expected.checksums[i]));
  }

#if defined(__x86_64__)
  unsigned const environments[] = {0, 0x8040, 0x4000};
#else
  unsigned const environments[] = {0};
#endif
  for (unsigned const bits : environments) {
    for (library const& one : libraries) {
      for (int const threads : {1, 3}) {
        answers found;
        set_environment(bits);
        one.answer(found, threads);
        bool const kept = environment() == bits;
        set_environment(0);
        if (!kept) std::printf("%s left the environment changed\n", one.name), ++failures;
        for (std::size_t i = 0; i < expected.names.size(); ++i) {
          // A building block works in its caller's environment.
          if (bits != 0 && std::strcmp(expected.names[i], "blocks") == 0) continue;
          if (found.checksums[i] == expected.checksums[i]) continue;
          std::printf("%s, environment %x, %d threads: %s differs\n", one.name, bits, threads, expected.names[i]);
          ++failures;
        }
      }
    }
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
