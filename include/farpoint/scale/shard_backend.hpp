/// @file
/// Checks, copies, fills, sorts and small exchanges of calls on shards, for arrays in host or device memory: the host's
/// half.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Operations of one execution on its arrays. Specializations have these members:
///
/// - `write(exec, communicator, to, from, size)`: copies from host memory, which may be overwritten at once.
/// - `read(exec, communicator, to, from, size)`: waits for everything enqueued before, and copies to host memory.
/// - `fill(exec, to, byte, size)`: sets bytes.
/// - `all_gather(exec, communicator, mine, all, size, room)`: all_gather() of host memory. `room` is free memory of the
///   execution, (ranks + 1) * size bytes, or less if the call has too small a workspace.
/// - `check_arrays(exec, workspace, arrays...)`: refuses memory that the execution cannot access, if it can be checked.
/// - `sorter`: a stable sort.
template <class Exec>
struct shard_backend;

template <>
struct shard_backend<host_exec> {
  template <class Communicator>
  static result write(host_exec, Communicator&, void* to, void const* from, std::size_t size) noexcept {
    std::memcpy(to, from, size);
    return {};
  }
  template <class Communicator>
  static result read(host_exec, Communicator&, void* to, void const* from, std::size_t size) noexcept {
    std::memcpy(to, from, size);
    return {};
  }
  static result fill(host_exec, void* to, unsigned char byte, std::size_t size) noexcept {
    if (size > 0) std::memset(to, byte, size);
    return {};
  }
  template <class Communicator>
  static result all_gather(host_exec, Communicator& communicator, void const* mine, void* all, std::size_t size,
                           bytes) noexcept {
    return communicator.all_gather(mine, all, size);
  }

  template <class... Arrays>
  static result check_arrays(host_exec, bytes, Arrays const&...) noexcept {
    return {};
  }

  /// Stable radix sort by the low bits of the keys, eight bits per pass.
  class sorter {
   public:
    sorter(workspace_cutter&, index_t) noexcept {}

    /// Index of the buffer with the result.
    static constexpr int sorted(int bits) noexcept { return divide_up(bits, 8) % 2; }

    result run(host_exec, std::uint32_t* const (&keys)[2], std::uint32_t* const (&values)[2], index_t size,
               int bits) const noexcept {
      for (int shift = 0; shift < bits; shift += 8) {
        int const from = shift / 8 % 2;
        std::size_t begins[257] = {};
        for (index_t i = 0; i < size; ++i) ++begins[(keys[from][i] >> shift & 255u) + 1];
        for (int k = 0; k < 256; ++k) begins[k + 1] += begins[k];
        for (index_t i = 0; i < size; ++i) {
          std::size_t const place = begins[keys[from][i] >> shift & 255u]++;
          keys[1 - from][place] = keys[from][i];
          values[1 - from][place] = values[from][i];
        }
      }
      return {};
    }
  };
};

/// Checks of one execution, and its entry in a profiler. Specializations have these members, which are static:
///
/// - accepts(exec): whether the execution itself is accepted.
/// - fit(communicator, max_ranks): result of checking the communicator; a refused one exchanges nothing.
/// - own(exec, communicator, request, workspace): result of checking the execution and the memory of the request. A
///   refused execution is replaced by one that can report to the other ranks.
/// - range: names a call from here to the end of the scope.
template <class Exec>
struct rank_checks;

template <>
struct rank_checks<host_exec> {
  struct range {
    explicit range(char const*) noexcept {}
  };

  static bool accepts(host_exec exec) noexcept { return static_cast<bool>(check_threads(exec)); }
  template <class Communicator>
  static result fit(Communicator const& communicator, int max_ranks) noexcept {
    if (result const checked = check_communicator(communicator); !checked) return checked;
    return communicator.ranks() > max_ranks ? reject("communicator: it has more than 64 ranks") : result{};
  }
  template <class Communicator, class Request>
  static result own(host_exec& exec, Communicator const&, Request const&, bytes) noexcept {
    result const checked = check_threads(exec);
    if (!checked) exec = host_exec{1};
    return checked;
  }
};

/// Headers of all ranks of a call, at most `Most` ranks.
/// @tparam Header  shard_header, or a type that derives from it
template <int Most, class Header = shard_header>
struct shard_headers {
  Header headers[std::size_t{Most}];
  int sources[std::size_t{Most}];  ///< ranks in the order of their parts

  /// @param workspace  workspace of the call; not used if `own` is a failure
  template <class Exec, class Communicator>
  result agree(Exec exec, Communicator& communicator, result const& own, Header const& mine, bytes workspace) noexcept {
    result const done =
        shard_backend<Exec>::all_gather(exec, communicator, &mine, headers, sizeof mine, own ? workspace : bytes{});
    return done ? order_shards(own, headers, communicator.ranks(), sources) : done;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
