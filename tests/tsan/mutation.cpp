// Does the race check find a race? block_argmax is run by a group that leaves out one of its two barriers:
//   FARPOINT_MUTATION=1  the one between writing the warps' winners and reading them
//   FARPOINT_MUTATION=2  the one between reading them and the next use of the storage
// Built with ThreadSanitizer, which must report a data race in either.
#include <farpoint/block/block_argmax.hpp>

#include <cstdio>

#include "../support/host_block.hpp"

namespace {

constexpr int block_size = 64;

/// A group whose n-th barrier of every pair is missing.
class leaky_block {
 public:
  static constexpr int size = block_size;
  static constexpr int lanes = 32;

  explicit leaky_block(farpoint_tests::host_block<block_size> const& block) : block_{block} {}
  int rank() const { return block_.rank(); }
  void sync() const {
    bool const is_missing = ++barriers_ % 2 == FARPOINT_MUTATION % 2;
    if (!is_missing) block_.sync();
  }
  template <class T>
  T shuffle(T value, int lane) const {
    return block_.shuffle(value, lane);
  }
  std::uint32_t reduce_max(std::uint32_t value) const { return block_.reduce_max(value); }
  std::uint32_t reduce_min(std::uint32_t value) const { return block_.reduce_min(value); }

 private:
  farpoint_tests::host_block<block_size> const& block_;
  mutable int barriers_ = 0;
};

}  // namespace

int main() {
  using argmax_type = farpoint::block_argmax<float, block_size>;
  typename argmax_type::storage storage{};
  farpoint_tests::host_block<block_size>::run([&](farpoint_tests::host_block<block_size> const& block) {
    leaky_block const leaky{block};
    for (int round = 0; round < 12; ++round) {
      argmax_type{storage}.reduce(leaky, {static_cast<float>(block.rank()), block.rank()});
    }
  });
  std::puts("no race reported above: the check is blind");
}
