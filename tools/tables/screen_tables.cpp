// knn in screen space: stages of a frame, time against k, right neighbours after each round, sizes of candidate sets
// and errors of normals, for exact neighbours, FastKNN's rounds and Auto Splats; pictures of all three.
#include <farpoint/knn_screen.hpp>
#include <farpoint/quadtree.hpp>
#include <farpoint/splat/project.hpp>

#include <cmath>
#include <set>

#include "auto_splats.hpp"
#include "cloud_io.hpp"
#include "frame.hpp"
#include "normals.hpp"
#include "parallel.hpp"
#include "random_source.hpp"
#include "shading.hpp"
#include "tables.hpp"
#include "torus_knot.hpp"

namespace farpoint_tools {

namespace {

constexpr int k = 8;

struct model {
  std::string name;
  std::vector<point3> points;
};

std::vector<point3> make_waves(std::size_t size) {
  random_source random{1};
  std::vector<point3> points(size);
  for (auto& p : points) {
    double const up = random.between(-1, 1);
    double const turn = random.between(0, 6.283185307179586);
    double const level = std::sqrt(1 - up * up);
    double const radius = 1 + 0.06 * std::sin(9 * turn) * level + 0.05 * std::sin(14 * up);
    p = {static_cast<float>(radius * level * std::cos(turn)), static_cast<float>(radius * level * std::sin(turn)),
         static_cast<float>(radius * up)};
  }
  return points;
}

std::vector<point3> make_cloud(std::size_t size) {
  random_source random{2};
  std::vector<point3> points(size);
  for (auto& p : points) {
    for (auto& coordinate : p) coordinate = static_cast<float>(random.normal());
  }
  return points;
}

view_search search_view(std::vector<point3> const& points, camera const& looking, int of, int rounds) {
  farpoint::screen_space<camera> method{looking};
  method.rounds = rounds;
  auto found = farpoint::knn(points, of, method);
  return {std::move(found.visible),
          {static_cast<std::size_t>(of), std::move(found.indices), std::move(found.distances)}};
}

std::vector<model> models(tables_wish const& wish) {
  std::size_t const size = wish.quick ? 5000 : 300'000;
  std::vector<model> all{
      {"knot", torus_knot{}.sample(size, 0.0005, 1)}, {"waves", make_waves(size)}, {"cloud", make_cloud(size)}};
  for (auto const& file : wish.clouds) {
    all.push_back({file.stem().string(), set_upright(read_cloud(file).points, up_axis::plus_z)});
  }
  return all;
}

/// One view of a model, and what all of its tables need.
class scene {
 public:
  scene(model const& shown, tables_wish const& wish)
      : name_{shown.name},
        points_{shown.points},
        wish_{wish},
        stand_{points_, 40},
        looking_{stand_.at(20, wish.quick ? 96 : 768, wish.quick ? 96 : 768)},
        exact_{search(farpoint::until_exact)},
        true_normals_{normals_of(search_cloud(points_, exact_.visible, k, wish.threads))} {
    words_.resize(static_cast<std::size_t>(looking_.width) * static_cast<std::size_t>(looking_.height));
    project();
    auto const shows = zbuffer();
    for (std::int32_t y = 0; y < looking_.height; ++y) {
      for (std::int32_t x = 0; x < looking_.width; ++x) {
        auto const front = shows.front(shows.pixel_at(x, y));
        if (!front.exists()) continue;
        shown_.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y), front.depth,
                          static_cast<std::uint32_t>(front.index)});
      }
    }
    if (shown_.size() != exact_.visible.size()) throw std::runtime_error{"project(): other points than knn() sees"};
    auto const size =
        farpoint::quadtree_bytes(looking_.width, looking_.height, static_cast<farpoint::index_t>(shown_.size()));
    memory_.resize(size + farpoint::quadtree_alignment);
  }

  std::string measure() {
    double const projection = milliseconds_of(wish_.repeats(), [&] { project(); });
    double const tree = milliseconds_of(wish_.repeats(), [&] { build_tree(); });
    view_search auto_splats{exact_.visible, {}};
    double const own = milliseconds_of(
        1, [&] { auto_splats.neighbours = search_auto_splats(points_, exact_.visible, looking_, k, wish_.threads); });
    auto const rounds = search(3);
    double const of_exact = milliseconds_of(wish_.repeats(), [&] { search(farpoint::until_exact); });
    double const of_rounds = milliseconds_of(wish_.repeats(), [&] { search(3); });
    std::vector<image> pictures;
    auto const methods = json_list({method("exact", farpoint::until_exact, exact_,
                                           {projection, 0, std::max(0.0, of_exact - projection)}, pictures),
                                    method("FastKNN, 3 rounds", 3, rounds,
                                           {projection, tree, std::max(0.0, of_rounds - projection - tree)}, pictures),
                                    method("Auto Splats", -1, auto_splats, {projection, 0, own}, pictures)});
    auto const picture = name_ + ".png";
    write_png(sheet_of(pictures, 2), wish_.folder / picture);
    return json_fields({{"model", json_text(name_)},
                        {"points", std::to_string(points_.size())},
                        {"visible", std::to_string(exact_.visible.size())},
                        {"side_px", std::to_string(looking_.width)},
                        {"k", std::to_string(k)},
                        {"picture", json_text(picture)},
                        {"methods", methods},
                        {"right", json_list({right_after(1), right_after(2), right_after(3)})},
                        {"candidates", json_list({candidates_after(1), candidates_after(2), candidates_after(3)})},
                        {"gpu_ms", gpu()}});
  }

  /// The time (ms) of the whole search for some k.
  std::string against_k() const {
    std::vector<std::string> rows;
    for (int of = 1; of <= 32; of += wish_.quick ? 15 : 1) {
      auto const time = [&](int rounds) {
        return json_number(milliseconds_of(1, [&] { search_view(points_, looking_, of, rounds); }));
      };
      rows.push_back(
          json_fields({{"k", std::to_string(of)}, {"exact_ms", time(farpoint::until_exact)}, {"rounds_ms", time(3)}}));
    }
    return json_fields({{"model", json_text(name_)}, {"rows", json_list(rows)}});
  }

 private:
  struct stages {
    double projection, tree, search;
  };

  view_search search(int rounds) const { return search_view(points_, looking_, k, rounds); }
  std::vector<point3> normals_of(neighbour_rows const& rows) const {
    return farpoint_tools::normals_of(points_, exact_.visible, rows, eye_of(looking_), wish_.threads);
  }
  farpoint::zbuffer_ref zbuffer() { return {{words_.data(), words_.size()}, looking_.width, looking_.height}; }
  void project() {
    expect(farpoint::project(farpoint::host_exec{wish_.threads}, farpoint::batch{farpoint::view_points(points_)},
                             looking_, zbuffer()));
  }
  farpoint::quadtree_ref build_tree() {
    auto const at = reinterpret_cast<std::uintptr_t>(memory_.data());
    std::size_t const skipped =
        (farpoint::quadtree_alignment - at % farpoint::quadtree_alignment) % farpoint::quadtree_alignment;
    farpoint::quadtree_ref tree;
    expect(farpoint::build_quadtree(farpoint::host_exec{1}, looking_.width, looking_.height,
                                    {shown_.data(), shown_.size()},
                                    {memory_.data() + skipped, memory_.size() - skipped}, tree));
    return tree;
  }

  frame_request request(int rounds) const {
    frame_request asked;
    asked.looking = looking_;
    asked.k = k;
    asked.rounds = rounds;
    asked.reach = stand_.reach();
    return asked;
  }

  /// Fits normals to the rows of a method and, of searches that frames are drawn with, draws the splats: `rounds` -1 is
  /// another one.
  std::string method(char const* name, int rounds, view_search const& found, stages const& before,
                     std::vector<image>& pictures) const {
    std::vector<point3> fitted;
    double const normals = milliseconds_of(wish_.repeats(), [&] { fitted = normals_of(found.neighbours); });
    auto const off = spread_of(angles_between(fitted, true_normals_));
    double splatting = 0;
    if (rounds >= 0) {
      auto asked = request(rounds);
      asked.measure = true;
      auto const drawn = frame_on_host(points_, asked, wish_.threads);
      splatting = 1e3 * drawn.times.splats;
      pictures.push_back(with_caption(shade(drawn.picture), name, false));
    }
    double const frame_ms = before.projection + before.tree + before.search + normals + splatting;
    return json_fields({{"method", json_text(name)},
                        {"projection_ms", json_number(before.projection)},
                        {"tree_ms", json_number(before.tree)},
                        {"search_ms", json_number(before.search)},
                        {"normals_ms", json_number(normals)},
                        {"splatting_ms", json_number(splatting)},
                        {"frame_ms", json_number(frame_ms)},
                        {"right_sets", json_number(share_of_right_sets(found.neighbours))},
                        {"normals_off_deg", json_number(off.mean)},
                        {"normals_deviation_deg", json_number(off.deviation)}});
  }

  /// How many of a row's neighbours are those of the exact search.
  int right_in(neighbour_rows const& rows, std::size_t row) const {
    std::set<std::int32_t> const right(exact_.neighbours.row(row), exact_.neighbours.row(row) + k);
    int count = 0;
    for (int j = 0; j < k; ++j) count += right.count(rows.row(row)[j]) > 0 && rows.row(row)[j] >= 0;
    return count;
  }
  double share_of_right_sets(neighbour_rows const& rows) const {
    std::size_t right = 0;
    for (std::size_t row = 0; row < exact_.visible.size(); ++row) right += right_in(rows, row) == k;
    return static_cast<double>(right) / static_cast<double>(exact_.visible.size());
  }

  /// A histogram: rows with 0 to k right neighbours.
  std::string right_after(int rounds) const {
    auto const found = search(rounds);
    std::vector<std::size_t> rows(k + 1);
    for (std::size_t row = 0; row < exact_.visible.size(); ++row) {
      ++rows[static_cast<std::size_t>(right_in(found.neighbours, row))];
    }
    std::vector<std::string> texts;
    for (auto const count : rows) texts.push_back(std::to_string(count));
    return json_list(texts);
  }

  /// Counts what a list is offered.
  struct counting_list {
    farpoint::neighbour_key<float> limit;
    std::uint32_t count = 0;

    farpoint::neighbour_key<float> const& worst() const { return limit; }
    void push(farpoint::neighbour_key<float> const&) { ++count; }
  };

  /// Sizes of the last round's candidate sets.
  std::string candidates_after(int rounds) {
    auto const tree = build_tree();
    std::vector<farpoint::vec<float>> packed;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      auto const& p = points_[tree.index(i)];
      packed.push_back({{p[0], p[1], p[2]}});
    }
    farpoint::screen_space<camera> asked{looking_};
    asked.rounds = rounds;
    auto const request = farpoint::detail::make_rounds_request(asked, k);
    std::vector<float> sizes(packed.size());
    for_each_index(sizes.size(), wish_.threads, [&](std::size_t i) {
      auto const list =
          farpoint::detail::search_rounds(tree, packed.data(), looking_, request, static_cast<std::uint32_t>(i),
                                          [](auto const& limit) { return counting_list{limit}; });
      sizes[i] = static_cast<float>(list.count);
    });
    auto const spread = spread_of(sizes);
    float const most = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    return json_fields({{"rounds", std::to_string(rounds)},
                        {"mean", json_number(spread.mean)},
                        {"deviation", json_number(spread.deviation)},
                        {"most", json_number(static_cast<double>(most))}});
  }

  /// Search and normals on the GPU, if it is asked for.
  std::string gpu() const {
    if (!wish_.on_gpu) return "{}";
    auto const time = [&](int rounds) {
      frame_on_cuda(points_, request(rounds));
      auto const view = frame_on_cuda(points_, request(rounds));
      if (rounds == farpoint::until_exact && !(view.seen.neighbours.indices == exact_.neighbours.indices)) {
        throw std::runtime_error{"knn in screen space: the GPU has other neighbours than the host"};
      }
      return json_number(1e3 * view.info.seconds);
    };
    return json_fields({{"exact", time(farpoint::until_exact)}, {"FastKNN, 3 rounds", time(3)}});
  }

  std::string name_;
  std::vector<point3> const& points_;
  tables_wish const& wish_;
  turntable stand_;
  camera looking_;
  view_search exact_;
  std::vector<point3> true_normals_;
  std::vector<std::uint64_t> words_;
  std::vector<farpoint::quadtree_point> shown_;
  std::vector<unsigned char> memory_;
};

}  // namespace

std::string measure_screen(tables_wish const& wish) {
  auto const all = models(wish);
  std::vector<std::string> rows;
  std::string against_k;
  for (model const& one : all) {
    scene shown{one, wish};
    rows.push_back(shown.measure());
    if (against_k.empty()) against_k = shown.against_k();
  }
  return json_fields({{"models", json_list(rows)}, {"against_k", against_k}});
}

}  // namespace farpoint_tools
