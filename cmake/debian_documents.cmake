# Run by CPack when the files of all packages are in place: adds what Debian's policy wants in each of them.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(GZIP gzip REQUIRED)
# Reproducible with SOURCE_DATE_EPOCH.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(entry IN LISTS CPACK_FARPOINT_PACKAGES)
  string(REGEX MATCH "^(.*)=(.*)$" matched "${entry}")
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/${CMAKE_MATCH_2})
  file(MAKE_DIRECTORY ${folder})
  file(COPY_FILE ${CPACK_FARPOINT_SOURCE}/packaging/deb/copyright ${folder}/copyright)
  file(WRITE ${folder}/changelog
       "farpoint (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
       "  * Made by CPack. CHANGELOG.md, in farpoint-doc, has what changed.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND ${GZIP} -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
  set(files ${folder}/copyright ${folder}/changelog.gz)
  set(overrides ${CPACK_FARPOINT_SOURCE}/packaging/deb/${CMAKE_MATCH_1}.lintian-overrides)
  if(EXISTS ${overrides})
    set(lintian ${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}${CPACK_PACKAGING_INSTALL_PREFIX}/share/lintian/overrides)
    file(MAKE_DIRECTORY ${lintian})
    file(COPY_FILE ${overrides} ${lintian}/${CMAKE_MATCH_2})
    list(APPEND files ${lintian}/${CMAKE_MATCH_2})
  endif()
  file(CHMOD ${files} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
# It is Debian's copyright file there.
file(REMOVE ${CPACK_TEMPORARY_DIRECTORY}/farpoint_documents${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/farpoint/LICENSE)
