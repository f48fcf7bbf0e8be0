/// @file
/// The host backend of voxelize(): a few passes over the points, each shared out among threads.
#pragma once

#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/host_plan.hpp>
#include <farpoint/detail/voxelize/host_rows.hpp>
#include <farpoint/host/parallel_phases.hpp>

#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Numbers of points, with room for a mark.
inline constexpr index_t max_host_voxel_points = 0x7ffffffe;

/// Sorts keys of `bits` bits, and values with them; arrays [0] hold the input. Returns which arrays hold the output.
inline int sort_voxel_keys(std::uint64_t* const keys[2], std::uint32_t* const values[2], index_t count,
                           int bits) noexcept {
  constexpr int digit_bits = 11;
  constexpr std::uint64_t digit_mask = (1u << digit_bits) - 1;
  int from = 0;
  for (int shift = 0; shift < bits; shift += digit_bits) {
    std::uint32_t places[digit_mask + 1] = {};
    for (index_t i = 0; i < count; ++i) ++places[keys[from][i] >> shift & digit_mask];
    std::uint32_t sum = 0;
    for (auto& place : places) sum += std::exchange(place, sum);
    for (index_t i = 0; i < count; ++i) {
      std::uint32_t const place = places[keys[from][i] >> shift & digit_mask]++;
      keys[1 - from][place] = keys[from][i];
      values[1 - from][place] = values[from][i];
    }
    from = 1 - from;
  }
  return from;
}

/// One call. A team of threads goes through the phases together: in each they claim units of work.
template <class Points>
class voxelize_host_task {
 public:
  using scalar = typename Points::scalar;

  voxelize_host_task(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                     voxelize_output<scalar> const& output, voxelize_host_plan const& plan, bytes workspace) noexcept
      : clouds_{clouds},
        params_{params},
        output_{output},
        plan_{plan},
        memory_{plan.memory(workspace)},
        rows_{clouds, params, output},
        cells_{params.grid.cells()} {
    if (clouds.size() > 0) {
      index_t const last = clouds.size() - 1;
      begin_ = clouds.begin_of(0);
      end_ = clouds.begin_of(last) + clouds[last].size();
    }
  }

  /// Units of the first phase.
  std::uint32_t begin() noexcept {
    phase_ = plan_.threads() > 1 ? phase::keys : phase::insert;
    return static_cast<std::uint32_t>(phase_ == phase::keys ? plan_.chunks() : plan_.parts());
  }

  /// Prepares the next phase, while nobody works. Returns the number of its units, 0 at the end.
  std::uint32_t next() noexcept {
    auto const chunks = static_cast<std::uint32_t>(plan_.chunks());
    auto const parts = static_cast<std::uint32_t>(plan_.parts());
    switch (phase_) {
      case phase::keys:
        divide_parts();
        phase_ = phase::insert;
        return parts;
      case phase::insert:
        phase_ = phase::count;
        if (params_.order == voxel_order::first_occurrence) return chunks;
        sort_voxels();
        return begin_scatter();
      case phase::count:
        divide_order();
        phase_ = phase::order;
        return chunks;
      case phase::order: return begin_scatter();
      case phase::scatter:
        phase_ = phase::rows;
        if (row_count_ > 0) return row_units();
        return 0;
      case phase::rows: return 0;
    }
    return 0;
  }

  void work(std::uint32_t unit) noexcept {
    auto const at = static_cast<int>(unit);
    switch (phase_) {
      case phase::keys: make_keys(at); break;
      case phase::insert: insert(at); break;
      case phase::count: chunk_rows_[at] = count_first_points(at); break;
      case phase::order: write_order(at); break;
      case phase::scatter: at < plan_.parts() ? scatter(at) : write_point_voxels(at - plan_.parts()); break;
      case phase::rows: write_rows(unit); break;
    }
  }

  voxelize_report report() const noexcept {
    voxelize_report report = report_;
    report.non_finite = non_finite_.load();
    report.outside = outside_.load();
    return report;
  }

 private:
  enum class phase { keys, insert, count, order, scatter, rows };

  static constexpr std::uint64_t no_key = ~std::uint64_t{0};
  static constexpr std::uint32_t no_voxel = 0x7fffffffu;
  static constexpr std::uint32_t first_mark = 0x80000000u;
  static constexpr int block_points = 128;
  static constexpr index_t rows_per_unit = 2048;

  /// Points whose keys are known, on their way into a table.
  struct block {
    std::uint64_t keys[block_points];
    std::uint64_t hashes[block_points];
    std::uint32_t points[block_points];
    int size = 0;
  };

  struct range {
    index_t begin, end;
  };

  range chunk(int number) const noexcept {
    index_t const size = end_ - begin_;
    return {begin_ + size * number / plan_.chunks(), begin_ + size * (number + 1) / plan_.chunks()};
  }

  /// Calls use(cloud, begin, end) for the points of each cloud in a range of the view.
  template <class Use>
  void for_each_run(range points, Use const& use) const noexcept {
    if (points.begin >= points.end || clouds_.size() == 0) return;
    for (index_t b = clouds_.cloud_of(points.begin); b < clouds_.size() && clouds_.begin_of(b) < points.end; ++b) {
      index_t const cloud_begin = clouds_.begin_of(b);
      index_t const begin = std::max(points.begin, cloud_begin);
      index_t const end = std::min(points.end, cloud_begin + clouds_[b].size());
      if (begin < end) use(b, begin, end);
    }
  }

  /// Filter and key: calls use(point, key), with no_key for a point in no voxel.
  template <class Use>
  void for_each_key(range points, Use const& use) noexcept {
    unsigned long long non_finite = 0;
    unsigned long long outside = 0;
    for_each_run(points, [&](index_t cloud, index_t begin, index_t end) {
      std::uint64_t const before = static_cast<std::uint64_t>(cloud) * cells_;
      for (index_t i = begin; i < end; ++i) {
        auto const point = clouds_.points()[i];
        vec<std::int32_t> at{};
        std::uint64_t key = no_key;
        if (voxel_of(params_.grid, point, at)) {
          key = before + cell_of(params_.grid, at);
        } else {
          ++(is_finite(point) ? outside : non_finite);
        }
        use(static_cast<std::uint32_t>(i), key);
      }
    });
    non_finite_ += non_finite;
    outside_ += outside;
  }

  int part_of(std::uint64_t hash) const noexcept {
    return static_cast<int>((hash >> 32) * static_cast<std::uint64_t>(plan_.parts()) >> 32);
  }

  void make_keys(int number) noexcept {
    std::uint32_t sizes[voxelize_host_plan::most_threads] = {};
    for_each_key(chunk(number), [&](std::uint32_t point, std::uint64_t key) {
      memory_.keys[point] = key;
      memory_.voxel_of[point] = no_voxel;
      if (key != no_key) ++sizes[part_of(hash_of_voxel(key))];
    });
    std::copy_n(sizes, plan_.parts(), memory_.part_sizes + number * plan_.parts());
  }

  void divide_parts() noexcept {
    for (int part = 0; part < plan_.parts(); ++part) {
      std::uint32_t size = 0;
      for (int number = 0; number < plan_.chunks(); ++number) {
        size += memory_.part_sizes[number * plan_.parts() + part];
      }
      part_begin_[part + 1] = part_begin_[part] + size;
    }
  }

  /// The voxels of a part, numbered by first occurrence from its first number on.
  void insert(int part) noexcept {
    bool const alone = plan_.parts() == 1;
    std::uint32_t const before = part_begin_[part];
    index_t const size = alone ? end_ - begin_ : part_begin_[part + 1] - before;
    voxel_table table{memory_.slots + voxel_table::slots_per_point * index_t{before}, memory_.voxels + before, size};
    block points;
    auto const add_block = [&] {
      for (int k = 0; k < points.size; ++k) table.prefetch(points.hashes[k]);
      for (int k = 0; k < points.size; ++k) {
        auto const place = table.add(points.keys[k], points.hashes[k], points.points[k]);
        memory_.voxel_of[points.points[k]] = (before + place.first) | (place.second ? first_mark : 0);
      }
      points.size = 0;
    };
    // Whose key a point has cannot be foreseen: a branch would be mispredicted for every other point.
    auto const add = [&](std::uint32_t point, std::uint64_t key) {
      std::uint64_t const hash = hash_of_voxel(key);
      points.points[points.size] = point;
      points.keys[points.size] = key;
      points.hashes[points.size] = hash;
      points.size += static_cast<int>(key != no_key) & static_cast<int>(alone || part_of(hash) == part);
      if (points.size == block_points) add_block();
    };
    if (alone) {
      for_each_key({begin_, end_}, [&](std::uint32_t point, std::uint64_t key) {
        memory_.voxel_of[point] = no_voxel;
        add(point, key);
      });
    } else {
      for_each_run({begin_, end_}, [&](index_t, index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) add(static_cast<std::uint32_t>(i), memory_.keys[i]);
      });
    }
    add_block();
    part_voxels_[part] = table.size();
  }

  std::uint32_t count_first_points(int number) const noexcept {
    std::uint32_t count = 0;
    for_each_run(chunk(number), [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) count += memory_.voxel_of[i] >> 31;
    });
    return count;
  }

  void divide_order() noexcept {
    voxel_count_ = 0;
    for (int number = 0; number < plan_.chunks(); ++number) {
      voxel_count_ += std::exchange(chunk_rows_[number], static_cast<std::uint32_t>(voxel_count_));
    }
  }

  /// Voxels in the order of their first points.
  void write_order(int number) noexcept {
    std::uint32_t* place = memory_.order[0] + chunk_rows_[number];
    for_each_run(chunk(number), [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        std::uint32_t const voxel = memory_.voxel_of[i];
        if ((voxel & first_mark) != 0) *place++ = voxel & ~first_mark;
      }
    });
  }

  /// Voxels in the order of the grid.
  void sort_voxels() noexcept {
    voxel_count_ = 0;
    for (int part = 0; part < plan_.parts(); ++part) {
      for (std::uint32_t k = 0; k < part_voxels_[part]; ++k) {
        std::uint32_t const voxel = part_begin_[part] + k;
        memory_.sort_keys[0][voxel_count_] = memory_.voxels[voxel].key;
        memory_.order[0][voxel_count_++] = voxel;
      }
    }
    int bits = 0;
    while (bits < 63 && cells_ * static_cast<std::uint64_t>(clouds_.size()) >> bits != 0) ++bits;
    sorted_ = sort_voxel_keys(memory_.sort_keys, memory_.order, voxel_count_, bits);
  }

  /// Gives the voxels that fit their rows.
  std::uint32_t begin_scatter() noexcept {
    phase_ = phase::scatter;
    std::uint32_t* const order = memory_.order[sorted_];
    index_t cloud = -1;
    std::uint64_t cloud_end = 0;
    index_t taken = 0;
    index_t listed = 0;
    auto const begin_cloud = [&] {
      ++cloud;
      cloud_end += cells_;
      taken = 0;
      if (!output_.voxel_offsets.empty()) output_.voxel_offsets.set(cloud, row_count_);
    };
    if (!output_.list_offsets.empty()) output_.list_offsets.set(0, 0);
    for (index_t k = 0; k < voxel_count_; ++k) {
      std::uint32_t const number = order[k];
      host_voxel const& voxel = memory_.voxels[number];
      while (voxel.key >= cloud_end) begin_cloud();
      bool const allowed = taken++ < params_.mode.max_voxels;
      if (!allowed || row_count_ >= output_.capacity) {
        ++report_.dropped_voxels;
        report_.over_capacity += allowed ? 1 : 0;
        report_.dropped_points += voxel.count;
        memory_.row_of[number] = no_voxel;
        continue;
      }
      if (voxel.count > params_.mode.max_points) {
        report_.surplus_points += voxel.count - static_cast<unsigned long long>(params_.mode.max_points);
      }
      memory_.row_of[number] = static_cast<std::uint32_t>(row_count_);
      memory_.list_at[number] = static_cast<std::uint32_t>(listed);
      listed += voxel.count;
      order[row_count_++] = number;
      if (!output_.list_offsets.empty()) output_.list_offsets.set(row_count_, listed);
    }
    while (cloud < clouds_.size()) begin_cloud();
    if (!output_.voxel_count.empty()) output_.voxel_count.set(0, row_count_);
    report_.voxels = static_cast<unsigned long long>(row_count_);
    return static_cast<std::uint32_t>(plan_.parts() + plan_.chunks());
  }

  /// Lists of the points of a part's voxels, by row.
  void scatter(int part) noexcept {
    if (!rows_.needs_lists()) return;
    std::uint32_t const before = part_begin_[part];
    std::uint32_t const size = part_voxels_[part];
    std::uint32_t voxels[block_points];
    std::uint32_t points[block_points];
    int waiting = 0;
    auto const append_block = [&] {
      for (int k = 0; k < waiting; ++k) {
        if (memory_.row_of[voxels[k]] != no_voxel) memory_.list[memory_.list_at[voxels[k]]++] = points[k];
      }
      waiting = 0;
    };
    for_each_run({begin_, end_}, [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        voxels[waiting] = memory_.voxel_of[i] & ~first_mark;
        points[waiting] = static_cast<std::uint32_t>(i);
        waiting += voxels[waiting] - before < size ? 1 : 0;
        if (waiting == block_points) append_block();
      }
    });
    append_block();
  }

  void write_point_voxels(int number) noexcept {
    if (output_.point_voxel.empty()) return;
    range const points = chunk(number);
    // Points of no cloud may lie before, between and after the clouds.
    index_t const all_begin = number == 0 ? 0 : points.begin;
    index_t const all_end = number == plan_.chunks() - 1 ? clouds_.points().size() : points.end;
    for (index_t i = all_begin; i < all_end; ++i) output_.point_voxel.set(i, -1);
    for_each_run(points, [&](index_t, index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        std::uint32_t const voxel = memory_.voxel_of[i] & ~first_mark;
        if (voxel == no_voxel) continue;
        std::uint32_t const row = memory_.row_of[voxel];
        if (row != no_voxel) output_.point_voxel.set(i, row);
      }
    });
  }

  std::uint32_t row_units() const noexcept {
    index_t const wanted = (row_count_ + rows_per_unit - 1) / rows_per_unit;
    return static_cast<std::uint32_t>(std::min<index_t>(wanted, parallel_phases::most_units));
  }

  void write_rows(std::uint32_t unit) noexcept {
    index_t const units = row_units();
    for (index_t row = row_count_ * unit / units; row < row_count_ * (unit + 1) / units; ++row) {
      std::uint32_t const number = memory_.order[sorted_][row];
      host_voxel const& voxel = memory_.voxels[number];
      std::uint32_t* points = nullptr;
      if (rows_.needs_lists()) {
        index_t const begin = memory_.list_at[number] - voxel.count;
        points = memory_.list + begin;
        for (index_t k = 0; k < voxel.count && !output_.list_points.empty(); ++k) {
          output_.list_points.set(begin + k, points[k]);
        }
      }
      rows_.write(row, voxel, points);
    }
  }

  batch<Points> const& clouds_;
  voxelize_params<scalar> const& params_;
  voxelize_output<scalar> const& output_;
  voxelize_host_plan const& plan_;
  voxelize_host_memory const memory_;
  host_voxel_rows<Points> const rows_;
  std::uint64_t const cells_;
  index_t begin_ = 0;  ///< of the clouds in the view
  index_t end_ = 0;

  phase phase_ = phase::insert;
  std::uint32_t part_begin_[voxelize_host_plan::most_threads + 1] = {};
  std::uint32_t part_voxels_[voxelize_host_plan::most_threads] = {};
  std::uint32_t chunk_rows_[4 * voxelize_host_plan::most_threads] = {};
  index_t voxel_count_ = 0;
  index_t row_count_ = 0;
  int sorted_ = 0;  ///< of memory_.order
  voxelize_report report_;
  std::atomic<unsigned long long> non_finite_{0};
  std::atomic<unsigned long long> outside_{0};
};

/// voxelize() for host_exec.
template <class Points>
result voxelize_host(host_exec exec, batch<Points> const& clouds,
                     voxelize_params<typename Points::scalar> const& params,
                     voxelize_output<typename Points::scalar> const& output, bytes workspace,
                     voxelize_host_tuning const& tuning = {}) noexcept {
  if (exec.threads < 0) return reject("voxelize: host_exec.threads is negative");
  if (result const checked = check_voxelize(clouds, params, output); !checked) return checked;
  if (!offsets_ascend(clouds.offsets(), clouds.points().size()))
    return reject("voxelize: the offsets decrease or leave the points");
  if (clouds.points().size() > max_host_voxel_points) return reject("voxelize: 2^31 - 1 points or more on the host");

  index_t const total = clouds.points().size();
  std::size_t const needed = voxelize_host_plan{exec, total, total, tuning}.workspace_size();
  if (workspace.size() < needed) {
    return {status::workspace_too_small, 0, "voxelize: the workspace is smaller than voxelize_workspace_bytes()"};
  }
  if (needed > 0 && !is_workspace_aligned(workspace)) {
    return reject("voxelize: the workspace is not aligned to 256 bytes");
  }

  index_t const last = clouds.size() - 1;
  index_t const frame = last < 0 ? 0 : clouds.begin_of(last) + clouds[last].size() - clouds.begin_of(0);
  voxelize_host_plan const plan{exec, total, frame, tuning};
  voxelize_host_task<Points> task{clouds, params, output, plan, workspace};
  parallel_phases rounds{plan.threads(), task.begin()};
  run_team(plan.threads(), [&](int, int) {
    rounds.join([&task](std::uint32_t unit) { task.work(unit); }, [&task] { return task.next(); });
  });
  if (output.report != nullptr) *output.report = task.report();
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
