# Can programs be built and run with ThreadSanitizer here? Sets
#   FARPOINT_TSAN_FLAGS     what to compile and link with
#   FARPOINT_TSAN_LAUNCHER  what to run the program with, empty or a command
#   FARPOINT_TSAN_WORKS
# Older ThreadSanitizers refuse the address layout of kernels with much address randomization (vm.mmap_rnd_bits above
# 28, Ubuntu 24.04): there the program is run by setarch without it.
set(FARPOINT_TSAN_FLAGS -fsanitize=thread)

if(NOT DEFINED FARPOINT_TSAN_WORKS)
  set(farpoint_probe ${PROJECT_BINARY_DIR}/CMakeFiles/tsan_probe)
  file(WRITE ${farpoint_probe}.cpp "#include <thread>\nint main() { std::thread{[] {}}.join(); }\n")
  try_compile(
    farpoint_tsan_compiles ${farpoint_probe}_build
    SOURCES ${farpoint_probe}.cpp
    COMPILE_DEFINITIONS ${FARPOINT_TSAN_FLAGS}
    LINK_OPTIONS ${FARPOINT_TSAN_FLAGS}
    LINK_LIBRARIES Threads::Threads
    COPY_FILE ${farpoint_probe}.out)
  set(farpoint_tsan_works FALSE)
  set(farpoint_tsan_launcher "")
  if(farpoint_tsan_compiles)
    find_program(FARPOINT_SETARCH setarch)
    mark_as_advanced(FARPOINT_SETARCH)
    set(farpoint_no_randomization ${FARPOINT_SETARCH} ${CMAKE_HOST_SYSTEM_PROCESSOR} -R)
    foreach(launcher IN ITEMS "" "${farpoint_no_randomization}")
      # Thrice: with randomization a layout is refused now and then only.
      set(farpoint_tsan_works TRUE)
      foreach(attempt RANGE 1 3)
        execute_process(
          COMMAND ${launcher} ${farpoint_probe}.out
          RESULT_VARIABLE exit_code
          OUTPUT_QUIET ERROR_QUIET)
        if(NOT exit_code EQUAL 0)
          set(farpoint_tsan_works FALSE)
        endif()
      endforeach()
      if(farpoint_tsan_works)
        set(farpoint_tsan_launcher "${launcher}")
        break()
      endif()
    endforeach()
  endif()
  message(STATUS "ThreadSanitizer works: ${farpoint_tsan_works} ${farpoint_tsan_launcher}")
  set(FARPOINT_TSAN_WORKS ${farpoint_tsan_works} CACHE INTERNAL "Programs with ThreadSanitizer run here")
  set(FARPOINT_TSAN_LAUNCHER "${farpoint_tsan_launcher}" CACHE INTERNAL "Command that runs them")
endif()
