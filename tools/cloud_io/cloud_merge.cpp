#include "cloud_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace farpoint_tools {

namespace {

// The columns of a name that a cloud may have several of.
column const* nth(cloud const& of, std::string const& name, std::size_t number) {
  for (auto const& c : of.columns) {
    if (c.name() == name && number-- == 0) return &c;
  }
  return nullptr;
}

bool holds(scalar_kind wide, scalar_kind narrow) {
  auto const is_signed = [](scalar_kind kind) { return name_of(kind)[0] == 'i'; };
  if (is_signed(wide) == is_signed(narrow)) return size_of(wide) >= size_of(narrow);
  return is_signed(wide) && size_of(wide) > size_of(narrow);
}

scalar_kind common_kind(scalar_kind a, scalar_kind b) {
  if (a == b) return a;
  if (is_whole(a) && is_whole(b)) {
    for (auto const kind : {scalar_kind::uint8, scalar_kind::int8, scalar_kind::uint16, scalar_kind::int16,
                            scalar_kind::uint32, scalar_kind::int32, scalar_kind::uint64, scalar_kind::int64}) {
      if (holds(kind, a) && holds(kind, b)) return kind;
    }
    return scalar_kind::float64;
  }
  return fits_float32(a) && fits_float32(b) ? scalar_kind::float32 : scalar_kind::float64;
}

struct merged_column {
  std::string name;
  std::size_t number;  // index among the columns with this name
  scalar_kind kind;
};

std::vector<merged_column> columns_of(std::vector<cloud> const& parts) {
  std::vector<merged_column> found;
  for (auto const& part : parts) {
    for (auto const& c : part.columns) {
      std::size_t number = 0;
      while (nth(part, c.name(), number) != &c) ++number;
      auto const same = std::find_if(found.begin(), found.end(), [&](merged_column const& other) {
        return other.name == c.name() && other.number == number;
      });
      if (same == found.end()) {
        found.push_back({c.name(), number, c.kind()});
      } else {
        same->kind = common_kind(same->kind, c.kind());
      }
    }
  }
  return found;
}

column merged(std::vector<cloud> const& parts, merged_column const& which, std::size_t points) {
  column made{which.name, which.kind, points};
  std::size_t row = 0;
  for (auto const& part : parts) {
    auto const* const from = nth(part, which.name, which.number);
    for (std::size_t i = 0; i < part.points.size(); ++i, ++row) {
      if (from == nullptr) {
        made.set(row, std::numeric_limits<double>::quiet_NaN());  // 0 among whole numbers
      } else if (from->kind() == which.kind) {
        made.copy(row, from->bytes().data() + i * size_of(which.kind));
      } else {
        made.set(row, from->at(i));
      }
    }
  }
  return made;
}

}  // namespace

bool have_one_projection(cloud const& a, cloud const& b) {
  return a.las == nullptr || b.las == nullptr || a.las->projection == b.las->projection;
}

cloud merge(std::vector<cloud> parts) {
  cloud made;
  made.format = parts.size() == 1 ? parts[0].format : "several files";
  std::size_t points = 0;
  bool exact = false;
  for (auto const& part : parts) {
    points += part.points.size();
    exact = exact || !part.exact.empty();
    if (made.las == nullptr) made.las = part.las;
  }
  for (auto const& which : columns_of(parts)) made.columns.push_back(merged(parts, which, points));
  if (!exact) {
    for (auto const& part : parts) made.points.insert(made.points.end(), part.points.begin(), part.points.end());
    return made;
  }
  std::vector<std::array<double, 3>> coordinates;
  coordinates.reserve(points);
  for (auto const& part : parts) {
    for (std::size_t i = 0; i < part.points.size(); ++i) {
      coordinates.push_back({part.coordinate(i, 0), part.coordinate(i, 1), part.coordinate(i, 2)});
    }
  }
  set_exact(made, std::move(coordinates));
  return made;
}

}  // namespace farpoint_tools
