// The memory of one call, in host or device memory, so that one description of a call runs on both backends.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "poison.hpp"

namespace farpoint_tests {

/// Memory space of host_exec.
struct host_space {
  /// Bytes on each side of an array that must not be written.
  static constexpr std::size_t guard = 4096;
  static constexpr std::align_val_t alignment{256};

  static void* allocate(std::size_t size) { return ::operator new(size, alignment); }
  static void release(void* memory) { ::operator delete(memory, alignment); }
  static void fill(void* memory, unsigned char byte, std::size_t size) { std::memset(memory, byte, size); }
  static void upload(void* to, void const* from, std::size_t size) { std::memcpy(to, from, size); }
  static void download(void* to, void const* from, std::size_t size) { std::memcpy(to, from, size); }
};

/// Memory between two guards that show a write out of bounds.
template <class Space>
class guarded_memory {
 public:
  explicit guarded_memory(std::size_t size) : size_{size}, memory_{Space::allocate(size + 2 * guard)} { wipe(); }

  void* data() const { return bytes() + guard; }
  std::size_t size() const { return size_; }
  /// Fills all bytes, guards included, with poison.
  void wipe() const { Space::fill(memory_.get(), poison, size_ + 2 * guard); }
  std::vector<unsigned char> download() const { return download(guard, size_); }
  /// Returns true if no guard byte was written.
  bool intact() const { return is_poison(download(0, guard)) && is_poison(download(guard + size_, guard)); }

 private:
  static constexpr std::size_t guard = Space::guard;
  struct deleter {
    void operator()(void* memory) const { Space::release(memory); }
  };

  unsigned char* bytes() const { return static_cast<unsigned char*>(memory_.get()); }
  std::vector<unsigned char> download(std::size_t begin, std::size_t size) const {
    std::vector<unsigned char> copy(size);
    if (size != 0) Space::download(copy.data(), bytes() + begin, size);
    return copy;
  }
  static bool is_poison(std::vector<unsigned char> const& copy) {
    for (unsigned char const byte : copy) {
      if (byte != poison) return false;
    }
    return true;
  }

  std::size_t size_;
  std::unique_ptr<void, deleter> memory_;
};

/// Arrays of a call. A call requests arrays in a fixed order each time it runs: request n gets array n. Only the first
/// run allocates.
template <class Space>
class call_memory {
 public:
  /// Starts a run: the next request gets array 0.
  void rewind() { next_ = 0; }

  /// Returns a copy of `values` in this memory space.
  template <class T>
  farpoint::span<T const> input(std::vector<T> const& values) {
    std::size_t const count = arrays_.size();
    auto const copy = request<T>(use::input, values.size());
    if (arrays_.size() > count && !values.empty()) {
      Space::upload(arrays_.back().memory.data(), values.data(), values.size() * sizeof(T));
    }
    return {copy.data(), copy.size()};
  }
  /// Returns an array whose bytes are compared between backends.
  template <class T>
  farpoint::span<T> output(std::size_t count) {
    return request<T>(use::output, count);
  }
  /// Returns a workspace, or another array whose bytes may differ between runs.
  template <class T = unsigned char>
  farpoint::span<T> scratch(std::size_t count) {
    return request<T>(use::scratch, count);
  }

  /// Refills the outputs with poison.
  void wipe_outputs() const {
    for (auto const& one : arrays_) {
      if (one.is == use::output) one.memory.wipe();
    }
  }
  /// Returns all bytes of all outputs, including bytes that no run has written.
  std::vector<std::vector<unsigned char>> outputs() const {
    std::vector<std::vector<unsigned char>> all;
    for (auto const& one : arrays_) {
      if (one.is == use::output) all.push_back(one.memory.download());
    }
    return all;
  }
  bool intact() const {
    for (auto const& one : arrays_) {
      if (!one.memory.intact()) return false;
    }
    return true;
  }

 private:
  enum class use { input, output, scratch };
  struct array {
    use is;
    guarded_memory<Space> memory;
  };

  template <class T>
  farpoint::span<T> request(use is, std::size_t count) {
    if (next_ == arrays_.size()) arrays_.push_back({is, guarded_memory<Space>{count * sizeof(T)}});
    auto& found = arrays_[next_++];
    // The size of a workspace may differ between streams.
    if (found.is == is && is == use::scratch && found.memory.size() != count * sizeof(T)) {
      found.memory = guarded_memory<Space>{count * sizeof(T)};
    }
    if (found.is != is || found.memory.size() != count * sizeof(T)) {
      throw std::logic_error{"a repeated call asks for other memory"};
    }
    return {static_cast<T*>(found.memory.data()), count};
  }

  std::vector<array> arrays_;
  std::size_t next_ = 0;
};

}  // namespace farpoint_tests
