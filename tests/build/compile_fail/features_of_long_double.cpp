// expect: farpoint: features are float, float16 or __half, double, or integers of up to 64 bits
#include <farpoint/core/features.hpp>

#include "right_or_wrong.hpp"

double const right[] = {1, 2};
long double const wrong[] = {1, 2};

int main() {
  return farpoint::feature_view::packed(RIGHT_OR_WRONG(right, wrong), 1, 2).count() - 2;
}
