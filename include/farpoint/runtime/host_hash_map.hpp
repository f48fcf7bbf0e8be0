/// @file
/// A hash map that is kept on a GPU or the host, for keys and values in host memory, by the compiled library.
#pragma once

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/types/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace runtime {

/// A hash map with memory of its own, in the memory of a GPU or of the host.
///
/// Its functions are the bulk operations of <farpoint/hash_map.hpp> for arrays in host memory, with the promises of the
/// calls on host memory (host_calls.hpp). Keys and values follow the rules of hash_map_ref with its default hash and
/// tuning; the empty key and the initial value have all bits set. Movable. Threads may insert into one map at the same
/// time, and look up in one map at the same time, but not both; reset() needs it to itself.
/// @tparam Key    std::uint32_t or std::uint64_t
/// @tparam Value  std::uint32_t or std::uint64_t
template <class Key, class Value>
class FARPOINT_API hash_map {
 public:
  hash_map() noexcept;
  hash_map(hash_map&& other) noexcept;
  hash_map& operator=(hash_map&& other) noexcept;
  ~hash_map();

  /// Makes room for `keys` keys at load factor `load`, and empties the map. Its memory is used again where that is
  /// large enough. After a failure the capacity is 0.
  /// @param keys  not negative
  /// @param load  above 0 and at most 1: 0.8 and below is fast
  /// @param call_options  backend, threads and stop
  /// @param info  filled when not null
  /// @return ok | bad_argument | unavailable | out_of_memory | cuda_failure
  result reset(index_t keys, double load = 0.5, options const& call_options = {}, run_info* info = nullptr) noexcept;

  /// Keys that fit.
  index_t capacity() const noexcept;
  /// Backend that holds the map; backend::automatic before reset().
  backend where() const noexcept;

  /// @name The bulk operations: see <farpoint/hash_map.hpp>
  /// @{
  result insert(span<Key const> keys, span<Value const> values, hash_map_report* report = nullptr) noexcept;
  result insert_or_min(span<Key const> keys, span<Value const> values, hash_map_report* report = nullptr) noexcept;
  result insert_keys(span<Key const> keys, hash_map_report* report = nullptr) noexcept;
  result find_or_insert(span<Key const> keys, index_span slots, hash_map_report* report = nullptr) noexcept;
  result find(span<Key const> keys, Value missing, span<Value> values) const noexcept;
  result find_slots(span<Key const> keys, index_span slots) const noexcept;
  /// Entries behind the number of keys stay as they are.
  result extract(hash_map_pairs<Key, Value> const& output) const noexcept;
  /// @}

 private:
  struct state;
  state* state_ = nullptr;
};

#if !defined(FARPOINT_BUILDS_LIBRARY)
extern template class hash_map<std::uint32_t, std::uint32_t>;
extern template class hash_map<std::uint32_t, std::uint64_t>;
extern template class hash_map<std::uint64_t, std::uint32_t>;
extern template class hash_map<std::uint64_t, std::uint64_t>;
#endif

}  // namespace runtime
FARPOINT_END_NAMESPACE
