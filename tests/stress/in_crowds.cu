// Many calls at once: in threads, in graphs, in processes.
#include <unistd.h>
#include <array>
#include <cstdio>

#include "../support/device/stream_citizen.cuh"
#include "measure.cuh"
#include "sections.hpp"

namespace farpoint_stress {

using farpoint_tests::captured_graph;

namespace {

constexpr int threads = 8;
constexpr std::size_t streams_each = 8;

/// Output of a child process, read by its parent: numbers of calls, of refused calls and of wrong answers.
constexpr char const* process_line = "PROCESS %ld %ld %ld";

/// Number of calls of all threads, by outcome.
struct tally {
  std::atomic<long> calls{0}, refused{0}, wrong{0};

  /// Counts a call whose stream has been synchronized.
  void count(stress_call& call, farpoint::result const& outcome) {
    ++calls;
    if (!outcome) {
      ++refused;
      std::printf("REFUSED: %s: %s\n", call.name().c_str(), reason_of(outcome).c_str());
    } else if (!call.is_right()) {
      ++wrong;
      std::printf("WRONG: %s\n", call.name().c_str());
    }
  }
  crowd_row row(std::string name, double start_ms) const {
    return {std::move(name), calls, refused, wrong, (now_ms() - start_ms) / 1000};
  }
};

/// Makes all calls on eight streams, and checks their answers.
void make_all(call_list const& calls, std::array<test_stream, streams_each> const& streams, tally& sum) {
  std::vector<farpoint::result> outcomes;
  for (std::size_t i = 0; i < calls.size(); ++i) outcomes.push_back(calls[i]->enqueue(streams[i % streams_each].get()));
  for (auto const& stream : streams) REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    sum.count(*calls[i], outcomes[i]);
    calls[i]->wipe();
  }
}

/// Runs `work(thread, streams)` in eight threads. An exception of a thread is reported as a failure.
template <class Work>
void in_eight_threads(report& seen, Work const& work) {
  std::vector<std::thread> team;
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      try {
        std::array<test_stream, streams_each> const streams{};
        work(thread, streams);
      } catch (std::exception const& error) {
        seen.add_failure(error.what());
      }
    });
  }
  for (auto& one : team) one.join();
}

}  // namespace

crowd_row in_threads(stress_run const& run, double seconds) {
  run.dog.expect("eight threads", 120 + seconds);
  tally sum;
  double const start = now_ms();
  in_eight_threads(run.seen, [&](int thread, auto const& streams) {
    auto const calls = make_calls(call_sizes::crowd, static_cast<std::uint64_t>(thread) + 1);
    double const end = now_ms() + 1000 * seconds;
    do {
      make_all(calls, streams, sum);
    } while (now_ms() < end);
  });
  auto const row = sum.row("8 threads x 8 streams", start);
  run.seen.add(row);
  return row;
}

void print_for_parent(crowd_row const& row) {
  std::printf(process_line, row.calls, row.refused, row.wrong);
  std::printf("\n");
}

void random_calls(stress_run const& run) {
  run.dog.expect("random calls", 120 + 60 * run.options.minutes);
  tally sum;
  double const start = now_ms();
  double const end = start + 60000 * run.options.minutes;
  in_eight_threads(run.seen, [&](int thread, auto const& streams) {
    for (std::uint64_t turn = 0; now_ms() < end; ++turn) {
      call_list calls;
      for (std::uint64_t i = 0; i < streams_each; ++i) {
        std::uint64_t const number = (turn * threads + static_cast<std::uint64_t>(thread)) * streams_each + i;
        calls.push_back(random_call(run.options.seed * 1'000'000'000 + number));
      }
      make_all(calls, streams, sum);
    }
  });
  run.seen.add(sum.row("random calls of 8 threads", start));
}

void in_graphs(stress_run const& run) {
  test_stream const stream;
  auto const calls = make_calls(call_sizes::crowd, 1);
  std::vector<test_stream> branches(calls.size());
  cudaEvent_t event = nullptr;
  REQUIRE_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  auto const after = [&](cudaStream_t later, cudaStream_t earlier) {
    REQUIRE_CUDA(cudaEventRecord(event, earlier));
    REQUIRE_CUDA(cudaStreamWaitEvent(later, event, 0));
  };

  run.dog.expect("a graph of parallel branches", 120);
  for (auto const& call : calls) (void)call->enqueue(stream.get());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  std::vector<farpoint::result> outcomes(calls.size());
  captured_graph const graph{stream.get(), [&] {
                               for (std::size_t i = 0; i < calls.size(); ++i) {
                                 after(branches[i].get(), stream.get());
                                 outcomes[i] = calls[i]->enqueue(branches[i].get());
                                 after(stream.get(), branches[i].get());
                               }
                             }};
  tally sum;
  double start = now_ms();
  for (int replay = 0; replay < (run.options.brief ? 10 : 50); ++replay) {
    run.dog.expect("a graph of parallel branches, replay " + std::to_string(replay), 30);
    for (auto const& call : calls) call->wipe();
    graph.replay();
    for (std::size_t i = 0; i < calls.size(); ++i) sum.count(*calls[i], outcomes[i]);
  }
  run.seen.add(sum.row("a graph of parallel branches", start));
  REQUIRE_CUDA(cudaEventDestroy(event));

  // Repeated replays detect counters that a replay does not reset.
  tally replays;
  start = now_ms();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    run.dog.expect("replays of " + calls[i]->name(), 60);
    farpoint::result outcome;
    captured_graph const alone{stream.get(), [&] { outcome = calls[i]->enqueue(stream.get()); }};
    for (int replay = 0; replay < (run.options.brief ? 60 : 400); ++replay) {
      if (replay % 20 == 0) calls[i]->wipe();
      alone.replay();
      if (replay % 20 == 19) replays.count(*calls[i], outcome);
    }
  }
  run.seen.add(replays.row("replays (every 20th looked at)", start));
}

void in_processes(stress_run const& run) {
  double const seconds = run.options.brief ? 3 : 6;
  double const start = now_ms();
  run.dog.expect("three processes", 240 + seconds);
  // The path contains the process id, because /proc/self would be the shell that popen() starts.
  std::string const command =
      "exec /proc/" + std::to_string(getpid()) + "/exe --process " + std::to_string(seconds) + " 2>&1";
  std::array<FILE*, 3> pipes{};
  for (auto& pipe : pipes) pipe = popen(command.c_str(), "r");
  crowd_row all{"3 processes x 8 threads x 8 streams"};
  for (auto* const pipe : pipes) {
    if (pipe == nullptr) {
      run.seen.add_failure("a process could not be started");
      continue;
    }
    bool finished = false;
    char line[512];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      crowd_row one;
      if (std::sscanf(line, process_line, &one.calls, &one.refused, &one.wrong) == 3) {
        finished = true;
        all.calls += one.calls;
        all.refused += one.refused;
        all.wrong += one.wrong;
      } else if (std::strstr(line, "WRONG") != nullptr || std::strstr(line, "REFUSED") != nullptr) {
        std::printf("%s", line);
      }
    }
    if (pclose(pipe) != 0 || !finished) run.seen.add_failure("a process did not end well");
  }
  all.seconds = (now_ms() - start) / 1000;
  run.seen.add(all);
}

}  // namespace farpoint_stress
