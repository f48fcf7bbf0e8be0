# Settings of farpoint's own build. Not read when farpoint is part of another project.

get_property(farpoint_is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT farpoint_is_multi_config)
  set_property(CACHE CMAKE_BUILD_TYPE PROPERTY VALUE Release)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(NOT DEFINED CMAKE_CUDA_STANDARD)
  set(CMAKE_CUDA_STANDARD 17)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>"
  # No -Wpedantic: the code that nvcc generates for the host compiler is full of line markers.
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall,-Wextra,-Wshadow>")
if(FARPOINT_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
                      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Werror=all-warnings>")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/thread_sanitizer.cmake)
set(farpoint_test_launcher "")

# -O0: with AddressSanitizer clang++ takes 3.6 times as long to compile the tests at -O1. Programs that then run for minutes
# have -O1: farpoint_add_tests(... LONG). Reports name functions; for lines, which take a fifth to a third of the time that
# such files take to compile, add -DCMAKE_CXX_FLAGS=-g1. UndefinedBehaviorSanitizer names lines anyway.
if(FARPOINT_SANITIZE STREQUAL "thread")
  set(farpoint_sanitizer_flags ${FARPOINT_TSAN_FLAGS} -O0)
  set(farpoint_test_launcher ${FARPOINT_TSAN_LAUNCHER})
elseif(FARPOINT_SANITIZE STREQUAL "address")
  set(farpoint_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O0)
elseif(FARPOINT_SANITIZE)
  message(FATAL_ERROR "FARPOINT_SANITIZE is \"${FARPOINT_SANITIZE}\"; it can be empty, thread or address.")
endif()
if(FARPOINT_SANITIZE)
  # What isa_dispatch() would choose on this processor, asked for by flags: then its functions are compiled once, not for
  # each kind of processor. All objects of such a build have these flags.
  include(CheckCXXSourceRuns)
  foreach(flags IN ITEMS "-mavx512f -mavx512vl -mfma" "-mavx2 -mfma")
    string(MAKE_C_IDENTIFIER "FARPOINT_RUNS${flags}" runs)
    set(CMAKE_REQUIRED_FLAGS ${flags})
    check_cxx_source_runs("#include <cmath>
volatile float x = 3; int main() {
#if defined(__AVX512VL__)
  if (!__builtin_cpu_supports(\"avx512vl\")) return 1;
#endif
  return __builtin_cpu_supports(\"avx2\") && std::fma(x, x, x) == 12 ? 0 : 1; }" ${runs})
    unset(CMAKE_REQUIRED_FLAGS)
    if(${runs})
      separate_arguments(flags)
      list(APPEND farpoint_sanitizer_flags ${flags} -DFARPOINT_NO_ISA_DISPATCH)
      break()
    endif()
  endforeach()
  # Inlined by force, code takes much longer to compile, and tests run no faster. No compiler may contract what the source
  # does not.
  list(APPEND farpoint_sanitizer_flags -ffp-contract=off -DFARPOINT_FEW_INLINE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${farpoint_sanitizer_flags}>")
  add_link_options(${farpoint_sanitizer_flags})
endif()
