/// @file
/// Contenders: the rivals' tables with a thread per key, and farpoint's bulk calls. Needs nvcc.
#pragma once

#include "peers/external/device_peers.hpp"
#include "peers/hash_map_rivals.cuh"
#include "support/cuda_handles.hpp"

#include <farpoint/hash_map.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace farpoint_bench {

inline constexpr unsigned bench_block_size = 256;
inline unsigned bench_blocks(farpoint::index_t threads) {
  return static_cast<unsigned>((threads + bench_block_size - 1) / bench_block_size);
}
__device__ inline farpoint::index_t bench_thread() {
  return farpoint::index_t{blockIdx.x} * bench_block_size + threadIdx.x;
}

template <class Table, class Key>
__global__ void insert_kernel(Table table, Key const* keys, std::uint32_t const* values, farpoint::index_t size) {
  farpoint::index_t const i = bench_thread();
  if (i < size) table.insert(keys[i], values[i]);
}
template <class Table, class Key>
__global__ void insert_keys_kernel(Table table, Key const* keys, farpoint::index_t size) {
  farpoint::index_t const i = bench_thread();
  if (i < size) table.find_or_insert(keys[i]);
}
template <class Table, class Key>
__global__ void find_or_insert_kernel(Table table, Key const* keys, std::int32_t* slots, farpoint::index_t size) {
  farpoint::index_t const i = bench_thread();
  if (i < size) slots[i] = static_cast<std::int32_t>(table.find_or_insert(keys[i]));
}
template <class Table, class Key>
__global__ void find_slots_kernel(Table table, Key const* keys, std::int32_t* slots, farpoint::index_t size) {
  farpoint::index_t const i = bench_thread();
  if (i < size) slots[i] = static_cast<std::int32_t>(table.find_slot(keys[i]));
}
template <class Table, class Key>
__global__ void find_kernel(Table table, Key const* keys, std::uint32_t missing, std::uint32_t* values,
                            farpoint::index_t size) {
  farpoint::index_t const i = bench_thread();
  if (i < size) values[i] = table.find(keys[i], missing);
}

/// A rival: kernels around a table of its own.
template <template <class> class Table, class Key>
class rival {
 public:
  using key_type = Key;
  static constexpr bool has_slots = true;

  rival(farpoint::index_t distinct, double load, farpoint::index_t)
      : slots_{static_cast<std::uint64_t>(static_cast<double>(distinct) / load) + 1},
        memory_{static_cast<std::size_t>(slots_ * Table<Key>::slot_bytes)} {}

  Table<Key> table() const { return {memory_.data(), slots_}; }

  void clear(cudaStream_t stream) const {
    check(cudaMemsetAsync(memory_.data(), 0xff, memory_.size(), stream), "cudaMemsetAsync");
  }
  void insert(cudaStream_t stream, Key const* keys, std::uint32_t const* values, farpoint::index_t size) const {
    insert_kernel<<<bench_blocks(size), bench_block_size, 0, stream>>>(table(), keys, values, size);
    check(cudaGetLastError(), "insert_kernel");
  }
  void insert_keys(cudaStream_t stream, Key const* keys, farpoint::index_t size) const {
    insert_keys_kernel<<<bench_blocks(size), bench_block_size, 0, stream>>>(table(), keys, size);
    check(cudaGetLastError(), "insert_keys_kernel");
  }
  void find_or_insert(cudaStream_t stream, Key const* keys, std::int32_t* slots, farpoint::index_t size) const {
    find_or_insert_kernel<<<bench_blocks(size), bench_block_size, 0, stream>>>(table(), keys, slots, size);
    check(cudaGetLastError(), "find_or_insert_kernel");
  }
  void find_slots(cudaStream_t stream, Key const* keys, std::int32_t* slots, farpoint::index_t size) const {
    find_slots_kernel<<<bench_blocks(size), bench_block_size, 0, stream>>>(table(), keys, slots, size);
    check(cudaGetLastError(), "find_slots_kernel");
  }
  void find(cudaStream_t stream, Key const* keys, std::uint32_t* values, farpoint::index_t size) const {
    find_kernel<<<bench_blocks(size), bench_block_size, 0, stream>>>(table(), keys, ~0u, values, size);
    check(cudaGetLastError(), "find_kernel");
  }

 private:
  std::uint64_t slots_;
  device_buffer<unsigned char> memory_;
};

/// A map of another library.
template <class Key>
class external_map {
 public:
  using key_type = Key;
  static constexpr bool has_slots = false;

  external_map(device_peer<device_map<Key>> const& peer, farpoint::index_t distinct, double load,
               farpoint::index_t keys)
      : map_{peer.make(
            {static_cast<std::size_t>(static_cast<double>(distinct) / load) + 1, static_cast<std::size_t>(keys)})} {}

  void clear(cudaStream_t stream) const { map_->clear(stream); }
  /// The peer makes pairs of keys and values before its first call.
  void insert(cudaStream_t stream, Key const* keys, std::uint32_t const* values, farpoint::index_t) const {
    if (!has_pairs_) map_->prepare(stream, keys, values);
    has_pairs_ = true;
    map_->insert(stream);
  }
  void find(cudaStream_t stream, Key const* keys, std::uint32_t* values, farpoint::index_t) const {
    map_->find(stream, keys, values);
  }

 private:
  std::unique_ptr<device_map<Key>> map_;
  mutable bool has_pairs_ = false;
};

/// farpoint's bulk calls. `Tuning` as in hash_map_ref.
template <class Key, class Tuning = farpoint::hash_map_tuning>
class farpoint_map {
 public:
  using key_type = Key;
  static constexpr bool has_slots = true;
  using map_type = farpoint::hash_map_ref<Key, std::uint32_t, farpoint::default_hash, Tuning>;

  struct key_reader {
    map_type map;
    __device__ Key key_at(std::uint64_t at) const { return map.key(static_cast<farpoint::index_t>(at)); }
  };

  /// @param keys  of each call
  farpoint_map(farpoint::index_t distinct, double load, farpoint::index_t keys)
      : buckets_{static_cast<std::size_t>(map_type::buckets_for(distinct, load))}, workspace_{max_workspace(keys)} {}

  map_type map() const { return map_type{{buckets_.data(), buckets_.size()}}; }
  key_reader table() const { return {map()}; }

  void clear(cudaStream_t stream) const {
    check(farpoint::hash_map_clear(farpoint::cuda_exec{stream}, map()), "farpoint::hash_map_clear");
  }
  void insert(cudaStream_t stream, Key const* keys, std::uint32_t const* values, farpoint::index_t size) const {
    auto const n = static_cast<std::size_t>(size);
    check(farpoint::hash_map_insert(farpoint::cuda_exec{stream}, map(), {keys, n}, {values, n}, nullptr, workspace()),
          "farpoint::hash_map_insert");
  }
  void insert_keys(cudaStream_t stream, Key const* keys, farpoint::index_t size) const {
    check(farpoint::hash_map_insert_keys(farpoint::cuda_exec{stream}, map(), {keys, static_cast<std::size_t>(size)},
                                         nullptr, workspace()),
          "farpoint::hash_map_insert_keys");
  }
  void find_or_insert(cudaStream_t stream, Key const* keys, std::int32_t* slots, farpoint::index_t size) const {
    farpoint::span<std::int32_t> const all{slots, static_cast<std::size_t>(size)};
    check(farpoint::hash_map_find_or_insert(farpoint::cuda_exec{stream}, map(), {keys, all.size()}, all, nullptr,
                                            workspace()),
          "farpoint::hash_map_find_or_insert");
  }
  void find_slots(cudaStream_t stream, Key const* keys, std::int32_t* slots, farpoint::index_t size) const {
    farpoint::span<std::int32_t> const all{slots, static_cast<std::size_t>(size)};
    check(farpoint::hash_map_find_slots(farpoint::cuda_exec{stream}, map(), {keys, all.size()}, all, workspace()),
          "farpoint::hash_map_find_slots");
  }
  void find(cudaStream_t stream, Key const* keys, std::uint32_t* values, farpoint::index_t size) const {
    auto const n = static_cast<std::size_t>(size);
    check(farpoint::hash_map_find(farpoint::cuda_exec{stream}, map(), {keys, n}, ~0u, {values, n}, workspace()),
          "farpoint::hash_map_find");
  }

 private:
  farpoint::bytes workspace() const { return {workspace_.data(), workspace_.size()}; }

  /// Largest workspace of all calls (bytes).
  std::size_t max_workspace(farpoint::index_t keys) const {
    using call = farpoint::hash_map_call;
    std::size_t most = 0;
    for (call const each : {call::insert, call::insert_keys, call::find_or_insert, call::find, call::find_slots}) {
      most = std::max(most, farpoint::hash_map_workspace_bytes(farpoint::cuda_exec{nullptr}, map(), each, keys));
    }
    return most;
  }

  device_buffer<farpoint::hash_map_bucket> buckets_;
  device_buffer<unsigned char> workspace_;
};

/// farpoint's own tuning with another layout.
template <farpoint::hash_map_layout Layout>
struct tuned : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = Layout;
};

/// Never more than one pass over the keys, which are not sorted.
template <farpoint::hash_map_layout Layout>
struct one_pass : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = Layout;
  static constexpr int passes(farpoint::hash_map_case const&) noexcept { return 1; }
  static constexpr int max_parts = 1;
};

/// As without a workspace.
template <farpoint::hash_map_layout Layout>
struct unsorted : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = Layout;
  static constexpr int max_parts = 1;
};

/// find() for maps that concurrent calls change.
template <class Key>
class farpoint_beside_writers : public farpoint_map<Key> {
 public:
  using farpoint_map<Key>::farpoint_map;

  struct reader {
    typename farpoint_map<Key>::map_type map;
    __device__ std::uint32_t find(Key key, std::uint32_t missing) const { return map.value_or(key, missing); }
  };

  void find(cudaStream_t stream, Key const* keys, std::uint32_t* values, farpoint::index_t size) const {
    find_kernel<<<bench_blocks(size), bench_block_size, 0, stream>>>(reader{this->map()}, keys, ~0u, values, size);
    check(cudaGetLastError(), "find_kernel");
  }
};

}  // namespace farpoint_bench
