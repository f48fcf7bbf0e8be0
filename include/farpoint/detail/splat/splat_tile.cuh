/// @file
/// Draws one tile of an image of splats per block, with one pixel per thread and one patch per warp.
#pragma once

#include <farpoint/detail/splat/splat_cells.hpp>
#include <farpoint/detail/splat/splat_patch.hpp>
#include <farpoint/detail/splat/splat_picture.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/tuning/screen.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

struct splat_tile_args {
  splat_picture picture;
  splat_cells cells;
  splat_record const* records;
  std::uint32_t const* entries;
  std::int64_t const* offsets;  ///< ends of the cells' lists
  std::uint32_t* covers;        ///< covers of the picture
};

inline constexpr int splat_tile_threads = splat_tile_pixels;
static_assert(splat_patches_of_tile * cuda_warp::lanes == splat_tile_threads, "a warp has a patch");

/// Shared memory of a block. Each group of a splat's numbers has an array of its own, so that threads that read
/// different splats conflict in few banks.
struct splat_tile_storage {
  splat_words axes[splat_tile_slots];    ///< u, v
  splat_words places[splat_tile_slots];  ///< n; center (px)
  splat_words depths[splat_tile_slots];  ///< center depth; reach; splat_tile_part; red and green
  std::uint16_t blues[splat_tile_slots];
  std::uint16_t lists[splat_patches_of_tile][splat_tile_slots];  ///< slots of the splats that each patch may see
  /// Bit i of met[j][t]: thread t's line of sight meets splat 32 j + i of its patch's list.
  std::uint32_t met[splat_remembered][splat_tile_threads];
  /// First entry and end of entries of the tile's cell, level by level.
  std::int64_t begins[splat_cell_levels];
  std::int64_t ends[splat_cell_levels];
  std::int64_t before[splat_cell_levels + 1];  ///< number of entries of the levels below
  unsigned lengths[splat_patches_of_tile];     ///< lengths of the lists
  unsigned taken;                              ///< number of slots in use
};

/// Draws a block's tile. All threads of the block call every function.
class splat_tile {
 public:
  __device__ FARPOINT_ALWAYS_INLINE splat_tile(splat_tile_args const& args, splat_tile_storage& storage) noexcept
      : args_{args}, shared_{storage}, warp_{threadIdx.x / cuda_warp::lanes} {
    auto const lane = static_cast<std::int32_t>(cuda_warp::lane());
    auto const patch = static_cast<std::int32_t>(warp_);
    auto const columns = static_cast<unsigned>(args.cells.tiles[0]);
    tile_[0] = static_cast<std::int32_t>(blockIdx.x % columns);
    tile_[1] = static_cast<std::int32_t>(blockIdx.x / columns);
    std::int32_t const column = patch % splat_patches_across * splat_patch_width + lane % splat_patch_width;
    std::int32_t const row = patch / splat_patches_across * splat_patch_height + lane / splat_patch_width;
    pixel_[0] = tile_[0] * splat_tile_side + column;
    pixel_[1] = tile_[1] * splat_tile_side + row;
    center_ = center_of_pixel(pixel_[0], pixel_[1]);
    in_tile_ = splat_tile_part::pixel(column, row);
    find_lists();
  }

  /// Column of the thread's pixel.
  __device__ FARPOINT_ALWAYS_INLINE std::int32_t x() const noexcept { return pixel_[0]; }
  __device__ FARPOINT_ALWAYS_INLINE std::int32_t y() const noexcept { return pixel_[1]; }
  __device__ FARPOINT_ALWAYS_INLINE bool is_in_image() const noexcept {
    return x() < args_.picture.lens.size[0] && y() < args_.picture.lens.size[1];
  }

  /// Returns the bits of the nearest depth in the thread's pixel.
  template <bool CanHide>
  __device__ FARPOINT_ALWAYS_INLINE std::uint32_t front() noexcept {
    std::uint32_t nearest = no_splat;
    for (std::int64_t next = 0; next < entries();) {
      std::int64_t const first = next;
      next = take<CanHide>(first);
      has_all_ = first == 0 && next >= entries();
      add_nearest(nearest);
    }
    return nearest;
  }

  /// Returns the sums over all splats in the thread's pixel. front() must have been called before.
  __device__ FARPOINT_ALWAYS_INLINE splat_sums sums(std::uint32_t front) const noexcept {
    splat_sums sums{};
    if (has_all_) {
      add(front, true, sums);
      return sums;
    }
    for (std::int64_t next = 0; next < entries();) {
      next = take<true>(next);
      add(front, false, sums);
    }
    return sums;
  }

 private:
  __device__ FARPOINT_ALWAYS_INLINE std::int64_t entries() const noexcept { return shared_.before[args_.cells.levels]; }

  __device__ FARPOINT_ALWAYS_INLINE void find_lists() const noexcept {
    auto const level = static_cast<int>(threadIdx.x);
    if (level < args_.cells.levels) {
      std::int32_t const cell = args_.cells.cell_of_tile(level, tile_[0], tile_[1]);
      std::int64_t const begin = cell == 0 ? 0 : args_.offsets[cell - 1];
      shared_.begins[level] = begin;
      shared_.ends[level] = args_.offsets[cell];
    }
    __syncthreads();
    if (level <= args_.cells.levels) {
      std::int64_t before = 0;
      for (int i = 0; i < level; ++i) before += shared_.ends[i] - shared_.begins[i];
      shared_.before[level] = before;
    }
    __syncthreads();
  }

  /// Fills the slots with the splats of further entries.
  /// @param next  first entry that has not been read
  /// @return first entry that remains unread
  template <bool CanHide>
  __device__ FARPOINT_ALWAYS_INLINE std::int64_t take(std::int64_t next) const noexcept {
    __syncthreads();  // all threads have finished reading the slots
    if (threadIdx.x < splat_patches_of_tile) shared_.lengths[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared_.taken = 0;
    __syncthreads();
    for (;; __syncthreads()) {
      look_at<CanHide>(next + threadIdx.x);
      next += splat_tile_threads;
      __syncthreads();
      if (next >= entries() || shared_.taken + splat_tile_threads > splat_tile_slots) break;
    }
    return next;
  }

  /// Reads one entry per thread, and keeps its splat if any patch may see it.
  template <bool CanHide>
  __device__ FARPOINT_ALWAYS_INLINE void look_at(std::int64_t entry) const noexcept {
    splat_record record;
    splat_tile_part part{0};
    unsigned patches = 0;
    if (entry < entries()) {
      splat_record const& own = args_.records[args_.entries[place_of(entry)]];
      record.head = own.head;
      part = {splat_record::box_of(record.head), tile_[0] * splat_tile_side, tile_[1] * splat_tile_side};
      if (!part.is_empty()) {
        for (int i = 0; i < 3; ++i) record.parts[i] = own.parts[i];
        patches = seen_by<CanHide>(record.form(), part);
      }
    }
    unsigned const seen = cuda_warp::ballot(patches != 0);
    if (seen == 0) return;
    unsigned const slot = add_to_lists(patches, seen);
    if (patches != 0) keep(record, part, slot);
  }

  /// Returns the index of an entry in args.entries.
  __device__ FARPOINT_ALWAYS_INLINE std::int64_t place_of(std::int64_t entry) const noexcept {
    int level = 0;
    while (entry >= shared_.before[level + 1]) ++level;
    return shared_.begins[level] + (entry - shared_.before[level]);
  }

  /// Returns a bit for each patch that may see a splat. Tests all patches, since they share much of the arithmetic.
  template <bool CanHide>
  __device__ FARPOINT_ALWAYS_INLINE unsigned seen_by(splat_form const& form, splat_tile_part part) const noexcept {
    unsigned patches = 0;
#pragma unroll
    for (int i = 0; i < splat_patches_of_tile; ++i) {
      splat_patch const patch{tile_[0] * splat_tile_side + i % splat_patches_across * splat_patch_width,
                              tile_[1] * splat_tile_side + i / splat_patches_across * splat_patch_height};
      bool const may_meet = patch.may_meet(form, args_.picture.params.least_radius);
      bool const is_in_box = part.meets_patch(i);
      patches |= (may_meet & is_in_box) ? 1u << i : 0u;
    }
    return CanHide && patches != 0 && args_.picture.is_hidden(form) ? 0 : patches;
  }

  /// Assigns slots to the splats of a warp and appends the slots to the lists of the patches.
  /// @param seen  lanes that have a splat
  /// @return slot of the calling lane's splat
  __device__ FARPOINT_ALWAYS_INLINE unsigned add_to_lists(unsigned patches, unsigned seen) const noexcept {
    int const lane = cuda_warp::lane();
    unsigned const below = (1u << lane) - 1;
    unsigned own = 0;  ///< in lane i: lanes whose splats patch i may see
#pragma unroll
    for (int i = 0; i < splat_patches_of_tile; ++i) {
      unsigned const all = cuda_warp::ballot((patches >> i & 1) != 0);
      if (lane == i) own = all;
    }
    unsigned begin = 0;
    if (lane < splat_patches_of_tile) begin = atomicAdd(&shared_.lengths[lane], count_bits(own));
    if (lane == splat_patches_of_tile) begin = atomicAdd(&shared_.taken, count_bits(seen));
    unsigned const slot = cuda_warp::shuffle(begin, splat_patches_of_tile) + count_bits(seen & below);
#pragma unroll
    for (int i = 0; i < splat_patches_of_tile; ++i) {
      unsigned const all = cuda_warp::shuffle(own, i);
      unsigned const at = cuda_warp::shuffle(begin, i) + count_bits(all & below);
      if ((patches >> i & 1) != 0) shared_.lists[i][at] = static_cast<std::uint16_t>(slot);
    }
    return slot;
  }

  __device__ FARPOINT_ALWAYS_INLINE void keep(splat_record const& record, splat_tile_part part,
                                              unsigned slot) const noexcept {
    shared_.axes[slot] = record.parts[0];
    shared_.places[slot] = record.parts[1];
    shared_.depths[slot] = {{record.parts[2].word[0], record.parts[2].word[1], part.bits(), record.head.word[2]}};
    shared_.blues[slot] = static_cast<std::uint16_t>(record.head.word[3]);
  }

  /// True if the thread's line of sight meets the splat in a slot.
  /// @param hit  set to the intersection, if the result is true
  __device__ FARPOINT_ALWAYS_INLINE bool meets(unsigned slot, splat_words const& depth, splat_hit& hit) const noexcept {
    if (!splat_tile_part{depth.word[2]}.has(in_tile_)) return false;
    splat_form const form = splat_record::form_of(shared_.axes[slot], shared_.places[slot], depth);
    return form.meets(center_, args_.picture.lens, args_.picture.params.least_radius, hit);
  }

  __device__ FARPOINT_ALWAYS_INLINE void add_nearest(std::uint32_t& nearest) const noexcept {
    auto const length = static_cast<int>(shared_.lengths[warp_]);
    for (int first = 0; first < length; first += 32) {
      std::uint32_t met = 0;
      int const count = smaller(32, length - first);
      for (int i = 0; i < count; ++i) {
        unsigned const slot = shared_.lists[warp_][first + i];
        splat_words const depth = shared_.depths[slot];
        splat_hit hit;
        if (!meets(slot, depth, hit)) continue;
        nearest = smaller(nearest, float_bits(hit.depth));
        met |= 1u << i;
      }
      if (first < 32 * splat_remembered) shared_.met[first / 32][threadIdx.x] = met;
    }
  }

  /// Returns a bit for each of the 32 list entries from `first` on that add() must test.
  __device__ FARPOINT_ALWAYS_INLINE std::uint32_t unknown(int first, int length, bool remembers) const noexcept {
    if (remembers && first < 32 * splat_remembered) return shared_.met[first / 32][threadIdx.x];
    return length - first < 32 ? (1u << (length - first)) - 1 : ~0u;
  }

  /// Adds up the splats that the thread's own line of sight meets: far fewer than its patch may see.
  /// @param remembers  true if add_nearest() has processed the slots in use
  __device__ FARPOINT_ALWAYS_INLINE void add(std::uint32_t front, bool remembers, splat_sums& sums) const noexcept {
    auto const length = static_cast<int>(shared_.lengths[warp_]);
    int first = 0;  ///< first of 32 consecutive list entries
    std::uint32_t left = length == 0 ? 0 : unknown(0, length, remembers);
    while (true) {
      while (left == 0 && first + 32 < length) left = unknown(first += 32, length, remembers);
      if (left == 0) return;
      unsigned const slot = shared_.lists[warp_][first + lowest_bit(left)];
      left &= left - 1;
      splat_words const depth = shared_.depths[slot];
      splat_hit hit;
      if (!meets(slot, depth, hit)) continue;
      std::uint32_t const weight = args_.picture.weight_of(hit, float_of_bits(depth.word[1]), front);
      sums.weight += weight;
      sums.colors[0] += std::uint64_t{weight} * (depth.word[3] & 0xffffu);
      sums.colors[1] += std::uint64_t{weight} * (depth.word[3] >> 16);
      sums.colors[2] += std::uint64_t{weight} * shared_.blues[slot];
    }
  }

  splat_tile_args const& args_;
  splat_tile_storage& shared_;
  unsigned warp_;
  std::int32_t tile_[2];
  std::int32_t pixel_[2];  ///< pixel of the thread
  vec<float, 2> center_;   ///< center of the pixel (px)
  std::uint32_t in_tile_;  ///< splat_tile_part::pixel() of the pixel
  bool has_all_ = false;   ///< whether the slots hold all splats that the tile may see
};

/// Number of blocks that a multiprocessor should hold: 32 warps, or fewer if shared memory does not suffice.
constexpr int splat_tile_blocks() noexcept {
  return smaller(1024 / splat_tile_threads, blocks_that_fit(splat_tile_threads, sizeof(splat_tile_storage)));
}

/// Output of a kernel.
enum class splat_tile_pass {
  covers,  ///< nearest depths over all splats, which decide which splats are hidden
  image
};

template <splat_tile_pass Pass, int BlockSize>
__global__ void __launch_bounds__(BlockSize, splat_tile_blocks()) splat_tile_kernel(splat_tile_args const args) {
  static_assert(BlockSize == splat_tile_threads, "farpoint: a thread for each pixel of a tile");
  __shared__ splat_tile_storage storage;
  splat_tile tile{args, storage};
  if constexpr (Pass == splat_tile_pass::covers) {
    std::uint32_t const front = tile.front<false>();
    if (tile.is_in_image()) args.covers[index_t{tile.y()} * args.picture.lens.size[0] + tile.x()] = front;
  } else {
    std::uint32_t const front = tile.front<true>();
    splat_sums const sums = tile.sums(front);
    if (tile.is_in_image()) args.picture.resolve(tile.x(), tile.y(), sums, front);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE
