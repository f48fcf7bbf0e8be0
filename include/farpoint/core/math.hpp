/// @file
/// Distance function and the singly rounded operations that it consists of. Every backend and every algorithm calls
/// them, so that all agree to the bit.
#pragma once

#include <farpoint/core/types.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

FARPOINT_BEGIN_NAMESPACE

#if defined(__NVCC__) && defined(__CUDA_ARCH__) && !defined(FARPOINT_ALLOW_FTZ)
namespace detail {

extern "C" __device__ int __nvvm_reflect(char const* option) noexcept;
/// Never defined: its name appears in the user's linker error.
extern "C" __device__ void farpoint_needs_ftz_false_or_FARPOINT_ALLOW_FTZ_for_other_answers() noexcept;

/// Returns `value`, and fails the build if subnormal floats are flushed to zero. nvcc's -ftz=true, which
/// --use_fast_math implies, flushes them in every instruction, comparisons included, and results would differ. No macro
/// reports the option. __nvvm_reflect does: with -ftz=true the call of the undefined function remains and the linker
/// names it, otherwise the compiler removes the branch.
__device__ FARPOINT_ALWAYS_INLINE float with_subnormals(float value) noexcept {
  if (__nvvm_reflect("__CUDA_FTZ") != 0) farpoint_needs_ftz_false_or_FARPOINT_ALLOW_FTZ_for_other_answers();
  return value;
}

}  // namespace detail
#elif defined(__CUDA_ARCH__)
namespace detail {
/// Returns `value`. Unchecked: FARPOINT_ALLOW_FTZ permits flushed subnormals, or the compiler is not nvcc.
__device__ FARPOINT_ALWAYS_INLINE float with_subnormals(float value) noexcept {
  return value;
}
}  // namespace detail
#endif

/// a * b + c, rounded once (to nearest, ties to even), on every backend.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float fma_rn(float a, float b, float c) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fmaf_rn(a, b, c)),
                                 FARPOINT_OF_BUILTIN(__builtin_fmaf(a, b, c)));
}

/// Double-precision overload.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double fma_rn(double a, double b, double c) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__fma_rn(a, b, c), FARPOINT_OF_BUILTIN(__builtin_fma(a, b, c)));
}

namespace detail {

template <class Scalar>
inline constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

/// Returns the value and keeps the compiler from fusing it. By default g++ contracts a caller's product and this
/// header's difference to a fused instruction, if the target has one, once both are inlined. g++ before 12 has no
/// barrier that permits vectorization. There, and with clang's -ffp-contract=fast, only coordinates loaded from memory
/// are safe.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar as_rounded(Scalar value) noexcept {
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && !defined(__CUDACC__)
  return __builtin_assoc_barrier(value);
#else
  return value;
#endif
}

}  // namespace detail

/// a - b, rounded once: not fused with a multiplication that produced an operand (limits: see detail::as_rounded).
FARPOINT_HD FARPOINT_ALWAYS_INLINE float sub_rn(float a, float b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fsub_rn(a, b)),
                                 detail::as_rounded(a) - detail::as_rounded(b));
}

/// Double-precision overload.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double sub_rn(double a, double b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__dsub_rn(a, b), detail::as_rounded(a) - detail::as_rounded(b));
}

/// a + b, rounded once: not fused with a multiplication that produced an operand.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float add_rn(float a, float b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fadd_rn(a, b)),
                                 detail::as_rounded(a) + detail::as_rounded(b));
}

/// Double-precision overload.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double add_rn(double a, double b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__dadd_rn(a, b), detail::as_rounded(a) + detail::as_rounded(b));
}

/// a / b, rounded once even with nvcc's -prec-div=false; never replaced by a product with 1 / b.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float div_rn(float a, float b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fdiv_rn(a, b)), a / b);
}

/// Double-precision overload.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double div_rn(double a, double b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__ddiv_rn(a, b), a / b);
}

/// Square root, rounded once even with nvcc's -prec-sqrt=false.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float sqrt_rn(float a) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fsqrt_rn(a)), FARPOINT_OF_BUILTIN(__builtin_sqrtf(a)));
}

/// Double-precision overload.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double sqrt_rn(double a) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__dsqrt_rn(a), FARPOINT_OF_BUILTIN(__builtin_sqrt(a)));
}

namespace detail {

/// Smaller of two ordered values; `a` if they are equal. Needs no header, unlike std::min, and is one function for all
/// types on host and device, unlike CUDA's min().
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr T smaller(T a, T b) noexcept {
  return b < a ? b : a;
}

/// Larger of two ordered values; `a` if they are equal.
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr T larger(T a, T b) noexcept {
  return a < b ? b : a;
}

/// a / b rounded up, for a >= 0 and b > 0: number of parts of size `b` that cover `a`. a + b - 1 must not overflow.
template <class Integer>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Integer divide_up(Integer a, Integer b) noexcept {
  return (a + b - 1) / b;
}

}  // namespace detail

/// a * b, rounded once: written as a fused operation, so that the compiler cannot fuse it with a sum. A product of zero
/// is +0, also where a * b is -0.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar mul_rn(Scalar a, Scalar b) noexcept {
  return fma_rn(a, b, Scalar(0));
}

/// Smaller of two numbers; if one is NaN, the other.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar min_number(Scalar a, Scalar b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(fmin(a, b), a < b || b != b ? a : b);
}

/// Larger of two numbers; if one is NaN, the other.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar max_number(Scalar a, Scalar b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(fmax(a, b), a > b || b != b ? a : b);
}

/// Adds the axes `First` to `Last` - 1 to a sum of squared differences: distance2() in steps. Rounding is monotonic, so
/// a step never lowers the sum.
template <int First, int Last, class Scalar, int Dim>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar add_distance2(Scalar sum, vec<Scalar, Dim> const& a,
                                                        vec<Scalar, Dim> const& b) noexcept {
  FARPOINT_UNROLL
  for (int axis = First; axis < Last; ++axis) {
    Scalar const difference = sub_rn(a[axis], b[axis]);
    sum = fma_rn(difference, difference, sum);
  }
  return sum;
}

/// Squared Euclidean distance (squared meters), the same bits on every compiler, flag and backend.
///
/// Order: s = fma(d0, d0, 0); s = fma(d1, d1, s); s = fma(d2, d2, s); ... with dk = rn(a[k] - b[k]). Each step is
/// rounded once. Starting from fma(d0, d0, 0), which equals rn(d0 * d0), leaves no product that a compiler could
/// contract. Symmetric; zero exactly when a == b or when all differences underflow; +inf on overflow; NaN only if a
/// coordinate is NaN or if both are infinite.
template <class Scalar, int Dim>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar distance2(vec<Scalar, Dim> const& a, vec<Scalar, Dim> const& b) noexcept {
  return add_distance2<0, Dim>(Scalar(0), a, b);
}

namespace detail {

/// Bits of a number without its sign bit, as an integer: finite < infinity < NaN. Unlike a comparison of the number
/// with itself, no compiler option lets the optimizer assume its outcome.
template <class Scalar>
FARPOINT_ALWAYS_INLINE auto magnitude_bits(Scalar value) noexcept {
  std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t> bits;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return bits << 1;
}

template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool is_nan(Scalar value) noexcept {
  return FARPOINT_DEVICE_OR_HOST(value != value, magnitude_bits(value) > magnitude_bits(infinity<Scalar>));
}
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool is_finite_number(Scalar value) noexcept {
  // x - x is 0 for every finite x and NaN otherwise.
  return FARPOINT_DEVICE_OR_HOST(sub_rn(value, value) == Scalar(0),
                                 magnitude_bits(value) < magnitude_bits(infinity<Scalar>));
}

}  // namespace detail

/// True if no coordinate is NaN or infinite.
template <class Scalar, int Dim>
FARPOINT_HD inline bool is_finite(vec<Scalar, Dim> const& point) noexcept {
  bool finite = true;
  FARPOINT_UNROLL
  for (int axis = 0; axis < Dim; ++axis) finite = finite && detail::is_finite_number(point[axis]);
  return finite;
}

FARPOINT_END_NAMESPACE
