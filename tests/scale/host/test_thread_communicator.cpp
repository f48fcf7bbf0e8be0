// Ranks that are threads, one of which is late.
#include <farpoint/scale/thread_communicator.hpp>

#include <array>
#include <string>
#include <thread>

#include "../../support/catch.hpp"

TEST_CASE("thread_communicator: a rank that goes on after its time-out leaves a late rank what it reads", "[shard]") {
  // Rank 0 copies its message to itself, which takes longer than the time-out, and then reads what rank 1 has
  // published.
  constexpr std::size_t size = std::size_t{1} << 26;
  std::vector<unsigned char> const sent(size, 1);
  std::array<farpoint::message, 2> const out[2] = {{{{0, size}, {0, 0}}}, {{{0, 4}, {0, 0}}}};
  std::array<farpoint::message, 2> const in[2] = {{{{0, size}, {size, 4}}}, {{{0, 0}, {0, 0}}}};
  for (int round = 0; round < 5; ++round) {
    farpoint::thread_ranks group{2, std::chrono::milliseconds{5}};
    std::vector<unsigned char> received(size + 4);
    farpoint::result done[2];
    auto const exchange = [&](int rank) {
      farpoint::thread_communicator communicator{group, rank};
      done[rank] = communicator.all_to_all({sent.data(), out[rank], received.data(), in[rank]});
    };
    char all[2] = {};
    std::thread other{[&] {
      exchange(1);
      if (!done[1]) static_cast<void>(farpoint::thread_communicator{group, 1}.all_gather(all, all, 1));
    }};
    exchange(0);
    other.join();
    INFO(done[0].reason);
    CHECK(std::string{done[0].reason}.find("different sizes") == std::string::npos);
  }
}
