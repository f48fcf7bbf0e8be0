// The base of what is kept by pointer and has a name in the output.
#pragma once

#include <string>
#include <utility>

namespace farpoint_stress {

class named {
 public:
  explicit named(std::string name) : name_{std::move(name)} {}
  named(named const&) = delete;
  named& operator=(named const&) = delete;
  virtual ~named() = default;

  std::string const& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace farpoint_stress
