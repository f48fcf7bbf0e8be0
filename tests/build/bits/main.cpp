// Usage: bits PART [THREADS]. Prints the checksums of a part: the name of its file.
#include <cstdio>
#include <cstdlib>

#include "bits_part.hpp"

int main(int argc, char** argv) {
  char const* const name = argc > 1 ? argv[1] : "";
  int const threads = argc > 2 ? std::atoi(argv[2]) : 1;
  auto const* const part = farpoint_tests::bits_part::find(name);
  if (part == nullptr) {
    std::fprintf(stderr, "bits: there is no part \"%s\".\n", name);
    return 2;
  }
  part->print(threads);
}
