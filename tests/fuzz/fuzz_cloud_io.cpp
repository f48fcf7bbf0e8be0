// The readers of point clouds: whatever a file holds, there is a cloud or a cloud_error.
#include <sys/mman.h>
#include <unistd.h>

#include "cloud_io.hpp"
#include "fuzz_input.hpp"

namespace {

/// A file in memory, which has the bytes of one input after the other.
class memory_file {
 public:
  memory_file() : number_{memfd_create("cloud", 0)}, path_{"/proc/self/fd/" + std::to_string(number_)} {
    if (number_ < 0) std::abort();
  }

  std::string const& path() const { return path_; }
  void hold(unsigned char const* data, std::size_t size) const {
    if (ftruncate(number_, 0) != 0 || pwrite(number_, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  }

 private:
  int number_;
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  using namespace farpoint_demo;
  static memory_file const file;
  constexpr file_format formats[] = {file_format::pcd, file_format::ply, file_format::kitti, file_format::nuscenes,
                                     file_format::xyz};
  if (size == 0) return 0;
  file.hold(data + 1, size - 1);
  try {
    auto const cloud = read_cloud(file.path(), formats[data[0] % std::size(formats)]);
    if (cloud.points.empty()) std::abort();
  } catch (cloud_error const& error) {
    if (error.what()[0] == '\0') std::abort();
  }
  return 0;
}
