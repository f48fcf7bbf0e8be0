/// @file
/// The steps of voxelize_shard() on the host.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/scale/stream/voxelize/shard_layout.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One rank's part of a call, after the ranks have agreed on the arguments.
///
/// Every point goes to the owner of its voxel. The received points form a cloud, in the order of the whole cloud, that
/// has all points of the owner's voxels. voxelize() of this cloud yields the owner's rows of the whole cloud; only the
/// numbers of the voxels are missing.
///
/// Example: rank 0 has points in voxels A B A, rank 1 in B C. Rank 0 owns A and C, rank 1 owns B.
///
///   received    rank 0: A A, C           rank 1: B, B     (records, by source)
///   is_first    rank 0: 1 0, 1           rank 1: 1, 0
///   is_new      rank 0: A 1, A 0, B 1    rank 1: C 1, B 0
///   numbers     rank 0: A = 0, C = 2     rank 1: B = 1
template <class Communicator, class Points>
class voxelize_shard_task {
 public:
  using scalar = typename Points::scalar;
  using output_type = voxelize_shard_output<scalar>;

  /// @param sources  `[ranks]`: ranks in the order of their points
  voxelize_shard_task(host_exec exec, Communicator& communicator, shard<Points> const& part,
                      voxelize_params<scalar> const& params, int const* sources, bytes workspace,
                      index_t received_capacity) noexcept
      : exec_{exec},
        communicator_{communicator},
        points_{part.points},
        params_{params},
        sources_{sources},
        record_{params.features.count()},
        memory_{workspace.data(), communicator.ranks(), params.features.count(), part.points.size(), received_capacity},
        workspace_{workspace.subspan(memory_.front)} {}

  result run(output_type const& output, shard_header const* headers) noexcept {
    result done = choose_points();
    pack();
    if (done) done = exchange_counts(output, headers);
    if (done) done = memory_.records.send(communicator_, memory_.sent, memory_.received, record_.size());
    if (done) done = find_voxels();
    if (done) done = memory_.records.send_back(communicator_, memory_.is_first, memory_.is_new, 1);
    if (done) done = number_voxels();
    if (done) done = write_rows(output);
    return done ? add_reports(output.rows.report) : done;
  }

 private:
  int ranks() const noexcept { return communicator_.ranks(); }
  std::uint64_t& count_from(int from, int to) const noexcept {
    return memory_
        .matrix[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks()) + static_cast<std::size_t>(to)];
  }

  /// Finds the owner of each point. In a voxel with more than max_points points of this rank, the later ones are not
  /// sent.
  result choose_points() noexcept {
    int const most = ranks();
    std::uint64_t non_finite = 0;
    std::uint64_t outside = 0;
    auto const choose = [&, this](std::uint64_t i) {
      auto const point = points_[static_cast<index_t>(i)];
      vec<std::int32_t> at{};
      memory_.more[i] = 0;
      memory_.owners[i] = no_rank;
      if (voxel_of(params_.grid, point, at)) {
        memory_.owners[i] = owner_of(cell_of(params_.grid, at), params_.hash_seed, most);
      } else {
        atomic_add(is_finite(point) ? &outside : &non_finite, std::uint64_t{1});
      }
    };
    result done = for_each_index(exec_, points_.size(), choose, 4);
    report_.outside = outside;
    report_.non_finite = non_finite;
    if (!done || params_.mode.is_dynamic() || points_.size() == 0) return done;

    auto const size = static_cast<std::size_t>(points_.size());
    std::int32_t voxels[1] = {};
    voxelize_output<scalar> lists;
    lists.capacity = points_.size();
    lists.list_offsets = span<std::int32_t>{memory_.offsets, size + 1};
    lists.list_points = span<std::int32_t>{memory_.members, size};
    lists.voxel_count = span<std::int32_t>{voxels, 1};
    voxelize_params<scalar> all;
    all.grid = params_.grid;
    all.hash_seed = params_.hash_seed;
    done = voxelize(exec_, batch<Points>{points_}, all, lists, workspace_);
    auto const leave = [this](std::uint64_t voxel) {
      index_t const begin = memory_.offsets[voxel];
      index_t const end = memory_.offsets[voxel + 1];
      if (end - begin <= params_.mode.max_points) return;
      index_t const kept = begin + params_.mode.max_points;
      memory_.more[memory_.members[begin]] = static_cast<std::uint32_t>(end - kept);
      for (index_t i = kept; i < end; ++i) memory_.owners[memory_.members[i]] = no_rank;
    };
    return done ? for_each_index(exec_, voxels[0], leave, 4) : done;
  }

  /// Writes the records, by owner and then by point.
  void pack() noexcept {
    auto const me = communicator_.rank();
    for (int to = 0; to < ranks(); ++to) memory_.counts[to] = 0;
    for (index_t i = 0; i < points_.size(); ++i) {
      if (memory_.owners[i] != no_rank) ++memory_.counts[memory_.owners[i]];
    }
    std::uint64_t begin = 0;
    for (int to = 0; to < ranks(); ++to) {
      count_from(me, to) = memory_.counts[to];
      memory_.counts[to] = begin;
      begin += count_from(me, to);
    }
    for (index_t i = 0; i < points_.size(); ++i) {
      if (memory_.owners[i] != no_rank) {
        memory_.places[i] = static_cast<std::uint32_t>(memory_.counts[memory_.owners[i]]++);
      }
    }
    static_cast<void>(for_each_index(
        exec_, points_.size(), [this](std::uint64_t i) { write_record(static_cast<index_t>(i)); }, 8));
  }

  void write_record(index_t i) const noexcept {
    if (memory_.owners[i] == no_rank) return;
    unsigned char* const record = memory_.sent + memory_.places[i] * record_.size();
    auto const point = points_[i];
    for (int axis = 0; axis < 3; ++axis) {
      scalar const value = point[axis];
      std::memcpy(record + static_cast<std::size_t>(axis) * sizeof(scalar), &value, sizeof value);
    }
    float values[feature_view::max_count];
    if (record_.features > 0) {
      params_.features.read(i, values);
      std::memcpy(record + 3 * sizeof(scalar), values, record_.features * sizeof(float));
    }
    std::memcpy(record + record_.more_at(), &memory_.more[i], sizeof(std::uint32_t));
  }

  /// Gathers the counts of all pairs of ranks and lays out the exchange. All ranks get the same decision.
  result exchange_counts(output_type const& output, shard_header const* headers) noexcept {
    auto const size = static_cast<std::size_t>(ranks());
    // The send buffer must not overlap the receive buffer, and the rank's row is part of the matrix: copy it.
    for (int to = 0; to < ranks(); ++to) memory_.counts[to] = count_from(communicator_.rank(), to);
    result const done = communicator_.all_gather(memory_.counts, memory_.matrix, size * sizeof(std::uint64_t));
    if (!done) return done;
    auto const count = [this](int from, int to) { return static_cast<std::size_t>(count_from(from, to)); };
    result const fits =
        lay_out_records(communicator_.rank(), {headers, size}, sources_, count, memory_.records, output.received);
    received_ = memory_.records.received(ranks());
    return fits;
  }

  /// The received points as a cloud.
  point_view<scalar> received_points() const noexcept {
    return {reinterpret_cast<scalar const*>(memory_.received), received_, static_cast<index_t>(record_.size())};
  }
  feature_view received_features() const noexcept {
    return feature_view::packed(reinterpret_cast<float const*>(memory_.received + 3 * sizeof(scalar)), received_,
                                static_cast<int>(record_.features), static_cast<index_t>(record_.size()));
  }

  /// Finds this rank's voxels, and marks the first record of each.
  result find_voxels() noexcept {
    voxelize_params<scalar> all;
    all.grid = params_.grid;
    all.hash_seed = params_.hash_seed;
    voxelize_output<scalar> found;
    found.capacity = received_;
    found.point_voxel = span<std::int32_t>{memory_.rows, static_cast<std::size_t>(received_)};
    result const done = voxelize(exec_, batch<point_view<scalar>>{received_points()}, all, found, workspace_);
    if (!done) return done;
    voxels_ = 0;
    for (index_t i = 0; i < received_; ++i) {
      bool const is_first = memory_.rows[i] == voxels_;
      memory_.is_first[i] = is_first ? 1 : 0;
      voxels_ += is_first ? 1 : 0;
    }
    return {};
  }

  static std::size_t ones(unsigned char const* flags, message const& part) noexcept {
    return static_cast<std::size_t>(std::count(flags + part.begin, flags + part.begin + part.size, 1));
  }

  /// Numbers the voxels whose first point is on this rank, and sends the numbers to the owners.
  result number_voxels() noexcept {
    auto const me = communicator_.rank();
    std::size_t given = 0;
    for (int to = 0; to < ranks(); ++to) {
      memory_.given_to.outgoing[to] = {given, ones(memory_.is_new, memory_.records.outgoing[to])};
      given += memory_.given_to.outgoing[to].size;
    }
    // Numbers arrive in the order of the points, which is the order of the owner's voxels.
    std::size_t taken = 0;
    for (int k = 0; k < ranks(); ++k) {
      int const from = sources_[k];
      memory_.given_to.incoming[from] = {taken, ones(memory_.is_first, memory_.records.incoming[from])};
      taken += memory_.given_to.incoming[from].size;
    }
    std::uint64_t const mine = given;
    result const done = communicator_.all_gather(&mine, memory_.counts, sizeof mine);
    if (!done) return done;
    index_t number = 0;
    for (int k = 0; sources_[k] != me; ++k) number += static_cast<index_t>(memory_.counts[sources_[k]]);
    for (int to = 0; to < ranks(); ++to) memory_.counts[to] = memory_.given_to.outgoing[to].begin;
    for (index_t i = 0; i < points_.size(); ++i) {
      if (memory_.owners[i] == no_rank || memory_.is_new[memory_.places[i]] == 0) continue;
      memory_.given[memory_.counts[memory_.owners[i]]++] = number++;
    }
    return memory_.given_to.send(communicator_, memory_.given, memory_.numbers, sizeof(index_t));
  }

  /// Writes the rows of the voxels within max_voxels. Numbers ascend, so these rows come first.
  result write_rows(output_type const& output) noexcept {
    index_t const* const numbers = memory_.numbers;
    index_t const allowed = std::lower_bound(numbers, numbers + voxels_, params_.mode.max_voxels) - numbers;
    voxelize_params<scalar> params = params_;
    params.mode.max_voxels = allowed;
    params.features = received_features();
    voxelize_report report;
    voxelize_output<scalar> rows = output.rows;
    rows.report = &report;
    result const done = voxelize(exec_, batch<point_view<scalar>>{received_points()}, params, rows, workspace_);
    if (!done) return done;
    auto const written = static_cast<index_t>(report.voxels);
    if (!output.numbers.empty()) std::copy(numbers, numbers + written, output.numbers.data());
    report.non_finite = report_.non_finite;
    report.outside = report_.outside;
    for (index_t i = 0; i < received_; ++i) {
      std::uint32_t more = 0;
      std::memcpy(&more, memory_.received + static_cast<std::size_t>(i) * record_.size() + record_.more_at(),
                  sizeof more);
      (memory_.rows[i] < written ? report.surplus_points : report.dropped_points) += more;
    }
    report_ = report;
    return {};
  }

  /// Adds up the reports of all ranks.
  result add_reports(voxelize_report* total) noexcept {
    result const done = communicator_.all_gather(&report_, memory_.reports, sizeof report_);
    if (!done || total == nullptr) return done;
    *total = {};
    for (int r = 0; r < ranks(); ++r) add_report(*total, memory_.reports[r]);
    return {};
  }

  host_exec exec_;
  Communicator& communicator_;
  Points points_;
  voxelize_params<scalar> const& params_;
  int const* sources_;
  shard_record<scalar> record_;
  voxelize_shard_memory<scalar> memory_;
  bytes workspace_;
  index_t received_ = 0;
  index_t voxels_ = 0;  ///< number of this rank's voxels
  voxelize_report report_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
