#include <farpoint/gather.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_RUN_ON_STREAM(gather, gather)

FARPOINT_FOR_EACH_VALUE(FARPOINT_CALLS_OF_GATHER, FARPOINT_COMPILE)

}  // namespace library
FARPOINT_END_NAMESPACE
