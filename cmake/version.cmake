# Writes into the folder OUTPUT version.cpp, with the version, the commit and the build type, and module.cpp, which marks a
# module (bench --load) as built against this version and these headers. Touches what has changed. Run at build time.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()

file(GLOB_RECURSE headers ${SOURCE}/core/*.hpp ${SOURCE}/experiments/*.hpp ${SOURCE}/backends/*.hpp)
set(hashes "")
foreach(header ${headers})
  file(SHA256 ${header} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 headers "${hashes}")
string(SUBSTRING ${headers} 0 12 headers)

configure_file(${SOURCE}/bench/version.cpp.in ${OUTPUT}/version.cpp @ONLY)
configure_file(${SOURCE}/bench/module.cpp.in ${OUTPUT}/module.cpp @ONLY)
