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

# What isa_dispatch() would choose on this processor, asked for by flags: then its functions are compiled once, not for each
# kind of processor. For builds with a sanitizer, all of whose objects have these flags, and programs that link nothing else.
set(farpoint_this_isa "")
set(farpoint_this_processor "")
if(FARPOINT_SANITIZE OR FARPOINT_BUILD_TESTS)
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
      string(REPLACE " " ";" farpoint_this_isa "${flags}")
      set(farpoint_this_processor ${farpoint_this_isa} -DFARPOINT_NO_ISA_DISPATCH)
      break()
    endif()
  endforeach()
endif()

# For files that are compiled with all flags of their own: optimised code for processors that are not here is not run, and
# takes a third of the time. That it compiles, unoptimised files show.
set(farpoint_isa "")
if(farpoint_this_isa)
  string(REPLACE ";" "," farpoint_isa "${farpoint_this_isa}")
  string(REPLACE "-m" "" farpoint_isa "${farpoint_isa}")
  set(farpoint_isa "-DFARPOINT_ISA=\"${farpoint_isa}\"")
endif()

# -O1: one test file takes g++ 76 s to compile at -O3 with AddressSanitizer, 37 s at -O1, and clang++, which the presets
# use, 18 s. Reports name functions; for lines, which take a fifth to a third of the time that unoptimised files take to
# compile, add -DCMAKE_CXX_FLAGS=-g1. UndefinedBehaviorSanitizer names lines anyway.
if(FARPOINT_SANITIZE STREQUAL "thread")
  set(farpoint_sanitizer_flags ${FARPOINT_TSAN_FLAGS} -O1)
  set(farpoint_test_launcher ${FARPOINT_TSAN_LAUNCHER})
elseif(FARPOINT_SANITIZE STREQUAL "address")
  set(farpoint_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1)
elseif(FARPOINT_SANITIZE)
  message(FATAL_ERROR "FARPOINT_SANITIZE is \"${FARPOINT_SANITIZE}\"; it can be empty, thread or address.")
endif()
if(FARPOINT_SANITIZE)
  # Inlined by force, code takes much longer to compile, and tests run no faster. No compiler may contract what the source
  # does not.
  list(APPEND farpoint_sanitizer_flags ${farpoint_this_processor} -ffp-contract=off -DFARPOINT_FEW_INLINE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${farpoint_sanitizer_flags}>")
  add_link_options(${farpoint_sanitizer_flags})
endif()

# nvcc spends most of its time on optimisations.
set(farpoint_fast_kernels "")
set(farpoint_fast_host_compiler "")
if(FARPOINT_FAST_KERNELS AND FARPOINT_WITH_CUDA)
  include(CheckCompilerFlag)
  # Since CUDA 12.9.
  check_compiler_flag(CUDA -Ofc=max FARPOINT_NVCC_COMPILES_FAST)
  if(FARPOINT_NVCC_COMPILES_FAST)
    set(farpoint_fast_kernels $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Ofc=max>)
    # nvcc's -O is for the host compiler. What launches kernels does not run either.
    string(REPLACE "-O3" "-O0" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
    # g++ takes half of the time that a file of device tests takes to compile, clang++ a fifth.
    find_program(FARPOINT_CLANGXX clang++)
    mark_as_advanced(FARPOINT_CLANGXX)
    if(FARPOINT_CLANGXX)
      check_compiler_flag(CUDA "-ccbin ${FARPOINT_CLANGXX}" FARPOINT_NVCC_CALLS_CLANG)
    endif()
    if(FARPOINT_NVCC_CALLS_CLANG)
      set(farpoint_fast_host_compiler "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-ccbin ${FARPOINT_CLANGXX}>")
    endif()
  endif()
endif()

# farpoint_leave_out_ptxas(<target>): where kernels are compiled fast, those of this target become PTX only. That ptxas takes
# farpoint's kernels is asked of the library, which has fps for all types, of tests/*/device/kernels, which have searches and
# voxels for them, of the tests of ranks, and of the other examples. ./dev gpu-test asks it of the tests' own kernels.
function(farpoint_leave_out_ptxas target)
  if(farpoint_fast_kernels)
    string(REPLACE "-real" "-virtual" architectures "${CMAKE_CUDA_ARCHITECTURES}")
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  endif()
endfunction()
