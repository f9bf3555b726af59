# Writes OUTPUT with the files of the folder SOURCE as texts in the program. SCRIPTS: the page's scripts, in their order,
# as one text. Run at build time.
function(embed name content)
  set(text "${text}const std::string_view ${name} = R\"embedded(${content})embedded\";\n\n" PARENT_SCOPE)
endfunction()

set(text "// Made by cmake/embed.cmake.\n#include \"bench/report/page/page.hpp\"\n\nnamespace crosswarp {\n\n")
foreach(kind html css)
  file(READ ${SOURCE}/page.${kind} content)
  embed(page_${kind} "${content}")
endforeach()
set(script "")
foreach(name ${SCRIPTS})
  file(READ ${SOURCE}/${name}.js content)
  string(APPEND script "${content}\n")
endforeach()
embed(page_js "${script}")
file(WRITE ${OUTPUT} "${text}}  // namespace crosswarp\n")
