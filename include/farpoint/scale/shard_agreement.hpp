/// @file
/// How ranks find out, before anything else, whether all can take part in a call.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/scale/communicator.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr index_t shard_most_points = index_t{1} << 30;

/// What a rank says of its call before anything else.
struct shard_header {
  std::uint64_t digest;  ///< of the arguments that must be the same on all ranks
  std::uint64_t is_bad;  ///< the rank's own arguments are refused
  index_t first_index;
  index_t points;
  index_t received_capacity;  ///< that it has room for of what others send
};

/// A number for some values: others, most likely, have another one.
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

/// Every rank tells all others whether it can take part, and with what. All come to the same decision, so that none
/// waits for one that has left.
/// @tparam Header    has a digest and is_bad, see shard_header
/// @param own        what the rank says of its own arguments
/// @param all        `[ranks]`: filled
/// @param different  the sentence for ranks whose digests differ
template <class Communicator, class Header>
result agree_on_arguments(Communicator& communicator, result const& own, Header const& mine, Header* all,
                          char const* different) noexcept {
  if (result const done = communicator.all_gather(&mine, all, sizeof mine); !done) return done;
  if (!own) return own;
  for (int r = 0; r < communicator.ranks(); ++r) {
    if (all[r].is_bad != 0) return reject("shards: the arguments of another rank are refused");
    if (all[r].digest != all[0].digest) return reject(different);
  }
  return {};
}

/// The same for parts of a cloud, which must not overlap.
/// @param sources  `[ranks]`: the ranks in the order of their parts
template <class Communicator>
result agree_on_shards(Communicator& communicator, result const& own, shard_header const& mine, shard_header* all,
                       int* sources) noexcept {
  result const agreed = agree_on_arguments(communicator, own, mine, all, "shards: ranks have different parameters");
  if (!agreed) return agreed;
  int const ranks = communicator.ranks();
  std::iota(sources, sources + ranks, 0);
  // Empty parts may say what they want.
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

/// @param outgoing, incoming  `[ranks]`
inline all_to_all_messages messages_between(int ranks, void const* send, message const* outgoing, void* receive,
                                            message const* incoming) noexcept {
  auto const size = static_cast<std::size_t>(ranks);
  return {static_cast<unsigned char const*>(send),
          {outgoing, size},
          static_cast<unsigned char*>(receive),
          {incoming, size}};
}

/// all_to_all() of elements of `each` bytes: messages are counted in elements.
/// @param in_bytes  `[2, ranks]`, memory for the call
template <class Communicator>
result exchange_elements(Communicator& communicator, all_to_all_messages const& elements, std::size_t each,
                         message* in_bytes) noexcept {
  auto const ranks = static_cast<std::size_t>(communicator.ranks());
  message* const out = in_bytes;
  message* const in = in_bytes + ranks;
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r] = {elements.outgoing[r].begin * each, elements.outgoing[r].size * each};
    in[r] = {elements.incoming[r].begin * each, elements.incoming[r].size * each};
  }
  return communicator.all_to_all({elements.send, {out, ranks}, elements.receive, {in, ranks}});
}

}  // namespace detail
FARPOINT_END_NAMESPACE
