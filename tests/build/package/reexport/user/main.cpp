#include <thinning.hpp>

int main() {
  float const points[] = {0, 0, 0, 1, 0, 0, 0, 5, 0};
  auto const kept = thin({points, 3}, 2);
  return kept.size() == 2 && kept[1] == 2 ? 0 : 1;
}
