// Prints a checksum of distance2 over random and adversarial pairs. Built by several compilers with several flags; all
// must print the same.
#include <cstdio>

#include "../shared/distance_pairs.hpp"

namespace {

std::uint64_t hash = 1469598103934665603u;  // FNV-1a

template <class Scalar>
void add(Scalar value) {
  if (value != value) value = 0;  // a NaN's payload is no part of the promise
  unsigned char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  for (unsigned char const byte : bytes) hash = (hash ^ byte) * 1099511628211u;
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
void add_products(std::uint64_t seed) {
  for (auto const& pair : farpoint_tests::make_pairs<Scalar>(70000, seed)) {
    add(farpoint::distance2(scaled(pair.a, static_cast<Scalar>(1.1)), pair.b));
    add(farpoint::distance2(pair.b, scaled(pair.a, static_cast<Scalar>(0.7))));
  }
}

}  // namespace

int main() {
  for (auto const& pair : farpoint_tests::make_pairs<float>(700000, 11)) add(farpoint::distance2(pair.a, pair.b));
  std::printf("float %016llx\n", static_cast<unsigned long long>(hash));
  for (auto const& pair : farpoint_tests::make_pairs<double>(700000, 12)) add(farpoint::distance2(pair.a, pair.b));
  std::printf("double %016llx\n", static_cast<unsigned long long>(hash));
  add_products<float>(13);
  add_products<double>(14);
  std::printf("products %016llx\n", static_cast<unsigned long long>(hash));
}
