/// @file
/// The inner loops of knn() on the host, compiled for several processors and ranges of k.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/detail/search/host_traversal.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/host/isa_dispatch.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar, class Key>
using knn_function = void (*)(point_bvh_ref<Scalar> const&, query_block<Scalar> const&, knn_request<Scalar> const&,
                              Key*) noexcept;

/// Fills `keys`, `[queries of the block, k]`, ascending, with no_index past the last neighbour. Needs room for another
/// k keys behind them.
/// @tparam List  topk_list, or a list that works in the memory of the answer
template <class Scalar, class List>
struct knn_pass {
  using key = neighbour_key<Scalar>;

  FARPOINT_ALWAYS_INLINE static void run(point_bvh_ref<Scalar> const& index, query_block<Scalar> const& queries,
                                         knn_request<Scalar> const& request, key* keys) noexcept {
    key const limit{request.radius2, no_index};
    for (int i = 0; i < queries.count; ++i) {
      key* const mine = keys + i * request.k;
      std::uint32_t const excluded = request.excluded(queries.index[i]);
      if constexpr (std::is_constructible_v<List, key*, int, key>) {
        List list{mine, request.k, limit};
        index.search(queries.at[i], queries.start_of(i, index), list, excluded);
        list.sort();
      } else {
        List list{request.k, limit};
        index.search(queries.at[i], queries.start_of(i, index), list, excluded);
        list.write(mine, request.k);
      }
    }
  }
};

/// The pass for k on this processor. AMD EPYC with AVX-512, 60,000 points of a cube, ms: k = 16: 62 with a list
/// in registers, 111 in memory; k = 32: 176 and 126; k = 64: 264 in memory, 306 with a buffer; k = 160: 1,080 and 700.
template <class Scalar>
knn_function<Scalar, neighbour_key<Scalar>> choose_knn_pass(int k) noexcept {
  using key = neighbour_key<Scalar>;
  knn_function<Scalar, key> pass = nullptr;
  if (k <= 1) {
    isa_dispatch<knn_pass<Scalar, topk_list<key, 1>>>(pass);
  } else if (k <= 4) {
    isa_dispatch<knn_pass<Scalar, topk_list<key, 4>>>(pass);
  } else if (k <= 8) {
    isa_dispatch<knn_pass<Scalar, topk_list<key, 8>>>(pass);
  } else if (k <= 16) {
    isa_dispatch<knn_pass<Scalar, topk_list<key, 16>>>(pass);
  } else if (k <= 64) {
    isa_dispatch<knn_pass<Scalar, topk_sorted<key>>>(pass);
  } else {
    isa_dispatch<knn_pass<Scalar, topk_buffer<key>>>(pass);
  }
  return pass;
}

}  // namespace detail
FARPOINT_END_NAMESPACE
