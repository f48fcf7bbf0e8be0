/// @file
/// Eigenvalues and eigenvectors of symmetric 3 x 3 matrices, the same bits on host and device.
#pragma once

#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The upper triangle of a symmetric matrix.
template <class Scalar>
struct symmetric3 {
  Scalar xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

/// Eigenvalues, ascending, and the eigenvectors that belong to them: unit length, orthogonal, of either sign.
template <class Scalar>
struct eigen3 {
  vec<Scalar, 3> values;
  vec<Scalar, 3> vectors[3];
};

namespace detail {

/// A rotation that makes element (p, q) of `a` zero.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void jacobi_rotate(Scalar (&a)[3][3], Scalar (&v)[3][3], int p, int q) noexcept {
  if (a[p][q] == 0) return;
  // tan of the smaller of the two angles; for a ratio whose square overflows it is 0, which is right.
  Scalar const ratio = div_rn(sub_rn(a[q][q], a[p][p]), mul_rn(Scalar(2), a[p][q]));
  Scalar const size = ratio < 0 ? -ratio : ratio;
  Scalar const tangent_size = div_rn(Scalar(1), add_rn(size, sqrt_rn(fma_rn(ratio, ratio, Scalar(1)))));
  Scalar const t = ratio < 0 ? -tangent_size : tangent_size;
  Scalar const c = div_rn(Scalar(1), sqrt_rn(fma_rn(t, t, Scalar(1))));
  Scalar const s = mul_rn(t, c);
  Scalar const apq = a[p][q];
  a[p][p] = fma_rn(-t, apq, a[p][p]);
  a[q][q] = fma_rn(t, apq, a[q][q]);
  a[p][q] = a[q][p] = 0;
  int const r = 3 - p - q;
  Scalar const arp = a[r][p];
  Scalar const arq = a[r][q];
  a[r][p] = a[p][r] = fma_rn(c, arp, -mul_rn(s, arq));
  a[r][q] = a[q][r] = fma_rn(s, arp, mul_rn(c, arq));
  FARPOINT_UNROLL
  for (int k = 0; k < 3; ++k) {
    Scalar const vkp = v[k][p];
    Scalar const vkq = v[k][q];
    v[k][p] = fma_rn(c, vkp, -mul_rn(s, vkq));
    v[k][q] = fma_rn(s, vkp, mul_rn(c, vkq));
  }
}

}  // namespace detail

/// By Jacobi's rotations, six rounds of three: more than it takes to make what is off the diagonal vanish. The usual
/// closed form goes by way of a cosine, whose bits differ from one library to the next, and loses half of its digits
/// where two eigenvalues are close, as on every edge and line of a cloud.
///
/// A matrix with elements that are not finite gives values that are not. Squares of the elements' ratios may overflow,
/// elements must not. O(1); thread-safe. Source: C. G. J. Jacobi, J. reine angew. Math. 30, 1846.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE eigen3<Scalar> eigen_of(symmetric3<Scalar> const& m) noexcept {
  Scalar a[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
  Scalar v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int round = 0; round < 6; ++round) {
    detail::jacobi_rotate(a, v, 0, 1);
    detail::jacobi_rotate(a, v, 0, 2);
    detail::jacobi_rotate(a, v, 1, 2);
  }
  eigen3<Scalar> result{{{a[0][0], a[1][1], a[2][2]}},
                        {{{v[0][0], v[1][0], v[2][0]}}, {{v[0][1], v[1][1], v[2][1]}}, {{v[0][2], v[1][2], v[2][2]}}}};
  auto const sort_two = [&result](int i, int j) {
    if (!(result.values[j] < result.values[i])) return;
    Scalar const value = result.values[i];
    result.values[i] = result.values[j];
    result.values[j] = value;
    vec<Scalar, 3> const vector = result.vectors[i];
    result.vectors[i] = result.vectors[j];
    result.vectors[j] = vector;
  };
  sort_two(0, 1);
  sort_two(1, 2);
  sort_two(0, 1);
  return result;
}

FARPOINT_END_NAMESPACE
