// Hash map that stays on a GPU or the host, for arrays in host memory.
#define FARPOINT_BUILDS_LIBRARY
#include <farpoint/runtime/host_hash_map.hpp>

#include <farpoint/hash_map.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>

#include "host_call.hpp"
#include "kept_memory.hpp"

#include <new>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

using library::call_anywhere;
using library::place;

namespace runtime {

template <class Key, class Value>
struct hash_map<Key, Value>::state {
  using map_type = hash_map_ref<Key, Value>;

  library::kept_memory memory;
  map_type map;
  int threads = 0;

  options own_options() const noexcept { return {memory.where(), threads}; }
};

namespace {

/// Calls `call(exec, memory)` on the backend of a map. Fails unless reset() has succeeded.
template <class State, class Call>
result operate(State const* state, result const& checked, Call const& call) noexcept {
  if (state == nullptr || state->memory.where() == backend::automatic) {
    return detail::reject("hash_map: it has not been reset");
  }
  if (!state->memory.is_here()) return detail::reject("hash_map: it is not on the current device");
  return call_anywhere(FARPOINT_SENTENCES("hash_map"), checked, state->own_options(), nullptr, call);
}

/// Returns the map, or a map without memory before reset(), to check arguments with.
template <class State>
typename State::map_type map_of(State const* state) noexcept {
  return state == nullptr ? typename State::map_type{} : state->map;
}

}  // namespace

template <class Key, class Value>
hash_map<Key, Value>::hash_map() noexcept = default;
template <class Key, class Value>
hash_map<Key, Value>::hash_map(hash_map&& other) noexcept : state_{std::exchange(other.state_, nullptr)} {}
template <class Key, class Value>
hash_map<Key, Value>& hash_map<Key, Value>::operator=(hash_map&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
template <class Key, class Value>
hash_map<Key, Value>::~hash_map() {
  delete state_;
}

template <class Key, class Value>
index_t hash_map<Key, Value>::capacity() const noexcept {
  return map_of(state_).capacity();
}

template <class Key, class Value>
backend hash_map<Key, Value>::where() const noexcept {
  return state_ == nullptr ? backend::automatic : state_->memory.where();
}

template <class Key, class Value>
result hash_map<Key, Value>::reset(index_t keys, double load, options const& call_options, run_info* info) noexcept {
  using map_type = hash_map_ref<Key, Value>;
  constexpr char const* no_memory = "hash_map: there is not so much memory for the map";
  if (state_ == nullptr) state_ = new (std::nothrow) state;
  if (state_ == nullptr) return {status::out_of_memory, 0, no_memory};
  result checked;
  if (keys < 0) checked = detail::reject("hash_map: the number of keys is negative");
  if (!(load > 0 && load <= 1)) checked = detail::reject("hash_map: the load factor is not above 0 and at most 1");
  index_t const buckets = map_type::buckets_for(keys, load);
  bool is_enough = true;
  result const outcome =
      call_anywhere(FARPOINT_SENTENCES("hash_map"), checked, call_options, info, [&](auto exec, auto&) {
        auto const size = static_cast<std::size_t>(buckets) * sizeof(hash_map_bucket);
        bytes const kept = state_->memory.reserve(exec, size);
        is_enough = is_enough && kept.size() >= size;
        bool const fits = kept.size() >= size;
        state_->map =
            map_type{{reinterpret_cast<hash_map_bucket*>(kept.data()), fits ? static_cast<std::size_t>(buckets) : 0}};
        map_type const map = state_->map;
        return [=] { return hash_map_clear(exec, map); };
      });
  state_->threads = call_options.threads;
  if (outcome && is_enough) return outcome;
  delete std::exchange(state_, nullptr);
  return is_enough ? outcome : result{status::out_of_memory, 0, no_memory};
}

namespace {

/// Inserts entries on the backend of a map.
/// @param insertion  performs the call: `insertion(exec, map, keys, values, report)`
template <class State, class Key, class Value, class Insertion>
result insert_entries(State const* state, span<Key const> keys, span<Value const> values, hash_map_report* report,
                      Insertion const& insertion) noexcept {
  auto const map = map_of(state);
  result const checked = detail::check_hash_map_entries(map, keys, values.data(), values.size());
  return operate(state, checked, [&](auto exec, auto& memory) {
    auto const some = place(memory, keys);
    auto const theirs = place(memory, values.first(keys.size()));
    auto* const counters = place(memory, report);
    return [=] { return insertion(exec, map, some, theirs, counters); };
  });
}

}  // namespace

template <class Key, class Value>
result hash_map<Key, Value>::insert(span<Key const> keys, span<Value const> values, hash_map_report* report) noexcept {
  return insert_entries(state_, keys, values, report,
                        [](auto exec, auto const&... entries) { return hash_map_insert(exec, entries...); });
}

template <class Key, class Value>
result hash_map<Key, Value>::insert_or_min(span<Key const> keys, span<Value const> values,
                                           hash_map_report* report) noexcept {
  return insert_entries(state_, keys, values, report,
                        [](auto exec, auto const&... entries) { return hash_map_insert_or_min(exec, entries...); });
}

template <class Key, class Value>
result hash_map<Key, Value>::insert_keys(span<Key const> keys, hash_map_report* report) noexcept {
  auto const map = map_of(state_);
  result const checked = detail::check_hash_map_entries(map, keys, keys.data(), keys.size());
  return operate(state_, checked, [&](auto exec, auto& memory) {
    auto const some = place(memory, keys);
    auto* const counters = place(memory, report);
    return [=] { return hash_map_insert_keys(exec, map, some, counters); };
  });
}

template <class Key, class Value>
result hash_map<Key, Value>::find_or_insert(span<Key const> keys, index_span slots, hash_map_report* report) noexcept {
  auto const map = map_of(state_);
  result const checked = detail::check_hash_map_slots(map, keys, slots);
  return operate(state_, checked, [&](auto exec, auto& memory) {
    auto const some = place(memory, keys);
    auto const found = place(memory, slots, static_cast<index_t>(keys.size()));
    auto* const counters = place(memory, report);
    return [=] { return hash_map_find_or_insert(exec, map, some, found, counters); };
  });
}

template <class Key, class Value>
result hash_map<Key, Value>::find(span<Key const> keys, Value missing, span<Value> values) const noexcept {
  auto const map = map_of(state_);
  result const checked = detail::check_hash_map_entries(map, keys, values.data(), values.size());
  return operate(state_, checked, [&](auto exec, auto& memory) {
    auto const some = place(memory, keys);
    auto const found = place(memory, values, static_cast<index_t>(keys.size()));
    return [=] { return hash_map_find(exec, map, some, missing, found); };
  });
}

template <class Key, class Value>
result hash_map<Key, Value>::find_slots(span<Key const> keys, index_span slots) const noexcept {
  auto const map = map_of(state_);
  result const checked = detail::check_hash_map_slots(map, keys, slots);
  return operate(state_, checked, [&](auto exec, auto& memory) {
    auto const some = place(memory, keys);
    auto const found = place(memory, slots, static_cast<index_t>(keys.size()));
    return [=] { return hash_map_find_slots(exec, map, some, found); };
  });
}

template <class Key, class Value>
result hash_map<Key, Value>::extract(hash_map_pairs<Key, Value> const& output) const noexcept {
  auto const map = map_of(state_);
  result const checked = detail::check_hash_map_pairs(map, output);
  return operate(state_, checked, [&](auto exec, auto& memory) {
    auto const pairs = place(memory, output);
    bytes const workspace = memory.scratch([&] { return hash_map_extract_workspace_bytes(exec, map); });
    return [=] { return hash_map_extract(exec, map, pairs, workspace); };
  });
}

template class FARPOINT_API hash_map<std::uint32_t, std::uint32_t>;
template class FARPOINT_API hash_map<std::uint32_t, std::uint64_t>;
template class FARPOINT_API hash_map<std::uint64_t, std::uint32_t>;
template class FARPOINT_API hash_map<std::uint64_t, std::uint64_t>;

}  // namespace runtime
FARPOINT_END_NAMESPACE
