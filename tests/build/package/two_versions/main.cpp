#include <cstdio>
#include <string>

std::string reasons_of_old();
std::string reasons_of_next();

int main() {
  std::string const old = "fps: params.samples is negative";
  std::string const next = "fps in the next version: params.samples is negative";
  std::printf("%s\n%s\n", reasons_of_old().c_str(), reasons_of_next().c_str());
  bool const apart = reasons_of_old() == old + "\n" + old && reasons_of_next() == next + "\n" + next;
  return apart ? 0 : 1;
}
