// expect: farpoint: for_each_neighborhood() keeps 1 to 32 neighbors of a query in registers; knn() writes up to 1,024
// to memory
#include <farpoint/search/for_each_neighborhood.hpp>

#include "right_or_wrong.hpp"

constexpr int k = RIGHT_OR_WRONG(32, 33);

struct consumer {
  void operator()(farpoint::neighborhood_query<float> const&, farpoint::neighborhood<float, k> const&) const {}
  void leave_empty(farpoint::index_t) const {}
};

int main() {
  farpoint::batch const cloud{farpoint::point_view<float>{}};
  return static_cast<int>(
      farpoint::for_each_neighborhood<k>(farpoint::host_exec{1}, cloud, farpoint::neighborhood_params{}, consumer{}, {})
          .code);
}
