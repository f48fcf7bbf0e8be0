/// @file
/// The first exchange of voxelize_shard() on streams: what ranks say of their arguments, and where their points go.
#pragma once

#include <farpoint/scale/stream/voxelize_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What all ranks have told.
class voxelize_told {
 public:
  explicit voxelize_told(int ranks) noexcept : size_{voxelize_told_bytes(ranks)} {}

  std::size_t size() const noexcept { return size_; }
  unsigned char* memory() noexcept { return memory_; }
  shard_header header(int rank) const noexcept { return load<shard_header>(rank, 0); }
  /// The first place of a key among the points of a rank.
  std::uint32_t begin(int rank, int key) const noexcept {
    return load<std::uint32_t>(rank, sizeof(shard_header) + static_cast<std::size_t>(key) * sizeof(std::uint32_t));
  }

 private:
  template <class T>
  T load(int rank, std::size_t at) const noexcept {
    T value;
    std::memcpy(&value, memory_ + static_cast<std::size_t>(rank) * size_ + at, sizeof value);
    return value;
  }

  std::size_t size_;
  unsigned char memory_[max_stream_ranks * voxelize_told_bytes(max_stream_ranks)];
};

/// A communicator for agree_on_shards() whose one exchange tells where points go, too.
template <class Exec, class Communicator>
class voxelize_telling {
 public:
  /// @param mine  of a rank whose arguments are refused null; else its execution's memory for what it tells, which has
  ///              all but the header
  /// @param all   room for what all tell; of no use if `mine` is null
  voxelize_telling(Exec exec, Communicator& communicator, unsigned char* mine, unsigned char* all) noexcept
      : told{communicator.ranks()}, exec_{exec}, communicator_{communicator}, mine_{mine}, all_{all} {}

  int ranks() const noexcept { return communicator_.ranks(); }
  int rank() const noexcept { return communicator_.rank(); }

  result all_gather(void const* header, void* headers, std::size_t size) noexcept {
    result const done = mine_ == nullptr ? refuse(header, size) : tell(header, size);
    for (int r = 0; r < ranks() && done; ++r) {
      shard_header const other = told.header(r);
      std::memcpy(static_cast<unsigned char*>(headers) + static_cast<std::size_t>(r) * size, &other, size);
    }
    return done;
  }

  voxelize_told told;

 private:
  using backend = shard_backend<Exec>;

  result tell(void const* header, std::size_t size) noexcept {
    result done = backend::write(exec_, communicator_, mine_, header, size);
    if (done) done = communicator_.all_gather(mine_, all_, told.size());
    if (!done) return done;
    return backend::read(exec_, communicator_, told.memory(), all_, static_cast<std::size_t>(ranks()) * told.size());
  }
  result refuse(void const* header, std::size_t size) noexcept {
    unsigned char own[voxelize_told_bytes(max_stream_ranks)] = {};
    std::memcpy(own, header, size);
    return backend::tell(exec_, communicator_, own, told.memory(), told.size(), {});
  }

  Exec exec_;
  Communicator& communicator_;
  unsigned char* mine_;
  unsigned char* all_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
