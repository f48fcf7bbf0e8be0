/// @file
/// Agreement on arguments if part of each rank's first message is computed by a stream.
#pragma once

#include <farpoint/scale/shard_backend.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of ranks of a call on shards in device memory: the first messages must fit on the caller's stack.
inline constexpr int max_stream_ranks = 120;

/// Bytes of a first message: a header, and `tail` bytes after it.
template <class Header>
constexpr std::size_t first_message_bytes(std::size_t tail) noexcept {
  return divide_up(sizeof(Header) + tail, alignof(Header)) * alignof(Header);
}

/// First messages of all ranks of a call: headers, which the host writes, and tails, which the stream computes.
/// @tparam MostTail  largest number of bytes of a tail
template <class Header, std::size_t MostTail>
class first_messages {
 public:
  static constexpr std::size_t max_bytes = first_message_bytes<Header>(MostTail);

  explicit first_messages(std::size_t tail) noexcept : size_{first_message_bytes<Header>(tail)} {}

  /// Bytes of one message.
  std::size_t size() const noexcept { return size_; }
  unsigned char* memory() noexcept { return memory_; }

  Header header(int rank) const noexcept { return load<Header>(rank, 0); }
  /// Element of a rank's tail.
  template <class T>
  T tail(int rank, int element) const noexcept {
    return load<T>(rank, sizeof(Header) + static_cast<std::size_t>(element) * sizeof(T));
  }

 private:
  template <class T>
  T load(int rank, std::size_t at) const noexcept {
    T value;
    std::memcpy(&value, memory_ + static_cast<std::size_t>(rank) * size_ + at, sizeof value);
    return value;
  }

  std::size_t size_;
  unsigned char memory_[max_stream_ranks * max_bytes];
};

/// Communicator for agree_on_arguments() whose one exchange also gathers the tails.
template <class Exec, class Communicator, class Messages>
class stream_telling {
 public:
  /// @param mine      this rank's message in memory of the execution, with the tail; null if the rank's arguments are
  ///                  refused
  /// @param all       `[ranks]` messages: buffer in the same memory
  /// @param messages  receives the messages of all ranks
  stream_telling(Exec exec, Communicator& communicator, unsigned char* mine, unsigned char* all,
                 Messages& messages) noexcept
      : exec_{exec}, communicator_{communicator}, mine_{mine}, all_{all}, messages_{messages} {}

  int ranks() const noexcept { return communicator_.ranks(); }
  int rank() const noexcept { return communicator_.rank(); }

  /// @param size  bytes of a header
  result all_gather(void const* header, void* headers, std::size_t size) noexcept {
    result const done = mine_ == nullptr ? refuse(header, size) : tell(header, size);
    for (int r = 0; r < ranks() && done; ++r) {
      auto const other = messages_.header(r);
      std::memcpy(static_cast<unsigned char*>(headers) + static_cast<std::size_t>(r) * size, &other, size);
    }
    return done;
  }

 private:
  using backend = shard_backend<Exec>;

  result tell(void const* header, std::size_t size) noexcept {
    result done = backend::write(exec_, communicator_, mine_, header, size);
    if (done) done = communicator_.all_gather(mine_, all_, messages_.size());
    if (!done) return done;
    return backend::read(exec_, communicator_, messages_.memory(), all_,
                         static_cast<std::size_t>(ranks()) * messages_.size());
  }
  result refuse(void const* header, std::size_t size) noexcept {
    unsigned char own[Messages::max_bytes] = {};
    std::memcpy(own, header, size);
    return backend::tell(exec_, communicator_, own, messages_.memory(), messages_.size(), {});
  }

  Exec exec_;
  Communicator& communicator_;
  unsigned char* mine_;
  unsigned char* all_;
  Messages& messages_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
