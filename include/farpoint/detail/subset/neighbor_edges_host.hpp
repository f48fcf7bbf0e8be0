/// @file
/// The host backend of neighbor_edges().
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/subset/neighbor_edges_call.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Entries that a thread works on before it takes others: worth the start of a thread.
inline constexpr index_t edges_host_chunk = 65536;

/// Entries of a chunk; `before` is the number of edges of all chunks before.
struct edges_chunk {
  index_t edges = 0;
  index_t bad_indices = 0;
  index_t before = 0;
};

inline index_t edges_host_chunks(index_t entries) noexcept {
  return divide_up(smaller(larger(entries, index_t{0}), max_edge_entries), edges_host_chunk);
}

inline std::size_t edges_host_bytes(index_t entries) noexcept {
  workspace_cutter cutter;
  cutter.take<edges_chunk>(edges_host_chunks(entries));
  return workspace_aligned(cutter.used());
}

/// Two passes over the entries, chunk by chunk: count, and write. Offsets are right.
template <class Points, class Queries>
class edges_passes {
 public:
  edges_passes(neighbor_edges_call<Points, Queries> const& call, host_exec exec, edges_chunk* chunks) noexcept
      : call_{call}, exec_{exec}, chunks_{chunks}, end_{call.entries() == 0 ? 0 : call.begin_of(call.rows())} {}

  /// Returns the number of edges.
  index_t run() const noexcept {
    for_each_chunk([this](index_t c) { count(c); });
    index_t total = 0;
    index_t bad_indices = 0;
    for (index_t c = 0; c < chunk_count(); ++c) {
      chunks_[c].before = total;
      total += chunks_[c].edges;
      bad_indices += chunks_[c].bad_indices;
    }
    if (call_.output.report != nullptr) {
      call_.output.report->bad_indices = static_cast<unsigned long long>(bad_indices);
    }
    for_each_chunk([this](index_t c) { write(c); });
    return total;
  }

 private:
  index_t chunk_count() const noexcept { return divide_up(end_, edges_host_chunk); }

  template <class Work>
  void for_each_chunk(Work const& work) const noexcept {
    index_t const chunks = chunk_count();
    if (chunks == 0) return;
    run_team(exec_.pool, static_cast<int>(std::min<index_t>(resolve_threads(exec_.threads), chunks)),
             [&](int rank, int threads) {
               for (index_t c = rank; c < chunks; c += threads) work(c);
             });
  }

  /// Calls `visit(row, entry)` for the entries of a chunk, in order.
  template <class Visit>
  void walk(index_t c, Visit const& visit) const noexcept {
    index_t const begin = c * edges_host_chunk;
    index_t const end = std::min(begin + edges_host_chunk, end_);
    index_t row = call_.row_of(begin);
    index_t row_end = call_.begin_of(row + 1);
    for (index_t entry = begin; entry < end; ++entry) {
      while (entry >= row_end && row + 1 < call_.rows()) row_end = call_.begin_of(++row + 1);
      visit(row, entry);
    }
  }

  void count(index_t c) const noexcept {
    edges_chunk found;
    walk(c, [&](index_t row, index_t entry) {
      index_t point = 0;
      edge_state const state = call_.find(row, entry, point);
      found.edges += state == edge_state::edge ? 1 : 0;
      found.bad_indices += state == edge_state::bad_index ? 1 : 0;
    });
    chunks_[c] = found;
  }

  void write(index_t c) const noexcept {
    index_t to = chunks_[c].before;
    walk(c, [&](index_t row, index_t entry) {
      index_t point = 0;
      if (call_.find(row, entry, point) == edge_state::edge) call_.write(to++, row, entry, point);
    });
  }

  neighbor_edges_call<Points, Queries> const& call_;
  host_exec exec_;
  edges_chunk* chunks_;
  index_t end_;
};

/// neighbor_edges() for host_exec.
template <class Points, class Queries>
result neighbor_edges_host(host_exec exec, neighbor_edges_call<Points, Queries> const& call, bytes workspace) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = call.check(); !checked) return checked;
  index_t const entries = call.entries();
  result const fits = check_workspace(workspace, edges_host_bytes(entries), FARPOINT_WORKSPACE_OF("neighbor_edges"));
  if (!fits) return fits;
  index_t const bad = count_bad_offsets(call.points) + (call.has_own_offsets() ? count_bad_offsets(call.queries) : 0);
  if (call.output.report != nullptr) *call.output.report = {0, 0, 0, static_cast<unsigned long long>(bad)};
  workspace_cutter cutter{workspace.data()};
  auto* const chunks = cutter.take<edges_chunk>(edges_host_chunks(entries));
  call.finish(bad > 0 ? 0 : edges_passes<Points, Queries>{call, exec, chunks}.run());
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
