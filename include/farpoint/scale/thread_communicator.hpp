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

/// What threads meet at: one object for all ranks, which must outlive their communicators.
class thread_ranks {
 public:
  /// @param ranks    1 or more
  /// @param timeout  how long a rank waits for others before the exchange fails for all of them; 0 or less: forever. A
  ///                 rank that comes later may still read the others' messages: free no buffers before all threads are
  ///                 joined
  /// @throws std::bad_alloc
  explicit thread_ranks(int ranks, std::chrono::milliseconds timeout = std::chrono::minutes{1})
      : timeout_{timeout}, published_(static_cast<std::size_t>(ranks > 1 ? ranks : 1)) {}
  thread_ranks(thread_ranks const&) = delete;
  thread_ranks& operator=(thread_ranks const&) = delete;

  int size() const noexcept { return static_cast<int>(published_.size()); }

 private:
  friend class thread_communicator;

  /// What a rank shows the others between two meetings.
  struct published {
    void const* memory = nullptr;
    std::size_t size = 0;
    span<message const> outgoing = {};
  };

  /// @return false if a rank did not come in time, or one has failed
  bool meet() {
    std::unique_lock<std::mutex> lock{mutex_};
    if (failed_) return false;
    if (++arrived_ == published_.size()) {
      arrived_ = 0;
      ++meeting_;
      all_here_.notify_all();
      return true;
    }
    std::uint64_t const now = meeting_;
    wait(lock, [&] { return meeting_ != now || failed_; });
    // Those that have met have met, even if one has failed since.
    if (meeting_ != now) return true;
    failed_ = true;
    all_here_.notify_all();
    return false;
  }

  /// Waits until `done` is true or the time is over. Times beyond the end of the clock are forever.
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

/// The communicator of one rank, a thread of the process: see is_communicator. Cheap to make and to copy; ranks copy
/// from one another's memory.
class thread_communicator {
 public:
  /// @param group  of all ranks
  /// @param rank   0 <= rank < group.size(), another for each thread
  thread_communicator(thread_ranks& group, int rank) noexcept : group_{&group}, rank_{rank} {}

  int ranks() const noexcept { return group_->size(); }
  int rank() const noexcept { return rank_; }

  result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    own() = {mine, size, {}};
    if (!group_->meet()) return late();
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
    own() = {exchange.send, 0, exchange.outgoing};
    if (!group_->meet()) return late();
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
  thread_ranks::published& at(int rank) const noexcept { return group_->published_[static_cast<std::size_t>(rank)]; }
  thread_ranks::published& own() const noexcept { return at(rank_); }

  static result late() noexcept {
    return detail::communication_failure("thread_communicator: a rank has failed, or did not come in time");
  }

  /// After that nobody reads this rank's memory any more, so that it meets the others even where sizes differ.
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
