// nccl_communicator and nccl_exec with a stand-in for NCCL that fails and waits at the calls that a test case chooses.
// Needs neither NCCL nor a GPU.
#include <farpoint/scale/nccl_exec.cuh>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"

using farpoint::status;
using std::chrono::milliseconds;

namespace {

/// State of the NCCL below.
struct fake_nccl {
  std::map<std::string, int> calls;  ///< number of calls of each function
  ncclResult_t outcome = ncclSuccess;
  /// Number of further questions that are answered with ncclInProgress; -1: all.
  int in_progress = 0;
  ncclResult_t in_the_end = ncclSuccess;  ///< state of the communicator afterwards

  ncclResult_t call(std::string const& name) {
    ++calls[name];
    return outcome;
  }
};
fake_nccl nccl;

int memory_of_communicator = 0;
ncclComm_t const some = reinterpret_cast<ncclComm_t>(&memory_of_communicator);

}  // namespace

extern "C" {
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int, ncclUniqueId, int, ncclConfig_t* config) {
  nccl.call("init");
  *comm = some;
  return config->blocking == 0 ? ncclInProgress : ncclInvalidArgument;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  nccl.call("count");
  *count = 2;
  return comm == some ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t ncclCommUserRank(ncclComm_t, int* rank) {
  *rank = 1;
  return nccl.call("rank");
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  nccl.call("state");
  if (comm != some) return ncclInvalidArgument;
  *state = nccl.in_progress != 0 ? ncclInProgress : nccl.in_the_end;
  if (nccl.in_progress > 0) --nccl.in_progress;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t) {
  return nccl.call("abort");
}
ncclResult_t ncclAllGather(void const*, void*, std::size_t, ncclDataType_t, ncclComm_t, cudaStream_t) {
  return nccl.call("gather");
}
ncclResult_t ncclSend(void const*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return nccl.call("send");
}
ncclResult_t ncclRecv(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return nccl.call("receive");
}
ncclResult_t ncclGroupStart() {
  ++nccl.calls["begin"];
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  return nccl.call("end");
}
}

TEST_CASE("nccl_communicator: is aborted once, for all copies", "[nccl][fake]") {
  nccl = {};
  {
    farpoint::nccl_communicator const own{some};
    auto const copy = own;
    farpoint::nccl_exec const exec{copy, nullptr};
    CHECK(exec.ranks() == 2);
    CHECK(exec.rank() == 1);
    CHECK(exec.all_gather(nullptr, nullptr, 16));
    exec.abort();
    own.abort();
    CHECK(nccl.calls["abort"] == 1);
    CHECK(copy.get() == nullptr);
    for (auto const& outcome : {exec.all_gather(nullptr, nullptr, 16), exec.all_to_all({}), exec.wait()}) {
      CHECK(outcome.code == status::communication_failure);
      CHECK(std::string{outcome.reason}.find("aborted") != std::string::npos);
    }
    CHECK(nccl.calls["gather"] == 1);
    CHECK(nccl.calls["begin"] == 0);
  }
  CHECK(nccl.calls["abort"] == 1);
}

TEST_CASE("nccl_communicator: the last copy ends the communicator, unless it was released", "[nccl][fake]") {
  nccl = {};
  {
    farpoint::nccl_communicator own{some};
    auto const copy = own;
    own = {};
    CHECK(nccl.calls["abort"] == 0);
    CHECK(copy.get() == some);
  }
  CHECK(nccl.calls["abort"] == 1);
  {
    farpoint::nccl_communicator const own{some};
    auto const copy = own;
    CHECK(own.release() == some);
    CHECK(own.release() == nullptr);
    CHECK(copy.has_failed());
  }
  CHECK(nccl.calls["abort"] == 1);
  CHECK(farpoint::nccl_communicator{}.release() == nullptr);
}

TEST_CASE("nccl_communicator: communicators that do not block are waited for", "[nccl][fake]") {
  nccl = {};
  nccl.in_progress = 5;
  farpoint::nccl_communicator const own{some};
  CHECK(nccl.calls["state"] == 6);
  CHECK(own.ranks() == 2);

  farpoint::nccl_exec const exec{own, nullptr};
  nccl.outcome = ncclInProgress;
  nccl.in_progress = 3;
  CHECK(exec.all_gather(nullptr, nullptr, 16));
  CHECK(nccl.in_progress == 0);
  farpoint::message const out[] = {{0, 8}, {8, 0}};
  farpoint::message const in[] = {{0, 8}, {8, 0}};
  unsigned char bytes[16] = {};
  nccl.in_progress = 2;
  CHECK(exec.all_to_all({bytes, {out, 2}, bytes, {in, 2}}));
  CHECK(nccl.in_progress == 0);
  CHECK(nccl.calls["send"] == 1);
  CHECK(nccl.calls["receive"] == 1);

  // Some calls of NCCL say that they are done while they go on.
  nccl.outcome = ncclSuccess;
  nccl.in_progress = 4;
  CHECK(exec.settle(ncclSuccess));
  CHECK(nccl.in_progress == 0);
  nccl.in_progress = 1;
  nccl.in_the_end = ncclRemoteError;
  auto const failed = exec.all_gather(nullptr, nullptr, 16);
  CHECK(failed.code == status::communication_failure);
  CHECK(failed.native == static_cast<int>(ncclRemoteError));
  auto const gathers = nccl.calls["gather"];
  CHECK_FALSE(exec.all_gather(nullptr, nullptr, 16));
  CHECK(nccl.calls["gather"] == gathers);
}

TEST_CASE("nccl_communicator: a wait that is too long is a failure", "[nccl][fake]") {
  nccl = {};
  farpoint::nccl_communicator const own{some};
  farpoint::nccl_exec exec{own, nullptr};
  exec.timeout = milliseconds{20};
  nccl.outcome = ncclInProgress;
  nccl.in_progress = -1;
  auto const start = std::chrono::steady_clock::now();
  CHECK(exec.all_gather(nullptr, nullptr, 16).code == status::communication_failure);
  CHECK(std::chrono::steady_clock::now() - start > milliseconds{15});
  CHECK(own.has_failed());

  // The longest time-out does not overflow, and one that is not positive is none.
  for (milliseconds const timeout : {milliseconds::max(), milliseconds{0}, milliseconds{-1}}) {
    nccl = {};
    nccl.in_progress = 100;
    farpoint::nccl_communicator const other{some, timeout};
    CHECK(other.ranks() == 2);
  }
}

TEST_CASE("nccl_communicator: connects ranks with a time-out", "[nccl][fake]") {
  nccl = {};
  nccl.in_progress = 4;
  farpoint::nccl_communicator made;
  REQUIRE(farpoint::nccl_communicator::create(3, {}, 2, made));
  CHECK(made.ranks() == 3);
  CHECK(made.rank() == 2);
  CHECK(made.get() == some);
  made = {};
  CHECK(nccl.calls["abort"] == 1);

  nccl = {};
  nccl.in_progress = -1;
  auto const late = farpoint::nccl_communicator::create(3, {}, 2, made, milliseconds{10});
  CHECK(late.code == status::communication_failure);
  CHECK(made.ranks() == 0);
  CHECK(nccl.calls["abort"] == 1);
}

TEST_CASE("nccl_communicator: what NCCL refuses is no communicator", "[nccl][fake]") {
  nccl = {};
  farpoint::nccl_communicator const none{ncclComm_t{nullptr}};
  CHECK(none.ranks() == 0);
  CHECK(farpoint::nccl_communicator{}.has_failed());

  farpoint::nccl_communicator const own{some};
  farpoint::nccl_exec const exec{own, nullptr};
  nccl.outcome = ncclInvalidUsage;
  auto const refused = exec.all_gather(nullptr, nullptr, 16);
  CHECK(refused.native == static_cast<int>(ncclInvalidUsage));
  CHECK(own.has_failed());
  CHECK(nccl.calls["abort"] == 0);
}
