// Communicators of NCCL and their windows: failures, time-outs, and ends. Cases with [one_gpu] need one GPU.
#include "../../support/catch.hpp"
#include "nccl_ranks.cuh"

using namespace farpoint_tests;
using farpoint::status;

TEST_CASE("nccl: a communicator of one rank", "[nccl][one_gpu]") {
  nccl_ranks ranks{1, false};
  ranks.open_windows(4096);
  auto& own = ranks[0];
  auto const copy = own;
  CHECK(copy.ranks() == 1);
  CHECK_FALSE(copy.has_failed());
  CHECK(ranks.window(0).memory().size == 4096);
  SECTION("is aborted once, for all copies, before its window ends") {
    own.abort();
    copy.abort();
    CHECK(copy.has_failed());
    CHECK(copy.get() == nullptr);
    ranks.run([](farpoint::nccl_exec const& exec) {
      CHECK(exec.all_gather(nullptr, nullptr, 16).code == status::communication_failure);
      CHECK(exec.wait().code == status::communication_failure);
    });
  }
  SECTION("can be given back") {
    ranks.close_windows();
    ncclComm_t const given = own.release();
    REQUIRE(given != nullptr);
    CHECK(copy.get() == nullptr);
    own = farpoint::nccl_communicator{given};
    CHECK(own.ranks() == 1);
    CHECK(own.get() == given);
  }
  SECTION("may end before its window") {
    auto window = std::move(ranks.window(0));
    own = {};
    CHECK(window.memory().size == 4096);
  }
  CHECK(farpoint::nccl_communicator{}.ranks() == 0);
  CHECK(farpoint::nccl_communicator{}.has_failed());
  CHECK(farpoint::nccl_communicator{ncclComm_t{nullptr}}.ranks() == 0);
}

TEST_CASE("nccl: a rank that makes no call keeps the others no longer than their time-out", "[nccl]") {
  bool const blocks = GENERATE(true, false);
  CAPTURE(blocks);
  nccl_ranks ranks{2, blocks};
  std::vector<farpoint::result> outcomes(static_cast<std::size_t>(ranks.size()));
  ranks.run([&](farpoint::nccl_exec exec) {
    device_array<unsigned char> const memory{4096};
    auto const gather = [&] {
      auto done = exec.all_gather(memory.data(), memory.data() + 1024, 16);
      return done ? exec.wait() : done;
    };
    // NCCL connects the ranks in the first call: on the host, if communicators block.
    if (blocks && !gather()) throw std::runtime_error{"nccl: the ranks could not be connected"};
    if (exec.rank() == 1) return;
    exec.timeout = std::chrono::milliseconds{200};
    outcomes[static_cast<std::size_t>(exec.rank())] = gather();
    auto const start = std::chrono::steady_clock::now();
    CHECK(gather().code == status::communication_failure);
    // The end of the communicator is the end of what waits on the stream.
    exec.abort();
    exec.abort();
    CHECK(exec.communicator->get() == nullptr);
    CHECK(gather().code == status::communication_failure);
    CHECK(exec.all_to_all({}).code == status::communication_failure);
    REQUIRE_CUDA(cudaStreamSynchronize(exec.stream));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{5});
  });
  CHECK(outcomes[0].code == status::communication_failure);
}

TEST_CASE("nccl: ranks agree on a window before NCCL registers it", "[nccl]") {
  nccl_ranks ranks{2};
  ranks.run([&](farpoint::nccl_exec const& exec) {
    auto& window = ranks.window(exec.rank());
    std::size_t const size = exec.rank() == 1 ? 4096 : 8192;
    CHECK(farpoint::nccl_window::create(exec, size, window).code == status::bad_argument);
    // More than there is.
    std::size_t const much = exec.rank() == 1 ? std::size_t{1} << 50 : 8192;
    auto const refused = farpoint::nccl_window::create(exec, much, window);
    CHECK(refused.code == (exec.rank() == 1 ? status::communication_failure : refused.code));
    CHECK_FALSE(refused);
    CHECK(window.memory().size == 0);
  });
  ranks.open_windows(8192);
  for (int rank = 0; rank < ranks.size(); ++rank) CHECK(ranks.window(rank).memory().size >= 8192);
  ranks.close_windows();
}
