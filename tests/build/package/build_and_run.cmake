# Configures and builds the project SOURCE in BINARY, from nothing, and then
#   RUN      runs this program of it
#   INSTALL  installs it into BINARY/prefix and renames that to BINARY/moved: the package must not remember its prefix
#   REFUSED  expects instead that configuring fails and says this sentence
# With HIDE_NVCC there is no nvcc on PATH. OPTIONS are separated by "|".
string(REPLACE "|" ";" OPTIONS "${OPTIONS}")

if(HIDE_NVCC)
  string(REPLACE ":" ";" folders "$ENV{PATH}")
  set(path "")
  foreach(folder IN LISTS folders)
    if(NOT EXISTS "${folder}/nvcc")
      list(APPEND path "${folder}")
    endif()
  endforeach()
  string(REPLACE ";" ":" path "${path}")
  set(ENV{PATH} "${path}")
  unset(ENV{CUDACXX})
endif()

function(run)
  execute_process(
    COMMAND ${ARGV}
    RESULT_VARIABLE exit_code
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  message("${output}")
  if(NOT exit_code EQUAL 0 AND NOT (exit_code EQUAL 77 AND "${ARGV0}" STREQUAL "${BINARY}/${RUN}"))
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "Failed (${exit_code}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${BINARY})
set(configure ${CMAKE_COMMAND} -S ${SOURCE} -B ${BINARY} -G ${GENERATOR} ${OPTIONS}
              -DCMAKE_INSTALL_PREFIX=${BINARY}/prefix)
if(REFUSED)
  execute_process(COMMAND ${configure} RESULT_VARIABLE exit_code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  # CMake breaks its lines where it likes.
  string(REGEX REPLACE "[ \n]+" " " said "${output}")
  string(FIND "${said}" "${REFUSED}" at)
  if(exit_code EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "Configuring ended with ${exit_code} and should have been refused: ${REFUSED}\n${output}")
  endif()
  message(STATUS "The user sees: ${REFUSED}")
  return()
endif()
run(${configure})
run(${CMAKE_COMMAND} --build ${BINARY})
if(RUN)
  run(${BINARY}/${RUN})
endif()
if(INSTALL)
  run(${CMAKE_COMMAND} --install ${BINARY})
  file(RENAME ${BINARY}/prefix ${BINARY}/moved)
endif()
