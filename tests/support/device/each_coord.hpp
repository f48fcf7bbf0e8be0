// The types of coordinates that a file of kernels is compiled for: FARPOINT_COORD, or all.
#pragma once

// `kernels(how, Coord)` defines them.
#if defined(FARPOINT_COORD)
#define FOR_EACH_COORD(kernels) kernels(template, FARPOINT_COORD)
#define FOR_EACH_NARROW_COORD(kernels) kernels(template, FARPOINT_COORD)
#else
#define FOR_EACH_NARROW_COORD(kernels) kernels(template, float) kernels(template, farpoint::float16)
#define FOR_EACH_COORD(kernels) FOR_EACH_NARROW_COORD(kernels) kernels(template, double)
#endif
