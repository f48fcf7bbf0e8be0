// expect: farpoint: a consumer has operator()(neighborhood_query<Scalar> const&, neighborhood<Scalar, K> const&)
// const
#include <farpoint/search/for_each_neighborhood.hpp>

#include "right_or_wrong.hpp"

using scalar = RIGHT_OR_WRONG(float, double);

struct consumer {
  void operator()(farpoint::neighborhood_query<scalar> const&, farpoint::neighborhood<scalar, 4> const&) const {}
  void leave_empty(farpoint::index_t) const {}
};

int main() {
  farpoint::batch const cloud{farpoint::point_view<float>{}};
  return static_cast<int>(
      farpoint::for_each_neighborhood<4>(farpoint::host_exec{1}, cloud, farpoint::neighborhood_params{}, consumer{}, {})
          .code);
}
