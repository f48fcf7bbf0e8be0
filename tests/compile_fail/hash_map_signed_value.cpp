// expect: farpoint: the values of a hash map are unsigned integers of 32 or 64 bits
#include <farpoint/container/hash_map_ref.hpp>

#if defined(FARPOINT_CORRECTED)
using value = std::uint32_t;
#else
using value = std::int32_t;
#endif

int main() {
  return static_cast<int>(farpoint::hash_map_ref<std::uint32_t, value>{}.capacity());
}
