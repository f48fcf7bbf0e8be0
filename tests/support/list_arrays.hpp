// Lists of indices and distances, as fps(), knn() and radius() write them: memory for them, and answers to compare.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>

#include "answers.hpp"

namespace farpoint_tests {

using farpoint::index_t;

/// The common part of these functions' answers.
template <class Scalar>
struct list_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Scalar> distances;
  std::vector<index_t> counts;  ///< or offsets
};

/// Equal to the last bit.
template <class Scalar>
bool same_lists(list_answer<Scalar> const& a, list_answer<Scalar> const& b) {
  return a.outcome.code == b.outcome.code && a.indices == b.indices && same_bits(a.distances, b.distances) &&
         a.counts == b.counts;
}

/// Describes the differences of two answers; empty if they are equal.
template <class Scalar>
std::string difference_in_lists(list_answer<Scalar> const& a, list_answer<Scalar> const& b) {
  if (a.outcome.code != b.outcome.code) return difference_in_outcome(a.outcome, b.outcome);
  return difference_in("indices", a.indices, b.indices) + difference_in("distances", a.distances, b.distances) +
         difference_in("counts", a.counts, b.counts);
}

template <class Integer>
std::vector<index_t> widen(std::vector<Integer> const& values) {
  return {values.begin(), values.end()};
}

/// Memory for an answer, with guards.
/// @tparam Array  host_array or device_array
template <class Scalar, class Index, template <class> class Array>
struct list_arrays {
  Array<Index> indices;
  Array<Scalar> distances;
  Array<Index> counts;

  /// @param elements  of the lists
  /// @param count     of the counts or offsets
  list_arrays(index_t elements, index_t count)
      : indices{static_cast<std::size_t>(elements)},
        distances{static_cast<std::size_t>(elements)},
        counts{static_cast<std::size_t>(count)} {}

  farpoint::index_span index_span() const { return span_of(indices); }
  farpoint::span<Scalar> distance_span() const { return span_of(distances); }
  farpoint::index_span count_span() const { return span_of(counts); }

  /// Collects the answer of a call. Its outcome is memory_was_written if a guard was written, or, after a failure, any
  /// byte.
  list_answer<Scalar> answer(farpoint::result outcome) const {
    bool const kept = outcome ? indices.intact() && distances.intact() && counts.intact()
                              : indices.untouched() && distances.untouched() && counts.untouched();
    return {kept ? outcome : memory_was_written, widen(indices.download()), distances.download(),
            widen(counts.download())};
  }

 protected:
  template <class T>
  static farpoint::span<T> span_of(Array<T> const& array) {
    return {array.data(), array.size()};
  }
};

}  // namespace farpoint_tests
