// Prints a checksum of distance2 over random and adversarial pairs. Built by several compilers with several flags; all
// must print the same.
#include <cstdio>

#include "../../core/distance_pairs.hpp"
#include "bits_part.hpp"

namespace {

template <class Scalar>
void add(farpoint_tests::checksum& sum, Scalar value) {
  if (value != value) value = 0;  // a NaN's payload is no part of the promise
  sum.add(value);
}

template <class Scalar>
void print_pairs(char const* name, std::uint64_t seed) {
  farpoint_tests::checksum sum;
  for (auto const& pair : farpoint_tests::make_pairs<Scalar>(700000, seed)) {
    add(sum, farpoint::distance2(pair.a, pair.b));
  }
  std::printf("%s %016llx\n", name, sum.value());
}

/// Coordinates that the caller has just computed: a product must not be fused with the difference that follows it.
template <class Scalar>
farpoint::vec<Scalar, 3> scaled(farpoint::vec<Scalar, 3> const& p, Scalar factor) {
  farpoint::vec<Scalar, 3> q{};
  for (int axis = 0; axis < 3; ++axis) {
#if defined(__GNUC__) && __GNUC__ < 12 && !defined(__clang__)
    Scalar volatile const product = p[axis] * factor;  // math.hpp says why
#else
    Scalar const product = p[axis] * factor;
#endif
    q[axis] = product;
  }
  return q;
}

template <class Scalar>
void print_products(char const* name, std::uint64_t seed) {
  farpoint_tests::checksum sum;
  for (auto const& pair : farpoint_tests::make_pairs<Scalar>(70000, seed)) {
    add(sum, farpoint::distance2(scaled(pair.a, static_cast<Scalar>(1.1)), pair.b));
    add(sum, farpoint::distance2(pair.b, scaled(pair.a, static_cast<Scalar>(0.7))));
  }
  std::printf("products of %s %016llx\n", name, sum.value());
}

farpoint_tests::bits_part const part{"distance", [](int) {
                                       print_pairs<float>("float", 11);
                                       print_pairs<double>("double", 12);
                                       print_products<float>("float", 13);
                                       print_products<double>("double", 14);
                                     }};

}  // namespace
