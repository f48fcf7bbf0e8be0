/// @file
/// Registers the contenders of fps() on the GPU. Needs nvcc.
#pragma once

#include "fps/problem.cuh"
#include "support/contender.cuh"

#include <benchmark/benchmark.h>

#include <string>

namespace farpoint_bench {

using fps_contender = contender<fps_problem, fps_row>;

/// Registers a contender: prepare(problem) allocates, launch(problem, stream) is checked, then timed. `note` ends the
/// label.
template <class Prepare, class Launch>
void register_fps(fps_contender const& c, std::string const& note, Prepare prepare, Launch launch) {
  register_contender(
      c, prepare,
      [c, note](benchmark::State& state, fps_problem const& problem, auto const& enqueue) {
        problem.verify(enqueue, c.name.c_str());
        state.SetLabel(problem.checked_against() + note);
        c.row.count(state);
        return c.row.work();
      },
      launch);
}

/// Registers farpoint::fps as `Selector` tunes it.
template <class Selector>
void register_farpoint(fps_contender const& c, std::string const& note = {}) {
  register_fps(
      c, note, [](fps_problem& problem) { problem.reserve<Selector>(); },
      [](fps_problem const& problem, cudaStream_t stream) { problem.launch_farpoint<Selector>(stream); });
}

/// Registers the textbook kernel.
void register_textbook(fps_contender const& c);

/// Registers the kernel of the shape of PointNet++'s, which is not checked: the label says how many samples are the
/// expected ones.
void register_pointnet2(fps_contender const& c);

/// Registers the libraries of peers/external for a regular row that has a baseline.
void register_fps_peers(fps_row const& row, bool flush_l2, fps_problem_store& problems);

/// The scale/... rows of scale.cu.
void register_scale(bool flush_l2, fps_problem_store& problems);

}  // namespace farpoint_bench
