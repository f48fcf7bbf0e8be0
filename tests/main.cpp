// main() for Catch2 2, which has no library with one.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
