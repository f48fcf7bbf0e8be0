#include "right_rows.hpp"

#include <algorithm>

namespace farpoint_tools {

int right_in_row(neighbor_rows const& rows, neighbor_rows const& exact, std::size_t row) {
  auto const* const right = exact.row(row);
  auto const is_right = [&](std::int32_t index) {
    return index >= 0 && std::find(right, right + exact.k, index) != right + exact.k;
  };
  auto const* const found = rows.row(row);
  return static_cast<int>(std::count_if(found, found + std::min(rows.k, exact.k), is_right));
}

std::vector<std::size_t> histogram_of_right(neighbor_rows const& rows, neighbor_rows const& exact) {
  std::vector<std::size_t> counts(exact.k + 1);
  for (std::size_t row = 0; row * exact.k < exact.indices.size(); ++row) {
    ++counts[static_cast<std::size_t>(right_in_row(rows, exact, row))];
  }
  return counts;
}

double share_of_right(neighbor_rows const& rows, neighbor_rows const& exact) {
  auto const all = exact.indices.size() / exact.k;
  return all == 0 ? 1 : static_cast<double>(histogram_of_right(rows, exact).back()) / static_cast<double>(all);
}

}  // namespace farpoint_tools
