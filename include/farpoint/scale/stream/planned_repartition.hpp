/// @file
/// Outputs of repartition(), and a repartition in two halves.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/scale/indexed_shard.hpp>
#include <farpoint/scale/stream/curve/repartition.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of repartition(): the points that the rank owns.
template <class Scalar = float>
struct repartition_output {
  span<Scalar> points = {};        ///< `[owned, 3]`
  span<index_t> indices = {};      ///< `[owned]`: indices into the whole cloud, ascending
  index_t* owned = nullptr;        ///< number of owned points; host memory; optional
  index_t* first_owned = nullptr;  ///< number of points that lower ranks own; host memory; optional
};

/// A repartition whose first half has been made by repartition_plan(). The numbers of points are known, so that outputs
/// and workspaces can have their exact sizes, and no call fails for lack of room.
///
/// Refers to the communicator, the rank's points, and the workspace of the first half. All ranks make the same calls in
/// the same order if outcome() is `ok`. A rank that cannot, for lack of memory for example, aborts the communicator.
/// Calls that refuse their arguments on one rank abort it, too.
template <class Exec, class Communicator, class Points>
class FARPOINT_HIDDEN planned_repartition {
 public:
  using scalar = typename Points::scalar;
  using output_type = repartition_output<scalar>;

  /// Result of the first half, `ok` on all ranks or on none.
  result const& outcome() const noexcept { return outcome_; }

  /// Number of points that this rank owns.
  index_t owned() const noexcept { return route_.received(); }

  /// Number of points that lower ranks own. If owners keep the points in their order, the parts
  /// `shard{points, first_owned()}` of all ranks are a cloud for other calls on ranks.
  index_t first_owned() const noexcept { return first_owned_; }

  /// Owners of all points, for indexed_shard::owners. Refers to the workspace of the first half.
  curve_owners<scalar> owners() const noexcept { return owners_; }

  /// Number of points of all ranks that are not finite. No rank owns them.
  index_t non_finite() const noexcept { return non_finite_; }

  /// Bytes of workspace of run(), 256-byte aligned: per finite point of the rank 20 bytes (double: 32).
  std::size_t workspace_bytes() const noexcept {
    detail::workspace_cutter cutter;
    buffers_type{cutter, route_.sent()};
    return cutter.used();
  }

  /// Sends the points to their owners, with their indices.
  /// @param output     see repartition_output; at least owned() elements
  /// @param workspace  at least workspace_bytes() bytes, 256-byte aligned, in the memory of the call; may be another
  ///                   one than that of the first half
  /// @return `ok`, outcome() if this is a failure, or:
  ///         - `bad_argument`, `workspace_too_small` or `cuda_failure`: the communicator is aborted
  ///         - `communication_failure`: outputs are unspecified
  ///
  /// Complexity: O(points). Two exchanges. Enqueued on a stream.
  result run(output_type const& output, bytes workspace) noexcept {
    if (!outcome_) return outcome_;
    result done = detail::check_workspace(
        workspace, workspace_bytes(),
        FARPOINT_TOO_SMALL("planned_repartition::run", "workspace", "planned_repartition::workspace_bytes"));
    if (done && !detail::holds(static_cast<index_t>(output.points.size()), owned(), 3)) {
      done = detail::reject("repartition: output.points is smaller than 3 x owned points");
    }
    if (done && !detail::holds(static_cast<index_t>(output.indices.size()), owned(), 1)) {
      done = detail::reject("repartition: output.indices is smaller than the number of owned points");
    }
    if (done) done = backend::check_arrays(exec_, workspace, output.points, output.indices);
    if (!done) return aborted(done);
    if (output.owned != nullptr) *output.owned = owned();
    if (output.first_owned != nullptr) *output.first_owned = first_owned();
    detail::workspace_cutter cutter{workspace.data()};
    buffers_type const sent{cutter, route_.sent()};
    detail::curve_pack_step<Points, index_t> const pack{part_.points,       order_, nullptr, nullptr, part_.first_index,
                                                        part_.points.size()};
    auto* const points = reinterpret_cast<vec<scalar>*>(output.points.data());
    detail::curve_mover<Exec, Communicator> const mover{exec_, communicator_};
    return detail::or_abort(communicator_,
                            mover.send(route_, pack, {sent.points, sent.indices, points, output.indices.data(), true}));
  }

  /// Bytes of workspace of send_features() and of return_features(), 256-byte aligned: the features of the rank's
  /// finite points. 0 if `channels` is not positive.
  template <class Value>
  std::size_t features_workspace_bytes(index_t channels) const noexcept {
    if (channels < 1) return 0;
    detail::workspace_cutter cutter;
    cutter.take<Value>(route_.sent() * channels);
    return cutter.used();
  }

  /// Sends features of the points to the owners, such as intensities or labels. May be called any number of times.
  /// @tparam Value     any trivially copyable type, the same on all ranks
  /// @param features   `[points, channels]`: features of the rank's points
  /// @param channels   values per point, at least 1; equal on all ranks, which is not checked
  /// @param owned      `[owned, channels]`: receives the features of the owned points, in the order of run(); must not
  ///                   overlap `features`
  /// @param workspace  at least features_workspace_bytes<Value>(channels) bytes, 256-byte aligned
  /// @return as run()
  ///
  /// Complexity: O(points * channels). One exchange. Enqueued on a stream.
  template <class Value>
  result send_features(detail::type_identity_t<span<Value const>> features, index_t channels, span<Value> owned,
                       bytes workspace) noexcept {
    if (!outcome_) return outcome_;
    if (result const fit = check_features<Value>(features, owned, channels, workspace); !fit) return aborted(fit);
    detail::workspace_cutter cutter{workspace.data()};
    auto* const sent = cutter.take<Value>(route_.sent() * channels);
    result done = route_.for_each_part([&](index_t begin, index_t end, index_t kept_at) {
      Value* const to = kept_at < 0 ? sent + begin * channels : owned.data() + kept_at * channels;
      detail::curve_take_step<Value> const step{features.data(), order_ + begin, channels, to};
      return for_each_index(exec_, (end - begin) * channels, step, 2);
    });
    if (done) done = route_.messages().send(communicator_, sent, owned.data(), row_bytes<Value>(channels));
    return detail::or_abort(communicator_, done);
  }

  /// Sends features of owned points back to the ranks that the points came from, such as normals that the owners have
  /// computed. May be called any number of times.
  /// @param owned      `[owned, channels]`: features of the owned points, in the order of run()
  /// @param channels   as for send_features()
  /// @param features   `[points, channels]`: receives the features of the rank's finite points, at the index of each;
  ///                   features of non-finite points are not written. Must not overlap `owned`
  /// @param workspace  as for send_features()
  /// @return as run()
  ///
  /// Complexity: as send_features().
  template <class Value>
  result return_features(detail::type_identity_t<span<Value const>> owned, index_t channels, span<Value> features,
                         bytes workspace) noexcept {
    if (!outcome_) return outcome_;
    if (result const fit = check_features<Value>(features, owned, channels, workspace); !fit) return aborted(fit);
    detail::workspace_cutter cutter{workspace.data()};
    auto* const answers = cutter.take<Value>(route_.sent() * channels);
    result done = route_.messages().send_back(communicator_, owned.data(), answers, row_bytes<Value>(channels));
    if (done) {
      done = route_.for_each_part([&](index_t begin, index_t end, index_t kept_at) {
        Value const* const from = kept_at < 0 ? answers + begin * channels : owned.data() + kept_at * channels;
        detail::curve_give_step<Value> const step{from, order_ + begin, channels, features.data()};
        return for_each_index(exec_, (end - begin) * channels, step, 2);
      });
    }
    return detail::or_abort(communicator_, done);
  }

 private:
  template <class, class, class>
  friend class detail::repartition_call;
  using backend = detail::shard_backend<Exec>;
  using buffers_type = detail::curve_send_buffers<scalar>;

  planned_repartition(Exec exec, Communicator& communicator, shard<Points> const& part) noexcept
      : exec_{exec}, communicator_{communicator}, part_{part} {}

  template <class Value>
  static std::size_t row_bytes(index_t channels) noexcept {
    return static_cast<std::size_t>(channels) * sizeof(Value);
  }

  /// Checks features of the rank's points and of the owned points.
  template <class Value>
  result check_features(span<Value const> features, span<Value const> owned, index_t channels,
                        bytes workspace) const noexcept {
    static_assert(std::is_trivially_copyable_v<Value>, "farpoint: features are copied as bytes");
    if (channels < 1) return detail::reject("repartition: channels is not positive");
    if (!detail::holds(static_cast<index_t>(features.size()), part_.points.size(), channels)) {
      return detail::reject("repartition: features is smaller than points x channels");
    }
    if (!detail::holds(static_cast<index_t>(owned.size()), this->owned(), channels)) {
      return detail::reject("repartition: owned is smaller than owned points x channels");
    }
    result const fits = detail::check_workspace(
        workspace, features_workspace_bytes<Value>(channels),
        FARPOINT_TOO_SMALL("planned_repartition", "workspace", "planned_repartition::features_workspace_bytes"));
    return fits ? backend::check_arrays(exec_, workspace, features, owned) : fits;
  }

  /// Ends the calls of all ranks: only this one knows of the failure.
  result aborted(result const& failure) noexcept {
    if constexpr (detail::can_abort<Communicator>) communicator_.abort();
    return failure;
  }

  result outcome_{};
  Exec exec_;
  Communicator& communicator_;
  shard<Points> part_;
  std::uint32_t const* order_ = nullptr;  ///< `[points]`: indices of the rank's points, by owner
  detail::curve_route route_{};
  curve_owners<scalar> owners_{};
  index_t first_owned_ = 0;
  index_t non_finite_ = 0;
};

FARPOINT_END_NAMESPACE
