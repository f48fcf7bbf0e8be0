/// @file
/// Repartition of points or queries along the curve: their owners, their order by owner, and the messages.
#pragma once

#include <farpoint/scale/stream/curve/split.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of ranks of a call: the counts of all pairs of ranks must fit on the caller's stack.
inline constexpr int curve_max_ranks = 64;

/// Owner and order of `n` points or queries. Non-finite ones are not sent; they sort last.
template <class Exec>
struct curve_by_owner {
  using sorter_type = typename shard_backend<Exec>::sorter;

  std::uint32_t* owners[2];  ///< `[n]`: unsorted, sorted
  std::uint32_t* items[2];   ///< `[n]`: indices; sorted by owner, then by index
  sorter_type sorter;

  curve_by_owner(workspace_cutter& cutter, index_t n) noexcept
      : owners{cutter.take<std::uint32_t>(n), cutter.take<std::uint32_t>(n)},
        items{cutter.take<std::uint32_t>(n), cutter.take<std::uint32_t>(n)},
        sorter{cutter, n} {}

  /// Bits of an owner's number: there are `ranks` owners, and one value for non-finite points.
  static int bits(int ranks) noexcept {
    int enough = 1;
    while (1 << enough < ranks + 1) ++enough;
    return enough;
  }
  std::uint32_t const* owners_in_order(int ranks) const noexcept { return owners[sorter_type::sorted(bits(ranks))]; }
  std::uint32_t const* order(int ranks) const noexcept { return items[sorter_type::sorted(bits(ranks))]; }
};

/// Finds the owner of each point. Runs for the points.
struct curve_point_owner_step {
  std::uint64_t const* keys;
  curve_borders borders;
  std::uint32_t* owners;
  std::uint32_t* items;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    std::uint64_t const key = keys[i];
    owners[i] = key == no_curve_key ? static_cast<std::uint32_t>(borders.count) + 1 : borders.part_of(key, i);
    items[i] = static_cast<std::uint32_t>(i);
  }
};

/// Finds the owner of each query: by its position on the curve, or, if it excludes the rank's point of its index, that
/// point's owner. Runs for the queries.
template <class Queries>
struct curve_query_owner_step {
  using scalar = typename Queries::scalar;

  Queries queries;
  curve_frame<scalar> const* frame;
  std::uint64_t const* point_keys;
  index_t excluded_points;  ///< queries below this index exclude the point of their index
  curve_borders borders;
  std::uint32_t* owners;
  std::uint32_t* items;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const query = queries[static_cast<index_t>(i)];
    std::uint64_t const key = frame->key_of(vec<scalar>{{query[0], query[1], query[2]}});
    bool const follows = static_cast<index_t>(i) < excluded_points && point_keys[i] != no_curve_key;
    std::uint32_t owner = static_cast<std::uint32_t>(borders.count) + 1;
    if (key != no_curve_key) owner = follows ? borders.part_of(point_keys[i], i) : borders.part_of(key, ~0ull);
    owners[i] = owner;
    items[i] = static_cast<std::uint32_t>(i);
  }
};

/// Finds the first item of each owner. Runs for one more than the items.
struct curve_owner_begin_step {
  std::uint32_t const* owners;  ///< sorted
  std::uint64_t size;
  std::uint32_t none;     ///< value of non-finite items, one above the last owner
  std::uint32_t* begins;  ///< `[none + 2]`

  FARPOINT_HD void operator()(std::uint64_t j) const noexcept {
    std::uint32_t owner = j == 0 ? 0 : owners[j - 1] + 1;
    std::uint32_t const last = j == size ? none + 1 : owners[j];
    for (; owner <= last; ++owner) begins[owner] = static_cast<std::uint32_t>(j);
  }
};

/// Writes the items to send: coordinates, and positions in the whole cloud. Runs for some of the items.
/// @tparam Index  type of a position
template <class Points, class Index>
struct curve_pack_step {
  using scalar = typename Points::scalar;

  Points points;
  std::uint32_t const* order;
  vec<scalar>* to;
  Index* names;      ///< positions; null if not needed
  Index first_name;  ///< position of the rank's first point
  index_t named;     ///< number of this rank's points; further items get position -1

  FARPOINT_HD void operator()(std::uint64_t j) const noexcept {
    std::uint32_t const i = order[j];
    auto const point = points[index_t{i}];
    to[j] = {{point[0], point[1], point[2]}};
    if (names != nullptr) names[j] = index_t{i} < named ? static_cast<Index>(first_name + static_cast<Index>(i)) : -1;
  }
};

/// Messages of a repartition. The items that a rank keeps are not part of a message.
class curve_route {
 public:
  curve_route() noexcept = default;

  /// @param sources  `[ranks]`: order of the ranks in the receive buffer
  /// @param count    `count(from, to)`: number of items from rank to rank
  template <class Count>
  curve_route(int me, int ranks, int const* sources, Count const& count) noexcept {
    std::size_t begin = 0;
    for (int to = 0; to < ranks; ++to) {
      outgoing_[to] = {begin, count(me, to)};
      begin += outgoing_[to].size;
    }
    sent_ = static_cast<index_t>(begin);
    begin = 0;
    for (int k = 0; k < ranks; ++k) {
      incoming_[sources[k]] = {begin, count(sources[k], me)};
      begin += incoming_[sources[k]].size;
    }
    received_ = static_cast<index_t>(begin);
    kept_ = {static_cast<index_t>(outgoing_[me].begin), static_cast<index_t>(outgoing_[me].size),
             static_cast<index_t>(incoming_[me].begin)};
    outgoing_[me].size = incoming_[me].size = 0;
  }

  index_t sent() const noexcept { return sent_; }          ///< with the kept items
  index_t received() const noexcept { return received_; }  ///< with the kept items

  /// Calls `visit(begin, end, kept_at)` for consecutive parts [begin, end) of the sent items. `kept_at` is the position
  /// of a kept part among the received items, and -1 for the others.
  template <class Visit>
  result for_each_part(Visit const& visit) const noexcept {
    result done = visit(index_t{0}, kept_.from, index_t{-1});
    if (done) done = visit(kept_.from, kept_.end(), kept_.at);
    return done ? visit(kept_.end(), sent_, index_t{-1}) : done;
  }

  shard_messages messages() noexcept { return {outgoing_, incoming_, in_bytes_}; }

 private:
  /// Items that the rank keeps.
  struct part {
    index_t from;  ///< first one among the sent items
    index_t size;
    index_t at;  ///< first one among the received items

    index_t end() const noexcept { return from + size; }
  };

  message outgoing_[curve_max_ranks]{};
  message incoming_[curve_max_ranks]{};
  message in_bytes_[2 * curve_max_ranks];
  index_t sent_ = 0;
  index_t received_ = 0;
  part kept_{};
};

/// Sorts the items by owner, and sends them.
template <class Exec, class Communicator>
class curve_mover {
 public:
  using backend = shard_backend<Exec>;

  curve_mover(Exec exec, Communicator& communicator) noexcept : exec_{exec}, communicator_{communicator} {}

  /// Sorts items by their owners, and finds the first item of each owner.
  /// @param begins  `[ranks + 2]`
  // NOLINTNEXTLINE(readability-non-const-parameter): the step writes them
  result sort(curve_by_owner<Exec> const& items, index_t size, std::uint32_t* begins) const noexcept {
    int const ranks = communicator_.ranks();
    result done;
    if (size > 0) {
      done = items.sorter.run(exec_, items.owners, items.items, size, curve_by_owner<Exec>::bits(ranks));
    }
    if (!done) return done;
    curve_owner_begin_step const step{items.owners_in_order(ranks), static_cast<std::uint64_t>(size),
                                      static_cast<std::uint32_t>(ranks), begins};
    return for_each_index(exec_, size + 1, step, 2);
  }

  /// Send and receive buffers.
  template <class Scalar, class Index>
  struct buffers {
    vec<Scalar>* sent;
    Index* sent_names;
    vec<Scalar>* received;
    Index* received_names;
    bool has_names;  ///< false: no positions are sent; equal on all ranks, also on those that own nothing
  };

  /// @param pack  step that writes all items; has the sorted `order`
  template <class Points, class Index>
  result send(curve_route& route, curve_pack_step<Points, Index> const& pack,
              buffers<typename Points::scalar, Index> const& to) const noexcept {
    bool const has_names = to.has_names;
    result done = route.for_each_part([&](index_t begin, index_t end, index_t kept_at) {
      bool const is_kept = kept_at >= 0;
      auto step = pack;
      step.order += begin;
      step.to = is_kept ? to.received + kept_at : to.sent + begin;
      step.names = !has_names ? nullptr : is_kept ? to.received_names + kept_at : to.sent_names + begin;
      return for_each_index(exec_, end - begin, step, 8);
    });
    if (done) done = route.messages().send(communicator_, to.sent, to.received, sizeof *to.sent);
    if (!done || !has_names) return done;
    return route.messages().send(communicator_, to.sent_names, to.received_names, sizeof *to.sent_names);
  }

 private:
  Exec exec_;
  Communicator& communicator_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE
