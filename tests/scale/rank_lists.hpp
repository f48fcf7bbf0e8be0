// Outputs of a rank's call that writes lists: indices and distances, between guards.
#pragma once

#include <farpoint/core/status.hpp>

#include "../support/answers.hpp"
#include "../support/host_array.hpp"

namespace farpoint_tests {

template <class Coord>
class rank_lists {
 public:
  explicit rank_lists(std::size_t size) : indices_{size}, distances_{size} {}

  /// An output of this type that has the lists.
  template <class Output>
  Output output() const {
    Output lists;
    lists.indices = {indices_.data(), indices_.size()};
    lists.distances = {distances_.data(), distances_.size()};
    return lists;
  }

  bool untouched() const { return indices_.untouched() && distances_.untouched(); }

  /// Notes what the call said and wrote.
  template <class Answer>
  void read(Answer& answer, farpoint::result const& outcome, host_array<unsigned char> const& workspace) const {
    bool const intact = workspace.intact() && indices_.intact() && distances_.intact();
    answer.outcome = intact ? outcome : memory_was_written;
    answer.indices = indices_.download();
    answer.distances = distances_.download();
  }

 private:
  host_array<farpoint::index_t> indices_;
  host_array<Coord> distances_;
};

}  // namespace farpoint_tests
