/// @file
/// The one distance function and the operations, each rounded once, that it is made of. Every backend and every
/// algorithm calls them, so that they agree to the bit.
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
/// Is defined nowhere: its name is what the user reads.
extern "C" __device__ void farpoint_needs_ftz_false_or_FARPOINT_ALLOW_FTZ_for_other_answers() noexcept;

/// Returns the value. With nvcc's -ftz=true, which --use_fast_math implies, every instruction takes subnormal floats
/// for zero, comparisons too, and the answer is another: then the name above stands in an error. No macro tells, but
/// the compiler does, and for the other case no code is left.
__device__ FARPOINT_ALWAYS_INLINE float with_subnormals(float value) noexcept {
  if (__nvvm_reflect("__CUDA_FTZ") != 0) farpoint_needs_ftz_false_or_FARPOINT_ALLOW_FTZ_for_other_answers();
  return value;
}

}  // namespace detail
#elif defined(__CUDA_ARCH__)
namespace detail {
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

/// The same in double precision.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double fma_rn(double a, double b, double c) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__fma_rn(a, b, c), FARPOINT_OF_BUILTIN(__builtin_fma(a, b, c)));
}

namespace detail {

template <class Scalar>
inline constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

/// Returns the value, and keeps the compiler from fusing it: by default g++ fuses a caller's product with our
/// difference where the target has such an instruction, once both are inlined. g++ before 12 has no means that does not
/// prevent vectorisation; there, and with clang's -ffp-contract=fast, only coordinates that come from memory are safe.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar as_rounded(Scalar value) noexcept {
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && !defined(__CUDACC__)
  return __builtin_assoc_barrier(value);
#else
  return value;
#endif
}

}  // namespace detail

/// a - b, rounded once: not fused with a multiplication that made an operand (detail::as_rounded says where it may be).
FARPOINT_HD FARPOINT_ALWAYS_INLINE float sub_rn(float a, float b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fsub_rn(a, b)),
                                 detail::as_rounded(a) - detail::as_rounded(b));
}

/// The same in double precision.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double sub_rn(double a, double b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__dsub_rn(a, b), detail::as_rounded(a) - detail::as_rounded(b));
}

/// a + b, rounded once: not fused with a multiplication that made an operand.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float add_rn(float a, float b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fadd_rn(a, b)),
                                 detail::as_rounded(a) + detail::as_rounded(b));
}

/// The same in double precision.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double add_rn(double a, double b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__dadd_rn(a, b), detail::as_rounded(a) + detail::as_rounded(b));
}

/// a / b, rounded once: with nvcc's -prec-div=false too, and never a product with 1 / b.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float div_rn(float a, float b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fdiv_rn(a, b)), a / b);
}

/// The same in double precision.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double div_rn(double a, double b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__ddiv_rn(a, b), a / b);
}

/// Square root, rounded once: with nvcc's -prec-sqrt=false too.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float sqrt_rn(float a) noexcept {
  return FARPOINT_DEVICE_OR_HOST(detail::with_subnormals(__fsqrt_rn(a)), FARPOINT_OF_BUILTIN(__builtin_sqrtf(a)));
}

/// The same in double precision.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double sqrt_rn(double a) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__dsqrt_rn(a), FARPOINT_OF_BUILTIN(__builtin_sqrt(a)));
}

namespace detail {

/// The smaller of two that have an order; `a` of equals. Unlike std::min it needs no header, and unlike CUDA's min() it
/// is one function for every type, on the host too.
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr T smaller(T a, T b) noexcept {
  return b < a ? b : a;
}

/// The larger of two that have an order; `a` of equals.
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr T larger(T a, T b) noexcept {
  return a < b ? b : a;
}

/// a / b rounded up, for a >= 0 and b > 0: parts of `b` that hold `a`. a + b - 1 must not overflow.
template <class Integer>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Integer divide_up(Integer a, Integer b) noexcept {
  return (a + b - 1) / b;
}

}  // namespace detail

/// a * b, rounded once: no sum can be fused with it.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar mul_rn(Scalar a, Scalar b) noexcept {
  return fma_rn(a, b, Scalar(0));
}

/// The smaller of two numbers; if one is NaN, the other.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar min_number(Scalar a, Scalar b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(fmin(a, b), a < b || b != b ? a : b);
}

/// The larger of two numbers; if one is NaN, the other.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar max_number(Scalar a, Scalar b) noexcept {
  return FARPOINT_DEVICE_OR_HOST(fmax(a, b), a > b || b != b ? a : b);
}

/// What the axes `First` to `Last` - 1 add to a sum of squared differences: distance2() step by step. A step never
/// lowers the sum, as it is rounded.
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

/// Squared Euclidean distance (squared metres), the same bits on every compiler, flag and backend.
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

/// The bits of a number without its sign: of NaN more than of infinity, of all others less. Unlike for a comparison of
/// the number with itself, no option of a compiler lets it take the outcome for granted.
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
  // On a device, x - x is 0 for every finite x and NaN otherwise.
  return FARPOINT_DEVICE_OR_HOST(sub_rn(value, value) == Scalar(0),
                                 magnitude_bits(value) < magnitude_bits(infinity<Scalar>));
}

}  // namespace detail

/// True when no coordinate is NaN or infinite.
template <class Scalar, int Dim>
FARPOINT_HD inline bool is_finite(vec<Scalar, Dim> const& point) noexcept {
  bool finite = true;
  FARPOINT_UNROLL
  for (int axis = 0; axis < Dim; ++axis) finite = finite && detail::is_finite_number(point[axis]);
  return finite;
}

FARPOINT_END_NAMESPACE
