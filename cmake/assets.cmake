# assets.cmake - texts as C: cmake -DOUTPUT=assets.c -DCSS="a.css" -DJS="a.js;b.js" -P assets.cmake
#
# Bytes, not a string: C promises no more than 4,095 characters of one.

function(add_array name)
    set(hex "")
    foreach(file ${ARGN})
        file(READ ${file} more HEX)
        string(APPEND hex ${more})
    endforeach()
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    file(APPEND ${OUTPUT} "const unsigned char ${name}[] = {${bytes}0};\n")
endfunction()

file(WRITE ${OUTPUT} "#include \"assets.h\"\n")
add_array(report_css ${CSS})
add_array(report_js ${JS})
