// What the programs print whose bits are compared: each file of this folder but main.cpp defines a part of it.
#pragma once

#include <cstring>

#include "../../support/checksum.hpp"

namespace farpoint_tests {

/// A part that can be found by its name as long as it lives. print(threads) writes checksums of answers to standard
/// output.
class bits_part {
 public:
  using printer = void (*)(int threads);

  bits_part(char const* name, printer body) noexcept : name_{name}, print_{body}, next_{last()} { last() = this; }
  bits_part(bits_part const&) = delete;
  bits_part& operator=(bits_part const&) = delete;

  /// Null if there is no part of this name.
  static bits_part const* find(char const* name) noexcept {
    auto const* part = last();
    while (part != nullptr && std::strcmp(part->name_, name) != 0) part = part->next_;
    return part;
  }

  void print(int threads) const { print_(threads); }

 private:
  static bits_part const*& last() noexcept {
    static bits_part const* part = nullptr;
    return part;
  }

  char const* name_;
  printer print_;
  bits_part const* next_;
};

}  // namespace farpoint_tests
