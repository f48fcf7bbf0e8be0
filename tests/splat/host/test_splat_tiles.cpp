// The tiles that draw_splats() is drawn by on a GPU, one after another on the host.
#include <farpoint/detail/splat/splat_cells.hpp>
#include <farpoint/detail/splat/splat_patch.hpp>
#include <farpoint/splat/draw_splats.hpp>

#include "../../support/catch.hpp"
#include "../splat_problem.hpp"

using namespace farpoint_tests;
namespace detail = farpoint::detail;
using farpoint::index_t;

namespace {
namespace tiles {

/// Draws tile by tile, with the workspace of host_exec and further memory that it allocates.
struct exec {};

template <class Scalar>
std::size_t draw_splats_workspace_bytes(exec, farpoint::splat_view<Scalar> const& splats,
                                        farpoint::pinhole_camera<Scalar> const& camera,
                                        farpoint::draw_splats_params const& params) {
  return draw_splats_workspace_bytes(farpoint::host_exec{}, splats, camera, params);
}

struct lists {
  detail::splat_cells cells;
  std::vector<detail::splat_record> records;
  std::vector<std::vector<std::uint32_t>> of_cells;

  template <class Points>
  explicit lists(detail::splat_scene<Points> const& scene)
      : cells{detail::splat_cells::of(scene.camera.width, scene.camera.height)},
        records(static_cast<std::size_t>(scene.count())),
        of_cells(static_cast<std::size_t>(cells.count)) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      auto const splat = static_cast<index_t>(i);
      auto const shape = scene.shape_of(splat);
      std::uint32_t color[3] = {};
      if (!shape.box.is_empty()) scene.shade(shape, splat, color);
      records[i].head = detail::splat_record::head_of(shape.box, color);
      records[i].set_form(shape.form);
      cells.each_cell(detail::splat_record::box_of(records[i].head), [&](int, std::int32_t cell) {
        of_cells[static_cast<std::size_t>(cell)].push_back(static_cast<std::uint32_t>(i));
      });
    }
  }

  /// Calls `visit(form, head, pixel, hit)` for all lines of sight of a tile that meet a splat.
  template <class Visit>
  void each_hit(detail::splat_picture const& picture, std::int32_t x, std::int32_t y, bool hides,
                Visit const& visit) const {
    constexpr std::int32_t side = detail::splat_tile_side;
    for (int level = 0; level < cells.levels; ++level) {
      for (std::uint32_t const splat : of_cells[static_cast<std::size_t>(cells.cell_of_tile(level, x, y))]) {
        auto const& record = records[splat];
        detail::splat_tile_part const in_tile{detail::splat_record::box_of(record.head), side * x, side * y};
        if (in_tile.is_empty()) continue;
        auto const form = record.form();
        if (hides && picture.is_hidden(form)) continue;
        for (std::int32_t pixel = 0; pixel < side * side; ++pixel) {
          std::int32_t const px = side * x + pixel % side;
          std::int32_t const py = side * y + pixel / side;
          detail::splat_patch const patch{px / 8 * 8, py / 4 * 4};
          float const radius = picture.params.least_radius;
          if (!in_tile.has(detail::splat_tile_part::pixel(pixel % side, pixel / side)) || !patch.may_meet(form, radius))
            continue;
          detail::splat_hit hit;
          if (form.meets(detail::center_of_pixel(px, py), picture.lens, radius, hit)) {
            visit(form, record.head, static_cast<std::size_t>(pixel), hit);
          }
        }
      }
    }
  }
};

template <class Points>
farpoint::result draw_splats(exec, farpoint::batch<Points> const& points,
                             farpoint::splat_view<typename Points::scalar> const& splats,
                             farpoint::pinhole_camera<typename Points::scalar> const& camera,
                             farpoint::draw_splats_params const& params, farpoint::splat_image const& image,
                             farpoint::bytes workspace) {
  detail::splat_scene<Points> scene{points, splats, camera, {params, image, {}, nullptr}, {}, {}};
  detail::splat_memory memory;
  auto const checked = detail::prepare_splats(scene, workspace, memory);
  if (!checked) return checked;
  lists const all{scene};
  auto const& picture = scene.picture;
  constexpr std::int32_t side = detail::splat_tile_side;
  for (bool const is_cover : {true, false}) {
    if (is_cover && memory.covers == nullptr) continue;
    for (std::int32_t tile = 0; tile < all.cells.tiles[0] * all.cells.tiles[1]; ++tile) {
      std::int32_t const x = tile % all.cells.tiles[0];
      std::int32_t const y = tile / all.cells.tiles[0];
      std::vector<std::uint32_t> depths(detail::splat_tile_pixels, detail::no_splat);
      std::vector<detail::splat_sums> sums(depths.size());
      all.each_hit(picture, x, y, !is_cover, [&](auto const&, auto const&, std::size_t pixel, auto const& hit) {
        depths[pixel] = std::min(depths[pixel], detail::float_bits(hit.depth));
      });
      auto const add = [&](auto const& form, auto const& head, std::size_t pixel, auto const& hit) {
        std::uint64_t const weight = picture.weight_of(hit, form.reach, depths[pixel]);
        std::uint32_t const colors[3] = {head.word[2] & 0xffffu, head.word[2] >> 16, head.word[3]};
        sums[pixel].weight += weight;
        for (std::size_t c = 0; c < 3; ++c) sums[pixel].colors[c] += weight * colors[c];
      };
      if (!is_cover) all.each_hit(picture, x, y, true, add);
      for (std::size_t pixel = 0; pixel < depths.size(); ++pixel) {
        index_t const px = side * x + static_cast<index_t>(pixel) % side;
        index_t const py = side * y + static_cast<index_t>(pixel) / side;
        if (px >= camera.width || py >= camera.height) continue;
        if (is_cover) memory.covers[py * camera.width + px] = depths[pixel];
        if (!is_cover) picture.resolve(px, py, sums[pixel], depths[pixel]);
      }
    }
  }
  return {};
}

}  // namespace tiles

template <class Problem>
void check_tiles(Problem const& problem) {
  farpoint::result outcome;
  auto const expected = run_on_host(problem, 1, outcome);
  REQUIRE(outcome);
  call_memory<host_space> memory;
  outcome = problem.run(tiles::exec{}, memory);
  INFO(outcome.reason);
  REQUIRE(outcome);
  CHECK(memory.intact());
  CHECK(memory.outputs() == expected);
}

}  // namespace

TEST_CASE("splat tiles: the image of the passes over all splats", "[splats][host]") {
  for_random_splats([](auto const& problem) { check_tiles(problem); });
}

TEST_CASE("splat tiles: dots and what covers many tiles, in images of any size", "[splats][host]") {
  farpoint::vec<std::int32_t, 2> const sizes[] = {{{1, 1}}, {{16, 16}}, {{17, 15}}, {{203, 150}}, {{2001, 3}}};
  for (auto const& size : sizes) {
    CAPTURE(size[0], size[1]);
    auto problem = many_splats(static_cast<std::uint64_t>(size[0]), 150, size, 0.01f);
    check_tiles(problem);
    problem.params.hidden = 3;
    check_tiles(problem);
  }
}

TEST_CASE("splat tiles: every box is in at most four cells, and each tile under it finds it once", "[splats][host]") {
  random_source random{7};
  std::int32_t const sizes[][2] = {{1, 1}, {16, 17}, {100, 3}, {1024, 1024}, {1920, 1080}, {8192, 8192}, {8192, 1}};
  for (auto const& size : sizes) {
    auto const cells = detail::splat_cells::of(size[0], size[1]);
    CAPTURE(size[0], size[1]);
    for (int i = 0; i < 2000; ++i) {
      detail::splat_box box{};
      for (int axis = 0; axis < 2; ++axis) {
        auto const side = static_cast<std::size_t>(axis);
        box.low[axis] = static_cast<std::int32_t>(random.below(size[side]));
        auto const most = std::min<std::int64_t>(size[side] - box.low[axis], std::int64_t{1} << random.below(14));
        box.high[axis] = box.low[axis] + 1 + static_cast<std::int32_t>(random.below(most));
      }
      std::vector<std::int32_t> own;
      unsigned numbers = 0;
      cells.each_cell(box, [&](int number, std::int32_t cell) {
        CHECK((number >= 0 && number < detail::splat_most_cells && (numbers >> number) % 2 == 0));
        numbers |= 1u << number;
        own.push_back(cell);
      });
      for (std::int32_t const cell : own) CHECK((cell >= 0 && cell < cells.count));
      // Four tiles at the corners of the box, then four random tiles under it.
      for (int j = 0; j < 8; ++j) {
        std::int32_t at[2];
        for (int axis = 0; axis < 2; ++axis) {
          std::int32_t const inside =
              box.low[axis] + static_cast<std::int32_t>(random.below(box.high[axis] - box.low[axis]));
          at[axis] = (j >= 4 ? inside : (j >> axis) % 2 == 0 ? box.low[axis] : box.high[axis] - 1) / 16;
        }
        int found = 0;
        for (int level = 0; level < cells.levels; ++level) {
          std::int32_t const cell = cells.cell_of_tile(level, at[0], at[1]);
          found += static_cast<int>(std::count(own.begin(), own.end(), cell));
        }
        CHECK(found == 1);
      }
    }
  }
  detail::splat_cells::of(64, 64).each_cell({{5, 5}, {5, 9}}, [](int, std::int32_t) { FAIL("a box without pixels"); });
}

NUMBERS_TEST_CASE("splat tiles: a patch that may not meet a splat does not", "[splats][host][numbers]") {
  std::size_t passed_over = 0;
  std::size_t in_vain = 0;
  std::size_t met = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    auto const number = [&](float low, float high) { return low + (high - low) * random.uniform(); };
    auto const lens = detail::lens_of(camera_of_splats<float>(64, 48));
    float const radius = number(0.1f, 3);
    // From next to the camera to far away, from a thousandth of a pixel to many images.
    float const depth = std::pow(10.0f, number(-3, 4));
    farpoint::vec<float> const center{{depth * number(-1, 1), depth * number(-1, 1), depth}};
    farpoint::vec<float> const normal{{number(-1, 1), number(-1, 1), number(-1, 1)}};
    farpoint::vec<float> const tangent{{number(-1, 1), number(-1, 1), number(-1, 1)}};
    float const usual = depth * std::pow(10.0f, number(-5, 2));
    float const other = usual * std::pow(10.0f, number(-3, 0));
    auto const shape = detail::splat_shape::of(center, normal, tangent, {{usual, other}}, lens, radius);
    for (std::int32_t patch_y = 0; patch_y < lens.size[1]; patch_y += 4) {
      for (std::int32_t patch_x = 0; patch_x < lens.size[0]; patch_x += 8) {
        detail::splat_patch const patch{patch_x, patch_y};
        int hits = 0;
        for (std::int32_t pixel = 0; pixel < 32; ++pixel) {
          detail::splat_hit hit;
          auto const at = detail::center_of_pixel(patch_x + pixel % 8, patch_y + pixel / 8);
          hits += shape.form.meets(at, lens, radius, hit) ? 1 : 0;
        }
        bool const may_meet = patch.may_meet(shape.form, radius);
        if (!may_meet && hits > 0)
          FAIL("a patch with " << hits << " pixels of the splat: " << patch_x << ", " << patch_y);
        passed_over += may_meet ? 0 : 1;
        met += hits > 0 ? 1 : 0;
        in_vain += may_meet && hits == 0 ? 1 : 0;
      }
    }
  }
  CHECK(met > 10000);
  CHECK(passed_over > 10000);
  CHECK(in_vain < met);
}

TEST_CASE("splat tiles: the pixels of a tile that are in a box", "[splats][host]") {
  constexpr std::int32_t left = 32, top = 16;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    random_source random{seed};
    detail::splat_box box{};
    for (int axis = 0; axis < 2; ++axis) {
      box.low[axis] = static_cast<std::int32_t>(random.below(56));
      box.high[axis] = box.low[axis] + static_cast<std::int32_t>(random.below(20));
    }
    detail::splat_tile_part const part{box, left, top};
    std::array<bool, detail::splat_patches_of_tile> in_patch{};
    bool is_same = true;
    for (std::int32_t y = 0; y < 16; ++y) {
      for (std::int32_t x = 0; x < 16; ++x) {
        bool const is_in_box =
            left + x >= box.low[0] && left + x < box.high[0] && top + y >= box.low[1] && top + y < box.high[1];
        is_same = is_same && part.has(detail::splat_tile_part::pixel(x, y)) == is_in_box;
        auto& any = in_patch[static_cast<std::size_t>(y / 4 * 2 + x / 8)];
        any = any || is_in_box;
      }
    }
    CAPTURE(seed);
    CHECK(is_same);
    CHECK(part.is_empty() == std::none_of(in_patch.begin(), in_patch.end(), [](bool any) { return any; }));
    for (int patch = 0; patch < detail::splat_patches_of_tile; ++patch) {
      CHECK(part.meets_patch(patch) == in_patch[static_cast<std::size_t>(patch)]);
    }
  }
}
