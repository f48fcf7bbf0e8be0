// expect: farpoint: a temporary owns this memory, which ends with it
#include <farpoint/types/fps.hpp>

#include <cstdint>
#include <vector>

#include "right_or_wrong.hpp"

std::vector<std::int32_t> owner(10);

int main() {
  farpoint::fps_output<> output;
  output.indices = RIGHT_OR_WRONG(owner, std::vector<std::int32_t>(10));
  return static_cast<int>(output.indices.size()) - 10;
}
