// Stub of published.cu for builds without nvcc.
#include <stdexcept>

#include "published.hpp"

namespace farpoint_tools {

namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error{"this program was built without CUDA"};
}

}  // namespace

published_search search_published(published_method, std::vector<point3> const&, std::vector<std::int32_t> const&,
                                  camera const&, int) {
  refuse();
}

double sample_by_textbook(std::vector<point3> const&, std::int64_t, std::int64_t, int, std::vector<std::int64_t>&) {
  refuse();
}

}  // namespace farpoint_tools
