// Random calls of many threads on a map that erases, against a model: the source for kernels and host threads.
//
// A thread has keys of its own, which it compares with a model after each call, whatever the others do to the slots
// around them. On keys that all threads share, insertions and erasures that succeed are counted: a key that was
// inserted once more than it was erased must be in the map, and otherwise none.
#pragma once

#include "hash_map_problem.hpp"

namespace farpoint_tests {

/// A tuning with which keys can be erased.
template <farpoint::hash_map_layout Layout = farpoint::hash_map_layout::pairs>
struct erasing_tuning : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = Layout;
  static constexpr bool erases = true;
};
template <class Key, class Value = std::uint32_t, class Hash = farpoint::default_hash,
          farpoint::hash_map_layout Layout = farpoint::hash_map_layout::pairs>
using erasing_map = farpoint::hash_map_ref<Key, Value, Hash, erasing_tuning<Layout>>;
template <class Key, class Value = std::uint32_t, class Hash = farpoint::default_hash>
using erasing_split_map = erasing_map<Key, Value, Hash, farpoint::hash_map_layout::split>;

/// A hash that sends all keys to the last bucket, so that searches begin at the end of the table and wrap around.
struct last_bucket_hash {
  template <class Key>
  FARPOINT_HD constexpr std::uint32_t operator()(Key) const noexcept {
    return 0xffffffffu;
  }
};

inline constexpr int own_keys = 6;      ///< keys of a thread
inline constexpr int shared_keys = 12;  ///< keys of all threads: the first half has one value, the others change it

/// The model of one key.
template <class Value>
struct modeled_key {
  Value value = 0;
  bool is_there = false;
};

template <class Map>
class random_calls {
 public:
  using key = typename Map::key_type;
  using value = typename Map::value_type;

  FARPOINT_HD static constexpr key shared_key(int i) noexcept { return static_cast<key>(i); }
  FARPOINT_HD static constexpr key own_key(std::uint32_t rank, int i) noexcept {
    return static_cast<key>(shared_keys + rank * own_keys + static_cast<std::uint32_t>(i));
  }
  /// Value of a key of the first half of the shared ones.
  FARPOINT_HD static constexpr value fixed_value(int i) noexcept { return static_cast<value>(1000 + i); }

  /// @param live  `[shared_keys]`: insertions less erasures of shared keys, modulo 2^32
  FARPOINT_HD random_calls(Map const& map, std::uint32_t rank, std::uint64_t seed, std::uint32_t* live) noexcept
      : map_{map}, rank_{rank}, seed_{seed}, live_{live} {}

  /// @param model  `[own_keys]`: the thread's keys
  /// @return calls whose answer was wrong
  FARPOINT_HD int run(int calls, modeled_key<value>* model) noexcept {
    int wrong = 0;
    for (int call = 0; call < calls; ++call) {
      std::uint64_t const bits = farpoint::mix_bits((seed_ << 44) + (std::uint64_t{rank_} << 20) + std::uint64_t(call));
      auto const which = static_cast<int>(bits & 0xffff);
      auto const what = static_cast<int>(bits >> 16 & 0xffff);
      auto const amount = static_cast<value>(bits >> 40);
      bool const is_right = (bits >> 32 & 1) != 0 ? call_own(which % own_keys, what % 8, amount, model)
                                                  : call_shared(which % shared_keys, what % 8, amount);
      if (!is_right) ++wrong;
    }
    return wrong;
  }

 private:
  using state = farpoint::insert_result;

  FARPOINT_HD bool call_own(int i, int what, value v, modeled_key<value>* model) noexcept {
    key const k = own_key(rank_, i);
    modeled_key<value>& mine = model[i];
    state did = state::duplicate;
    value wanted = mine.value;
    switch (what) {
      case 0: did = map_.insert(k, v).state; break;
      case 1:
        did = map_.insert_or_assign(k, v).state;
        wanted = v;
        break;
      case 2:
        did = map_.insert_or_add(k, v).state;
        wanted = static_cast<value>(mine.value + v);
        break;
      case 3:
        did = map_.insert_or_min(k, v).state;
        wanted = v < mine.value ? v : mine.value;
        break;
      case 4:
      case 5:
      case 6:
        if (map_.erase(k) != mine.is_there) return false;
        mine.is_there = false;
        return !map_.contains(k) && !map_.erase(k);
      default: return agrees(k, mine);
    }
    if (did == state::refused || (did == state::duplicate) != mine.is_there) return false;
    if (did == state::inserted) wanted = v;
    if (did != state::full) mine = {wanted, true};
    return agrees(k, mine);
  }

  FARPOINT_HD bool agrees(key k, modeled_key<value> const& mine) const noexcept {
    value const missing = static_cast<value>(mine.value + 1);
    return map_.contains(k) == mine.is_there && map_.value_or(k, missing) == (mine.is_there ? mine.value : missing);
  }

  FARPOINT_HD bool call_shared(int i, int what, value v) noexcept {
    key const k = shared_key(i);
    if (what >= 5) {
      if (map_.erase(k)) farpoint::atomic_add(live_ + i, ~std::uint32_t{0});
      return true;
    }
    bool const is_fixed = i < shared_keys / 2;
    if (is_fixed && what == 4) {
      // A value that is not in one word with its key may still be the initial one.
      value const seen = map_.value_or(k, fixed_value(i));
      return seen == fixed_value(i) || (!Map::is_packed && seen == map_.initial());
    }
    state const did = is_fixed    ? map_.insert(k, fixed_value(i)).state
                      : what == 0 ? map_.insert(k, v).state
                      : what == 1 ? map_.insert_or_assign(k, v).state
                      : what == 2 ? map_.insert_or_add(k, v).state
                                  : map_.insert_or_min(k, v).state;
    if (did == state::inserted) farpoint::atomic_add(live_ + i, std::uint32_t{1});
    return did != state::refused;
  }

  Map map_;
  std::uint32_t rank_;
  std::uint64_t seed_;
  std::uint32_t* live_;
};

/// True when a map holds what the threads' models say.
/// @param entries  the map's keys
/// @param model    `[threads, own_keys]`
/// @param live     `[shared_keys]`
template <class Map>
bool agrees_with_models(std::vector<hash_map_entry<typename Map::key_type, typename Map::value_type>> const& entries,
                        std::vector<modeled_key<typename Map::value_type>> const& model,
                        std::vector<std::uint32_t> const& live) {
  using calls = random_calls<Map>;
  std::unordered_map<typename Map::key_type, typename Map::value_type> contents;
  for (auto const& entry : entries) {
    if (!contents.emplace(entry.key, entry.value).second) return false;
  }
  std::size_t expected = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    auto const rank = static_cast<std::uint32_t>(i / own_keys);
    auto const at = contents.find(calls::own_key(rank, static_cast<int>(i % own_keys)));
    if ((at != contents.end()) != model[i].is_there) return false;
    if (!model[i].is_there) continue;
    ++expected;
    if (at->second != model[i].value) return false;
  }
  for (int i = 0; i < shared_keys; ++i) {
    auto const at = contents.find(calls::shared_key(i));
    bool const is_there = at != contents.end();
    if (live[static_cast<std::size_t>(i)] != (is_there ? 1u : 0u)) return false;
    if (!is_there) continue;
    ++expected;
    if (i < shared_keys / 2 && at->second != calls::fixed_value(i)) return false;
  }
  return contents.size() == expected;
}

}  // namespace farpoint_tests
