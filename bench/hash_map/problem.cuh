/// @file
/// A row of the hash map's table: keys, the contenders' memory, and the checks before anything is timed. Needs nvcc.
#pragma once

#include "peers/hash_map_rivals.cuh"
#include "support/cuda_handles.hpp"

#include <farpoint/hash_map.cuh>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace farpoint_bench {

struct hash_map_row {
  farpoint::index_t keys;  ///< entries of the input
  int multiplicity;        ///< how often each key comes up
  double load;             ///< different keys / slots
  int calls;

  farpoint::index_t distinct() const { return keys / multiplicity; }

  /// "10000000_u32_load0.5_x1"
  std::string name(int key_bits) const {
    return std::to_string(keys) + "_u" + std::to_string(key_bits) + "_load0." +
           std::to_string(static_cast<int>(load * 10 + 0.5)) + "_x" + std::to_string(multiplicity);
  }
};

inline constexpr unsigned bench_block_size = 256;
inline unsigned bench_blocks(farpoint::index_t threads) {
  return static_cast<unsigned>((threads + bench_block_size - 1) / bench_block_size);
}
__device__ inline farpoint::index_t bench_thread() {
  return farpoint::index_t{blockIdx.x} * bench_block_size + threadIdx.x;
}

/// Random keys, each equally often, copies far from each other.
template <class Key>
__global__ void make_keys_kernel(Key* keys, farpoint::index_t size, farpoint::index_t distinct) {
  farpoint::index_t const i = bench_thread();
  if (i >= size) return;
  // A prime that divides no number of keys used here.
  auto const which = static_cast<std::uint64_t>(i) * 2654435761u % static_cast<std::uint64_t>(distinct);
  Key const key = farpoint::mix_bits(static_cast<Key>((which + 1) * 0x9e3779b9u));
  keys[i] = key == static_cast<Key>(-1) ? Key{0} : key;
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

static __global__ void count_up_kernel(std::uint32_t* values, farpoint::index_t size) {
  farpoint::index_t const i = bench_thread();
  if (i < size) values[i] = static_cast<std::uint32_t>(i);
}

/// A value is the place of one of its key's copies in the input.
template <class Key>
__global__ void check_values_kernel(Key const* keys, std::uint32_t const* found, farpoint::index_t size,
                                    unsigned* wrong) {
  farpoint::index_t const i = bench_thread();
  if (i >= size) return;
  if (found[i] >= size || keys[found[i]] != keys[i]) atomicAdd(wrong, 1u);
}

/// A slot holds its key.
template <class Table, class Key>
__global__ void check_slots_kernel(Table table, Key const* keys, std::int32_t const* slots, farpoint::index_t size,
                                   unsigned* wrong) {
  farpoint::index_t const i = bench_thread();
  if (i >= size) return;
  if (slots[i] < 0 || table.key_at(static_cast<std::uint64_t>(slots[i])) != keys[i]) atomicAdd(wrong, 1u);
}

/// A rival: kernels around a table of its own.
template <template <class> class Table, class Key>
class rival {
 public:
  rival(farpoint::index_t distinct, double load)
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

template <class Key>
using published = rival<published_table, Key>;
template <class Key>
using linear = rival<linear_table, Key>;

/// farpoint's bulk calls. `Tuning` as in hash_map_ref.
template <class Key, class Tuning = farpoint::hash_map_tuning>
class farpoint_map {
 public:
  using map_type = farpoint::hash_map_ref<Key, std::uint32_t, farpoint::default_hash, Tuning>;

  struct key_reader {
    map_type map;
    __device__ Key key_at(std::uint64_t at) const { return map.key(static_cast<farpoint::index_t>(at)); }
  };

  farpoint_map(farpoint::index_t distinct, double load)
      : buckets_{static_cast<std::size_t>(map_type::buckets_for(distinct, load))} {}

  map_type map() const { return map_type{{buckets_.data(), buckets_.size()}}; }
  key_reader table() const { return {map()}; }

  void clear(cudaStream_t stream) const {
    check(farpoint::hash_map_clear(farpoint::cuda_exec{stream}, map()), "farpoint::hash_map_clear");
  }
  void insert(cudaStream_t stream, Key const* keys, std::uint32_t const* values, farpoint::index_t size) const {
    auto const n = static_cast<std::size_t>(size);
    check(farpoint::hash_map_insert(farpoint::cuda_exec{stream}, map(), {keys, n}, {values, n}),
          "farpoint::hash_map_insert");
  }
  void insert_keys(cudaStream_t stream, Key const* keys, farpoint::index_t size) const {
    check(farpoint::hash_map_insert_keys(farpoint::cuda_exec{stream}, map(), {keys, static_cast<std::size_t>(size)}),
          "farpoint::hash_map_insert_keys");
  }
  void find_or_insert(cudaStream_t stream, Key const* keys, std::int32_t* slots, farpoint::index_t size) const {
    farpoint::span<std::int32_t> const all{slots, static_cast<std::size_t>(size)};
    check(farpoint::hash_map_find_or_insert(farpoint::cuda_exec{stream}, map(), {keys, all.size()}, all),
          "farpoint::hash_map_find_or_insert");
  }
  void find_slots(cudaStream_t stream, Key const* keys, std::int32_t* slots, farpoint::index_t size) const {
    farpoint::span<std::int32_t> const all{slots, static_cast<std::size_t>(size)};
    check(farpoint::hash_map_find_slots(farpoint::cuda_exec{stream}, map(), {keys, all.size()}, all),
          "farpoint::hash_map_find_slots");
  }
  void find(cudaStream_t stream, Key const* keys, std::uint32_t* values, farpoint::index_t size) const {
    auto const n = static_cast<std::size_t>(size);
    check(farpoint::hash_map_find(farpoint::cuda_exec{stream}, map(), {keys, n}, ~0u, {values, n}),
          "farpoint::hash_map_find");
  }

 private:
  device_buffer<farpoint::hash_map_bucket> buckets_;
};

template <farpoint::hash_map_layout Layout, int Window, int KeysPerThread>
struct tuned : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = Layout;
  static constexpr int window_slots = Window;
  static constexpr int keys_per_thread = KeysPerThread;
};

template <class Key>
using farpoint_default = farpoint_map<Key>;
template <class Key>
using pairs_4 = farpoint_map<Key, tuned<farpoint::hash_map_layout::pairs, 4, 4>>;
/// Never more than one pass over the keys.
struct one_pass : farpoint::hash_map_tuning {
  static constexpr int passes(farpoint::hash_map_case const&) noexcept { return 1; }
};
struct split_one_pass : one_pass {
  static constexpr farpoint::hash_map_layout layout = farpoint::hash_map_layout::split;
};
template <class Key>
using pairs_one_pass = farpoint_map<Key, one_pass>;
template <class Key>
using split_1_one_pass = farpoint_map<Key, split_one_pass>;
/// Half a bucket at a time.
template <class Key>
using window_2 = farpoint_map<Key, tuned<farpoint::hash_map_layout::pairs, 2, 1>>;
template <class Key>
using window_2_4 = farpoint_map<Key, tuned<farpoint::hash_map_layout::pairs, 2, 4>>;
template <class Key>
using sectors_1 = farpoint_map<Key, tuned<farpoint::hash_map_layout::sectors, 4, 1>>;
template <class Key>
using sectors_2 = farpoint_map<Key, tuned<farpoint::hash_map_layout::sectors, 4, 2>>;
template <class Key>
using sectors_4 = farpoint_map<Key, tuned<farpoint::hash_map_layout::sectors, 4, 4>>;
template <class Key>
using split_1 = farpoint_map<Key, tuned<farpoint::hash_map_layout::split, 4, 1>>;
template <class Key>
using split_4 = farpoint_map<Key, tuned<farpoint::hash_map_layout::split, 4, 4>>;

/// find() as it must be beside other calls that change the map.
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

/// Input, outputs and one contender.
template <template <class> class Contender, class Key>
class hash_map_problem {
 public:
  explicit hash_map_problem(hash_map_row const& row)
      : size_{row.keys},
        contender_{row.distinct(), row.load},
        keys_{static_cast<std::size_t>(size_)},
        values_{keys_.size()},
        found_{keys_.size()},
        slots_{keys_.size()} {
    make_keys_kernel<<<bench_blocks(size_), bench_block_size, 0, stream()>>>(keys_.data(), size_, row.distinct());
    check(cudaGetLastError(), "make_keys_kernel");
    count_up_kernel<<<bench_blocks(size_), bench_block_size, 0, stream()>>>(values_.data(), size_);
    check(cudaGetLastError(), "count_up_kernel");
  }

  cudaStream_t stream() const { return stream_.get(); }
  void clear(cudaStream_t stream) const { contender_.clear(stream); }
  void insert(cudaStream_t stream) const { contender_.insert(stream, keys_.data(), values_.data(), size_); }
  void insert_keys(cudaStream_t stream) const { contender_.insert_keys(stream, keys_.data(), size_); }
  void find_or_insert(cudaStream_t stream) const {
    contender_.find_or_insert(stream, keys_.data(), slots_.data(), size_);
  }
  void find_slots(cudaStream_t stream) const { contender_.find_slots(stream, keys_.data(), slots_.data(), size_); }
  void find(cudaStream_t stream) const { contender_.find(stream, keys_.data(), found_.data(), size_); }

  /// Throws unless all operations give right answers. The table is full afterwards.
  void verify() const {
    clear(stream());
    find_or_insert(stream());
    expect_slots("find_or_insert");
    find_slots(stream());
    expect_slots("find_slots");
    clear(stream());
    insert_keys(stream());
    find_slots(stream());
    expect_slots("insert_keys");
    clear(stream());
    check(cudaMemsetAsync(found_.data(), 0xff, found_.size() * sizeof(std::uint32_t), stream()), "cudaMemsetAsync");
    insert(stream());
    find(stream());
    expect_none(
        [&](unsigned* wrong) {
          check_values_kernel<<<bench_blocks(size_), bench_block_size, 0, stream()>>>(keys_.data(), found_.data(),
                                                                                      size_, wrong);
        },
        "insert and find");
  }

 private:
  /// Every key's slot holds it. Forgets the slots.
  void expect_slots(char const* what) const {
    expect_none(
        [&](unsigned* wrong) {
          check_slots_kernel<<<bench_blocks(size_), bench_block_size, 0, stream()>>>(contender_.table(), keys_.data(),
                                                                                     slots_.data(), size_, wrong);
        },
        what);
    check(cudaMemsetAsync(slots_.data(), 0xff, slots_.size() * sizeof(std::int32_t), stream()), "cudaMemsetAsync");
  }

  template <class Check>
  void expect_none(Check&& launch, char const* what) const {
    device_buffer<unsigned> const wrong{std::vector<unsigned>(1, 0u)};
    launch(wrong.data());
    check(cudaGetLastError(), what);
    check(cudaStreamSynchronize(stream()), what);
    unsigned const count = wrong.download()[0];
    if (count != 0) throw std::runtime_error{"MISMATCH, " + std::string{what} + ": " + std::to_string(count) + " keys"};
  }

  farpoint::index_t size_;
  owned_stream stream_;
  Contender<Key> contender_;
  device_buffer<Key> keys_;
  device_buffer<std::uint32_t> values_;
  device_buffer<std::uint32_t> found_;
  device_buffer<std::int32_t> slots_;
};

}  // namespace farpoint_bench
