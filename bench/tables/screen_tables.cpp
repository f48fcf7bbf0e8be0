// knn in screen space: stages of a frame, time against k, right neighbors after each round, sizes of candidate sets
// and errors of normals, for exact neighbors, FastKNN's rounds and Auto Splats, on the host and on a GPU; pictures of
// all three.
#include <farpoint/knn_screen.hpp>
#include <farpoint/quadtree.hpp>
#include <farpoint/splat/project.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "auto_splats.hpp"
#include "frame.hpp"
#include "models.hpp"
#include "normals.hpp"
#include "parallel.hpp"
#include "published.hpp"
#include "right_rows.hpp"
#include "shading.hpp"

namespace farpoint_tools {

namespace {

constexpr int k = 8;
constexpr int few_rounds = 3;

view_search search_view(std::vector<point3> const& points, camera const& looking, int of, int rounds) {
  farpoint::screen_space<camera> method{looking, of};
  method.rounds = rounds;
  auto found = farpoint::knn(points, method);
  return {std::move(found.visible),
          {static_cast<std::size_t>(of), std::move(found.indices), std::move(found.distances)}};
}

/// Times of a frame's stages (ms).
struct frame_ms {
  double projection = 0;
  double tree = 0;
  double search = 0;
  double normals = 0;
  double splatting = 0;
  double frame = 0;

  void add_up() { frame = projection + tree + search + normals + splatting; }
};

frame_ms in_ms(stage_times const& times) {
  return {1e3 * times.projection, 1e3 * times.index,  1e3 * times.search,
          1e3 * times.normals,    1e3 * times.splats, 1e3 * times.frame};
}

/// One view of a model, and what all of its tables need.
class scene {
 public:
  scene(model const& shown, tables_options const& options)
      : name_{shown.name},
        points_{shown.points},
        surface_normal_{shown.surface_normal},
        options_{options},
        stand_{points_, 40},
        looking_{stand_.at(20, options.quick ? 96 : 1024, options.quick ? 96 : 1024)},
        exact_{search(farpoint::until_exact)},
        true_normals_{normals_of(search_cloud(points_, exact_.visible, k, options.threads))} {
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
    auto const picture = name_ + ".png";
    std::vector<std::string> methods;
    measure_on_host(methods);
    if (options_.on_gpu) measure_on_gpu(methods);
    write_png(pictures(), options_.folder / picture);
    return json_fields({{"model", json_text(name_)},
                        {"points", std::to_string(points_.size())},
                        {"visible", std::to_string(exact_.visible.size())},
                        {"side_px", std::to_string(looking_.width)},
                        {"k", std::to_string(k)},
                        {"picture", json_text(picture)},
                        {"methods", json_list(methods)},
                        {"right", json_list({right_after(1), right_after(2), right_after(3)})},
                        {"candidates", json_list({candidates_after(1), candidates_after(2), candidates_after(3)})}});
  }

  /// Right neighbors and candidates after one, two and three rounds; errors of normals if the surface is known.
  std::string quality() {
    std::vector<std::pair<std::string, std::string>> fields{
        {"model", json_text(name_)},
        {"points", std::to_string(points_.size())},
        {"visible", std::to_string(exact_.visible.size())},
        {"k", std::to_string(k)},
        {"right", json_list({right_after(1), right_after(2), right_after(3)})},
        {"candidates", json_list({candidates_after(1), candidates_after(2), candidates_after(3)})}};
    if (surface_normal_) fields.push_back({"off_surface", json_list(off_surface())});
    return json_fields(fields);
  }

  /// The time (ms) of projection, tree and search for some k: on the GPU, or on the host without one.
  std::string against_k() const {
    std::vector<std::string> rows;
    for (int of = 1; of <= 32; of += options_.quick ? 15 : 1) {
      rows.push_back(json_fields({{"k", std::to_string(of)}, {"ms", json_fields(times_for(of))}}));
    }
    return json_fields({{"model", json_text(name_)},
                        {"place", json_text(options_.on_gpu ? "GPU" : "host")},
                        {"rows", json_list(rows)}});
  }

 private:
  view_search search(int rounds) const { return search_view(points_, looking_, k, rounds); }
  std::vector<point3> normals_of(neighbor_rows const& rows) const {
    return farpoint_tools::normals_of(points_, exact_.visible, rows, eye_of(looking_), options_.threads);
  }
  farpoint::zbuffer_ref zbuffer() { return {{words_.data(), words_.size()}, looking_.width, looking_.height}; }
  void project() {
    expect(farpoint::project(farpoint::host_exec{options_.threads}, farpoint::batch{farpoint::view_points(points_)},
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

  frame_request request(int of, int rounds) const {
    frame_request asked;
    asked.looking = looking_;
    asked.k = of;
    asked.rounds = rounds;
    asked.zoom = 1;
    asked.reach = stand_.reach();
    return asked;
  }
  frame_request request(view_search const& given) const {
    auto asked = request(k, farpoint::until_exact);
    asked.given = &given;
    return asked;
  }
  splat_frame draw(frame_request const& asked, std::vector<float> const& colors = {}) const {
    return options_.on_gpu ? frame_on_cuda(points_, asked, colors)
                           : frame_on_host(points_, asked, options_.threads, colors);
  }

  // --- methods, each with its stages

  std::string method(char const* name, std::string const& place, frame_ms const& times,
                     view_search const& found) const {
    auto const off = spread_of(angles_between(normals_of(found.neighbors), true_normals_));
    return json_fields({{"method", json_text(name)},
                        {"place", json_text(place)},
                        {"projection_ms", json_number(times.projection)},
                        {"tree_ms", json_number(times.tree)},
                        {"search_ms", json_number(times.search)},
                        {"normals_ms", json_number(times.normals)},
                        {"splatting_ms", json_number(times.splatting)},
                        {"frame_ms", json_number(times.frame)},
                        {"right_sets", json_number(share_of_right(found.neighbors, exact_.neighbors))},
                        {"normals_off_deg", json_number(off.mean)},
                        {"normals_deviation_deg", json_number(off.deviation)}});
  }

  void measure_on_host(std::vector<std::string>& methods) {
    double const projection = milliseconds_of(options_.repeats(), [&] { project(); });
    double const tree = milliseconds_of(options_.repeats(), [&] { build_tree(); });
    auto const time = [&](int rounds) { return milliseconds_of(options_.repeats(), [&] { search(rounds); }); };
    rounds_ = search(few_rounds);
    add_host("exact", {projection, 0, std::max(0.0, time(farpoint::until_exact) - projection)}, exact_, methods);
    add_host("FastKNN, 3 rounds", {projection, tree, std::max(0.0, time(few_rounds) - projection - tree)}, rounds_,
             methods);
    auto_splats_ = exact_;
    double const own = milliseconds_of(1, [&] {
      auto_splats_.neighbors = search_auto_splats(points_, exact_.visible, looking_, k, options_.threads);
    });
    add_host("Auto Splats", {projection, 0, own}, auto_splats_, methods);
  }
  void add_host(char const* name, frame_ms times, view_search const& found, std::vector<std::string>& methods) const {
    times.normals = milliseconds_of(options_.repeats(), [&] { normals_of(found.neighbors); });
    auto asked = request(found);
    asked.measure = true;
    times.splatting = 1e3 * frame_on_host(points_, asked, options_.threads).times.splats;
    times.add_up();
    methods.push_back(method(name, fmt::format("host, {} threads", options_.threads), times, found));
  }

  void measure_on_gpu(std::vector<std::string>& methods) const {
    add_gpu("exact", farpoint::until_exact, exact_, methods);
    add_gpu("FastKNN, 3 rounds", few_rounds, rounds_, methods);
    auto const of_program = search_published(published_method::fastknn_program, points_, exact_.visible, looking_, k);
    add_published("FastKNN, its program", of_program, {exact_.visible, of_program.neighbors}, methods);
    // Its kernel gathers the k nearest of the ball; the plane is fitted to all of it.
    add_published("Auto Splats", search_published(published_method::auto_splats, points_, exact_.visible, looking_, k),
                  auto_splats_, methods);
  }
  void add_gpu(char const* name, int rounds, view_search const& expected, std::vector<std::string>& methods) const {
    auto asked = request(k, rounds);
    asked.measure = true;
    auto const made = frame_on_cuda(points_, asked);
    if (made.seen.neighbors.indices != expected.neighbors.indices) {
      throw std::runtime_error{"knn in screen space: the GPU has other neighbors than the host"};
    }
    methods.push_back(method(name, "GPU", in_ms(made.times), made.seen));
  }
  void add_published(char const* name, published_search const& searched, view_search const& found,
                     std::vector<std::string>& methods) const {
    auto asked = request(found);
    asked.measure = true;
    auto times = in_ms(frame_on_cuda(points_, asked).times);
    times.projection = searched.projection_ms;
    times.tree = searched.tree_ms;
    times.search = searched.search_ms;
    times.add_up();
    methods.push_back(method(name, "GPU", times, found));
  }

  std::vector<std::pair<std::string, std::string>> times_for(int of) const {
    auto const time = [&](int rounds) {
      if (!options_.on_gpu) {
        return milliseconds_of(1, [&] { search_view(points_, looking_, of, rounds); });
      }
      auto asked = request(of, rounds);
      asked.measure = true;
      auto const times = in_ms(frame_on_cuda(points_, asked).times);
      return times.projection + times.tree + times.search;
    };
    auto const published = [&](published_method method) {
      return json_number(search_published(method, points_, {}, looking_, of).all_ms());
    };
    std::vector<std::pair<std::string, std::string>> times{{"exact", json_number(time(farpoint::until_exact))},
                                                           {"FastKNN, 3 rounds", json_number(time(few_rounds))}};
    if (options_.on_gpu) {
      times.push_back({"FastKNN, its program", published(published_method::fastknn_program)});
      times.push_back({"Auto Splats", published(published_method::auto_splats)});
    }
    return times;
  }

  // --- pictures

  /// Three methods side by side: as clay, and below in the false colors of the errors of normals.
  image pictures() const {
    std::vector<image> above;
    std::vector<image> below;
    for (auto const& [name, found] : {std::pair<char const*, view_search const&>{"exact", exact_},
                                      {"FastKNN, 3 rounds", rounds_},
                                      {"Auto Splats", auto_splats_}}) {
      auto const plain = draw(request(found));
      auto const errors = angles_between(plain.normals, true_normals_);
      above.push_back(with_caption(shade(plain.picture), name, false));
      below.push_back(with_caption(show_colors(draw(request(found), colors_of_errors(errors)).picture),
                                   fmt::format("off by {:.3g} deg", spread_of(errors).mean), true));
    }
    above.insert(above.end(), below.begin(), below.end());
    return sheet_of(above, 3);
  }

  // --- how good neighbors are

  /// A histogram: rows with 0 to k right neighbors.
  std::string right_after(int rounds) const {
    std::vector<std::string> texts;
    for (auto const count : histogram_of_right(search(rounds).neighbors, exact_.neighbors)) {
      texts.push_back(std::to_string(count));
    }
    return json_list(texts);
  }

  /// Counts what a list is offered.
  struct counting_list {
    farpoint::neighbor_key<float> limit;
    std::uint32_t count = 0;

    farpoint::neighbor_key<float> const& worst() const { return limit; }
    void push(farpoint::neighbor_key<float> const&) { ++count; }
  };

  /// The share of candidate sets that have `least` to `most` points.
  static double share_of_sizes(std::vector<float> const& sizes, float least, float most) {
    auto const wanted =
        std::count_if(sizes.begin(), sizes.end(), [&](float size) { return size >= least && size <= most; });
    return sizes.empty() ? 0 : static_cast<double>(wanted) / static_cast<double>(sizes.size());
  }

  /// Sizes of the last round's candidate sets. Rounds aim at 2 k candidates: "near" is half as many to twice as many.
  std::string candidates_after(int rounds) {
    auto const tree = build_tree();
    std::vector<farpoint::vec<float>> packed;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      auto const& p = points_[tree.index(i)];
      packed.push_back({{p[0], p[1], p[2]}});
    }
    farpoint::screen_space<camera> asked{looking_, k};
    asked.rounds = rounds;
    auto const request = farpoint::detail::make_rounds_request(asked);
    std::vector<float> sizes(packed.size());
    for_each_index(sizes.size(), options_.threads, [&](std::size_t i) {
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
                        {"most", json_number(static_cast<double>(most))},
                        {"at_least_k", json_number(share_of_sizes(sizes, k, most))},
                        {"near_2k", json_number(share_of_sizes(sizes, k, 4 * k))}});
  }

  /// How far the normals of some neighbors are off the surface's own.
  std::string off_surface(char const* neighbors, std::vector<point3> const& normals,
                          std::vector<point3> const& surface) const {
    auto const errors = angles_between(normals, surface);
    auto const off = spread_of(errors);
    auto const large = std::count_if(errors.begin(), errors.end(), [](float degrees) { return degrees > 10; });
    double const share = errors.empty() ? 0 : static_cast<double>(large) / static_cast<double>(errors.size());
    return json_fields({{"neighbors", json_text(neighbors)},
                        {"mean_deg", json_number(off.mean)},
                        {"deviation_deg", json_number(off.deviation)},
                        {"over_10_deg", json_number(share)}});
  }

  std::vector<std::string> off_surface() const {
    std::vector<point3> surface;
    surface.reserve(exact_.visible.size());
    for (auto const i : exact_.visible) {
      auto const normal = surface_normal_(points_[static_cast<std::size_t>(i)]);
      surface.push_back({static_cast<float>(normal[0]), static_cast<float>(normal[1]), static_cast<float>(normal[2])});
    }
    auto const balls = search_auto_splats(points_, exact_.visible, looking_, k, options_.threads);
    // normals_of() fits planes to rows as long as `k` says: the first k of a ball are its nearest.
    neighbor_rows nearest{k, {}, {}};
    for (std::size_t i = 0; i < exact_.visible.size(); ++i) {
      auto const* const row = balls.row(i);
      nearest.indices.insert(nearest.indices.end(), row, row + k);
      auto const* const squares = balls.distances.data() + i * balls.k;
      nearest.distances.insert(nearest.distances.end(), squares, squares + k);
    }
    auto const of_12 = search_view(points_, looking_, 12, farpoint::until_exact);
    return {off_surface("the reference: 8 of the whole cloud", true_normals_, surface),
            off_surface("exact: 8 visible ones", normals_of(exact_.neighbors), surface),
            off_surface("Auto Splats: 8 to 16 visible ones", normals_of(balls), surface),
            off_surface("Auto Splats, its 8 nearest", normals_of(nearest), surface),
            off_surface("exact, k = 12", normals_of(of_12.neighbors), surface)};
  }

  std::string name_;
  std::vector<point3> const& points_;
  std::function<vec3(point3 const&)> const& surface_normal_;
  tables_options const& options_;
  turntable stand_;
  camera looking_;
  view_search exact_;
  view_search rounds_;
  view_search auto_splats_;
  std::vector<point3> true_normals_;
  std::vector<std::uint64_t> words_;
  std::vector<farpoint::quadtree_point> shown_;
  std::vector<unsigned char> memory_;
};

}  // namespace

std::string measure_quality(tables_options const& options) {
  std::vector<std::string> rows;
  for (model const& one : models(options)) rows.push_back(scene{one, options}.quality());
  return json_list(rows);
}

std::string measure_screen(tables_options const& options) {
  auto const all = models(options);
  std::vector<std::string> rows;
  std::string against_k;
  for (model const& one : all) {
    scene shown{one, options};
    rows.push_back(shown.measure());
    if (against_k.empty()) against_k = shown.against_k();
  }
  return json_fields({{"models", json_list(rows)}, {"against_k", against_k}});
}

}  // namespace farpoint_tools
