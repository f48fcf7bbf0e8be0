// expect: farpoint: erase() is for maps whose tuning says that it erases
#include <farpoint/container/hash_map_ref.hpp>

#include "right_or_wrong.hpp"

struct erasing : farpoint::hash_map_tuning {
  static constexpr bool erases = RIGHT_OR_WRONG(true, false);
};

int main() {
  farpoint::hash_map_ref<std::uint32_t, std::uint32_t, farpoint::default_hash, erasing> const map;
  return map.erase(1) ? 1 : 0;
}
