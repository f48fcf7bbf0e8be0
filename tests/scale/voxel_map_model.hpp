// Plain model of a voxel map that forgets: a std::map, a list of voxels, and loops over points and voxels.
#pragma once

#include <farpoint/types/voxel_map.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace farpoint_tests {

using farpoint::index_t;

/// Points of one scan, and their features.
template <class Scalar>
struct plain_tile {
  std::vector<std::array<Scalar, 3>> points;
  std::vector<float> features;  ///< `[n, features]`
};

/// What voxel_map_read() writes.
template <class Scalar>
struct voxel_rows {
  std::vector<std::int32_t> coords;
  std::vector<std::int64_t> counts;
  std::vector<index_t> first_points;
  std::vector<Scalar> centroids;
  std::vector<float> means, maxima, firsts;
  farpoint::voxel_map_report report;
};

/// The same bytes, so that equal NaN are equal.
template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline std::array<unsigned long long, 10> counters_of(farpoint::voxel_map_report const& r) {
  return {r.points,         r.voxels, r.non_finite,    r.outside,       r.dropped_points,
          r.surplus_points, r.tiles,  r.erased_voxels, r.erased_points, r.invalid_voxels};
}
inline std::array<unsigned long long, 5> counters_of(farpoint::voxel_map_keep_report const& r) {
  return {r.kept, r.outside, r.expired, r.evicted, r.erased_points};
}

template <class Scalar>
class plain_voxel_map {
 public:
  explicit plain_voxel_map(farpoint::voxel_map_params<Scalar> const& params) : params_{params} {}

  /// @return the voxel of each point, or -1
  std::vector<std::int32_t> insert(plain_tile<Scalar> const& tile) {
    std::vector<std::int32_t> numbers;
    auto const features = static_cast<std::size_t>(params_.features);
    for (std::size_t i = 0; i < tile.points.size(); ++i) {
      index_t const number = number_of(tile.points[i], params_.first_index + static_cast<index_t>(report_.points + i));
      numbers.push_back(static_cast<std::int32_t>(number));
      if (number < 0) continue;
      auto& voxel = voxels_[static_cast<std::size_t>(number)];
      voxel.last_tile = report_.tiles;
      if (voxel.count == params_.mode.max_points) {
        ++report_.surplus_points;
        continue;
      }
      for (std::size_t axis = 0; axis < 3; ++axis) voxel.sum[axis] += tile.points[i][axis];
      for (std::size_t f = 0; f < features; ++f) {
        float const value = tile.features[i * features + f];
        if (voxel.count == 0) {
          voxel.first.push_back(value);
          voxel.largest.push_back(value);
          voxel.total.push_back(0);
        }
        voxel.total[f] += value;
        if (value > voxel.largest[f] || std::isnan(voxel.largest[f])) voxel.largest[f] = value;
      }
      ++voxel.count;
    }
    report_.points += tile.points.size();
    if (!tile.points.empty()) ++report_.tiles;
    report_.voxels = voxels_.size();
    return numbers;
  }

  /// @param origin     empty, or three coordinates
  /// @param new_numbers  of the voxels that there were
  farpoint::voxel_map_keep_report keep(farpoint::voxel_map_keep_params<Scalar> const& keep,
                                       std::vector<Scalar> const& origin, std::vector<std::int32_t>& new_numbers) {
    farpoint::voxel_map_keep_report report;
    std::vector<std::size_t> candidates;
    std::vector<bool> is_kept(voxels_.size());
    for (std::size_t v = 0; v < voxels_.size(); ++v) {
      auto const age = static_cast<index_t>(report_.tiles - 1 - voxels_[v].last_tile);
      if (!is_inside(voxels_[v], keep, origin)) {
        ++report.outside;
      } else if (params_.parts.last_tile && age > keep.max_age) {
        ++report.expired;
      } else {
        candidates.push_back(v);
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [this](std::size_t a, std::size_t b) { return voxels_[a].last_tile > voxels_[b].last_tile; });
    auto const most = static_cast<std::size_t>(keep.max_voxels);
    if (candidates.size() > most) {
      report.evicted = candidates.size() - most;
      candidates.resize(most);
    }
    for (std::size_t const v : candidates) is_kept[v] = true;

    std::vector<voxel_state> left;
    new_numbers.clear();
    for (std::size_t v = 0; v < voxels_.size(); ++v) {
      new_numbers.push_back(is_kept[v] ? static_cast<std::int32_t>(left.size()) : -1);
      if (is_kept[v]) {
        left.push_back(std::move(voxels_[v]));
      } else {
        report.erased_points += static_cast<unsigned long long>(voxels_[v].count);
      }
    }
    for (auto at = numbers_.begin(); at != numbers_.end();) {
      at->second = new_numbers[static_cast<std::size_t>(at->second)];
      at = at->second < 0 ? numbers_.erase(at) : std::next(at);
    }
    report.kept = left.size();
    report_.erased_voxels += voxels_.size() - left.size();
    report_.erased_points += report.erased_points;
    report_.voxels = left.size();
    voxels_ = std::move(left);
    return report;
  }

  voxel_rows<Scalar> rows() const {
    voxel_rows<Scalar> rows;
    for (auto const& voxel : voxels_) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        rows.coords.push_back(static_cast<std::int32_t>(voxel.at[axis]));
        rows.centroids.push_back(voxel.sum[axis] / static_cast<Scalar>(voxel.count));
      }
      rows.counts.push_back(voxel.count);
      rows.first_points.push_back(voxel.first_point);
      for (float const total : voxel.total) {
        rows.means.push_back(with_quiet_nan(total / static_cast<float>(voxel.count)));
      }
      rows.maxima.insert(rows.maxima.end(), voxel.largest.begin(), voxel.largest.end());
      rows.firsts.insert(rows.firsts.end(), voxel.first.begin(), voxel.first.end());
    }
    rows.report = report_;
    return rows;
  }

  /// The bytes of a saved map: its header, and one array after another.
  std::vector<unsigned char> saved() const {
    std::vector<unsigned char> bytes;
    auto const put = [&bytes](auto const& value) {
      auto const* const begin = reinterpret_cast<unsigned char const*>(&value);
      bytes.insert(bytes.end(), begin, begin + sizeof value);
    };
    put(farpoint::voxel_map_header::of(params_, report_));
    for (auto const& voxel : voxels_) {
      std::int64_t const x = params_.grid.dims[0], y = params_.grid.dims[1];
      put(static_cast<std::uint64_t>((voxel.at[2] * y + voxel.at[1]) * x + voxel.at[0]));
    }
    for (auto const& voxel : voxels_) put(voxel.first_point);
    for (auto const& voxel : voxels_) put(voxel.count);
    auto const& parts = params_.parts;
    for (auto const& voxel : voxels_) {
      if (parts.last_tile) put(static_cast<std::uint32_t>(voxel.last_tile));
    }
    for (auto const& voxel : voxels_) {
      for (std::size_t axis = 0; parts.centroid && axis < 3; ++axis) put(voxel.sum[axis]);
    }
    for (auto const& voxel : voxels_) {
      for (float const total : voxel.total) parts.mean ? put(with_quiet_nan(total)) : void();
    }
    for (auto const& voxel : voxels_) {
      for (float const value : voxel.largest) parts.max ? put(value) : void();
    }
    for (auto const& voxel : voxels_) {
      for (float const value : voxel.first) parts.first ? put(value) : void();
    }
    return bytes;
  }

 private:
  static float with_quiet_nan(float value) {
    return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;
  }

  struct voxel_state {
    std::array<std::int64_t, 3> at;
    index_t first_point;
    std::int64_t count = 0;
    unsigned long long last_tile = 0;
    std::array<Scalar, 3> sum{};
    std::vector<float> total, largest, first;
  };

  /// Number of a point's voxel, which is added if it is new; -1 if the point has none.
  index_t number_of(std::array<Scalar, 3> const& point, index_t index) {
    std::array<std::int64_t, 3> at{};
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!std::isfinite(point[axis])) {
        ++report_.non_finite;
        return -1;
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const a = static_cast<int>(axis);
      Scalar const offset = point[axis] - params_.grid.origin[a];
      Scalar const place = std::floor(offset / params_.grid.size[a]);
      inside = inside && place >= 0 && place < static_cast<Scalar>(params_.grid.dims[a]);
      if (inside) at[axis] = static_cast<std::int64_t>(place);
    }
    if (!inside) {
      ++report_.outside;
      return -1;
    }
    auto const found = numbers_.find(at);
    if (found != numbers_.end()) return found->second;
    auto const number = static_cast<index_t>(voxels_.size());
    if (number >= params_.capacity || number >= params_.mode.max_voxels) {
      ++report_.dropped_points;
      return -1;
    }
    numbers_[at] = number;
    voxels_.push_back({at, index, 0, 0, {}, {}, {}, {}});
    return number;
  }

  bool is_inside(voxel_state const& voxel, farpoint::voxel_map_keep_params<Scalar> const& keep,
                 std::vector<Scalar> const& origin) const {
    for (Scalar const coordinate : origin) {
      if (!std::isfinite(coordinate)) return true;
    }
    double distance2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      double const index = static_cast<double>(voxel.at[a]) + 0.5;
      double position =
          std::fma(index, static_cast<double>(params_.grid.size[axis]), static_cast<double>(params_.grid.origin[axis]));
      if (!origin.empty()) position -= static_cast<double>(origin[a]);
      if (position < static_cast<double>(keep.box.low[axis])) return false;
      if (position >= static_cast<double>(keep.box.high[axis])) return false;
      double const off = position - static_cast<double>(keep.center[axis]);
      distance2 = std::fma(off, off, distance2);
    }
    return distance2 <= static_cast<double>(keep.radius) * static_cast<double>(keep.radius);
  }

  farpoint::voxel_map_params<Scalar> params_;
  std::map<std::array<std::int64_t, 3>, index_t> numbers_;
  std::vector<voxel_state> voxels_;
  farpoint::voxel_map_report report_;
};

}  // namespace farpoint_tests
