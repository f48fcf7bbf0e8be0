/// @file
/// Deprecated name of runtime/stream_calls.hpp, until 0.2.
#pragma once

#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_screen.hpp>
