# Builds for 64-bit ARM on another machine, by the cross compiler of Debian and Ubuntu (g++-aarch64-linux-gnu); tests run
# under QEMU (qemu-user) where it is installed.
#   cmake -S . -B build/aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake -DFARPOINT_CUDA=OFF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Libraries and headers of this machine are for its own processor.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(FARPOINT_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(FARPOINT_QEMU_AARCH64)
if(FARPOINT_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${FARPOINT_QEMU_AARCH64} -L ${CMAKE_FIND_ROOT_PATH})
endif()
