# lab.cmake - sustain-lab: the experiments of the program (compare, rates, demo, plan), on the
# public headers alone. Internal: not installed; the program and the tests link it.

file(GLOB lab_sources CONFIGURE_DEPENDS lab/*.c)
add_library(sustain-lab STATIC ${lab_sources})
target_include_directories(sustain-lab PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(sustain-lab PUBLIC libraries Threads::Threads m)
