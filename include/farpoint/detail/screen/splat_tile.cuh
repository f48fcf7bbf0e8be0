/// @file
/// A warp draws a patch of an image of splats, whose sums it keeps in registers.
#pragma once

#include <farpoint/detail/screen/splat_cells.hpp>
#include <farpoint/detail/screen/splat_patch.hpp>
#include <farpoint/detail/screen/splat_picture.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

struct splat_tile_args {
  splat_picture picture;
  splat_cells cells;
  splat_record const* records;
  std::uint32_t const* entries;
  std::int64_t const* offsets;  ///< where the lists end
  std::uint32_t* covers;        ///< of the picture
};

inline constexpr int splat_patches_across = splat_tile_side / splat_patch_width;
inline constexpr int splat_patches_of_tile = splat_patches_across * splat_tile_side / splat_patch_height;

/// Batches of 32 splats of which a warp remembers which ones its patch may see.
inline constexpr int splat_remembered = 64;

/// What a warp keeps in shared memory.
struct splat_batch {
  /// Splats that may meet the patch, at most one a lane. In place of the box, `head` has the pixels of the patch that
  /// are in it.
  splat_record splats[cuda_warp::lanes];
  unsigned seen[splat_remembered];  ///< of the first batches, in the order in which they are looked at
};

/// A warp's patch. All of its lanes call the functions together.
class splat_canvas {
 public:
  /// @param patch  patches of a tile follow one another
  __device__ FARPOINT_ALWAYS_INLINE splat_canvas(splat_tile_args const& args, unsigned patch,
                                                 splat_batch& shared) noexcept
      : args_{args}, shared_{shared}, lane_{static_cast<unsigned>(cuda_warp::lane())} {
    unsigned const tile = patch / splat_patches_of_tile;
    auto const columns = static_cast<unsigned>(args.cells.tiles[0]);
    tile_[0] = static_cast<std::int32_t>(tile % columns);
    tile_[1] = static_cast<std::int32_t>(tile / columns);
    auto const number = static_cast<std::int32_t>(patch % splat_patches_of_tile);
    patch_.x = tile_[0] * splat_tile_side + number % splat_patches_across * splat_patch_width;
    patch_.y = tile_[1] * splat_tile_side + number / splat_patches_across * splat_patch_height;
  }

  __device__ FARPOINT_ALWAYS_INLINE std::int32_t x() const noexcept {
    return patch_.x + static_cast<std::int32_t>(lane_ % splat_patch_width);
  }
  __device__ FARPOINT_ALWAYS_INLINE std::int32_t y() const noexcept {
    return patch_.y + static_cast<std::int32_t>(lane_ / splat_patch_width);
  }
  __device__ FARPOINT_ALWAYS_INLINE bool is_in_image() const noexcept {
    return x() < args_.picture.lens.size[0] && y() < args_.picture.lens.size[1];
  }

  /// Bits of the nearest depth in the lane's pixel.
  template <bool CanHide>
  __device__ FARPOINT_ALWAYS_INLINE std::uint32_t front() const noexcept {
    std::uint32_t nearest = no_splat;
    each_hit<CanHide, false>([&nearest](splat_words const&, float, splat_hit const& hit) {
      nearest = smaller(nearest, float_bits(hit.depth));
    });
    return nearest;
  }

  /// What the splats add up to in the lane's pixel. Call front() before.
  __device__ FARPOINT_ALWAYS_INLINE splat_sums sums(std::uint32_t front) const noexcept {
    splat_sums sums{};
    each_hit<true, true>([this, front, &sums](splat_words const& head, float reach, splat_hit const& hit) {
      std::uint32_t const weight = args_.picture.weight_of(hit, reach, front);
      sums.weight += weight;
      sums.colours[0] += std::uint64_t{weight} * (head.word[2] & 0xffffu);
      sums.colours[1] += std::uint64_t{weight} * (head.word[2] >> 16);
      sums.colours[2] += std::uint64_t{weight} * head.word[3];
    });
    return sums;
  }

 private:
  /// Calls `visit(head, reach, hit)` for each splat that the lane's line of sight meets. Each lane looks at one splat
  /// of the lists, whether the patch can see it; then all lanes look at each of those.
  /// @tparam Again  not for the first time
  template <bool CanHide, bool Again, class Visit>
  __device__ FARPOINT_ALWAYS_INLINE void each_hit(Visit const& visit) const noexcept {
    int batch = 0;
    for (int level = 0; level < args_.cells.levels; ++level) {
      std::int32_t const cell = args_.cells.cell_of_tile(level, tile_[0], tile_[1]);
      std::int64_t const end = args_.offsets[cell];
      std::int64_t const begin = cell == 0 ? 0 : args_.offsets[cell - 1];
      for (std::int64_t first = begin; first < end; first += cuda_warp::lanes, ++batch) {
        bool const is_known = Again && batch < splat_remembered;
        unsigned const known = is_known ? shared_.seen[batch] : ~0u;
        if (known == 0) continue;
        unsigned const seen = gather<CanHide>(first + lane_, end, known, is_known);
        if (!Again && batch < splat_remembered && lane_ == 0) shared_.seen[batch] = seen;
        for (int i = count_bits(seen) - 1; i >= 0; --i) {
          splat_words const head = shared_.splats[i].head;
          splat_form const form = shared_.splats[i].form();
          splat_hit hit;
          bool const is_in_box = (head.word[0] >> lane_ & 1) != 0;
          if (is_in_box && form.meets(x(), y(), args_.picture.lens, args_.picture.params.least_radius, hit)) {
            visit(head, form.reach, hit);
          }
        }
        cuda_warp::sync();
      }
    }
  }

  /// Puts those of 32 entries that the patch may see into shared memory.
  /// @param known     those that it may see
  /// @param is_known  they need not be looked at
  /// @return which they are
  template <bool CanHide>
  __device__ FARPOINT_ALWAYS_INLINE unsigned gather(std::int64_t entry, std::int64_t end, unsigned known,
                                                    bool is_known) const noexcept {
    splat_record record;
    bool sees = false;
    if (entry < end && (known >> lane_ & 1) != 0) {
      splat_record const& own = args_.records[args_.entries[entry]];
      record.head = own.head;
      record.head.word[0] = patch_.pixels_in(splat_record::box_of(record.head));
      sees = record.head.word[0] != 0;
      if (sees) {
        for (int i = 0; i < 3; ++i) record.parts[i] = own.parts[i];
        if (!is_known) {
          splat_form const form = record.form();
          sees = patch_.may_meet(form, args_.picture.params.least_radius);
          if (CanHide && sees) sees = !args_.picture.is_hidden(form);
        }
      }
    }
    unsigned const seen = cuda_warp::ballot(sees);
    if (sees) shared_.splats[count_bits(seen & ((1u << lane_) - 1))] = record;
    cuda_warp::sync();
    return seen;
  }

  splat_tile_args const& args_;
  splat_batch& shared_;
  unsigned lane_;
  std::int32_t tile_[2];
  splat_patch patch_;
};

/// Blocks that a multiprocessor should hold: 32 warps, as far as shared memory goes.
constexpr int splat_tile_blocks(int block_size) noexcept {
  int const warps = block_size / cuda_warp::lanes;
  return smaller(32 / warps, blocks_that_fit(block_size, static_cast<std::size_t>(warps) * sizeof(splat_batch)));
}

/// The nearest depths of all splats, by which some may be hidden.
template <int BlockSize>
__global__ void __launch_bounds__(BlockSize) splat_cover_kernel(splat_tile_args const args) {
  constexpr unsigned warps = BlockSize / cuda_warp::lanes;
  __shared__ splat_batch shared[warps];
  unsigned const warp = threadIdx.x / cuda_warp::lanes;
  splat_canvas const canvas{args, blockIdx.x * warps + warp, shared[warp]};
  std::uint32_t const front = canvas.template front<false>();
  if (!canvas.is_in_image()) return;
  args.covers[index_t{canvas.y()} * args.picture.lens.size[0] + canvas.x()] = front;
}

/// The image.
template <int BlockSize>
__global__ void __launch_bounds__(BlockSize, splat_tile_blocks(BlockSize))
    splat_tile_kernel(splat_tile_args const args) {
  constexpr unsigned warps = BlockSize / cuda_warp::lanes;
  __shared__ splat_batch shared[warps];
  unsigned const warp = threadIdx.x / cuda_warp::lanes;
  splat_canvas const canvas{args, blockIdx.x * warps + warp, shared[warp]};
  std::uint32_t const front = canvas.template front<true>();
  splat_sums const sums = canvas.sums(front);
  if (canvas.is_in_image()) args.picture.resolve(canvas.x(), canvas.y(), sums, front);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
