#include "widen.hpp"

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace library {

result widen_on_stream(cuda_exec exec, widen_point const& body) noexcept {
  result const reachable = detail::check_pointers(exec, clouds_of<float16>{body.from});
  return reachable ? for_each_index(exec, body.from.size(), body) : reachable;
}

}  // namespace library
FARPOINT_END_NAMESPACE
