// Layout of the arrays of a host-memory call in device memory, and their copies to and from the device.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/features.hpp>
#include <farpoint/core/index_span.hpp>

#include "thread_memory.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Rows of an output that a call has written.
struct written_rows {
  int counter = -1;      ///< number of a counter that frame::count_rows() returned; -1 for all rows
  index_t extra = 0;     ///< number of rows in addition to the counter's value
  std::size_t size = 0;  ///< bytes per row
};

/// Layout of the arrays of a call in device memory, one after another, and their copies. A call names its arrays twice:
/// after `measure()` to add sizes up, and after `place()` to get addresses.
///
/// Pageable arrays are copied through the thread's page-locked slots, one copy for each slot. Large page-locked arrays
/// are copied directly. A frame allocates nothing.
///
/// Example: pageable inputs of 300,000, 100,000 and 200,000 bytes begin at 0, 300,032 and 400,128, aligned to 256
/// bytes. A slot of 524,288 bytes takes the first two and 124,160 bytes of the third, gaps included; a second slot
/// takes the rest. Two copies send all three.
class frame {
 public:
  explicit frame(thread_memory& memory) noexcept : memory_{memory} {}

  /// Begins the first pass, which adds sizes up; its addresses must not be used.
  void measure() noexcept { start(reinterpret_cast<unsigned char*>(alignment), false); }
  /// Reserves the measured memory, and begins the second pass. Fails if the call has more arrays than a frame holds.
  cudaError_t place() noexcept {
    if (is_full_) return cudaErrorInvalidConfiguration;
    cudaError_t const error = memory_.reserve(used_);
    if (error == cudaSuccess) start(memory_.device_memory(), true);
    return error;
  }

  /// Adds an input of `count` elements that `write(source, first, count, to)` makes from `*source`, which must live
  /// until upload().
  void* input(void const* source, index_t count, std::size_t element,
              void (*write)(void const*, index_t, index_t, void*)) noexcept {
    unsigned char* const at = take(static_cast<std::size_t>(count) * element);
    if (count > 0) append(inputs_, input_count_, input_array{at, source, count, element, write, false});
    return at;
  }
  /// Adds an input of `size` bytes. Bytes of an earlier input are not copied again: points are often features or
  /// queries, too.
  void* input(void const* source, std::size_t size) noexcept {
    if (void* const there = find_input(source, size)) return there;
    void* const at = input(source, static_cast<index_t>(size), 1, nullptr);
    if (size > 0 && !is_full_) inputs_[input_count_ - 1].is_shared = true;
    return at;
  }
  /// Returns the device address of bytes that are part of an earlier input, or null.
  void* find_input(void const* source, std::size_t size) const noexcept {
    auto const begin = reinterpret_cast<std::uintptr_t>(source);
    for (int i = 0; i < input_count_; ++i) {
      auto const from = reinterpret_cast<std::uintptr_t>(inputs_[i].source);
      bool const is_part = size > 0 && inputs_[i].is_shared && begin >= from &&
                           begin + size <= from + static_cast<std::uintptr_t>(inputs_[i].count);
      if (is_part) return inputs_[i].at + (begin - from);
    }
    return nullptr;
  }
  template <class T>
  T* input(T const* values, std::size_t count) noexcept {
    return static_cast<T*>(input(static_cast<void const*>(values), count * sizeof(T)));
  }
  template <class T>
  span<T const> input(span<T const> values) noexcept {
    return {input(values.data(), values.size()), values.size()};
  }
  /// Adds an input of indices, widened to 64 bits; `indices` must live until upload().
  index_view input(index_view const& indices) noexcept {
    auto const widen = [](void const* source, index_t first, index_t count, void* to) {
      auto const& from = *static_cast<index_view const*>(source);
      for (index_t i = 0; i < count; ++i) static_cast<index_t*>(to)[i] = from[first + i];
    };
    void* const at = input(&indices, indices.size(), sizeof(index_t), widen);
    return span<index_t const>{static_cast<index_t const*>(at), static_cast<std::size_t>(indices.size())};
  }

  /// Adds a counter: a number of rows that the call writes to device memory. Returns the number of the counter.
  int count_rows(index_span number) noexcept {
    append(counters_, counter_count_, counter{number, -1, 0});
    return counter_count_ - 1;
  }
  /// Adds a counter: the element of `numbers` at the position that counter `other` gives.
  int count_rows_by(index_span numbers, int other) noexcept {
    append(counters_, counter_count_, counter{numbers, other, 0});
    return counter_count_ - 1;
  }

  /// Adds an output of `size` bytes.
  /// @param keep  true if the call may leave some bytes unchanged: the caller's bytes are then copied to the device
  ///   first
  void* output(void* host, std::size_t size, bool keep = false, written_rows rows = {}) noexcept {
    unsigned char* const at = take(size);
    if (size == 0) return at;
    // Not shared with other inputs, because the call writes it.
    if (keep) append(inputs_, input_count_, input_array{at, host, static_cast<index_t>(size), 1, nullptr, false});
    append(outputs_, output_count_, output_array{at, static_cast<unsigned char*>(host), size, rows});
    return at;
  }
  /// Adds an output of `count` rows of `row` elements. An empty output is not copied.
  template <class T>
  span<T> output(span<T> values, index_t count, index_t row = 1, bool keep = false, written_rows rows = {}) noexcept {
    auto const used = static_cast<std::size_t>(values.empty() ? 0 : count * row);
    rows.size = static_cast<std::size_t>(row) * sizeof(T);
    return {static_cast<T*>(output(values.data(), used * sizeof(T), keep, rows)), used};
  }
  index_span output(index_span values, index_t count, index_t row = 1, bool keep = false,
                    written_rows rows = {}) noexcept {
    auto const size = static_cast<std::size_t>(values.size());
    if (values.wide()) {
      return output(span<std::int64_t>{static_cast<std::int64_t*>(values.data()), size}, count, row, keep, rows);
    }
    return output(span<std::int32_t>{static_cast<std::int32_t*>(values.data()), size}, count, row, keep, rows);
  }
  /// Adds a report; returns null if `report` is null.
  template <class Report>
  Report* output(Report* report) noexcept {
    if (report == nullptr) return nullptr;
    return static_cast<Report*>(output(static_cast<void*>(report), sizeof(Report)));
  }

  /// Adds device memory of `size_of()` bytes that is not copied. `size_of` is called once, because it chooses kernels.
  template <class SizeOf>
  bytes scratch(SizeOf const& size_of) noexcept {
    if (!placed_) scratch_ = size_of();
    return {take(scratch_), scratch_};
  }

  /// Enqueues the copies of all inputs.
  cudaError_t upload() noexcept;
  /// Copies all outputs back, and waits for the stream.
  cudaError_t download() noexcept;

 private:
  static constexpr std::size_t alignment = 256;
  static constexpr int max_arrays = 24;
  /// Minimum size of page-locked arrays that are copied without a slot.
  static constexpr std::size_t direct_bytes = std::size_t{256} * 1024;

  struct input_array {
    unsigned char* at;
    void const* source;
    index_t count;
    std::size_t element;
    void (*write)(void const*, index_t, index_t, void*);  ///< null for a copy of bytes
    bool is_shared;                                       ///< true if other inputs may be part of this one
  };
  struct output_array {
    unsigned char* at;
    unsigned char* host;
    std::size_t size;
    written_rows rows;
  };
  struct counter {
    index_span numbers;
    int place;  ///< number of the counter whose value is the position in `numbers`; -1 for position 0
    index_t value;
  };
  /// Position of a byte: an output, and an offset in it.
  struct cursor {
    int array;
    std::size_t offset;
  };
  /// Adjacent bytes on the device that one copy transfers.
  struct part {
    cursor begin;
    unsigned char* at;
    std::size_t size;
  };

  /// Appends to one of the arrays below, or records that it is full.
  template <class T, int Room>
  void append(T (&list)[Room], int& count, T const& item) noexcept {
    is_full_ = is_full_ || count == Room;
    if (count < Room) list[count++] = item;
  }

  void start(unsigned char* base, bool placed) noexcept {
    is_full_ = false;
    base_ = base;
    placed_ = placed;
    used_ = 0;
    input_count_ = 0;
    output_count_ = 0;
    counter_count_ = 0;
  }
  unsigned char* take(std::size_t size) noexcept {
    unsigned char* const at = base_ + used_;
    used_ += (size + alignment - 1) / alignment * alignment;
    return at;
  }
  cudaError_t open_slot() noexcept;
  cudaError_t close_slot(unsigned char* at, std::size_t size) noexcept;
  cudaError_t learn_rows() noexcept;
  part next_part(cursor& from) const noexcept;
  void scatter(part const& copied, unsigned char const* slot) const noexcept;

  thread_memory& memory_;
  unsigned char* base_ = nullptr;
  bool placed_ = false;
  bool is_full_ = false;
  std::size_t used_ = 0;
  std::size_t scratch_ = 0;  ///< bytes of the call's only workspace
  input_array inputs_[max_arrays];
  output_array outputs_[max_arrays];
  int input_count_ = 0;
  counter counters_[2];
  int output_count_ = 0;
  int counter_count_ = 0;
  int next_slot_ = 0;
  bool is_busy_[thread_memory::slots] = {};
};

}  // namespace library
FARPOINT_END_NAMESPACE
