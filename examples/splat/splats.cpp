#include "splats.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "parallel.hpp"

namespace farpoint_demo {

namespace {

constexpr int band_height = 16;
constexpr double one_surface = 0.5;  // a splat's radius: how far behind the nearest it may be
constexpr double straggler = 1.5;    // radii of a front's splat that a hidden one has, if it is in the way

// Pixels [left, right) x [top, bottom).
struct pixel_area {
  int left, top, right, bottom;
};

// The pixels on an axis of the image whose lines of sight may meet the splat: those of the box around it.
std::array<int, 2> shadow_of(splat const& disc, camera const& looking, std::size_t axis) {
  auto const reach = [&disc](std::size_t along) {
    return disc.radius * std::sqrt(std::max(0.0, 1 - disc.normal[along] * disc.normal[along]));
  };
  int const at = static_cast<int>(axis);
  double const count = axis == 0 ? looking.width : looking.height;
  double const nearest = std::max(disc.center[2] - reach(2), double{looking.near_depth});
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (double const side : {disc.center[axis] - reach(axis), disc.center[axis] + reach(axis)}) {
    for (double const depth : {nearest, disc.center[2] + reach(2)}) {
      double const place = looking.centre[at] + looking.focal[at] * side / depth;
      low = std::min(low, place);
      high = std::max(high, place);
    }
  }
  // From centre to centre of pixels, and one more for the rounding.
  return {static_cast<int>(std::clamp(std::floor(low - 0.5), 0.0, count)),
          static_cast<int>(std::clamp(std::ceil(high + 0.5), 0.0, count))};
}

pixel_area area_of(splat const& disc, camera const& looking) {
  auto const columns = shadow_of(disc, looking, 0);
  auto const rows = shadow_of(disc, looking, 1);
  return {columns[0], rows[0], columns[1], rows[1]};
}

// For each band of rows, the splats that may be in it, in their order.
std::vector<std::vector<std::uint32_t>> sort_into_bands(std::vector<pixel_area> const& areas, int height) {
  std::vector<std::vector<std::uint32_t>> bands(static_cast<std::size_t>((height + band_height - 1) / band_height));
  for (std::size_t i = 0; i < areas.size(); ++i) {
    if (areas[i].left >= areas[i].right) continue;
    for (int y = areas[i].top; y < areas[i].bottom; y = (y / band_height + 1) * band_height) {
      bands[static_cast<std::size_t>(y / band_height)].push_back(static_cast<std::uint32_t>(i));
    }
  }
  return bands;
}

// Calls meet(x, y, depth, share) for the lines of sight that meet the disc; share is the squared distance from the
// centre over the squared radius.
template <class Meet>
void for_each_sight(splat const& disc, pixel_area const& area, camera const& looking, Meet const& meet) {
  double const ahead = dot(disc.normal, disc.center);
  double const scale = 1 / (disc.radius * disc.radius);
  for (int y = area.top; y < area.bottom; ++y) {
    double const down = (y + 0.5 - looking.centre[1]) / looking.focal[1];
    for (int x = area.left; x < area.right; ++x) {
      vec3 const sight{(x + 0.5 - looking.centre[0]) / looking.focal[0], down, 1};
      double const depth = ahead / dot(disc.normal, sight);
      // An infinite or NaN depth fails the test of the share.
      vec3 const aside = depth * sight - disc.center;
      double const share = dot(aside, aside) * scale;
      if (share <= 1 && depth > looking.near_depth) meet(x, y, static_cast<float>(depth), share);
    }
  }
}

struct blend {
  vec3 normal{};
  double error = 0;
  double weight = 0;
};

// Some splats, and where they may be seen.
struct scene {
  std::vector<splat> splats;
  std::vector<pixel_area> areas;
  std::vector<std::vector<std::uint32_t>> bands;

  scene(std::vector<splat> discs, camera const& looking, int threads) : splats{std::move(discs)}, areas(splats.size()) {
    for_each_index(splats.size(), threads, [&](std::size_t i) { areas[i] = area_of(splats[i], looking); });
    bands = sort_into_bands(areas, looking.height);
  }

  // Calls meet(disc, x, y, depth, share) for the splats of a band in their order.
  template <class Meet>
  void for_each_sight_in(std::size_t band, camera const& looking, Meet const& meet) const {
    int const top = static_cast<int>(band) * band_height;
    int const bottom = std::min(top + band_height, looking.height);
    for (auto const i : bands[band]) {
      pixel_area const& area = areas[i];
      for_each_sight(splats[i], {area.left, std::max(area.top, top), area.right, std::min(area.bottom, bottom)},
                     looking, [&](int x, int y, float depth, double share) { meet(splats[i], x, y, depth, share); });
    }
  }
};

// The nearest splat of each pixel; of equally near ones the first.
struct front_splats {
  std::vector<float> depths;
  std::vector<splat const*> splats;
};

front_splats find_front(scene const& shown, frame const& picture, int threads) {
  front_splats front{std::vector<float>(picture.depths.size(), frame::nothing),
                     std::vector<splat const*>(picture.depths.size())};
  for_each_part(shown.bands.size(), threads, [&](std::size_t band) {
    shown.for_each_sight_in(band, picture.looking, [&](splat const& disc, int x, int y, float depth, double) {
      auto const pixel = picture.index(x, y);
      if (depth >= front.depths[pixel]) return;
      front.depths[pixel] = depth;
      front.splats[pixel] = &disc;
    });
  });
  return front;
}

// Some hidden points show in the z-buffer, between those of the front, and have splats. These are behind the front's,
// but at a rim they stand out beyond it, since their neighbours do. Such a splat faces the other way than what covers
// its centre, because its normal is that of a back; or it is well behind it, and larger.
bool is_hidden(splat const& disc, front_splats const& front, frame const& picture) {
  farpoint::vec<int, 2> pixel{};
  for (int axis = 0; axis < 2; ++axis) {
    auto const along = static_cast<std::size_t>(axis);
    double const place =
        picture.looking.centre[axis] + picture.looking.focal[axis] * disc.center[along] / disc.center[2];
    int const last = (axis == 0 ? picture.looking.width : picture.looking.height) - 1;
    pixel[axis] = static_cast<int>(std::clamp<double>(place, 0, last));
  }
  auto const there = picture.index(pixel[0], pixel[1]);
  splat const* const cover = front.splats[there];
  if (cover == nullptr) return false;
  bool const looks_away = dot(cover->normal, disc.normal) < 0;
  bool const is_behind = disc.center[2] > front.depths[there] + cover->radius;
  return looks_away || (is_behind && disc.radius > straggler * cover->radius);
}

void blend_band(scene const& shown, std::size_t band, frame& picture) {
  camera const& looking = picture.looking;
  int const top = static_cast<int>(band) * band_height;
  int const bottom = std::min(top + band_height, looking.height);
  std::size_t const first = picture.index(0, top);
  std::vector<blend> blends(picture.index(0, bottom) - first);
  shown.for_each_sight_in(band, looking, [&](splat const& disc, int x, int y, float depth, double share) {
    std::size_t const pixel = picture.index(x, y);
    if (depth > picture.depths[pixel] + one_surface * disc.radius) return;
    double const weight = 1e-4 + (1 - share) * (1 - share);
    blend& sum = blends[pixel - first];
    sum.normal = sum.normal + weight * disc.normal;
    sum.error += weight * disc.error;
    sum.weight += weight;
  });
  for (std::size_t at = 0; at < blends.size(); ++at) {
    blend const& sum = blends[at];
    if (sum.weight == 0) continue;
    // All normals point towards the eye and never add up to zero.
    vec3 const normal = unit(sum.normal);
    picture.errors[first + at] = static_cast<float>(sum.error / sum.weight);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      picture.normals[first + at][axis] = static_cast<float>(normal[axis]);
    }
  }
}

}  // namespace

std::vector<splat> make_splats(std::vector<point3> const& cloud, view_search const& seen, surface const& fitted,
                               std::vector<float> const& errors, camera const& looking, double largest) {
  constexpr double usual = 4;  // medians that are always allowed
  std::vector<double> radii{fitted.radii.begin(), fitted.radii.end()};
  double const limit = std::max(largest, usual * robust_extent(radii, 0.5).low);  // reorders them

  std::vector<splat> splats;
  splats.reserve(radii.size());
  for (std::size_t i = 0; i < seen.visible.size(); ++i) {
    point3 const& point = cloud[static_cast<std::size_t>(seen.visible[i])];
    auto const view = looking.to_view({{point[0], point[1], point[2]}});
    vec3 const center{view[0], view[1], view[2]};
    vec3 normal{};
    for (int row = 0; row < 3; ++row) {
      auto const& axis = looking.rotation[row];
      normal[static_cast<std::size_t>(row)] = dot(to_vec3(fitted.normals[i]), {axis[0], axis[1], axis[2]});
    }
    if (dot(normal, center) >= 0) continue;
    // A point without neighbours is a dot.
    double const radius = std::max(std::min(double{fitted.radii[i]}, limit), center[2] / double{looking.focal[0]});
    splats.push_back({center, normal, radius, errors.empty() ? 0 : errors[i]});
  }
  return splats;
}

frame draw_splats(std::vector<splat> const& splats, camera const& looking, int threads) {
  auto const pixels = static_cast<std::size_t>(looking.width) * static_cast<std::size_t>(looking.height);
  frame picture{looking, std::vector<float>(pixels), std::vector<point3>(pixels), std::vector<float>(pixels)};
  auto const without_hidden = [&](front_splats const& front) {
    std::vector<splat> kept;
    std::copy_if(splats.begin(), splats.end(), std::back_inserter(kept),
                 [&](splat const& disc) { return !is_hidden(disc, front, picture); });
    return scene{std::move(kept), looking, threads};
  };
  // Twice: a splat that is hidden itself hides nothing.
  scene const all{splats, looking, threads};
  scene const most = without_hidden(find_front(all, picture, threads));
  scene const shown = without_hidden(find_front(most, picture, threads));
  picture.depths = find_front(shown, picture, threads).depths;
  for_each_part(shown.bands.size(), threads, [&](std::size_t band) { blend_band(shown, band, picture); });
  return picture;
}

}  // namespace farpoint_demo
