/// @file
/// A communicator for ranks that are threads of one process.
#pragma once

#include <farpoint/scale/communicator.hpp>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Shared state of the threads of a thread_communicator: one object for all ranks. It must outlive their communicators.
class thread_ranks {
 public:
  /// @param ranks    number of ranks, at least 1
  /// @param timeout  time-out of an exchange: if a rank comes later, the exchange fails on all ranks; 0 or less waits
  ///                 forever. A late rank may still read the messages of others, so free no buffers before all threads
  ///                 are joined
  /// @throws std::bad_alloc
  explicit thread_ranks(int ranks, std::chrono::milliseconds timeout = std::chrono::minutes{1})
      : timeout_{timeout}, published_(static_cast<std::size_t>(ranks > 1 ? ranks : 1)) {}
  thread_ranks(thread_ranks const&) = delete;
  thread_ranks& operator=(thread_ranks const&) = delete;

  int size() const noexcept { return static_cast<int>(published_.size()); }

 private:
  friend class thread_communicator;

  /// Buffers that a rank publishes to the others for one exchange.
  struct published {
    void const* memory = nullptr;
    std::size_t size = 0;
    span<message const> outgoing = {};
  };

  /// Publishes a rank's buffers, and waits for all ranks. After a failure nothing is published: a late rank may still
  /// read what was.
  bool meet(int rank, published const& buffers) {
    return meet([&] { published_[static_cast<std::size_t>(rank)] = buffers; });
  }
  bool meet() {
    return meet([] {});
  }
  /// @param publish  called before the rank counts as arrived
  /// @return false if a rank did not arrive within the time-out, or an exchange has failed
  template <class Publish>
  bool meet(Publish const& publish) {
    std::unique_lock<std::mutex> lock{mutex_};
    if (failed_) return false;
    publish();
    if (++arrived_ == published_.size()) {
      arrived_ = 0;
      ++meeting_;
      all_here_.notify_all();
      return true;
    }
    std::uint64_t const now = meeting_;
    wait(lock, [&] { return meeting_ != now || failed_; });
    // A completed meeting counts even if a rank has failed since.
    if (meeting_ != now) return true;
    failed_ = true;
    all_here_.notify_all();
    return false;
  }

  /// Waits until `done` is true or the time-out has passed. A time-out beyond the end of the clock waits forever.
  template <class Done>
  void wait(std::unique_lock<std::mutex>& lock, Done const& done) {
    using clock = std::chrono::steady_clock;
    auto const start = clock::now();
    auto const longest = std::chrono::duration_cast<std::chrono::milliseconds>(clock::time_point::max() - start);
    if (timeout_.count() <= 0 || timeout_ >= longest) {
      all_here_.wait(lock, done);
    } else {
      all_here_.wait_until(lock, start + timeout_, done);
    }
  }

  void fail() {
    std::lock_guard<std::mutex> const lock{mutex_};
    failed_ = true;
    all_here_.notify_all();
  }

  std::chrono::milliseconds timeout_;
  std::vector<published> published_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t arrived_ = 0;
  std::uint64_t meeting_ = 0;
  bool failed_ = false;
};

/// Communicator of one rank, a thread of the process, see is_communicator. Cheap to construct and to copy. Ranks copy
/// from the memory of one another.
class thread_communicator {
 public:
  /// @param group  the state that all ranks share
  /// @param rank   0 <= rank < group.size(), different for each thread
  thread_communicator(thread_ranks& group, int rank) noexcept : group_{&group}, rank_{rank} {}

  int ranks() const noexcept { return group_->size(); }
  int rank() const noexcept { return rank_; }

  result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    if (!group_->meet(rank_, {mine, size, {}})) return late();
    bool fits = true;
    for (int from = 0; from < ranks(); ++from) {
      auto const& theirs = at(from);
      fits = fits && theirs.size == size;
      if (fits && size > 0)
        std::memcpy(static_cast<unsigned char*>(all) + static_cast<std::size_t>(from) * size, theirs.memory, size);
    }
    return leave(fits);
  }

  result all_to_all(all_to_all_messages const& exchange) noexcept {
    if (!group_->meet(rank_, {exchange.send, 0, exchange.outgoing})) return late();
    bool fits = true;
    for (int from = 0; from < ranks(); ++from) {
      auto const& theirs = at(from);
      message const in = exchange.incoming[static_cast<std::size_t>(from)];
      fits = fits && theirs.outgoing.size() == exchange.outgoing.size();
      if (!fits) break;
      message const out = theirs.outgoing[static_cast<std::size_t>(rank_)];
      fits = out.size == in.size;
      if (fits && in.size > 0) {
        std::memcpy(exchange.receive + in.begin, static_cast<unsigned char const*>(theirs.memory) + out.begin, in.size);
      }
    }
    return leave(fits);
  }

  void abort() noexcept { group_->fail(); }

 private:
  thread_ranks::published const& at(int rank) const noexcept {
    return group_->published_[static_cast<std::size_t>(rank)];
  }

  static result late() noexcept {
    return detail::communication_failure("thread_communicator: a rank has failed, or did not come in time");
  }

  /// Waits until no rank reads this rank's memory any more, even if sizes differ, and returns the result of the
  /// exchange.
  result leave(bool fits) const noexcept {
    bool const all = group_->meet();
    if (!fits) group_->fail();
    if (!fits) return detail::communication_failure("thread_communicator: ranks exchange messages of different sizes");
    return all ? result{} : late();
  }

  thread_ranks* group_;
  int rank_;
};

FARPOINT_END_NAMESPACE
