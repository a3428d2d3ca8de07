# onednn.cmake - onednn_libraries: what to link for oneDNN; empty: our own layers alone.
#
# In float, on x86-64 (where its layout of maps is ours: src/nn/blocked.h), with the C API of
# versions 2. oneDNN runs on OpenMP, whose number of threads we set. The thread sanitizer takes
# OpenMP's own waiting for races: not there.

set(onednn_libraries "")
if(SUSTAIN_ONEDNN AND NOT SUSTAIN_DOUBLE AND NOT SUSTAIN_SANITIZE MATCHES thread AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    include(CheckIncludeFile)
    find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl_version.h)
    find_library(ONEDNN_LIBRARY dnnl)
    check_include_file(omp.h SUSTAIN_HAS_OMP_H)
    if(ONEDNN_INCLUDE_DIR AND ONEDNN_LIBRARY AND SUSTAIN_HAS_OMP_H)
        file(STRINGS ${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h onednn_version REGEX "define DNNL_VERSION_MAJOR 2$")
        if(onednn_version)
            set(onednn_libraries dnnl gomp)
        endif()
    endif()
    if(NOT onednn_libraries)
        message(STATUS "oneDNN 2 not found: few-shot learning without its layers")
    endif()
endif()
if(onednn_libraries)
    set(onednn_definition SUSTAIN__ONEDNN)
endif()
