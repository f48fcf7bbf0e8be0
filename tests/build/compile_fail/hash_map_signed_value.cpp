// expect: farpoint: the values of a hash map are unsigned integers of 32 or 64 bits
#include <farpoint/container/hash_map_ref.hpp>

#include "right_or_wrong.hpp"

using value = RIGHT_OR_WRONG(std::uint32_t, std::int32_t);

int main() {
  return static_cast<int>(farpoint::hash_map_ref<std::uint32_t, value>{}.capacity());
}
