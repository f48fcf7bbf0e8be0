// Calls on streams that have a part of the GPU.
#include "green_context.cuh"
#include "measure.cuh"
#include "sections.hpp"

namespace farpoint_stress {

#if CUDART_VERSION >= 12050

void in_green_contexts(stress_run const& run) {
  test_stream const stream;
  int const all = multiprocessors();
  int const runs = run.options.brief ? 3 : 9;
  for (auto const& listed : run.calls) {
    auto const call = listed->clone();
    run.dog.expect("green contexts: " + call->name(), 120);
    std::string reason;
    (void)run_and_check(*call, stream.get(), reason);
    load_row row;
    row.group = "green";
    row.call = call->name();
    row.alone_ms = measure_alone(*call, stream.get(), runs).ms;
    for (int const wanted : {8, 16, 32, 64, all - 12}) {
      green_context const green{wanted};
      // The green context is the stream's only, or also the thread's current context.
      for (bool const current : {false, true}) {
        row.load = std::to_string(green.multiprocessors()) + (current ? " current" : "");
        row.reason.clear();
        run.dog.expect("green context of " + row.load + ": " + call->name(), 60);
        call->wipe();
        {
          std::optional<green_context::current> here;
          if (current) here.emplace(green);
          farpoint::result const outcome = call->enqueue(green.stream());
          row.loaded_ms = outcome ? measure_alone(*call, green.stream(), runs).ms : 0;
          row.outcome = outcome ? fate::ok : fate::refused;
          if (!outcome) row.reason = reason_of(outcome);
          REQUIRE_CUDA(cudaStreamSynchronize(green.stream()));
          // The runtime's launches leave theirs behind when they fail.
          if (cudaError_t const left = cudaGetLastError(); outcome && left != cudaSuccess) {
            run.seen.add_failure(row.call + ", green context: a pending error: " + cudaGetErrorName(left));
          }
        }
        if (row.outcome == fate::ok && !call->is_right()) row.outcome = fate::wrong;
        row.is_failure = row.outcome != fate::ok;
        run.seen.add(row);
      }
    }
  }
}

#else

void in_green_contexts(stress_run const&) {}

#endif

}  // namespace farpoint_stress
