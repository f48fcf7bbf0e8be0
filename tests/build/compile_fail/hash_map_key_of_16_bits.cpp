// expect: farpoint: the keys of a hash map are integers of 32 or 64 bits
#include <farpoint/container/hash_map_ref.hpp>

#include "right_or_wrong.hpp"

using key = RIGHT_OR_WRONG(std::uint32_t, std::uint16_t);

int main() {
  return static_cast<int>(farpoint::hash_map_ref<key>{}.capacity());
}
