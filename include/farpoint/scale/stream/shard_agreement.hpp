/// @file
/// First step of every call on shards: ranks agree on whether all can take part.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/scale/communicator.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr index_t shard_max_points = index_t{1} << 30;

/// First message of each rank in a call.
struct shard_header {
  std::uint64_t digest;  ///< hash of the arguments that must be equal on all ranks
  std::uint64_t is_bad;  ///< the rank refuses its own arguments
  index_t first_index;
  index_t points;
  index_t received_capacity;  ///< room for elements that others send
};

/// Hash of a sequence of values. Different sequences have different hashes, most likely.
class digest {
 public:
  template <class Value>
  void add(Value value) noexcept {
    static_assert(sizeof(Value) <= 8 && std::is_trivially_copyable_v<Value>);
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    word_ = mix_bits(word_ + 0x9e3779b97f4a7c15u + mix_bits(word));
  }
  std::uint64_t word() const noexcept { return word_; }

 private:
  std::uint64_t word_ = 0;
};

/// Compares the headers of all ranks. All ranks get the same decision, so none waits for a rank that has left.
/// @tparam Header    has `digest` and `is_bad`, see shard_header
/// @param own        result of checking this rank's arguments
/// @param all        `[ranks]`: headers of all ranks
/// @param different  error message if digests differ
template <class Header>
result compare_headers(result const& own, Header const* all, int ranks, char const* different) noexcept {
  if (!own) return own;
  for (int r = 0; r < ranks; ++r) {
    if (all[r].is_bad != 0) return reject("shards: the arguments of another rank are refused");
    if (all[r].digest != all[0].digest) return reject(different);
  }
  return {};
}

/// compare_headers() for the parts of a cloud, which must not overlap.
/// @tparam Header  shard_header, or a type that derives from it
/// @param sources  `[ranks]`: receives the ranks in the order of their parts
template <class Header>
result order_shards(result const& own, Header const* all, int ranks, int* sources) noexcept {
  result const agreed = compare_headers(own, all, ranks, "shards: ranks have different parameters");
  if (!agreed) return agreed;
  std::iota(sources, sources + ranks, 0);
  // An empty part may have any first_index.
  std::sort(sources, sources + ranks, [all](int a, int b) {
    return all[a].first_index != all[b].first_index ? all[a].first_index < all[b].first_index
           : all[a].points != all[b].points         ? all[a].points < all[b].points
                                                    : a < b;
  });
  index_t end = 0;
  for (int k = 0; k < ranks; ++k) {
    shard_header const& part = all[sources[k]];
    if (part.points == 0) continue;
    if (part.first_index < end) return reject("shards: the parts of two ranks overlap");
    end = part.first_index + part.points;
  }
  return {};
}

/// Messages between this rank and all ranks, counted in elements of what is exchanged.
struct shard_messages {
  message* outgoing;  ///< `[ranks]`
  message* incoming;  ///< `[ranks]`
  message* in_bytes;  ///< `[2, ranks]`: scratch for the sizes in bytes

  /// Sends elements of `each` bytes.
  template <class Communicator>
  result send(Communicator& communicator, void const* elements, void* received, std::size_t each) const noexcept {
    auto const ranks = static_cast<std::size_t>(communicator.ranks());
    message* const in = in_bytes + ranks;
    for (std::size_t r = 0; r < ranks; ++r) {
      in_bytes[r] = {outgoing[r].begin * each, outgoing[r].size * each};
      in[r] = {incoming[r].begin * each, incoming[r].size * each};
    }
    return communicator.all_to_all({static_cast<unsigned char const*>(elements),
                                    {in_bytes, ranks},
                                    static_cast<unsigned char*>(received),
                                    {in, ranks}});
  }

  /// Sends back `each` bytes per received element.
  template <class Communicator>
  result send_back(Communicator& communicator, void const* answers, void* received, std::size_t each) const noexcept {
    return shard_messages{incoming, outgoing, in_bytes}.send(communicator, answers, received, each);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
