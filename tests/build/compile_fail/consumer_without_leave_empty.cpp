// expect: farpoint: a consumer has leave_empty(index_t row) const, for queries that are not finite
#include <farpoint/search/for_each_neighborhood.hpp>

#include "right_or_wrong.hpp"

struct consumer {
  void operator()(farpoint::neighborhood_query<float> const&, farpoint::neighborhood<float, 4> const&) const {}
  void RIGHT_OR_WRONG(leave_empty, leave)(farpoint::index_t) const {}
};

int main() {
  farpoint::batch const cloud{farpoint::point_view<float>{}};
  return static_cast<int>(
      farpoint::for_each_neighborhood<4>(farpoint::host_exec{1}, cloud, farpoint::neighborhood_params{}, consumer{}, {})
          .code);
}
