# The reference, as HTML in docs/html of the build folder.
find_package(Doxygen REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/docs/Doxyfile "@INCLUDE = docs/Doxyfile\nINPUT += \"${CMAKE_CURRENT_BINARY_DIR}/docs/results\"\nOUTPUT_DIRECTORY = \"${CMAKE_CURRENT_BINARY_DIR}/docs\"\nWARN_AS_ERROR = NO\n")
add_custom_target(
  farpoint_docs ALL
  COMMAND Python3::Interpreter -B bench/pages.py ${CMAKE_CURRENT_BINARY_DIR}/docs/results
  COMMAND ${DOXYGEN_EXECUTABLE} ${CMAKE_CURRENT_BINARY_DIR}/docs/Doxyfile
  COMMAND Python3::Interpreter scripts/docs.py site ${CMAKE_CURRENT_BINARY_DIR}/docs/html
  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
  COMMENT "Building the reference"
  VERBATIM)
