// Numbers of the types that files hold.
#pragma once

#include <cstddef>

namespace farpoint_tools {

enum class scalar_kind { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };
enum class byte_order { little, big };

/// Bytes of one value.
std::size_t size_of(scalar_kind kind);

/// "float32"
char const* name_of(scalar_kind kind);

/// True for the kinds that hold whole numbers only.
bool is_whole(scalar_kind kind);

/// True if float32 has every value of the kind.
bool fits_float32(scalar_kind kind);

/// The value whose first byte is at `bytes`.
double decode(char const* bytes, scalar_kind kind, byte_order order = byte_order::little);

/// Writes `value` to `bytes`, rounded to the nearest that there is: NaN is 0 among whole numbers.
void encode(double value, char* bytes, scalar_kind kind, byte_order order = byte_order::little);

}  // namespace farpoint_tools
