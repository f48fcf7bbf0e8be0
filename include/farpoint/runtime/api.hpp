/// @file
/// FARPOINT_API: marks what the compiled library exports.
#pragma once

#if defined(FARPOINT_STATIC)
#define FARPOINT_API
#elif defined(_WIN32)
#define FARPOINT_API __declspec(dllimport)
#else
#define FARPOINT_API __attribute__((visibility("default")))
#endif
