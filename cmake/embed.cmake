# Writes OUTPUT with the files of the folder SOURCE as texts in the program. Run at build time.
set(text "// Made by cmake/embed.cmake.\n#include \"bench/report/page.hpp\"\n\nnamespace crosswarp {\n\n")
foreach(kind html css js)
  file(READ ${SOURCE}/page.${kind} content)
  string(APPEND text "const std::string_view page_${kind} = R\"embedded(${content})embedded\";\n\n")
endforeach()
file(WRITE ${OUTPUT} "${text}}  // namespace crosswarp\n")
