/// @file
/// radix_sort() against cub::DeviceRadixSort, in one run: 32-bit keys and values, replayed from a graph. See README.md.

#include "support/cuda_suite.cuh"
#include "support/register_row.hpp"
#include "support/timing.cuh"

#include <farpoint/grid/radix_sort.cuh>

#include <benchmark/benchmark.h>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

using words = std::vector<std::uint32_t>;

words random_words(std::size_t size, std::uint64_t seed) {
  words all(size);
  for (std::uint32_t& word : all) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  return all;
}

/// The input, the buffers that a sort works in, and what comes out.
class sort_problem {
 public:
  sort_problem(std::size_t size, int bits)
      : bits_{bits},
        host_keys_{random_words(size, size)},
        input_{host_keys_},
        keys_{device_buffer<std::uint32_t>{size}, device_buffer<std::uint32_t>{size}},
        values_{device_buffer<std::uint32_t>{size}, device_buffer<std::uint32_t>{size}},
        numbers_{numbers(size)} {}

  std::size_t size() const { return host_keys_.size(); }
  int bits() const { return bits_; }
  cudaStream_t stream() const { return stream_.get(); }
  std::uint32_t* keys(int buffer) const { return keys_[buffer].data(); }
  std::uint32_t* values(int buffer) const { return values_[buffer].data(); }

  /// A sort leaves its input in order, which would make the next one faster.
  void prepare(cudaStream_t stream) const {
    std::size_t const bytes = size() * sizeof(std::uint32_t);
    check(cudaMemcpyAsync(keys(0), input_.data(), bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(values(0), numbers_.data(), bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  }

  /// Throws unless the buffer holds the one stable order.
  void verify(int buffer) const {
    words const keys = keys_[buffer].download();
    words const values = values_[buffer].download();
    std::uint32_t const mask = ~0u >> (32 - bits_);
    for (std::size_t i = 0; i < size(); ++i) {
      bool const is_pair = values[i] < size() && keys[i] == host_keys_[values[i]];
      bool const ascends = i == 0 || (keys[i - 1] & mask) < (keys[i] & mask) ||
                           ((keys[i - 1] & mask) == (keys[i] & mask) && values[i - 1] < values[i]);
      if (!is_pair || !ascends) throw std::runtime_error{"wrong order at " + std::to_string(i)};
    }
  }

 private:
  static words numbers(std::size_t size) {
    words all(size);
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }

  int bits_;
  words host_keys_;
  device_buffer<std::uint32_t> input_;
  device_buffer<std::uint32_t> keys_[2];
  device_buffer<std::uint32_t> values_[2];
  device_buffer<std::uint32_t> numbers_;
  owned_stream stream_;
};

/// radix_sort() with its memory.
template <class Selector>
class farpoint_sort {
 public:
  explicit farpoint_sort(sort_problem const& problem)
      : problem_{problem}, workspace_{farpoint::radix_sort_workspace_words<Selector>(problem.size())} {}

  void operator()(cudaStream_t stream) const {
    check(farpoint::radix_sort<Selector>({{problem_.keys(0), problem_.keys(1)},
                                          {problem_.values(0), problem_.values(1)},
                                          workspace_.data(),
                                          static_cast<std::uint32_t>(problem_.size()),
                                          problem_.bits()},
                                         stream),
          "radix_sort");
  }
  int result() const { return farpoint::radix_sort_result(problem_.bits()); }

 private:
  sort_problem const& problem_;
  device_buffer<std::uint32_t> workspace_;
};

/// cub::DeviceRadixSort with its memory.
class cub_sort {
 public:
  explicit cub_sort(sort_problem const& problem) : problem_{problem} {
    std::size_t bytes = 0;
    sort(nullptr, bytes, problem.stream());
    storage_ = std::make_unique<device_buffer<unsigned char>>(bytes);
  }

  void operator()(cudaStream_t stream) {
    std::size_t bytes = storage_->size();
    result_ = sort(storage_->data(), bytes, stream);
  }
  int result() const { return result_; }

 private:
  int sort(void* storage, std::size_t& bytes, cudaStream_t stream) const {
    CUB_NS_QUALIFIER::DoubleBuffer<std::uint32_t> keys{problem_.keys(0), problem_.keys(1)};
    CUB_NS_QUALIFIER::DoubleBuffer<std::uint32_t> values{problem_.values(0), problem_.values(1)};
    check(CUB_NS_QUALIFIER::DeviceRadixSort::SortPairs(storage, bytes, keys, values, static_cast<int>(problem_.size()),
                                                       0, problem_.bits(), stream),
          "cub::DeviceRadixSort::SortPairs");
    return keys.selector;
  }

  sort_problem const& problem_;
  std::unique_ptr<device_buffer<unsigned char>> storage_;
  int result_ = 0;
};

struct row {
  std::size_t size;
  int bits = 32;
};

template <class Contender>
void add(std::string const& suite, row const& config, std::string const& who, bool flush_l2) {
  std::string const name = suite + std::to_string(config.size) + "/bits" + std::to_string(config.bits) + "/" + who;
  register_row(name, config.size > 8'000'000 ? 50 : 100, [=](benchmark::State& state) {
    sort_problem const problem{config.size, config.bits};
    Contender contender{problem};
    problem.prepare(problem.stream());
    owned_graph const graph{problem.stream(), contender};
    graph.launch(problem.stream());
    problem.verify(contender.result());
    state.SetLabel("in order");
    state.counters["n"] = static_cast<double>(config.size);
    state.counters["bits"] = config.bits;
    // Keys and values, read and written once.
    auto const size = static_cast<double>(config.size);
    workload const work{size, 0, 16 * size};
    time_prepared_calls(
        state, problem.stream(), work, flush_l2, [&](cudaStream_t stream) { problem.prepare(stream); },
        [&](cudaStream_t stream) { graph.launch(stream); });
    state.counters["keys_per_second"] = state.counters["points_per_second"];
  });
}

/// One block.
template <int Threads, int Items>
struct by_block : farpoint::radix_sort_selector {
  static constexpr farpoint::radix_block_tuning blocks[] = {{Threads, Items}};
};
/// One launch a digit.
template <int Threads, int Items, int Blocks, int Window, bool Apart = false>
struct by_sweeps : farpoint::radix_sort_selector {
  static constexpr farpoint::radix_block_tuning blocks[] = {{256, 1}};
  static constexpr farpoint::radix_sweep_tuning sweeps[] = {{1, Threads, Items, Blocks, Window, Apart}};
};
template <int Blocks, int Items>
struct by_histogram : by_sweeps<256, 16, 3, 4> {
  static constexpr int histogram_blocks = Blocks;
  static constexpr int histogram_items = Items;
};

// Tuned variants: a selector, the sizes that it is for, and its name.

template <int Threads, int Items>
struct block {
  using selector = by_block<Threads, Items>;
  static bool takes(std::size_t size) {
    return size <= std::size_t{Threads * Items} && size * 8 > std::size_t{Threads * Items};
  }
  static std::string name() { return "block_" + std::to_string(Threads) + "x" + std::to_string(Items); }
};

template <int Threads, int Items, int Blocks, int Window, bool Apart = false>
struct sweeps {
  using selector = by_sweeps<Threads, Items, Blocks, Window, Apart>;
  static bool takes(std::size_t) { return true; }
  static std::string name() {
    return "sweeps_" + std::to_string(Threads) + "x" + std::to_string(Items) + "_blocks" + std::to_string(Blocks) +
           "_window" + std::to_string(Window) + (Apart ? "_apart" : "");
  }
};

template <int Blocks, int Items>
struct histogram {
  using selector = by_histogram<Blocks, Items>;
  static bool takes(std::size_t) { return true; }
  static std::string name() { return "histogram_blocks" + std::to_string(Blocks) + "_items" + std::to_string(Items); }
};

template <class... Shapes>
void add_shapes(row const& config, bool flush_l2) {
  auto const add_one = [&](auto shape) {
    using shape_type = decltype(shape);
    if (!shape_type::takes(config.size)) return;
    add<farpoint_sort<typename shape_type::selector>>("sort/tune/", config, shape_type::name(), flush_l2);
  };
  (add_one(Shapes{}), ...);
}

constexpr std::size_t sizes[] = {4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20};
constexpr std::size_t block_sizes[] = {1024, 2048, 4096, 8192, 12288, 16384};

void register_rows(bool flush_l2) {
  for (std::size_t const size : sizes) {
    add<farpoint_sort<farpoint::radix_sort_selector>>("sort/", {size}, "farpoint", flush_l2);
    add<cub_sort>("sort/", {size}, "cub", flush_l2);
  }
}

void register_tuning(bool flush_l2) {
  for (std::size_t const size : block_sizes) {
    add_shapes<block<256, 4>, block<256, 8>, block<512, 4>, block<256, 16>, block<512, 8>, block<1024, 4>,
               block<512, 16>, block<1024, 8>, block<512, 24>, block<1024, 12>, block<512, 32>, block<1024, 16>>(
        {size}, flush_l2);
  }
  for (std::size_t const size : sizes) {
    // With 8 bits: one pass. A pass more costs a third of what 32 bits take longer.
    for (int const bits : {32, 8}) {
      row const config{size, bits};
      if (bits == 8) add<cub_sort>("sort/tune/", config, "cub", flush_l2);
      add_shapes<sweeps<256, 16, 3, 1>, sweeps<256, 16, 3, 4>, sweeps<256, 16, 3, 8>, sweeps<256, 16, 3, 4, true>,
                 sweeps<256, 8, 4, 4>, sweeps<256, 12, 3, 4>, sweeps<256, 16, 4, 4>, sweeps<256, 24, 2, 4>,
                 sweeps<384, 12, 2, 4>, sweeps<384, 16, 2, 4>, sweeps<384, 16, 2, 4, true>, sweeps<384, 20, 2, 4>,
                 sweeps<384, 20, 2, 4, true>, sweeps<384, 24, 2, 4, true>, sweeps<512, 8, 2, 4>, sweeps<512, 12, 2, 4>,
                 sweeps<512, 16, 1, 4>, sweeps<1024, 8, 1, 4>>(config, flush_l2);
    }
    if (size < 1 << 20) continue;
    add_shapes<histogram<132, 16>, histogram<264, 16>, histogram<1056, 16>, histogram<528, 8>>({size, 8}, flush_l2);
  }
}

}  // namespace

int run_program(arguments const& args) {
  register_rows(args.flush_l2);
  if (wants("tune", "FARPOINT_TUNE")) register_tuning(args.flush_l2);
  return run_cuda_suite("sort", args);
}

}  // namespace farpoint_bench
