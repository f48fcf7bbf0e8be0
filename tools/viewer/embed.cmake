# cmake -DFOLDER=... -DSCRIPTS=a.js,b.js -DOUTPUT=page.cpp -P embed.cmake: writes the page's files as C++ strings.
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")

# embed(FILE RESULT): the file as an expression.
function(embed file result)
  file(READ "${FOLDER}/${file}" content)
  # These sequences would end the string, the script element or, within a style, the style element.
  foreach(end IN ITEMS ")page\"" "</script" "</style" "<!--")
    string(TOLOWER "${content}" lower)
    string(FIND "${lower}" "${end}" at)
    if(NOT at EQUAL -1 AND NOT file MATCHES "html$")
      message(FATAL_ERROR "${file} has ${end} in it, which would end it within the page.")
    endif()
  endforeach()
  set(${result} "std::string_view{R\"page(${content})page\"}" PARENT_SCOPE)
endfunction()

embed(page.html template)
embed(style.css style)
set(scripts "")
set(count 0)
foreach(script IN LISTS SCRIPTS)
  embed(${script} content)
  string(APPEND scripts "    ${content},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(
  WRITE "${OUTPUT}"
  "// Written by embed.cmake.
#include \"page.hpp\"

namespace farpoint_viewer {

std::string_view const page_template = ${template};
std::string_view const page_style = ${style};
std::array<std::string_view, ${count}> const page_scripts{
${scripts}};

}  // namespace farpoint_viewer
")
