# cmake -DWORK=<folder> -DLIBRARY=<library.cmake> -P gpus_test.cmake: the GPUs that `pip install ./python` compiles for.
cmake_minimum_required(VERSION 3.22)
include(${LIBRARY})
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# program(<name> <lines of shell>): writes a program into the only folder on PATH.
function(program name)
  file(WRITE ${WORK}/${name} "#!/bin/sh\n${ARGN}\n")
  file(CHMOD ${WORK}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

function(expect)
  farpoint_chosen_gpus(${WORK}/nvcc found)
  if(NOT found STREQUAL "${ARGN}")
    message(SEND_ERROR "found ${found}; expected ${ARGN}")
  endif()
endfunction()

set(ENV{PATH} ${WORK})
# As CUDA 13 lists them: it has no Volta any more.
program(nvcc "for n in 75 80 86 87 88 89 90 100 103 110 120 121; do echo compute_$n; done")
expect(75-real 80-real 86-real 89-real 90-real 100-real 120)
# CUDA 12.4 knows no Blackwell.
program(nvcc "for n in 50 52 53 60 61 62 70 72 75 80 86 87 89 90; do echo compute_$n; done")
expect(75-real 80-real 86-real 89-real 90)
program(nvcc "exit 1")
expect(75-real 80-real 86-real 89-real 90-real 100-real 120)

program(nvidia-smi "echo 'GPU 0: NVIDIA H200'")
expect(native)
program(nvidia-smi "echo 'NVIDIA-SMI has failed'; exit 9")
program(nvcc "echo compute_90")
expect(90)

set(CMAKE_CUDA_ARCHITECTURES 80-real 90-virtual)
expect(80-real 90-virtual)
set(FARPOINT_CUDA_ARCHITECTURES all)
expect(90)
foreach(list IN ITEMS "75,90" "75;90" "75, 90" "75 90")
  set(FARPOINT_CUDA_ARCHITECTURES ${list})
  expect(75 90)
endforeach()
