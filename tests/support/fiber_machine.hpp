// Runs block-wide code with a template parameter `Machine` on a CPU: one fiber per thread of each block, in random
// order.
#pragma once

#include <farpoint/detail/fps/local_maxima/team.hpp>

#include <ucontext.h>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace farpoint_tests {

/// The threads of some blocks, as fibers of one host thread. Writes are never concurrent. A fiber runs until it has to
/// wait, so blocks run ahead of each other up to the limits of the code's synchronization.
class fiber_blocks {
 public:
  /// Calls work() as each thread of `blocks` blocks. @param seed  seed of the random order of fibers
  static void run(unsigned blocks, unsigned block_size, unsigned seed, std::function<void()> const& work) {
    fiber_blocks all{blocks, block_size, work};
    current() = &all;
    std::mt19937 random{seed};
    std::shuffle(all.order_.begin(), all.order_.end(), random);
    if (all.left_ > 0) all.go_on(&all.main_);
    current() = nullptr;
  }

  static unsigned thread() { return current()->me_->thread; }
  static unsigned block() { return current()->me_->block; }
  /// Switches to another fiber.
  static void yield() { current()->go_on(&current()->me_->left_at); }

  static void sync() {
    fiber_blocks& all = *current();
    meet(all.barriers_[block()], all.block_size_);
  }

  /// Barrier of the calling thread's block that returns the number of threads with `flag` set.
  static unsigned count(bool flag) {
    fiber_blocks& all = *current();
    meeting& m = all.barriers_[block()];
    // Double buffering, as in exchange(): a thread that is one barrier ahead counts in the other word.
    unsigned& counted = m.counted[m.generation % 2];
    if (m.arrived == 0) counted = 0;
    counted += flag;
    meet(m, all.block_size_);
    return counted;
  }

  /// Returns the values of all lanes of the calling thread's warp.
  template <class T>
  static std::array<T, 32> exchange(T value) {
    fiber_blocks& all = *current();
    unsigned const warp = (block() * all.block_size_ + thread()) / 32;
    meeting& m = all.warps_[warp];
    // Double buffering: a lane that is one exchange ahead writes to the slots that the others do not read. No lane can
    // be two exchanges ahead.
    static_assert(sizeof value <= sizeof m.slots[0][0]);
    auto& slots = m.slots[m.generation % 2];
    std::memcpy(slots[thread() % 32], &value, sizeof value);
    meet(m, 32);
    std::array<T, 32> values;
    for (std::size_t i = 0; i < 32; ++i) std::memcpy(&values[i], slots[i], sizeof value);
    return values;
  }

 private:
  static constexpr std::size_t stack_bytes = 64 << 10;
  struct meeting {
    unsigned arrived = 0;
    unsigned generation = 0;
    unsigned counted[2] = {};
    alignas(16) unsigned char slots[2][32][16];
  };
  /// Saved state of a fiber. swapcontext() is not used for switches: it makes a system call, and AddressSanitizer
  /// clears the shadow of the whole stack for it, which together took most of the time of these tests.
  struct place {
    void* registers[5];
    ucontext_t start;  // while is_new
    bool is_new = false;
  };
  struct fiber {
    place left_at;
    // Not initialized, because a fiber touches only a few pages of its stack.
    std::unique_ptr<char[]> stack{new char[stack_bytes]};
    unsigned block;
    unsigned thread;
    bool done = false;
    meeting const* waits_at = nullptr;
    unsigned generation = 0;

    bool waits() const { return waits_at != nullptr && waits_at->generation == generation; }
  };

  fiber_blocks(unsigned blocks, unsigned block_size, std::function<void()> const& work)
      : block_size_{block_size},
        work_{work},
        fibers_(blocks * block_size),
        barriers_(blocks),
        warps_(blocks * block_size / 32),
        left_{fibers_.size()} {
    for (unsigned i = 0; i < fibers_.size(); ++i) {
      fiber& f = fibers_[i];
      order_.push_back(&f);
      f.block = i / block_size;
      f.thread = i % block_size;
      f.left_at.is_new = true;
      ucontext_t& start = f.left_at.start;
      getcontext(&start);
      start.uc_stack.ss_sp = f.stack.get();
      start.uc_stack.ss_size = stack_bytes;
      start.uc_link = nullptr;
      makecontext(&start, enter, 0);
    }
  }

  static fiber_blocks*& current() {
    static thread_local fiber_blocks* blocks = nullptr;
    return blocks;
  }
  static void enter() {
    fiber_blocks& all = *current();
    all.work_();
    all.me_->done = true;
    if (--all.left_ > 0) yield();
    leave(&all.me_->left_at, &all.main_);
  }
  // Not instrumented: to a sanitizer, a jump to another stack looks like a return from all functions on this stack.
  __attribute__((noinline, no_sanitize("address", "thread"))) static void resume(place* to) {
    __builtin_longjmp(to->registers, 1);
  }
  __attribute__((noinline, no_sanitize("address", "thread"))) static void leave(place* from, place* to) {
    if (__builtin_setjmp(from->registers) != 0) return;
    if (!to->is_new) resume(to);
    to->is_new = false;
    setcontext(&to->start);
  }
  /// Saves the state in `from`, and resumes the next fiber that can run.
  void go_on(place* from) {
    do {
      at_ = at_ + 1 < order_.size() ? at_ + 1 : 0;
    } while (order_[at_]->done || order_[at_]->waits());
    if (order_[at_] == me_) return;
    me_ = order_[at_];
    leave(from, &me_->left_at);
  }
  static void meet(meeting& m, unsigned size) {
    unsigned const generation = m.generation;
    if (++m.arrived == size) {
      m.arrived = 0;
      ++m.generation;
    } else {
      fiber& me = *current()->me_;
      me.waits_at = &m;
      me.generation = generation;
      yield();
      me.waits_at = nullptr;
    }
  }

  unsigned block_size_;
  std::function<void()> const& work_;
  std::vector<fiber> fibers_;
  std::vector<meeting> barriers_;
  std::vector<meeting> warps_;
  std::vector<fiber*> order_;  // cyclic order in which fibers run
  std::size_t at_ = 0;
  std::size_t left_;
  place main_;
  fiber* me_ = nullptr;
};

/// Machine primitives for fps() by local maxima.
struct fiber_machine {
  static unsigned thread() { return fiber_blocks::thread(); }
  static void sync() { fiber_blocks::sync(); }
  static void pause() { fiber_blocks::yield(); }

  static unsigned ballot(bool flag) {
    auto const flags = fiber_blocks::exchange(flag);
    unsigned votes = 0;
    for (unsigned i = 0; i < 32; ++i) votes |= (flags[i] ? 1u : 0u) << i;
    return votes;
  }
  template <int Lanes, class T>
  static T min(T value) {
    auto const values = fiber_blocks::exchange(value);
    return *std::min_element(values.begin(), values.end());
  }
  template <int Lanes, class T>
  static T max(T value) {
    auto const values = fiber_blocks::exchange(value);
    return *std::max_element(values.begin(), values.end());
  }
  static unsigned sum(unsigned value) {
    auto const values = fiber_blocks::exchange(value);
    return std::accumulate(values.begin(), values.end(), 0u);
  }
  template <class Word>
  static Word max_word(Word word) {
    return max<32>(word);
  }
  template <class T>
  static T shuffle(T value, int from) {
    return fiber_blocks::exchange(value)[static_cast<std::size_t>(from)];
  }

  static unsigned exclusive_sum(unsigned value) {
    auto const values = fiber_blocks::exchange(value);
    return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(thread() % 32), 0u);
  }
  static unsigned count(bool flag) { return fiber_blocks::count(flag); }

  static unsigned add(unsigned* counter, unsigned amount) {
    unsigned const before = *counter;
    *counter += amount;
    return before;
  }
  template <class T>
  static void max(T* counter, T value) {
    *counter = std::max(*counter, value);
  }
  template <class Key>
  static void write(Key* to, Key const& value) {
    *to = value;
  }
  template <class Key>
  static Key read(Key const* from) {
    return *from;
  }

  template <class Points>
  static farpoint::detail::fps_first first_sample(farpoint::detail::fps_args<Points> const& args, farpoint::index_t b,
                                                  Points const& cloud, bool counts) {
    farpoint::index_t const first = args.first_of(b);
    if (first < 0 || first >= cloud.size()) {
      if (counts) ++args.output.report->first_out_of_range;
      return {-1, false};
    }
    return {farpoint::is_finite(cloud[first]) ? first : -1, true};
  }
  template <class Points>
  static bool is_chosen(farpoint::detail::fps_args<Points> const& args, Points const& cloud, farpoint::index_t index,
                        bool counts) {
    if (counts && (index < -1 || index >= cloud.size())) ++args.output.report->chosen_out_of_range;
    return index >= 0 && index < cloud.size() && farpoint::is_finite(cloud[index]);
  }
  template <class Points>
  static void count_non_finite(farpoint::detail::fps_args<Points> const& args, unsigned bad) {
    args.output.report->non_finite += bad;
  }
};

/// Messages between blocks of fibers.
class FARPOINT_HIDDEN fiber_board : public farpoint::detail::team_of_one_gpu {
 public:
  struct message {
    farpoint::detail::fps_words words;
    std::uint32_t tag;
  };

  explicit fiber_board(message* slots) : slots_{slots} {}

  static unsigned copies() { return 1; }
  void put(unsigned slot, unsigned, farpoint::detail::fps_words const& words, std::uint32_t tag) const {
    slots_[slot] = {words, tag};
  }
  message load(unsigned slot) const { return slots_[slot]; }
  static bool has_come(message const& m, std::uint32_t tag) { return m.tag == tag; }
  static farpoint::detail::fps_words words_of(message const& m) { return m.words; }

 private:
  message* slots_;
};

}  // namespace farpoint_tests
