/// @file
/// Deterministic scatter-add: adds values by target in a fixed order, for the backward passes of gathers and
/// interpolations.
#pragma once

#include <farpoint/compat/execution.hpp>
#include <farpoint/host/radix_sort.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Entries sorted by target; entries of one target keep their order.
struct scatter_lists {
  std::uint32_t* targets[2];  ///< `[entries]` each: double buffer of the sort, input in the first
  std::uint32_t* entries[2];  ///< `[entries]` each: double buffer of the sort, input in the first
  std::uint32_t* begins;      ///< `[targets + 1]`: first entry of each target
  std::uint32_t* scratch;     ///< scratch memory of the sort
  index_t size;
  int bits;  ///< number of bits of a target
};

inline index_t scratch_words(host_exec, scatter_lists const&) noexcept {
  return 0;
}

/// Stable sort by target. `sorted` receives the index of the buffer that holds the result.
inline result sort_entries(host_exec, scatter_lists const& lists, int& sorted) noexcept {
  auto const found = host_radix_sort(key_value_arrays<std::uint32_t, std::uint32_t>{lists.targets[0], lists.entries[0]},
                                     {lists.targets[1], lists.entries[1]}, lists.size, lists.bits);
  sorted = found.keys == lists.targets[0] ? 0 : 1;
  return {};
}

/// Writes the target of each entry. Entries without a target get the number of targets, and so sort last.
template <class Entries>
struct write_targets {
  Entries values;
  std::uint32_t* targets;
  std::uint32_t* entries;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    index_t const target = values.target_of(i);
    targets[i] = static_cast<std::uint32_t>(target < 0 ? values.targets() : target);
    entries[i] = static_cast<std::uint32_t>(i);
  }
};

/// Finds the first entry of each target by binary search.
struct find_begins {
  std::uint32_t const* sorted;
  index_t size;
  std::uint32_t* begins;

  template <class Number>
  FARPOINT_HD void operator()(Number target) const noexcept {
    index_t low = 0;
    for (index_t high = size; low < high;) {
      index_t const middle = (low + high) / 2;
      if (sorted[middle] < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    begins[target] = static_cast<std::uint32_t>(low);
  }
};

/// Adds to one output the values of its entries, in entry order.
template <class Entries>
struct add_entries {
  Entries values;
  std::uint32_t const* begins;
  std::uint32_t const* entries;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const place = values.place_of_output(i);
    float sum = *place.output;
    for (std::uint32_t at = begins[place.target]; at < begins[place.target + 1]; ++at) {
      sum = add_rn(sum, values.value_of(entries[at], place.channel));
    }
    *place.output = sum;
  }
};

/// One element of the output, with the target and channel whose values are added to it.
struct scatter_place {
  float* output;
  index_t target;
  index_t channel;
};

/// Scatter-add without atomics: adds the values of entries to the outputs of their targets. A sum begins with the
/// output's old value and adds values by ascending entry, rounding once per addition: the same bits in every run and on
/// every backend.
///
/// `Entries` is copied into kernels and has the members
///   size(), targets(), channels()  numbers of entries, targets and channels
///   target_of(entry)               target, or -1 if the entry has none
///   value_of(entry, channel)       value that is added
///   place_of_output(i)             scatter_place for i of [0, targets * channels), in memory order
template <class Exec, class Entries>
class scatter_add_plan {
 public:
  scatter_add_plan(Exec exec, Entries const& values) noexcept : exec_{exec}, values_{values} {}

  std::size_t bytes() const noexcept {
    launcher_memory memory;
    cut(memory);
    return memory.used();
  }

  /// @param reason  message for a workspace that is too small
  result run(farpoint::bytes workspace, char const* reason) const noexcept {
    if (values_.size() > farpoint::detail::max_narrow_points ||
        values_.targets() >= farpoint::detail::max_narrow_points) {
      return farpoint::detail::reject("scatter_add: more than 2^31 - 1 entries or targets");
    }
    if (result const checked = farpoint::detail::check_workspace(workspace, bytes(), reason); !checked) return checked;
    launcher_memory memory{workspace.data()};
    scatter_lists const lists = cut(memory);
    write_targets<Entries> const write{values_, lists.targets[0], lists.entries[0]};
    if (result const written = for_each_index(exec_, lists.size, write, 2); !written) return written;
    int sorted = 0;
    if (result const ordered = sort_entries(exec_, lists, sorted); !ordered) return ordered;
    find_begins const find{lists.targets[sorted], lists.size, lists.begins};
    if (result const found = for_each_index(exec_, values_.targets() + 1, find, 20); !found) return found;
    index_t const outputs = values_.targets() * values_.channels();
    index_t const each = outputs > 0 ? 1 + lists.size * values_.channels() / outputs : 1;
    return for_each_index(exec_, outputs, add_entries<Entries>{values_, lists.begins, lists.entries[sorted]}, each);
  }

 private:
  scatter_lists cut(launcher_memory& memory) const noexcept {
    scatter_lists lists{};
    lists.size = values_.size();
    // Entries without a target are stored as targets(), so the sort must cover its bits.
    while (lists.bits < 32 && values_.targets() >> lists.bits != 0) ++lists.bits;
    for (auto& array : lists.targets) array = memory.template take<std::uint32_t>(lists.size);
    for (auto& array : lists.entries) array = memory.template take<std::uint32_t>(lists.size);
    lists.begins = memory.template take<std::uint32_t>(values_.targets() + 1);
    lists.scratch = memory.template take<std::uint32_t>(scratch_words(exec_, lists));
    return lists;
  }

  Exec exec_;
  Entries values_;
};

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE
