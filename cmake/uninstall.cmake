# Removes what the last "cmake --install" wrote, and the folders that this leaves empty.
#   cmake -DMANIFEST=install_manifest.txt -P uninstall.cmake
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is nothing to uninstall: ${MANIFEST} does not exist.")
endif()
file(STRINGS "${MANIFEST}" files)
set(folders "")
foreach(file IN LISTS files)
  # REMOVE is silent about a file that is gone already.
  file(REMOVE "$ENV{DESTDIR}${file}")
  message(STATUS "Removed: $ENV{DESTDIR}${file}")
  get_filename_component(folder "$ENV{DESTDIR}${file}" DIRECTORY)
  list(APPEND folders "${folder}")
endforeach()

# Upwards from each file, up to a folder that holds something of somebody else, and only folders named after us.
foreach(folder IN LISTS folders)
  while(folder MATCHES "/farpoint(/|$)" AND IS_DIRECTORY "${folder}")
    file(GLOB rest LIST_DIRECTORIES true "${folder}/*" "${folder}/.*")
    if(rest)
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
