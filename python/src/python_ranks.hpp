/// @file
/// The communicator of calls on ranks whose messages an object of Python exchanges.
#pragma once

#include "arrays.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/scale/communicator.hpp>

#include <cstring>
#include <exception>
#include <utility>

namespace farpoint_python {

/// The communicator of one call: see farpoint::is_communicator. An object of Python, the transport, exchanges messages
/// with other ranks; a message of the rank to itself is copied here. The GIL is held while the transport is called, and
/// at no other time.
///
/// A transport has
/// - `ranks` and `rank`, numbers;
/// - `exchange(send, receive)`, with a writable memoryview for each rank, the rank's own one empty: sends and receives
///   them all, and returns when all can be used again, or raises an exception after its time-out. The memory is the
///   call's: it is gone when exchange() has returned or raised. `send` must not be written;
/// - `abort()`: makes the exchanges of all ranks fail, the ones in progress and all later ones.
///
/// An exception of exchange() aborts the transport and ends the call. An exception before the first exchange of a call
/// aborts the transport, too, because the other ranks wait in theirs.
class python_ranks {
 public:
  /// With the GIL, as check() and the destructor.
  explicit python_ranks(nb::object transport)
      : transport_{std::move(transport)},
        ranks_{nb::cast<int>(transport_.attr("ranks"))},
        rank_{nb::cast<int>(transport_.attr("rank"))} {
    if (rank_ < 0 || rank_ >= ranks_) refuse("a transport has a rank that is none of its ranks");
  }
  python_ranks(python_ranks const&) = delete;
  python_ranks& operator=(python_ranks const&) = delete;
  ~python_ranks() {
    if (!has_exchanged_) abort();
  }

  int ranks() const noexcept { return ranks_; }
  int rank() const noexcept { return rank_; }

  farpoint::result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    auto* const from = static_cast<unsigned char*>(const_cast<void*>(mine));
    auto* const to = static_cast<unsigned char*>(all);
    return exchange(
        [&](std::size_t) {
          return part{from, size};
        },
        [&](std::size_t r) {
          return part{size > 0 ? to + r * size : to, size};
        });
  }

  farpoint::result all_to_all(farpoint::all_to_all_messages const& messages) noexcept {
    return exchange(
        [&](std::size_t r) {
          farpoint::message const out = messages.outgoing[r];
          return part{const_cast<unsigned char*>(messages.send) + out.begin, out.size};
        },
        [&](std::size_t r) {
          farpoint::message const in = messages.incoming[r];
          return part{messages.receive + in.begin, in.size};
        });
  }

  void abort() noexcept {
    if (std::exchange(has_failed_, true)) return;
    nb::gil_scoped_acquire const locked;
    try {
      transport_.attr("abort")();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(transport_);
    } catch (...) {  // other ranks then wait until their time-out
    }
  }

  /// Raises what a call has ended with: where the transport raised an exception, from that.
  void check(farpoint::result const& outcome) const {
    if (outcome.code != farpoint::status::communication_failure || !error_) return farpoint_python::check(outcome);
    try {
      std::rethrow_exception(error_);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // KeyboardInterrupt, for example
      nb::raise_from(error, PyExc_RuntimeError, "%s: %s", farpoint::to_string(outcome.code), outcome.reason);
    }
  }

 private:
  struct part {
    unsigned char* data;
    std::size_t size;
  };

  /// `out(r)` goes to rank r, `in(r)` comes from it.
  template <class Out, class In>
  farpoint::result exchange(Out const& out, In const& in) noexcept {
    has_exchanged_ = true;
    if (has_failed_) return farpoint::detail::communication_failure("ranks: a rank has failed");
    auto const me = static_cast<std::size_t>(rank_);
    if (out(me).size != in(me).size) {
      abort();
      return farpoint::detail::communication_failure("ranks exchange messages of different sizes");
    }
    if (out(me).size > 0) std::memmove(in(me).data, out(me).data, out(me).size);
    if (ranks_ == 1) return {};
    nb::gil_scoped_acquire const locked;
    try {
      views const send{ranks_, rank_, out};
      views const receive{ranks_, rank_, in};
      transport_.attr("exchange")(send.all, receive.all);
      return {};
    } catch (...) {
      error_ = std::current_exception();
    }
    abort();
    return farpoint::detail::communication_failure("ranks could not exchange data");
  }

  /// Memory of the call for Python, for as long as this lives.
  struct views {
    nb::list all;

    template <class PartOf>
    views(int ranks, int rank, PartOf const& part_of) {
      for (int r = 0; r < ranks; ++r) {
        part const memory = r == rank ? part{nullptr, 0} : part_of(static_cast<std::size_t>(r));
        static char nothing = 0;
        auto* const data = memory.size > 0 ? reinterpret_cast<char*>(memory.data) : &nothing;
        auto const size = static_cast<Py_ssize_t>(memory.size);
        all.append(nb::steal(check_made(PyMemoryView_FromMemory(data, size, PyBUF_WRITE))));
      }
    }
    views(views const&) = delete;
    views& operator=(views const&) = delete;
    /// A view that is used by something else cannot be released, and is left to it.
    ~views() {
      for (nb::handle const view : all) {
        PyObject* const released = PyObject_CallMethod(view.ptr(), "release", nullptr);
        if (released == nullptr) PyErr_Clear();
        Py_XDECREF(released);
      }
    }

   private:
    static PyObject* check_made(PyObject* made) {
      if (made == nullptr) nb::raise_python_error();
      return made;
    }
  };

  nb::object transport_;
  int ranks_;
  int rank_;
  bool has_exchanged_ = false;
  bool has_failed_ = false;
  std::exception_ptr error_;
};

static_assert(farpoint::is_communicator<python_ranks>);

/// Makes a call without the GIL.
/// @param size  std::size_t(): bytes of workspace
/// @param call  result(bytes workspace)
/// @return false where a rank had too little room for what others send, which all ranks then know
template <class Size, class Call>
bool on_ranks(python_ranks& ranks, Size const& size, Call const& call) {
  farpoint::result outcome;
  {
    nb::gil_scoped_release const unlocked;
    farpoint::host_scratch workspace;
    outcome = workspace.reserve(size());
    if (outcome) outcome = call(workspace);
  }
  if (outcome.code == farpoint::status::workspace_too_small && outcome.needed == 0) return false;
  ranks.check(outcome);
  return true;
}

/// Makes a search in two halves, without the GIL. A rank without memory for the second half ends the call of all.
/// @param size  std::size_t(): bytes of workspace of the first half
/// @param plan  makes the first half: farpoint::planned_search(bytes workspace)
template <class Size, class Plan>
void search_on_ranks(python_ranks& ranks, Size const& size, Plan const& plan) {
  on_ranks(ranks, size, [&](farpoint::bytes workspace) {
    auto search = plan(workspace);
    if (!search.outcome()) return search.outcome();
    farpoint::host_scratch room;
    farpoint::result const reserved = room.reserve(search.workspace_bytes());
    if (!reserved) ranks.abort();
    return reserved ? search.run(room) : reserved;
  });
}

}  // namespace farpoint_python
