/// @file
/// A row of hash_map: keys, a contender's memory, and the checks before anything is timed. Needs nvcc.
#pragma once

#include "hash_map/contenders.cuh"
#include "support/cuda_handles.hpp"

#include <farpoint/container/hash.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Input, outputs and one contender.
template <class Contender>
class hash_map_problem {
 public:
  using key_type = typename Contender::key_type;

  /// @param first  arguments of the contender's constructor that come before the sizes
  template <class... First>
  explicit hash_map_problem(hash_map_row const& row, First const&... first)
      : size_{row.keys},
        contender_{first..., row.distinct(), row.load, row.keys},
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
  /// True if the contender has calls that return slots, and insert_keys().
  static constexpr bool has_slots = Contender::has_slots;
  void insert_keys(cudaStream_t stream) const { contender_.insert_keys(stream, keys_.data(), size_); }
  void find_or_insert(cudaStream_t stream) const {
    contender_.find_or_insert(stream, keys_.data(), slots_.data(), size_);
  }
  void find_slots(cudaStream_t stream) const { contender_.find_slots(stream, keys_.data(), slots_.data(), size_); }
  void find(cudaStream_t stream) const { contender_.find(stream, keys_.data(), found_.data(), size_); }

  /// Throws unless all operations work. The table is full afterwards.
  void verify() const {
    if constexpr (has_slots) verify_slots();
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
  void verify_slots() const {
    clear(stream());
    find_or_insert(stream());
    expect_slots("find_or_insert");
    find_slots(stream());
    expect_slots("find_slots");
    clear(stream());
    insert_keys(stream());
    find_slots(stream());
    expect_slots("insert_keys");
  }

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
  Contender contender_;
  device_buffer<key_type> keys_;
  device_buffer<std::uint32_t> values_;
  device_buffer<std::uint32_t> found_;
  device_buffer<std::int32_t> slots_;
};

}  // namespace farpoint_bench
