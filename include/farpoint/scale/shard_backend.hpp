/// @file
/// Copies, fills, sorts and small exchanges of calls on shards, for arrays in host or device memory: the host's half.
#pragma once

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
/// - `tell(exec, communicator, mine, all, size, room)`: all_gather() of host memory. `room` is free memory of the
///   execution, (ranks + 1) * size bytes, or less if the call has too small a workspace.
/// - `check_arrays(exec, workspace, arrays...)`: refuses memory that the execution cannot access, where that is
/// checked.
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
  static result tell(host_exec, Communicator& communicator, void const* mine, void* all, std::size_t size,
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

/// Communicator of values on the host's stack, for agree_on_shards().
template <class Exec, class Communicator>
class shard_telling {
 public:
  shard_telling(Exec exec, Communicator& communicator, bytes room) noexcept
      : exec_{exec}, communicator_{communicator}, room_{room} {}

  int ranks() const noexcept { return communicator_.ranks(); }
  int rank() const noexcept { return communicator_.rank(); }
  result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    return shard_backend<Exec>::tell(exec_, communicator_, mine, all, size, room_);
  }

 private:
  Exec exec_;
  Communicator& communicator_;
  bytes room_;
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
    shard_telling<Exec, Communicator> telling{exec, communicator, own ? workspace : bytes{}};
    return agree_on_shards(telling, own, mine, headers, sources);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
