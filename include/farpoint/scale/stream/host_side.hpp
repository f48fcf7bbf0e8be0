/// @file
/// Arrays of the host in a call on shards, and the exchange of counts that the execution computes.
#pragma once

#include <farpoint/scale/shard_backend.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of ranks of a call. On a stream the host's arrays are on the caller's stack, and must fit.
template <class Exec>
inline constexpr int shard_max_ranks = 120;
template <>
inline constexpr int shard_max_ranks<host_exec> = max_ranks;

/// Array that only the host uses: in the object, or in the workspace if that is host memory.
template <class Exec, class T, int Most>
class host_array {
 public:
  host_array(workspace_cutter&, index_t) noexcept {}
  T* data() noexcept { return values_; }
  T const* data() const noexcept { return values_; }

 private:
  T values_[std::size_t{Most}];
};
template <class T, int Most>
class host_array<host_exec, T, Most> {
 public:
  host_array(workspace_cutter& cutter, index_t size) noexcept : values_{cutter.take<T>(size)} {}
  T* data() noexcept { return values_; }
  T const* data() const noexcept { return values_; }

 private:
  T* values_;
};

/// Array of the execution that the host reads: a copy, or the array itself if it is host memory.
template <class Exec, class T, int Most>
class host_copy {
 public:
  /// Waits for everything enqueued before.
  template <class Communicator>
  result read(Exec exec, Communicator& communicator, T const* from, int size) noexcept {
    return shard_backend<Exec>::read(exec, communicator, values_, from, static_cast<std::size_t>(size) * sizeof(T));
  }
  T* data() noexcept { return values_; }
  T const* data() const noexcept { return values_; }

 private:
  T values_[std::size_t{Most}];
};
template <class T, int Most>
class host_copy<host_exec, T, Most> {
 public:
  template <class Communicator>
  result read(host_exec, Communicator&, T const* from, int) noexcept {
    values_ = from;
    return {};
  }
  T const* data() const noexcept { return values_; }

 private:
  T const* values_ = nullptr;
};

/// Bytes of a message of a header and counts.
template <class Header, class Count>
constexpr std::size_t first_message_bytes(int counts) noexcept {
  return divide_up(sizeof(Header) + static_cast<std::size_t>(counts) * sizeof(Count), alignof(Header)) *
         alignof(Header);
}

/// Headers and counts of all ranks, before the ranks agree on the arguments. The host of a stream would wait twice for
/// two exchanges, so each rank sends its counts with its header.
/// @tparam Most  largest number of counts of a rank
template <class Exec, class Header, class Count, int Most>
class first_counts {
 public:
  /// @param size  number of counts of a rank
  first_counts(workspace_cutter& cutter, int ranks, int size) noexcept
      : bytes_{first_message_bytes<Header, Count>(size)},
        own_{cutter.take<unsigned char>(static_cast<index_t>(bytes_))},
        all_{cutter.take<unsigned char>(ranks * static_cast<index_t>(bytes_))} {}

  /// This rank's counts, in memory of the execution.
  Count* own() const noexcept { return reinterpret_cast<Count*>(own_ + sizeof(Header)); }

  /// Gathers the headers.
  /// @param accepted  false if the rank refuses its arguments: it has no counts and perhaps no workspace
  template <class Communicator>
  result exchange_headers(Exec exec, Communicator& communicator, bool accepted, Header const& mine,
                          Header* headers) noexcept {
    using backend = shard_backend<Exec>;
    result done;
    if (accepted) {
      done = backend::write(exec, communicator, own_, &mine, sizeof mine);
      if (done) done = communicator.all_gather(own_, all_, bytes_);
      if (done) done = messages_.read(exec, communicator, all_, communicator.ranks() * static_cast<int>(bytes_));
    } else {
      unsigned char message[max_bytes] = {};
      std::memcpy(message, &mine, sizeof mine);
      done = backend::all_gather(exec, communicator, message, messages_.data(), bytes_, {});
    }
    for (int r = 0; r < communicator.ranks() && done; ++r) std::memcpy(headers + r, message_of(r), sizeof mine);
    return done;
  }
  /// Gathers the counts. All ranks have agreed.
  template <class Communicator>
  result exchange_counts(Communicator&) noexcept {
    return {};
  }

  Count operator()(int rank, int i) const noexcept {
    Count count;
    std::memcpy(&count, message_of(rank) + sizeof(Header) + static_cast<std::size_t>(i) * sizeof count, sizeof count);
    return count;
  }

 private:
  static constexpr std::size_t max_bytes = first_message_bytes<Header, Count>(Most);

  unsigned char const* message_of(int rank) const noexcept {
    return messages_.data() + static_cast<std::size_t>(rank) * bytes_;
  }

  std::size_t bytes_;  ///< bytes of a message
  unsigned char* own_;
  unsigned char* all_;
  host_copy<Exec, unsigned char, shard_max_ranks<Exec>* static_cast<int>(max_bytes)> messages_;
};

/// Two exchanges: a rank that refuses its arguments has no room for the counts of many ranks.
template <class Header, class Count, int Most>
class first_counts<host_exec, Header, Count, Most> {
 public:
  first_counts(workspace_cutter& cutter, int ranks, int size) noexcept
      : size_{static_cast<std::size_t>(size)},
        own_{cutter.take<Count>(size)},
        all_{cutter.take<Count>(index_t{ranks} * size)} {}

  Count* own() const noexcept { return own_; }

  template <class Communicator>
  result exchange_headers(host_exec, Communicator& communicator, bool, Header const& mine, Header* headers) noexcept {
    return communicator.all_gather(&mine, headers, sizeof mine);
  }
  template <class Communicator>
  result exchange_counts(Communicator& communicator) noexcept {
    return communicator.all_gather(own_, all_, size_ * sizeof(Count));
  }

  Count operator()(int rank, int i) const noexcept {
    return all_[static_cast<std::size_t>(rank) * size_ + static_cast<std::size_t>(i)];
  }

 private:
  std::size_t size_;
  Count* own_;
  Count* all_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
