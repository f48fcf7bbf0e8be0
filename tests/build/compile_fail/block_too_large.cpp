// expect: farpoint: block_argmax takes 1 to 1024 threads
#include <farpoint/block/block_argmax.hpp>

#include "right_or_wrong.hpp"

constexpr int block_size = RIGHT_OR_WRONG(1024, 2048);

int main() {
  return sizeof(farpoint::block_argmax<float, block_size>::storage) > 0 ? 0 : 1;
}
