// The launchers of compat/ check the memory of every argument, to its last byte, before they enqueue a kernel.
#include <algorithm>
#include <map>

#include "../../support/catch.hpp"
#include "../compat_calls.hpp"

namespace farpoint_tests {

/// Arrays that a launcher checked: bytes by address.
struct checked_arrays {
  std::map<void const*, std::size_t> bytes;
  bool refuses = false;
};

/// Host execution that records checked arrays, and refuses them if `checked->refuses`.
struct recording_exec : farpoint::host_exec {
  checked_arrays* checked;
};

template <class... T>
farpoint::result check_reach(recording_exec exec, farpoint::bytes workspace,
                             farpoint::compat::detail::launcher_array<T> const&... arrays) {
  auto const note = [&](void const* data, std::size_t size) {
    if (data == nullptr || size == 0) return;
    auto& bytes = exec.checked->bytes[data];
    bytes = std::max(bytes, size);
  };
  note(workspace.data(), workspace.size());
  (note(arrays.data, static_cast<std::size_t>(arrays.size) * sizeof(T)), ...);
  return exec.checked->refuses ? farpoint::detail::reject("an array of the test's") : farpoint::result{};
}

namespace {

/// call_memory with a list of its arrays.
class listed_memory {
 public:
  template <class T>
  farpoint::span<T const> input(std::vector<T> const& values) {
    return listed(memory_.input(values));
  }
  template <class T>
  farpoint::span<T> output(std::size_t count) {
    return listed(memory_.output<T>(count));
  }
  farpoint::span<unsigned char> scratch(std::size_t count) { return listed(memory_.scratch(count)); }

  std::vector<farpoint::span<unsigned char const>> const& arrays() const { return arrays_; }
  call_memory<host_space> const& memory() const { return memory_; }

 private:
  template <class T>
  farpoint::span<T> listed(farpoint::span<T> array) {
    arrays_.push_back({reinterpret_cast<unsigned char const*>(array.data()), array.size() * sizeof(T)});
    return array;
  }

  call_memory<host_space> memory_;
  std::vector<farpoint::span<unsigned char const>> arrays_;
};

/// Requires that `call(calls)` checks the whole of each of its arrays and no other memory, and that a refused call
/// writes nothing.
/// @param partly  position of the array whose length is a sum of counts, or -1
template <class Call>
void check_arguments(Call const& call, int partly = -1) {
  listed_memory memory;
  checked_arrays checked;
  compat_calls calls{memory, recording_exec{{2}, &checked}};
  farpoint::result const outcome = call(calls);
  INFO(outcome.reason);
  REQUIRE(outcome);
  std::size_t given = 0;
  for (std::size_t i = 0; i < memory.arrays().size(); ++i) {
    auto const& array = memory.arrays()[i];
    if (array.size() == 0) continue;
    ++given;
    CAPTURE(i, array.size());
    REQUIRE(checked.bytes.count(array.data()) == 1);
    if (static_cast<int>(i) == partly) {
      CHECK(checked.bytes[array.data()] == 4);
    } else {
      CHECK(checked.bytes[array.data()] == array.size());
    }
  }
  CHECK(checked.bytes.size() == given);

  listed_memory untouched;
  checked_arrays refusing{{}, true};
  compat_calls refused{untouched, recording_exec{{2}, &refusing}};
  CHECK(std::string{call(refused).reason} == "an array of the test's");
  for (auto const& output : untouched.memory().outputs()) {
    CHECK(std::all_of(output.begin(), output.end(), [](unsigned char byte) { return byte == poison; }));
  }
}

}  // namespace

TEST_CASE("compat, host: samplers and searches check all their arrays", "[compat][host]") {
  batch_sizes const s{3, 50, 7};
  stack_sizes const stack{{50, 0, 100}, {7, 3, 11}};
  floats const clouds = packed_cloud(shape::cube, s.points(), 1);
  floats const queries = packed_cloud(shape::cube, s.others(), 2);
  for (auto const& rules : {farpoint::compat::furthest_point_sampling_rules{}, farpoint::compat::openpcdet_rules}) {
    check_arguments([&](auto& calls) { return calls.sample(s, clouds, rules); });
    check_arguments([&](auto& calls) { return calls.sample_stack(stack, clouds, rules); }, 3);
  }
  for (float const radius : {0.0f, 0.3f}) {
    check_arguments([&](auto& calls) { return calls.ball(s, clouds, queries, radius, 5); });
    check_arguments([&](auto& calls) { return calls.ball_stack(stack, clouds, queries, radius, 5); });
  }
  auto const kind = farpoint::compat::three_nn_distances::squared;
  check_arguments([&](auto& calls) { return calls.neighbors(s, clouds, queries, kind); });
  check_arguments([&](auto& calls) { return calls.neighbors_stack(stack, clouds, queries); });
  check_arguments([&](auto& calls) { return calls.mean_of_three(clouds); });
  check_arguments([&](auto& calls) { return calls.mean_of_three(floats(9)); });
}

TEST_CASE("compat, host: interpolation and grouping check all their arrays", "[compat][host]") {
  batch_sizes const s{3, 50, 7};
  stack_sizes const stack{{50, 0, 100}, {7, 3, 11}};
  int const c = 4;
  floats const weight = random_floats(s.others() * 3, 9);
  ints const three = random_indices(weight.size(), s.n, 10);
  floats const points = random_floats(s.points() * size_of(c), 11);
  floats const grad_out = random_floats(s.others() * size_of(c), 12);
  check_arguments([&](auto& calls) { return calls.weights(weight); });
  check_arguments([&](auto& calls) { return calls.interpolate(s, c, points, three, weight); });
  check_arguments([&](auto& calls) { return calls.interpolate_grad(s, c, grad_out, three, weight); });
  int const rows = s.b * s.m;
  check_arguments([&](auto& calls) { return calls.interpolate_stack(rows, c, points, three, weight); }, 0);
  check_arguments([&](auto& calls) { return calls.interpolate_grad_stack(s.n, rows, c, grad_out, three, weight); });
  for (int const nsample : {1, 5}) {
    ints const idx = random_indices(s.others() * size_of(nsample), s.n, 13);
    floats const grad = random_floats(idx.size() * size_of(c), 15);
    check_arguments([&](auto& calls) { return calls.group(s, c, nsample, points, idx); });
    check_arguments([&](auto& calls) { return calls.group_grad(s, c, nsample, grad, idx); });
    check_arguments([&](auto& calls) { return calls.group_stack(stack, c, nsample, points, idx); }, 0);
    check_arguments([&](auto& calls) { return calls.group_grad_stack(stack, c, nsample, grad, idx); });
  }
}

TEST_CASE("compat, host: voxelizers check all their arrays", "[compat][host]") {
  voxelizer_config const config{{60, 4, 5, 40}, {0.25f, 0.25f, 0.25f}, {0, 0, 0, 1, 1, 1}};
  floats const points = packed_cloud(shape::cube, 80, 16);
  check_arguments([&](auto& calls) { return calls.voxels(config, points); });
  check_arguments([&](auto& calls) { return calls.voxels_of_points(config, points); });
  // Two launchers share these arrays.
  listed_memory memory;
  checked_arrays checked;
  compat_calls calls{memory, recording_exec{{1}, &checked}};
  REQUIRE(calls.center_point_voxels(config, points));
  for (auto const& array : memory.arrays()) CHECK(checked.bytes[array.data()] == array.size());
}

}  // namespace farpoint_tests
