/// @file
/// The floating-point environment of a host thread.
#pragma once

#include <farpoint/core/config.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// While it lives, its thread rounds to nearest and keeps subnormal numbers, whatever the process has set: -ffast-math
/// flushes them to zero in every program and library that is linked with it. The destructor brings the caller's
/// settings back; exception masks and flags are left alone. Threads that are started during its lifetime inherit the
/// new settings.
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
#if defined(__GNUC__) && defined(__aarch64__)
  using word = std::uint64_t;                                       // FPCR
  static constexpr word unwanted = 0x1000000 | 0xc00000 | 0x80000;  // FZ, RMode, FZ16
#elif defined(__GNUC__) && defined(__x86_64__)
  using word = std::uint32_t;                                 // MXCSR
  static constexpr word unwanted = 0x8000 | 0x6000 | 0x0040;  // flush to zero, rounding, denormals are zeros
#else
  using word = std::uint32_t;
  static constexpr word unwanted = 0;
#endif

  // "memory": loads and stores, and so what is calculated from one to the other, stay where they are.
  static word get() noexcept {
    word settings = 0;
#if defined(__GNUC__) && defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(settings)::"memory");
#elif defined(__GNUC__) && defined(__x86_64__)
    asm volatile("stmxcsr %0" : "=m"(settings)::"memory");
#endif
    return settings;
  }
  static void set([[maybe_unused]] word settings) noexcept {
#if defined(__GNUC__) && defined(__aarch64__)
    asm volatile("msr fpcr, %0" ::"r"(settings) : "memory");
#elif defined(__GNUC__) && defined(__x86_64__)
    asm volatile("ldmxcsr %0" ::"m"(settings) : "memory");
#endif
  }

  word callers_;
};

/// Square of a parameter, both roundings in the default environment, so that it compares with squared distances as in
/// every other process. The volatile variables keep the product between the two changes of the environment.
template <class Scalar>
Scalar rounded_square(double value) noexcept {
  double const volatile given = value;
  Scalar volatile square = 0;
  {
    default_float_environment const environment;
    auto const rounded = static_cast<Scalar>(given);
    square = rounded * rounded;
  }
  return square;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
