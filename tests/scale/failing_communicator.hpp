// A communicator whose rank fails at an exchange, and a check that the failure reaches all ranks.
#pragma once

#include <farpoint/scale/thread_communicator.hpp>

#include <chrono>
#include <vector>

#include "../support/catch.hpp"
#include "../support/test_scale.hpp"

namespace farpoint_tests {

/// Rank and exchange of a failure.
struct failure {
  int rank = -1;   ///< -1: none fails
  int after = -1;  ///< exchanges that succeed before it
};

/// thread_communicator of which one exchange fails on this rank, as if the network had failed: the other ranks do not
/// learn of it.
class failing_communicator {
 public:
  failing_communicator(farpoint::thread_ranks& group, int rank, failure const& fails = {})
      : inner_{group, rank}, left_{fails.rank == rank ? fails.after : -1} {}

  int ranks() const noexcept { return inner_.ranks(); }
  int rank() const noexcept { return inner_.rank(); }
  farpoint::result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    return left_-- == 0 ? failed() : inner_.all_gather(mine, all, size);
  }
  farpoint::result all_to_all(farpoint::all_to_all_messages const& messages) noexcept {
    return left_-- == 0 ? failed() : inner_.all_to_all(messages);
  }
  void abort() noexcept { inner_.abort(); }

 private:
  static farpoint::result failed() noexcept {
    return farpoint::detail::communication_failure("failing_communicator: the exchange fails");
  }

  farpoint::thread_communicator inner_;
  int left_;
};

/// Time within which all ranks return after one has failed.
inline constexpr std::chrono::seconds longest_failure{for_races || for_memory ? 20 : 1};

/// Lets one rank fail at each exchange of a call in turn. All ranks must return a failure within longest_failure,
/// although their time-out is a minute.
/// @return exchanges of the call
template <class CodesOf>
int check_failures_of(int rank, CodesOf const& codes_of) {
  using farpoint::status;
  for (int after = 0; after < 1000; ++after) {
    CAPTURE(rank, after);
    auto const start = std::chrono::steady_clock::now();
    std::vector<status> const codes = codes_of(failure{rank, after});
    auto const time = std::chrono::steady_clock::now() - start;
    bool const is_over = codes == std::vector<status>(codes.size(), status::ok);
    if (is_over) return after;
    CHECK(codes == std::vector<status>(codes.size(), status::communication_failure));
    CHECK(time < longest_failure);
  }
  FAIL("a call of a thousand exchanges");
  return 0;
}

/// Calls check_failures_of() for each rank in turn: all make the same number of exchanges.
/// @param codes_of  `codes_of(failure)`: makes the call on all ranks, and returns their status
/// @return exchanges of the call
template <class CodesOf>
int check_failures(CodesOf const& codes_of) {
  auto const ranks = static_cast<int>(codes_of(failure{}).size());
  int const exchanges = check_failures_of(0, codes_of);
  for (int rank = 1; rank < ranks; ++rank) {
    CAPTURE(rank);
    CHECK(check_failures_of(rank, codes_of) == exchanges);
  }
  return exchanges;
}

}  // namespace farpoint_tests
