// expect: farpoint: the keys of a hash map are integers of 32 or 64 bits
#include <farpoint/container/hash_map_ref.hpp>

#if defined(FARPOINT_CORRECTED)
using key = std::uint32_t;
#else
using key = std::uint16_t;
#endif

int main() {
  return static_cast<int>(farpoint::hash_map_ref<key>{}.capacity());
}
