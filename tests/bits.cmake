# The same bits from every compiler and at every level of optimisation: host/*_bits.cpp print checksums, which must agree.
# The compilers are run by custom commands, because a CMake project has only one.
set(farpoint_bits_variants g++:-O0 g++:-O2 "g++:-O3 -march=native" clang++:-O0 clang++:-O3)
# Optimised code for processors that are not here is not run, and takes a third of the time. That it compiles, -O0 shows.
set(farpoint_isa "")
if(farpoint_this_isa)
  string(REPLACE ";" "," farpoint_isa "${farpoint_this_isa}")
  string(REPLACE "-m" "" farpoint_isa "${farpoint_isa}")
  set(farpoint_isa "-DFARPOINT_ISA=\"${farpoint_isa}\"")
endif()
set(farpoint_include_dirs $<TARGET_PROPERTY:farpoint_host_tests,INCLUDE_DIRECTORIES>)

foreach(program IN ITEMS distance_bits camera_bits fps_bits knn_bits knn_screen_bits voxelize_bits)
  set(binaries "")
  foreach(variant IN LISTS farpoint_bits_variants)
    string(REGEX MATCH "^[^:]+" compiler ${variant})
    string(REGEX REPLACE "^[^:]+:" "" flags ${variant})
    string(MAKE_C_IDENTIFIER "FARPOINT_BITS_${compiler}" compiler_path)
    find_program(${compiler_path} ${compiler})
    mark_as_advanced(${compiler_path})
    if(NOT ${compiler_path})
      continue()
    endif()
    string(REPLACE "+" "x" name "${program}_${variant}")
    string(MAKE_C_IDENTIFIER "${name}" name)
    separate_arguments(flags)
    if(NOT -O0 IN_LIST flags)
      list(APPEND flags ${farpoint_isa})
    endif()
    # One of the optimised ones, and one of the others, have what farpoint wants inlined, and the rest, which take two
    # thirds of the time, what their compilers choose.
    if(NOT variant MATCHES "^g\\+\\+:(-O0|.*-march=native)$")
      list(APPEND flags -DFARPOINT_FEW_INLINE)
    endif()
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/host/${program}.cpp)
    set(binary ${CMAKE_CURRENT_BINARY_DIR}/bits/${name})
    add_custom_command(
      OUTPUT ${binary}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/bits
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${${compiler_path}} -std=c++17 ${flags} -MD -MF ${binary}.d -MT ${binary}
              "-I$<JOIN:${farpoint_include_dirs},;-I>" -c ${source} -o ${binary}.o
      COMMAND ${${compiler_path}} ${binary}.o -pthread -o ${binary}
      DEPENDS ${source}
      DEPFILE ${binary}.d
      COMMENT "Building ${name}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND binaries ${binary})
  endforeach()
  add_custom_target(farpoint_${program} ALL DEPENDS ${binaries})
  add_test(NAME bits.${program} COMMAND ${CMAKE_COMMAND} "-DPROGRAMS=${binaries}" -P
                                        ${CMAKE_CURRENT_LIST_DIR}/compare_outputs.cmake)
endforeach()
