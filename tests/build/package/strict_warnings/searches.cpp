// Every host call that searches neighbors in space.
#include "clouds.hpp"

#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/reference/knn.hpp>
#include <farpoint/reference/radius.hpp>
#include <farpoint/search/for_each_neighborhood.hpp>
#include <farpoint/search/neighbor_edges.hpp>
#include <farpoint/search/point_window.hpp>

void search();

namespace {

/// Consumer of the lists of every search.
template <class Scalar>
struct list_sizes {
  int* sizes;

  void operator()(farpoint::neighborhood_query<Scalar> const& query,
                  farpoint::neighborhood<Scalar, 4> const& list) const {
    sizes[query.row] = list.size();
    list.for_each([](std::uint32_t, Scalar) {});
  }
  void leave_empty(farpoint::index_t row) const { sizes[row] = 0; }
};

/// Calls among points, and of queries in other points.
template <class Coord>
struct searches_of_points {
  void operator()() const {
    clouds<Coord> in;
    using points = typename clouds<Coord>::points;
    using scalar = typename points::scalar;
    farpoint::knn_params const method;
    farpoint::neighborhood_params const near;
    farpoint::search_limits const limits;
    farpoint::knn_output<scalar> const lists;
    in.bound = farpoint::knn_workspace_bytes(in.exec, in.all, in.all, method);
    in.bound = farpoint::knn_workspace_bytes(in.exec, in.all, method);
    static_cast<void>(farpoint::knn_workspace_bound<points>(in.exec, limits, in.bound));
    static_cast<void>(farpoint::knn(in.exec, in.all, in.all, method, lists, in.workspace));
    list_sizes<scalar> const consumer{};
    static_cast<void>(farpoint::for_each_neighborhood<4>(in.exec, in.all, in.all, near, consumer, in.workspace));
    static_cast<void>(farpoint::for_each_neighborhood<4>(in.exec, in.all, near, consumer, in.workspace));
    static_cast<void>(farpoint::knn(in.exec, in.all, method, lists, in.workspace));
    static_cast<void>(farpoint::reference::knn(in.all, in.all, method, lists));
    static_cast<void>(farpoint::reference::knn(in.all, method, lists));
    static_cast<void>(farpoint::knn(in.cloud, 1));
    static_cast<void>(farpoint::knn(in.cloud, in.cloud, 1));

    farpoint::radius_params const ball{0, 1};
    farpoint::radius_output<scalar> const balls;
    in.bound = farpoint::radius_workspace_bytes(in.exec, in.all, in.all);
    in.bound = farpoint::radius_workspace_bytes(in.exec, in.all);
    static_cast<void>(farpoint::radius_workspace_bound<points>(in.exec, limits, in.bound));
    static_cast<void>(farpoint::radius(in.exec, in.all, in.all, ball, balls, in.workspace));
    static_cast<void>(farpoint::radius(in.exec, in.all, ball, balls, in.workspace));
    static_cast<void>(farpoint::reference::radius(in.all, in.all, ball, balls));
    static_cast<void>(farpoint::radius(in.cloud, ball));
    static_cast<void>(farpoint::radius(in.cloud, in.cloud, ball));

    farpoint::radius_rows_output<scalar> const rows{in.offsets};
    static_cast<void>(farpoint::radius_rows(in.exec, in.all, in.all, ball, rows, in.workspace));
    static_cast<void>(farpoint::radius_rows(in.exec, in.all, ball, rows, in.workspace));
    static_cast<void>(farpoint::reference::radius_rows(in.all, in.all, ball, rows));
    static_cast<void>(farpoint::radius_rows(in.cloud, ball));
    static_cast<void>(farpoint::radius_rows(in.cloud, in.cloud, ball));

    farpoint::batch_limits const sizes;
    farpoint::normals_params const params;
    farpoint::normals_output<scalar> const normals{};
    in.bound = farpoint::estimate_normals_workspace_bytes(in.exec, in.all, params);
    static_cast<void>(farpoint::estimate_normals_workspace_bound<points>(in.exec, sizes, 3, in.bound));
    static_cast<void>(farpoint::estimate_normals(in.exec, in.all, params, normals, in.workspace));
    static_cast<void>(farpoint::estimate_normals(in.cloud));

    farpoint::span<scalar> const means;
    in.bound = farpoint::mean_knn_distance_workspace_bytes(in.exec, in.all, {1});
    static_cast<void>(farpoint::mean_knn_distance_workspace_bound<points>(in.exec, sizes, 1, in.bound));
    static_cast<void>(farpoint::mean_knn_distance(in.exec, in.all, {1}, {means}, in.workspace));
    static_cast<void>(farpoint::mean_knn_distance(in.cloud, 1));

    std::vector<float> const features;
    farpoint::span<float const> const channels{features};
    farpoint::interpolate_output const sums{};
    in.bound = farpoint::interpolate_workspace_bytes(in.exec, in.all, in.all);
    static_cast<void>(farpoint::interpolate_workspace_bound<points>(in.exec, limits, in.bound));
    static_cast<void>(farpoint::interpolate(in.exec, in.all, channels, in.all, 1, sums, in.workspace));
    static_cast<void>(farpoint::interpolate(in.cloud, features, in.cloud, 1));
  }
};

/// Edges of lists, and windows of the last scans.
template <class Coord>
struct edges_and_windows {
  void operator()() const {
    clouds<Coord> in;
    using scalar = typename clouds<Coord>::points::scalar;
    farpoint::neighbor_lists<scalar> const lists{};
    farpoint::edges_output<scalar> const edges{};
    auto const flow = farpoint::edge_flow::source_to_target;
    in.bound = farpoint::neighbor_edges_workspace_bytes(in.exec, in.all, lists);
    static_cast<void>(farpoint::neighbor_edges_workspace_bound(in.exec, 1, in.bound));
    static_cast<void>(farpoint::neighbor_edges(in.exec, in.all, in.all, lists, flow, edges, in.workspace));
    static_cast<void>(farpoint::neighbor_edges(in.exec, in.all, lists, flow, edges, in.workspace));
    static_cast<void>(farpoint::neighbor_edges(farpoint::knn(in.cloud, 1)));
    static_cast<void>(farpoint::neighbor_edges(farpoint::radius(in.cloud, farpoint::radius_params{0, 1})));
    static_cast<void>(farpoint::neighbor_edges(farpoint::radius_rows(in.cloud, farpoint::radius_params{})));

    farpoint::point_window<scalar> window;
    farpoint::point_bvh<scalar> index;
    in.bound = farpoint::point_window_bytes<scalar>(in.exec, 1);
    static_cast<void>(farpoint::point_window_clear(in.exec, 1, in.workspace, window));
    static_cast<void>(farpoint::point_window_clear(in.exec, window));
    in.bound = farpoint::point_window_slide_workspace_bytes(in.exec, window, in.all);
    static_cast<void>(farpoint::point_window_slide(in.exec, window, in.all, farpoint::slide_params<scalar>{},
                                                   farpoint::slide_output{}, in.workspace, index));
  }
};

/// Calls with an index that has been built.
template <class Coord>
struct searches_of_index {
  void operator()() const {
    clouds<Coord> in;
    using points = typename clouds<Coord>::points;
    using scalar = typename points::scalar;
    farpoint::point_bvh<scalar> index;
    in.bound = farpoint::point_bvh_bytes(in.exec, in.all);
    static_cast<void>(farpoint::point_bvh_bound<points>(in.exec, farpoint::batch_limits{}, in.bound));
    static_cast<void>(farpoint::build_point_bvh(in.exec, in.all, in.workspace, index));
    static_cast<void>(farpoint::build_point_bvh(in.cloud));

    in.bound = farpoint::knn_workspace_bytes(in.exec, index, in.all);
    static_cast<void>(farpoint::knn(in.exec, index, in.all, farpoint::knn_params{1}, farpoint::knn_output<scalar>{}));
    static_cast<void>(farpoint::for_each_neighborhood<4>(in.exec, index, in.all, farpoint::neighborhood_params{},
                                                         list_sizes<scalar>{}));
    farpoint::radius_params const ball{0, 1};
    in.bound = farpoint::radius_workspace_bytes(in.exec, index, in.all);
    in.bound = farpoint::radius_workspace_bytes(in.exec, index, in.all, in.all);
    static_cast<void>(farpoint::radius(in.exec, index, in.all, ball, farpoint::radius_output<scalar>{}));
    static_cast<void>(
        farpoint::radius_rows(in.exec, index, in.all, in.all, ball, farpoint::radius_rows_output<scalar>{in.offsets}));
    farpoint::normals_params const params;
    in.bound = farpoint::estimate_normals_workspace_bytes(in.exec, index, in.all, params);
    static_cast<void>(farpoint::estimate_normals(in.exec, index, in.all, params, farpoint::normals_output<scalar>{}));
    farpoint::span<scalar> const means;
    in.bound = farpoint::mean_knn_distance_workspace_bytes(in.exec, index, in.all, {1});
    static_cast<void>(farpoint::mean_knn_distance(in.exec, index, in.all, {1}, {means}));
    farpoint::span<float const> const channels;
    in.bound = farpoint::interpolate_workspace_bytes(in.exec, index, in.all);
    static_cast<void>(farpoint::interpolate(in.exec, index, channels, in.all, 1, farpoint::interpolate_output{}));

    if (index.size() == 0) return;
    farpoint::point_bvh_ref<scalar> const tree = index[0];
    farpoint::vec<scalar> const query{};
    std::vector<farpoint::neighbor_key<scalar>> found(4);
    tree.template nearest<4>(query).write(found.data(), 4);
    tree.within(query, scalar(1), [](auto const&...) { return true; });
    tree.for_each([](auto const&...) {});
    in.bound = static_cast<std::size_t>(tree.bounds().distance2(query) > 0);
  }
};

}  // namespace

void search() {
  call_for_each_coord<searches_of_points>();
  call_for_each_coord<edges_and_windows>();
  call_for_each_coord<searches_of_index>();
}
