#include "cloud.hpp"

#include <algorithm>

namespace farpoint_tools {

void column::copy(std::size_t i, char const* from, byte_order order) {
  auto const size = size_of(kind_);
  auto* const to = bytes_.data() + i * size;
  std::copy_n(from, size, to);
  if (order == byte_order::big) std::reverse(to, to + size);
}

column const* cloud::find(std::string const& name) const {
  auto const found = std::find_if(columns.begin(), columns.end(), [&](column const& c) { return c.name() == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace farpoint_tools
