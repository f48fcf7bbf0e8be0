# The site, as HTML in docs/html of the build folder.
find_package(Doxygen REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# `scripts/need.sh docs` installs it there.
find_program(FARPOINT_SPHINX sphinx-build HINTS ${CMAKE_CURRENT_SOURCE_DIR}/build/site/bin REQUIRED)
add_custom_target(
  farpoint_docs ALL
  COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/scripts/make_site.py ${CMAKE_CURRENT_BINARY_DIR}/docs ${FARPOINT_SPHINX}
  COMMENT "Building the site"
  VERBATIM)
