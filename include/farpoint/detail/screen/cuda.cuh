/// @file
/// CUDA backend of knn() in screen space: checks arguments, lays out the workspace and enqueues kernels.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/screen/build_index.cuh>
#include <farpoint/detail/screen/check.hpp>
#include <farpoint/detail/screen/number_points.cuh>
#include <farpoint/detail/screen/rounds/growing_window.cuh>
#include <farpoint/detail/screen/rounds/quadtree_build.cuh>
#include <farpoint/detail/search/knn_cuda.cuh>
#include <farpoint/detail/search/queries.hpp>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/tuning/screen.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Tag for the visible points where a search needs the type of its queries.
template <class Scalar>
struct visible_queries {
  using scalar = Scalar;
};

/// Queries at the points of an index, by slot in its leaves, each with its row of the output. The points have their
/// indices in the cloud, so neighbors need no translation.
template <class Scalar>
class search_queries<visible_queries<Scalar>> {
 public:
  using scalar = Scalar;
  using query = search_query<scalar>;

  static constexpr bool may_be_external = false;

  /// @param slots      maximum number of slots in the index
  /// @param number_of  `[points]`: row of each visible point; null if rows are points of the input
  search_queries(point_bvh_arrays<scalar> const& index, index_t slots, std::int32_t const* number_of,
                 screen_state const* state) noexcept
      : index_{index}, slots_{slots}, number_of_{number_of}, state_{state} {}

  bool are_in_row_order() const noexcept { return false; }
  index_t threads() const noexcept { return slots_; }

  FARPOINT_HD point_bvh_ref<scalar> index_of(query const&) const noexcept { return index_[0]; }
  FARPOINT_HD point_bvh_ref<scalar> index_of(index_t) const noexcept { return index_[0]; }
  FARPOINT_HD point_boxes<scalar> const* boxes_of(index_t, int level) const noexcept {
    return index_.boxes_of(0, index_.clouds[0].begin, level);
  }

  /// A cloud with bad offsets has no visible points, so there are no queries to refuse.
  FARPOINT_HD bool has_bad_offsets() const noexcept { return false; }
  /// Visible points are finite: no row is bad.
  FARPOINT_HD query of_thread(index_t thread, index_t& /*bad_row*/) const noexcept {
    query q;
    if (thread >= index_.clouds[0].size) return q;
    point_leaf<scalar> const& home = index_.leaves[thread / point_bvh_width];
    auto const lane = static_cast<int>(thread % point_bvh_width);
    if (home.index[lane] == no_index) return q;
    q.cloud = 0;
    q.index = index_t{home.index[lane]};
    q.row = number_of_ == nullptr ? state_->first_row + q.index : index_t{number_of_[q.index]};
    q.start = static_cast<std::uint32_t>(thread / point_bvh_width);
    q.at = home.at(lane);
    return q;
  }

 private:
  point_bvh_arrays<scalar> index_;
  index_t slots_;
  std::int32_t const* number_of_;
  screen_state const* state_;
};

/// Kernels and workspace layout of a call.
template <class Selector, class Points, class Camera>
class knn_screen_plan {
 public:
  using scalar = typename Points::scalar;

  knn_screen_plan(batch<Points> const& cloud, screen_space<Camera> const& method) noexcept
      : cloud_{cloud}, method_{method}, most_{max_visible(cloud.points().size(), method)} {}

  std::size_t bytes() const noexcept { return lay_out(nullptr).size; }
  /// Workspace bytes for all calls that are no larger in any parameter. A larger image may have fewer, larger tiles and
  /// need less memory, see screen_tiling::of(), so the finest tiling counts.
  std::size_t bytes_of_smaller() const noexcept { return lay_out(nullptr, max_tree_tiles()).size; }

  result launch(unsigned char* workspace, knn_screen_output<scalar> const& output, cudaStream_t stream) const noexcept {
    memory const m = lay_out(workspace);
    screen_row_writer<scalar> const writer = writer_of(m, output);
    kernel_launcher launcher{stream};
    launch_view(launcher, m, writer, is_exact());
    if (is_exact()) {
      launch_exact(launcher, m, output);
    } else if constexpr (knows_pixel_span<Camera>) {
      launch_rounds(launcher, m, writer);
    }
    return outcome(launcher);
  }

  /// Enqueues the steps before the search, for benchmarks of the parts.
  /// @param with_index  true to build the index of the exact search
  result launch_view(unsigned char* workspace, knn_screen_output<scalar> const& output, bool with_index,
                     cudaStream_t stream) const noexcept {
    memory const m = lay_out(workspace);
    kernel_launcher launcher{stream};
    launch_view(launcher, m, writer_of(m, output), with_index);
    return outcome(launcher);
  }

 private:
  static constexpr int block_size = Selector::block_size;
  static constexpr int search_block_size = Selector::search_block_size;
  static_assert(is_block_size(block_size) && is_block_size(search_block_size),
                "farpoint: a knn_screen_selector's blocks must have whole warps, 32 to 1,024 threads");
  using key = neighbor_key<scalar>;

  struct memory {
    screen_state* state;
    std::uint64_t* tiles;  ///< words of the look-back scan over points
    /// Words of the scan over tiles of pixels, of the quadtree or the index. They follow `tiles`.
    std::uint64_t* tree_tiles;
    index_t tile_words;
    screen_points<scalar> points;

    unsigned char* tree;
    vec<scalar>* packed;
    key* lists;

    point_bvh_arrays<scalar> index;

    std::size_t size;
  };

  bool is_exact() const noexcept { return method_.rounds == until_exact; }
  bool by_input() const noexcept { return method_.rows == screen_rows::input; }
  quadtree_layout layout() const noexcept { return screen_layout(method_, most_); }
  /// Number of threads with lists in memory; 0 if lists are in registers.
  index_t list_threads() const noexcept {
    if (method_.k <= screen_max_in_registers) return 0;
    index_t const allowed = screen_list_bytes / (method_.k * index_t{sizeof(key)} * search_block_size);
    index_t const blocks = smaller(divide_up<index_t>(most_, search_block_size), allowed);
    return (blocks < 1 ? 1 : blocks) * search_block_size;
  }
  /// Number of elements of these lists. It exceeds the number in use if the blocks do not fill screen_list_bytes, so
  /// that the workspace never shrinks when k grows.
  index_t list_room() const noexcept {
    constexpr index_t most = screen_list_bytes / index_t{sizeof(key)};
    static_assert(most >= max_neighbors * search_block_size);
    if (list_threads() == 0) return 0;
    return smaller(divide_up<index_t>(larger<index_t>(most_, 1), search_block_size) * search_block_size * method_.k,
                   most);
  }

  screen_tiling tiling() const noexcept {
    return screen_tiling::of(method_.camera.width, method_.camera.height, most_, Selector::tile_points,
                             Selector::tiles);
  }
  index_t slots() const noexcept {
    return max_screen_slots(method_.camera.width, method_.camera.height, method_.layers, most_);
  }
  index_t tree_tiles() const noexcept { return is_exact() ? tiling().tiles : quadtree_blocks(layout()); }
  index_t max_tree_tiles() const noexcept {
    if (!is_exact()) return tree_tiles();
    return screen_tiling::finest(method_.camera.width, method_.camera.height).tiles;
  }

  screen_row_writer<scalar> writer_of(memory const& m, knn_screen_output<scalar> const& output) const noexcept {
    return {output, m.points.index_of, method_.k, 0, by_input()};
  }

  memory lay_out(unsigned char* workspace) const noexcept { return lay_out(workspace, tree_tiles()); }
  memory lay_out(unsigned char* workspace, index_t tree_tiles) const noexcept {
    index_t const points = cloud_.points().size();
    workspace_cutter cutter{workspace};
    memory m{};
    m.state = cutter.take<screen_state>(1);
    index_t const point_tiles = points / (block_size * screen_number_items) + 1;
    m.tile_words = point_tiles + tree_tiles;
    m.tiles = cutter.take<std::uint64_t>(m.tile_words);
    m.tree_tiles = m.tiles == nullptr ? nullptr : m.tiles + point_tiles;
    m.points = cut_screen_points<scalar>(cutter, points, screen_words(method_), is_exact() ? 0 : most_);
    if (is_exact()) {
      m.points.index_of = nullptr;
      m.points.at = nullptr;
      m.index = cut_point_bvh<scalar>(cutter, slots(), 1, slots());
    } else {
      m.tree = cutter.take<unsigned char>(static_cast<index_t>(layout().size()));
      m.packed = cutter.take<vec<scalar>>(most_);
      m.lists = cutter.take<key>(list_room());
    }
    m.size = cutter.used();
    return m;
  }

  static result outcome(kernel_launcher const& launcher) noexcept {
    return cuda_failure(launcher.error(), "knn: a kernel could not be launched");
  }

  unsigned blocks(kernel_launcher const& launcher, index_t threads) const noexcept {
    return launcher.blocks(threads, block_size, Selector::blocks_per_multiprocessor);
  }

  void launch_view(kernel_launcher& launcher, memory const& m, screen_row_writer<scalar> const& writer,
                   bool with_index) const noexcept {
    screen_layers const images{m.points.words, method_.camera.width, method_.camera.height, method_.layers};
    draw_args<Points, Camera> args{{cloud_, images, writer, m.points, m.state, m.tiles, !is_exact() || !by_input()},
                                   method_.camera,
                                   0,
                                   m.tile_words};
    index_t const points = cloud_.points().size();
    launcher.launch(screen_clear_kernel<Points, Camera, block_size>, blocks(launcher, screen_words(method_) / 4),
                    block_size, args);
    for (; args.layer < method_.layers; ++args.layer) {
      launcher.launch(screen_draw_kernel<Points, Camera, block_size>, blocks(launcher, points), block_size, args);
    }
    number_args<Points> const& numbers = args;
    if (with_index) return launch_index(launcher, m, numbers);
    launcher.launch(screen_number_kernel<Points, block_size>, blocks(launcher, points / screen_number_items),
                    block_size, numbers);
  }

  template <class Image>
  quadtree_args<Image> tree_args(Image const& image, memory const& m) const noexcept {
    return {image, layout(), layout().cut(m.tree), m.points.pixel_of, m.tree_tiles, &m.state->tree_ticket};
  }

  void launch_rounds(kernel_launcher& launcher, memory const& m,
                     screen_row_writer<scalar> const& writer) const noexcept {
    Camera const& camera = method_.camera;
    if (method_.layers == 1) {
      zbuffer_ref const zbuffer{{m.points.words, std::size_t{0}}, camera.width, camera.height};
      launch_quadtree(launcher, tree_args(zbuffer, m), Selector::blocks_per_multiprocessor);
    } else {
      screen_cells const cells{{m.points.words, camera.width, camera.height, method_.layers}};
      launch_quadtree(launcher, tree_args(cells, m), Selector::blocks_per_multiprocessor);
    }
    screen_search_args<Camera> const args{
        camera, make_rounds_request(method_), quadtree_ref{layout(), m.tree}, m.points, m.packed, m.lists, writer,
        m.state};
    launcher.launch(screen_arrange_kernel<Camera, block_size>, blocks(launcher, most_), block_size, args);
    if (method_.k <= 8) return launch_search<8>(launcher, args);
    if (method_.k <= 16) return launch_search<16>(launcher, args);
    if (method_.k <= screen_max_in_registers) return launch_search<screen_max_in_registers>(launcher, args);
    launch_search<0>(launcher, args);
  }

  template <int Capacity>
  void launch_search(kernel_launcher& launcher, screen_search_args<Camera> const& args) const noexcept {
    index_t const threads = Capacity > 0 ? most_ : most_ < list_threads() ? most_ : list_threads();
    // Searches differ in length: without a limit of blocks, blocks that finish early make room for others.
    int const per_multiprocessor = Capacity > 0 ? 1 << 20 : Selector::blocks_per_multiprocessor;
    launcher.launch(screen_rounds_kernel<Camera, Capacity, search_block_size>,
                    launcher.blocks(threads, search_block_size, per_multiprocessor), search_block_size, args);
  }

  /// Builds the index and numbers the visible points.
  void launch_index(kernel_launcher& launcher, memory const& m, number_args<Points> const& numbers) const noexcept {
    bool const is_large = slots() > Selector::upper_slots;
    screen_index_args<Points> const args{
        numbers, method_.camera.width, method_.camera.height, tiling(),
        m.index, m.tree_tiles,         &m.state->tree_ticket, is_large ? nullptr : &m.state->boxes_done};
    // Launches only the blocks that run at once. Otherwise blocks that already number points would delay blocks that
    // have not started and could take tiles.
    int const each = smaller(screen_index_blocks<Points>(), int{Selector::blocks_per_multiprocessor});
    launcher.launch(screen_index_kernel<Points>,
                    launcher.blocks(index_t{args.tiling.tiles} * screen_index_threads, screen_index_threads, each),
                    screen_index_threads, args);
    if (!is_large) return;
    launcher.launch(screen_upper_kernel<scalar, block_size>, blocks(launcher, slots() / screen_group_points),
                    block_size, upper_boxes_args<scalar>{m.index, &m.state->boxes_done});
  }

  void launch_exact(kernel_launcher& launcher, memory const& m,
                    knn_screen_output<scalar> const& output) const noexcept {
    using queries = visible_queries<scalar>;
    search_queries<queries> const visible{m.index, slots(), by_input() ? nullptr : m.points.pixel_of, m.state};
    knn_output<scalar> const found{output.indices, output.distances, output.counts};
    knn_cuda_args<queries> const args{
        visible,
        {static_cast<int>(method_.k), squared_radius<scalar>(method_.max_radius), method_.exclude_self},
        found};
    launch_knn<knn_selector>(launcher, args);
  }

  batch<Points> cloud_;
  screen_space<Camera> method_;
  index_t most_;
};

/// knn() in screen space for cuda_exec.
template <class Selector, class Points, class Camera>
result knn_screen_cuda(cuda_exec exec, batch<Points> const& cloud, screen_space<Camera> const& method,
                       knn_screen_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_knn_screen(cloud, method, output); !checked) return checked;
  knn_screen_plan<Selector, Points, Camera> const plan{cloud, method};
  if (result const checked = check_workspace(workspace, plan.bytes(), FARPOINT_WORKSPACE_OF("knn")); !checked)
    return checked;
  return plan.launch(workspace.data(), output, exec.stream);
}

}  // namespace detail
FARPOINT_END_NAMESPACE
