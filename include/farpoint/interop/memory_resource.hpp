/// @file
/// Workspaces from memory resources with stream-ordered allocation, such as RMM's resources, without their headers.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/types.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True for resources with `allocate(bytes, stream)`: RMM's order of arguments before it put the stream first.
template <class Resource, class = void>
inline constexpr bool takes_bytes_first = false;
template <class Resource>
inline constexpr bool takes_bytes_first<
    Resource, std::void_t<decltype(std::declval<Resource&>().allocate(std::size_t{}, cudaStream_t{}))>> =
    !std::is_void_v<decltype(std::declval<Resource&>().allocate(std::size_t{}, cudaStream_t{}))>;

}  // namespace detail

/// Workspace with stream-ordered lifetime: allocated by `resource.allocate(bytes, stream)`, or by
/// `resource.allocate(stream, bytes)` if the former does not exist, and freed by `deallocate()` with the same order of
/// arguments.
///
///     farpoint::stream_workspace memory{*rmm::mr::get_current_device_resource(), bytes, stream};
///     farpoint::knn(stream, points, queries, {8}, output, memory.get());
///
/// May be destroyed as soon as the call has returned: the memory is freed in stream order, after the call has used it.
/// The resource must outlive the workspace and align to 256 bytes, as RMM's resources do; otherwise calls reject the
/// workspace. Size 0 allocates nothing. Exceptions from `allocate()` propagate.
/// @tparam Resource  takes as stream any type that a cudaStream_t converts to, such as rmm::cuda_stream_view or
///                   cuda::stream_ref
template <class Resource>
class stream_workspace {
 public:
  stream_workspace(Resource& resource, std::size_t size, cudaStream_t stream)
      : resource_{&resource}, stream_{stream}, size_{size} {
    if (size_ == 0) return;
    if constexpr (detail::takes_bytes_first<Resource>) {
      data_ = resource.allocate(size_, stream_);
    } else {
      data_ = resource.allocate(stream_, size_);
    }
  }
  stream_workspace(stream_workspace&& other) noexcept
      : resource_{other.resource_},
        stream_{other.stream_},
        size_{std::exchange(other.size_, 0)},
        data_{std::exchange(other.data_, nullptr)} {}
  stream_workspace& operator=(stream_workspace&& other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(stream_, other.stream_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~stream_workspace() {
    if (size_ == 0) return;
    if constexpr (detail::takes_bytes_first<Resource>) {
      resource_->deallocate(data_, size_, stream_);
    } else {
      resource_->deallocate(stream_, data_, size_);
    }
  }

  bytes get() const noexcept { return {static_cast<unsigned char*>(data_), size_}; }

 private:
  Resource* resource_;
  cudaStream_t stream_;
  std::size_t size_;
  void* data_ = nullptr;
};

FARPOINT_END_NAMESPACE
