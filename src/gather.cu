#include <farpoint/gather.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_RUN_ON_STREAM(gather, gather)

[[gnu::used]] constexpr auto every_gather =
    compiled_for<function::gather, float, double, float16, std::int32_t, std::int64_t, std::uint8_t>();

}  // namespace library
FARPOINT_END_NAMESPACE
