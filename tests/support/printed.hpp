// Returns the text that operator<< writes.
#pragma once

#include <sstream>
#include <string>

namespace farpoint_tests {

template <class T>
std::string printed(T const& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace farpoint_tests
