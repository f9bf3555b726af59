# Writes OUTPUT: the FILES one after the other, each with a namespace of its own, NAME_<folder>_<stem>, in place of its
# anonymous one.
file(WRITE ${OUTPUT} "// Generated: several files of kernels as one, since most of the time goes into their headers.\n")
foreach(source ${FILES})
  get_filename_component(stem ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  file(READ ${source} text)
  string(REGEX REPLACE "\nnamespace {" "\nnamespace ${NAME}_${folder}_${stem} {" text "${text}")
  file(APPEND ${OUTPUT} "#line 1 \"${source}\"\n${text}")
endforeach()
