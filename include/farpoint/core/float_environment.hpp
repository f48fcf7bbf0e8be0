/// @file
/// The floating-point environment of a host thread.
#pragma once

#include <farpoint/core/config.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// While it lives, its thread rounds to nearest and keeps subnormal numbers, whatever the process has set:
/// -ffast-math flushes them to zero in every program and library that is linked with it. The destructor brings the
/// caller's settings back; exception masks and flags are left alone. Threads that are started meanwhile inherit it.
///
/// Cost: a few cycles where nothing is set. Known on x86-64 and AArch64; does nothing elsewhere.
class default_float_environment {
 public:
  default_float_environment() noexcept : callers_{get()} {
    if ((callers_ & unwanted) != 0) set(callers_ & ~unwanted);
  }
  default_float_environment(default_float_environment const&) = delete;
  default_float_environment& operator=(default_float_environment const&) = delete;
  ~default_float_environment() {
    if ((callers_ & unwanted) != 0) set((get() & ~unwanted) | (callers_ & unwanted));
  }

 private:
  // "memory": loads and stores, and so what is calculated from one to the other, stay where they are.
#if defined(__GNUC__) && defined(__x86_64__)
  using word = std::uint32_t;
  static constexpr word unwanted = 0x8000 | 0x6000 | 0x0040;  // flush to zero, rounding, denormals are zeros
  static word get() noexcept {
    word mxcsr;
    asm volatile("stmxcsr %0" : "=m"(mxcsr)::"memory");
    return mxcsr;
  }
  static void set(word mxcsr) noexcept {
    asm volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory");
  }
#elif defined(__GNUC__) && defined(__aarch64__)
  using word = std::uint64_t;
  static constexpr word unwanted = 0x1000000 | 0xc00000 | 0x80000;  // FZ, RMode, FZ16
  static word get() noexcept {
    word fpcr;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr)::"memory");
    return fpcr;
  }
  static void set(word fpcr) noexcept {
    asm volatile("msr fpcr, %0" ::"r"(fpcr) : "memory");
  }
#else
  using word = std::uint32_t;
  static constexpr word unwanted = 0;
  static word get() noexcept {
    return 0;
  }
  static void set(word) noexcept {}
#endif

  word callers_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
