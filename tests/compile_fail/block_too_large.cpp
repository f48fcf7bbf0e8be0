// expect: farpoint: block_argmax takes 1 to 1024 threads
#include <farpoint/block/block_argmax.hpp>

#if defined(FARPOINT_CORRECTED)
constexpr int block_size = 1024;
#else
constexpr int block_size = 2048;
#endif

int main() {
  return sizeof(farpoint::block_argmax<float, block_size>::storage) > 0 ? 0 : 1;
}
