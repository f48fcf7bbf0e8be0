/// @file
/// voxel_map_keep() and voxel_map_restore() for all executions: loops over the voxels.
#pragma once

#include <farpoint/detail/voxelize/map_oldest_steps.hpp>
#include <farpoint/scale/stream/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays and steps of one call of voxel_map_keep().
template <class Exec, class Scalar>
class voxel_map_keeping {
 public:
  /// @param workspace  may be null to compute its size
  voxel_map_keeping(Exec exec, voxel_map_params<Scalar> const& params, unsigned char* workspace) noexcept
      : exec_{exec},
        rows_{larger(params.capacity, index_t{1})},
        cutter_{workspace},
        scratch_{cutter_, rows_},
        scan_{cutter_, rows_} {}

  std::size_t workspace_size() const noexcept { return cutter_.used(); }

  result run(voxel_map<Scalar> const& map, voxel_map_keep_params<Scalar> const& keep,
             voxel_map_keep_output const& output) const noexcept {
    auto const params = seeded(map.params);
    voxel_map_arrays<Scalar> const arrays{params, map.memory.data()};
    voxel_map_keep_args<Scalar> const args{params, arrays, keep, output, scratch_, rows_};
    result done = for_each_index(exec_, 1, voxel_map_keep_start_step<Scalar>{args});
    if (done && args.is_bounded()) done = find_oldest(args);
    if (done) done = by_chunks(voxel_map_decide_step<Scalar>{args});
    if (done) done = scan_.run(exec_, scratch_.ranks);
    if (done && !output.new_numbers.empty()) done = by_voxels(voxel_map_new_numbers_step<Scalar>{args});
    if (done) done = compact(args);
    if (done) {
      index_t const stores = arrays.table(0).clear_stores();
      done = for_each_index(exec_, stores, voxel_map_clear_table_step<Scalar>{args}, 2);
    }
    if (done) done = by_voxels(voxel_map_fill_table_step<Scalar>{args});
    if (done) done = for_each_index(exec_, 1, voxel_map_keep_finish_step<Scalar>{args});
    return done;
  }

 private:
  template <class Step>
  result by_voxels(Step const& step) const noexcept {
    return for_each_index(exec_, rows_, step, 8);
  }
  template <class Step>
  result by_chunks(Step const& step) const noexcept {
    return for_each_index(exec_, divide_up(rows_, voxel_map_chunk), step, 2 * voxel_map_chunk);
  }

  /// Finds the oldest tile whose voxels are kept, and the ranks of its voxels.
  result find_oldest(voxel_map_keep_args<Scalar> const& args) const noexcept {
    result done = by_chunks(voxel_map_candidates_step<Scalar>{args});
    for (int digit = 0; done && digit < voxel_map_digits; ++digit) {
      done = by_chunks(voxel_map_count_digits_step<Scalar>{args, digit});
      if (done) done = for_each_index(exec_, 1, voxel_map_choose_digit_step<Scalar>{args, digit});
    }
    if (done) done = by_voxels(voxel_map_oldest_step<Scalar>{args});
    return done ? scan_.run(exec_, scratch_.ranks) : done;
  }

  /// Moves the rows of kept voxels down over the rows of erased voxels, eight words of each row at a time.
  result compact(voxel_map_keep_args<Scalar> const& args) const noexcept {
    result done;
    voxel_map_move move{};
    auto const move_words = [&] {
      if (done) done = by_voxels(voxel_map_take_step<Scalar>{args, move});
      if (done) done = by_voxels(voxel_map_put_step<Scalar>{args, move});
      move.count = 0;
    };
    args.map.for_each_column(args.params, [&](unsigned char* rows, std::size_t row_bytes) {
      for (std::size_t byte = 0; byte < row_bytes; byte += 4) {
        move.words[move.count] = rows + byte;
        move.row_bytes[move.count] = row_bytes;
        if (++move.count == voxel_map_move::max_words) move_words();
      }
    });
    if (move.count > 0) move_words();
    return done;
  }

  Exec exec_;
  index_t rows_;  ///< the capacity, and at least 1
  workspace_cutter cutter_;
  voxel_map_keep_scratch scratch_;
  voxel_map_scan<Exec> scan_;
};

template <class Exec, class Scalar>
std::size_t voxel_map_keep_size(Exec exec, voxel_map_params<Scalar> const& params) noexcept {
  if (!check_voxel_map_params(params)) return 0;
  return voxel_map_keeping<Exec, Scalar>{exec, params, nullptr}.workspace_size();
}

template <class Exec, class Scalar>
result voxel_map_keep_on(Exec exec, voxel_map<Scalar> const& map, voxel_map_keep_params<Scalar> const& keep,
                         voxel_map_keep_output const& output, bytes workspace) noexcept {
  if (result const checked = check_voxel_map(map); !checked) return checked;
  if (result const checked = check_voxel_map_keep(map.params, keep, output); !checked) return checked;
  std::size_t const needed = voxel_map_keep_size(exec, map.params);
  if (result const checked = check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("voxel_map_keep")); !checked)
    return checked;
  return voxel_map_keeping<Exec, Scalar>{exec, map.params, workspace.data()}.run(map, keep, output);
}

template <class Scalar>
result voxel_map_saved_arrays_of(voxel_map<Scalar> const& map, voxel_map_header const& header,
                                 voxel_map_saved& arrays) noexcept {
  if (result const checked = check_voxel_map(map); !checked) return checked;
  if (result const checked = check_voxel_map_header(map.params, header); !checked) return checked;
  voxel_map_saved found;
  voxel_map_arrays<Scalar> const memory{map.params, map.memory.data()};
  memory.for_each_column(map.params, [&](unsigned char* rows, std::size_t row_bytes) {
    found.push_back({rows, row_bytes * static_cast<std::size_t>(header.report.voxels)});
  });
  arrays = found;
  return {};
}

template <class Exec, class Scalar>
result voxel_map_restore_on(Exec exec, voxel_map<Scalar> const& map, voxel_map_header const& header) noexcept {
  if (result const checked = check_voxel_map(map); !checked) return checked;
  if (result const checked = check_voxel_map_header(map.params, header); !checked) return checked;
  auto const params = seeded(map.params);
  voxel_map_arrays<Scalar> const arrays{params, map.memory.data()};
  result done = voxel_map_clear_on(exec, map);
  if (done) {
    auto const counters = voxel_map_counters::of(header.report);
    done = for_each_index(exec, 1, voxel_map_restore_counters_step<Scalar>{arrays, counters});
  }
  auto const voxels = static_cast<index_t>(header.report.voxels);
  if (done) done = for_each_index(exec, voxels, voxel_map_restore_step<Scalar>{params, arrays}, 8);
  return done;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
