#include "frame.hpp"

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

/// Returns true for memory that the device can access itself: page-locked or managed memory.
bool is_page_locked(void const* memory) noexcept {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) return false;
  return attributes.type == cudaMemoryTypeHost || attributes.type == cudaMemoryTypeManaged;
}

}  // namespace

/// Waits until the copies that used the next slot are done.
cudaError_t frame::open_slot() noexcept {
  bool const was_busy = is_busy_[next_slot_];
  is_busy_[next_slot_] = false;
  return was_busy ? cudaEventSynchronize(memory_.copied(next_slot_)) : cudaSuccess;
}

/// Enqueues the copy of the open slot to the device, and proceeds to the next slot.
cudaError_t frame::close_slot(unsigned char* at, std::size_t size) noexcept {
  int const slot = next_slot_;
  next_slot_ = (slot + 1) % thread_memory::slots;
  cudaError_t error = cudaMemcpyAsync(at, memory_.slot(slot), size, cudaMemcpyHostToDevice, memory_.stream());
  if (error == cudaSuccess) error = cudaEventRecord(memory_.copied(slot), memory_.stream());
  is_busy_[slot] = true;
  return error;
}

cudaError_t frame::upload() noexcept {
  constexpr std::size_t slot_bytes = thread_memory::slot_bytes;
  unsigned char* begin = nullptr;  // destination of the open slot; null: no slot is open
  std::size_t filled = 0;
  auto const flush = [&] { return begin == nullptr ? cudaSuccess : close_slot(std::exchange(begin, nullptr), filled); };
  for (int i = 0; i < input_count_; ++i) {
    input_array const& array = inputs_[i];
    auto const size = static_cast<std::size_t>(array.count) * array.element;
    if (array.write == nullptr && size >= direct_bytes && is_page_locked(array.source)) {
      cudaError_t const error = cudaMemcpyAsync(array.at, array.source, size, cudaMemcpyHostToDevice, memory_.stream());
      if (error != cudaSuccess) return error;
      continue;
    }
    for (index_t done = 0; done < array.count;) {
      unsigned char* const at = array.at + static_cast<std::size_t>(done) * array.element;
      // Arrays share a slot if they are adjacent up to the gap for alignment.
      bool const follows = begin != nullptr && at >= begin + filled && at < begin + filled + alignment &&
                           static_cast<std::size_t>(at - begin) + array.element <= slot_bytes;
      if (!follows) {
        if (cudaError_t const error = flush(); error != cudaSuccess) return error;
        if (cudaError_t const error = open_slot(); error != cudaSuccess) return error;
        begin = at;
      }
      auto const place = static_cast<std::size_t>(at - begin);
      index_t const count = std::min(array.count - done, static_cast<index_t>((slot_bytes - place) / array.element));
      unsigned char* const to = memory_.slot(next_slot_) + place;
      if (array.write == nullptr) {
        std::memcpy(to, static_cast<unsigned char const*>(array.source) + done, static_cast<std::size_t>(count));
      } else {
        array.write(array.source, done, count, to);
      }
      filled = place + static_cast<std::size_t>(count) * array.element;
      done += count;
    }
  }
  return flush();
}

/// Reads the counters from the device, and reduces outputs to the rows that the call has written.
cudaError_t frame::learn_rows() noexcept {
  for (int i = 0; i < counter_count_; ++i) {
    counter& unknown = counters_[i];
    std::size_t const width = unknown.numbers.wide() ? sizeof(std::int64_t) : sizeof(std::int32_t);
    index_t const place = unknown.place < 0 ? 0 : counters_[unknown.place].value;
    auto const* const from = static_cast<unsigned char const*>(unknown.numbers.data()) + place * index_t(width);
    cudaError_t error = cudaMemcpyAsync(memory_.slot(0), from, width, cudaMemcpyDeviceToHost, memory_.stream());
    if (error == cudaSuccess) error = cudaStreamSynchronize(memory_.stream());
    if (error != cudaSuccess) return error;
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    std::memcpy(&wide, memory_.slot(0), unknown.numbers.wide() ? width : 0);
    std::memcpy(&narrow, memory_.slot(0), unknown.numbers.wide() ? 0 : width);
    unknown.value = unknown.numbers.wide() ? wide : narrow;
  }
  for (int i = 0; i < output_count_; ++i) {
    output_array& array = outputs_[i];
    if (array.rows.counter < 0) continue;
    index_t const rows = counters_[array.rows.counter].value + array.rows.extra;
    array.size = std::min(array.size, static_cast<std::size_t>(rows) * array.rows.size);
  }
  return cudaSuccess;
}

/// Returns the bytes of the outputs from `from` on that share a slot, and advances `from` past them. The size is 0 at
/// the end.
frame::part frame::next_part(cursor& from) const noexcept {
  part next{from, nullptr, 0};
  while (from.array < output_count_) {
    output_array const& array = outputs_[from.array];
    if (from.offset < array.size) {
      unsigned char* const at = array.at + from.offset;
      if (next.at == nullptr) next = {from, at, 0};
      auto const place = static_cast<std::size_t>(at - next.at);
      if (place >= next.size + alignment || place >= thread_memory::slot_bytes) return next;
      std::size_t const size = std::min(array.size - from.offset, thread_memory::slot_bytes - place);
      next.size = place + size;
      from.offset += size;
      if (from.offset < array.size) return next;
    }
    from = {from.array + 1, 0};
  }
  return next;
}

/// Copies a part from its slot to the caller's outputs.
void frame::scatter(part const& copied, unsigned char const* slot) const noexcept {
  unsigned char const* const end = copied.at + copied.size;
  cursor to = copied.begin;
  for (; to.array < output_count_; to = {to.array + 1, 0}) {
    output_array const& array = outputs_[to.array];
    if (to.offset >= array.size) continue;
    unsigned char const* const at = array.at + to.offset;
    if (at >= end) return;
    std::size_t const size = std::min(array.size - to.offset, static_cast<std::size_t>(end - at));
    std::memcpy(array.host + to.offset, slot + (at - copied.at), size);
  }
}

cudaError_t frame::download() noexcept {
  if (cudaError_t const error = learn_rows(); error != cudaSuccess) return error;
  cudaStream_t const stream = memory_.stream();
  for (int i = 0; i < output_count_; ++i) {
    output_array& array = outputs_[i];
    if (array.size < direct_bytes || !is_page_locked(array.host)) continue;
    cudaError_t const error = cudaMemcpyAsync(array.host, array.at, array.size, cudaMemcpyDeviceToHost, stream);
    if (error != cudaSuccess) return error;
    array.size = 0;
  }
  // Slots are free: the stream has copied all inputs from them before it copies outputs to them.
  part parts[thread_memory::slots];
  int sent = 0;
  int received = 0;
  cursor from{0, 0};
  for (;;) {
    for (; sent - received < thread_memory::slots; ++sent) {
      int const slot = sent % thread_memory::slots;
      parts[slot] = next_part(from);
      if (parts[slot].size == 0) break;
      cudaError_t error =
          cudaMemcpyAsync(memory_.slot(slot), parts[slot].at, parts[slot].size, cudaMemcpyDeviceToHost, stream);
      if (error == cudaSuccess) error = cudaEventRecord(memory_.copied(slot), stream);
      if (error != cudaSuccess) return error;
    }
    if (received == sent) break;
    int const slot = received++ % thread_memory::slots;
    if (cudaError_t const error = cudaEventSynchronize(memory_.copied(slot)); error != cudaSuccess) return error;
    scatter(parts[slot], memory_.slot(slot));
  }
  return cudaStreamSynchronize(stream);
}

}  // namespace library
FARPOINT_END_NAMESPACE
