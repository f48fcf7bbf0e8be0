/// @file
/// The inner loops of host knn, compiled for several processors and several k.
#pragma once

#include <farpoint/detail/for_this_processor.hpp>
#include <farpoint/detail/host_search.hpp>
#include <farpoint/detail/topk_buffer.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// What a list holds, and of whom.
template <class Scalar>
struct knn_request {
  int k;
  Scalar radius2;
  bool exclude_self;

  FARPOINT_ALWAYS_INLINE std::uint32_t excluded(index_t query) const noexcept {
    return exclude_self && query < index_t{no_index} ? static_cast<std::uint32_t>(query) : no_index;
  }
};

template <class Scalar, class Key>
using knn_function = void (*)(point_index_ref<Scalar> const&, query_block<Scalar> const&, knn_request<Scalar> const&,
                              Key*) noexcept;

/// Fills `keys`, `[queries of the block, k]`, ascending; no_index where there is no neighbour. There must be room for
/// another k.
/// @tparam Capacity  of the list in registers; 0: a buffer in the memory of the answer
template <class Scalar, int Capacity>
struct knn_pass {
  using key = neighbour_key<Scalar>;

  FARPOINT_ALWAYS_INLINE static void run(point_index_ref<Scalar> const& index, query_block<Scalar> const& queries,
                                         knn_request<Scalar> const& request, key* keys) noexcept {
    key const limit{request.radius2, no_index};
    for (int i = 0; i < queries.count; ++i) {
      key* const mine = keys + i * request.k;
      std::uint32_t const excluded = request.excluded(queries.index[i]);
      if constexpr (Capacity == 0) {
        topk_buffer<key> list{mine, request.k, limit};
        index.search(queries.at[i], queries.start[i], list, excluded);
        list.sort();
      } else {
        topk_list<key, Capacity> list{request.k, limit};
        index.search(queries.at[i], queries.start[i], list, excluded);
        list.write(mine, request.k);
      }
    }
  }
};

/// The pass for k, for this processor.
template <class Scalar>
knn_function<Scalar, neighbour_key<Scalar>> choose_knn_pass(int k) noexcept {
  knn_function<Scalar, neighbour_key<Scalar>> pass = nullptr;
  if (k <= 1) {
    for_this_processor<knn_pass<Scalar, 1>>(pass);
  } else if (k <= 4) {
    for_this_processor<knn_pass<Scalar, 4>>(pass);
  } else if (k <= 8) {
    for_this_processor<knn_pass<Scalar, 8>>(pass);
  } else if (k <= 16) {
    for_this_processor<knn_pass<Scalar, 16>>(pass);
  } else if (k <= 32) {
    for_this_processor<knn_pass<Scalar, 32>>(pass);
  } else {
    for_this_processor<knn_pass<Scalar, 0>>(pass);
  }
  return pass;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
