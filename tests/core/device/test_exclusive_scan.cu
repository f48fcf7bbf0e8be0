// exclusive_scan() against std::partial_sum.
#include <farpoint/grid/exclusive_scan.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../../support/random.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

using namespace farpoint_tests;
using farpoint::index_t;

namespace {

/// A span of any integer type.
template <class Integer>
struct integers {
  Integer* pointer;
  std::size_t count;
  Integer* data() const { return pointer; }
  std::size_t size() const { return count; }
};

template <class Integer>
class scan_problem {
 public:
  scan_problem(std::vector<Integer> const& sizes, index_t capacity)
      : sizes_{sizes},
        capacity_{capacity},
        offsets_{sizes.size() + 1},
        tiles_{static_cast<std::size_t>(farpoint::exclusive_scan_tiles(rows()))},
        ticket_{1},
        total_{1},
        misfits_{1} {
    upload();
  }

  index_t rows() const { return static_cast<index_t>(sizes_.size()); }

  void upload() {
    std::vector<Integer> before{sizes_};
    before.push_back(-1);
    offsets_.upload(before);
    misfits_.upload({5});
  }

  /// Clears the memory of the scan, and scans.
  cudaError_t enqueue(cudaStream_t stream) const {
    cudaError_t const first = cudaMemsetAsync(tiles_.data(), 0, tiles_.size() * sizeof(std::uint64_t), stream);
    cudaError_t const second = cudaMemsetAsync(ticket_.data(), 0, sizeof(std::uint32_t), stream);
    cudaError_t const scan = farpoint::exclusive_scan({integers<Integer>{offsets_.data(), offsets_.size()},
                                                       rows(),
                                                       capacity_,
                                                       total_.data(),
                                                       misfits_.data(),
                                                       {tiles_.data(), ticket_.data()}},
                                                      stream);
    return first != cudaSuccess ? first : second != cudaSuccess ? second : scan;
  }

  void check() const {
    std::vector<index_t> ends(sizes_.size());
    std::vector<index_t> const wide(sizes_.begin(), sizes_.end());
    std::partial_sum(wide.begin(), wide.end(), ends.begin());
    // The largest offset that can be said; a row that ends there does not fit.
    index_t const largest = std::numeric_limits<Integer>::max();
    auto const results = offsets_.download();
    std::size_t wrong = results[0] == 0 ? 0 : 1;
    unsigned long long misfits = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (results[i + 1] != static_cast<Integer>(std::min(ends[i], largest))) ++wrong;
      if (ends[i] > capacity_ || (sizeof(Integer) == 4 && ends[i] >= largest)) ++misfits;
    }
    CHECK(wrong == 0);
    CHECK(total_.download()[0] == static_cast<unsigned long long>(ends.back()));
    CHECK(misfits_.download()[0] == 5 + misfits);
    bool const intact =
        offsets_.intact() && tiles_.intact() && ticket_.intact() && total_.intact() && misfits_.intact();
    CHECK(intact);
  }

 private:
  std::vector<Integer> sizes_;
  index_t capacity_;
  device_array<Integer> offsets_;
  device_array<std::uint64_t> tiles_;
  device_array<std::uint32_t> ticket_;
  device_array<unsigned long long> total_;
  device_array<unsigned long long> misfits_;
};

template <class Integer>
std::vector<Integer> random_sizes(std::size_t rows, index_t most, std::uint64_t seed) {
  random_source random{seed};
  std::vector<Integer> sizes(rows);
  for (Integer& size : sizes) size = static_cast<Integer>(random.below(3) == 0 ? 0 : random.below(most + 1));
  return sizes;
}

template <class Integer>
void check_scan(std::size_t rows, index_t most, index_t capacity, std::uint64_t seed) {
  CAPTURE(rows, most, capacity, seed, sizeof(Integer));
  scan_problem<Integer> const problem{random_sizes<Integer>(rows, most, seed), capacity};
  check_once(problem, [&](cudaStream_t stream) { return problem.enqueue(stream); });
}

template <class Integer>
void check_rows(std::initializer_list<std::size_t> all) {
  std::uint64_t seed = 30;
  for (std::size_t const rows : all) {
    check_scan<Integer>(rows, 40, std::numeric_limits<index_t>::max(), ++seed);
    check_scan<Integer>(rows, 40, static_cast<index_t>(rows) * 7, ++seed);
    check_scan<Integer>(rows, 0, 0, ++seed);
    // Sums that 32 bits cannot say.
    check_scan<Integer>(rows, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<index_t>::max(), ++seed);
  }
}

}  // namespace

TEST_CASE("exclusive_scan: few rows", "[exclusive_scan][device][sanitize]") {
  check_rows<std::int32_t>({1, 2, 7, 8, 9, 31, 32, 33, 1023, 1024, 1025, 5000});
  check_rows<std::int64_t>({1, 2, 7, 8, 9, 31, 32, 33, 1023, 1024, 1025, 5000});
}
TEST_CASE("exclusive_scan: many rows", "[exclusive_scan][device]") {
  check_rows<std::int32_t>({100000, (1 << 20) + 7, 5000000});
  check_rows<std::int64_t>({100000, (1 << 20) + 7});
}

TEST_CASE("exclusive_scan: graph replays, and errors of others", "[exclusive_scan][device]") {
  scan_problem<std::int32_t> problem{random_sizes<std::int32_t>(20000, 40, 3), 1000};
  auto const enqueue = [&](cudaStream_t stream) { return problem.enqueue(stream); };
  check_stream_manners(problem, enqueue);
  check_refused_error(enqueue);
}
