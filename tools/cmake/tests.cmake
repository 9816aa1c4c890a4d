# One program per tests/{c,kernels}/test_*.c; the other C files of a folder are linked into each of its programs.
# Tests link the static library: internal functions and the tables of all ISAs are at hand.
find_path(CMOCKA_INCLUDE cmocka.h REQUIRED)
find_library(CMOCKA_LIBRARY cmocka REQUIRED)

# What the programs of tests/kernels and these do themselves, models in wide arithmetic, is most of their time. The
# library under them is watched by the sanitizers all the same. The memory sanitizer has to see every write.
set(models test_launch test_iter)

# Models of kernels, and fuzzing targets, compute in integers of 128 bits, which compilers for 32 bits do not have.
set(folders c kernels)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    set(folders c)
endif()

add_custom_target(nomen_tests)
add_dependencies(nomen_tests ${nomen_backends})
foreach(folder IN LISTS folders)
    file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/test_*.c)
    file(GLOB helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.c)
    if(programs)
        list(REMOVE_ITEM helpers ${programs})
    endif()
    if(folder STREQUAL "c")
        list(APPEND helpers ${PROJECT_SOURCE_DIR}/tests/measure/count_calls.c
            ${PROJECT_SOURCE_DIR}/tests/fuzz/checks.c)
    endif()
    if(helpers)
        add_library(nomen_helpers_${folder} OBJECT EXCLUDE_FROM_ALL ${helpers})
        target_link_libraries(nomen_helpers_${folder} PRIVATE nomen_flags)
        target_include_directories(nomen_helpers_${folder} PRIVATE ${PROJECT_SOURCE_DIR}/tests/measure)
        set(helpers $<TARGET_OBJECTS:nomen_helpers_${folder}>)
    endif()
    foreach(source IN LISTS programs)
        get_filename_component(stem ${source} NAME_WE)
        add_executable(${stem} EXCLUDE_FROM_ALL ${source} ${helpers})
        target_include_directories(${stem} PRIVATE ${CMOCKA_INCLUDE} ${PROJECT_SOURCE_DIR}/tests/measure
            ${PROJECT_SOURCE_DIR}/tests/backends)
        target_compile_definitions(${stem} PRIVATE NOMEN_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden"
            NOMEN_BACKENDS_DIR="${PROJECT_BINARY_DIR}/backends")
        target_link_libraries(${stem} PRIVATE nomen_flags nomen_static ${CMOCKA_LIBRARY} m)
        set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        if(NOMEN_SANITIZE AND NOT NOMEN_SANITIZE STREQUAL "memory" AND (folder STREQUAL "kernels" OR stem IN_LIST models))
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=all;-O2")
        endif()
        if(folder STREQUAL "c")
            # Which rows a program calls is counted between the public functions and the library.
            foreach(function nomen__call_struct nomen__call_struct_list nomen__call_struct_bool)
                target_link_options(${stem} PRIVATE -Wl,--wrap=${function})
            endforeach()
        endif()
        add_dependencies(nomen_tests ${stem})
    endforeach()
endforeach()

# The errors of float32 functions over all inputs (make ulp).
add_executable(bench_ulp EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/bench_ulp.c)
target_link_libraries(bench_ulp PRIVATE nomen_flags nomen_static m)
set_target_properties(bench_ulp PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# Backends that are wrong (tests/backends): one file, compiled with one mistake after the other; one is no library.
set(broken_folder ${PROJECT_BINARY_DIR}/backends/broken)
file(WRITE ${broken_folder}/libnomen_backend_empty.so "")
foreach(mistake noentry version small large refuses silent nofunction nokernel nodevice nostream
        nowhere_memory askew_memory last_memory no_memory bad_copy bad_kernel starved mute badstream many)
    add_library(broken_${mistake} MODULE EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/backends/broken.c)
    target_link_libraries(broken_${mistake} PRIVATE nomen_flags)
    set(entry nomen_backend_open)
    if(mistake STREQUAL "noentry")
        set(entry another_name)
    endif()
    target_compile_definitions(broken_${mistake} PRIVATE BROKEN=${mistake} OPEN=${entry})
    set_target_properties(broken_${mistake} PROPERTIES
        PREFIX "lib" OUTPUT_NAME nomen_backend_${mistake} LIBRARY_OUTPUT_DIRECTORY ${broken_folder})
    add_dependencies(nomen_tests broken_${mistake})
endforeach()

# A backend that notes what its kernels are called with.
add_library(recorder MODULE EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/backends/recorder.c)
target_link_libraries(recorder PRIVATE nomen_flags)
set_target_properties(recorder PROPERTIES
    PREFIX "lib" OUTPUT_NAME nomen_backend_recorder LIBRARY_OUTPUT_DIRECTORY ${broken_folder})
add_dependencies(nomen_tests recorder)

# A small BLAS that tests take for OpenBLAS.
add_library(test_blas_library MODULE EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/backends/test_blas_library.c)
target_link_libraries(test_blas_library PRIVATE nomen_flags)
set_target_properties(test_blas_library PROPERTIES
    PREFIX "lib" OUTPUT_NAME test_blas LIBRARY_OUTPUT_DIRECTORY ${broken_folder})
add_dependencies(nomen_tests test_blas_library)

if(NOMEN_PYTHON)
    Python_add_library(watch_calls MODULE WITH_SOABI EXCLUDE_FROM_ALL
        ${PROJECT_SOURCE_DIR}/tests/measure/watch_calls.c)
    target_link_libraries(watch_calls PRIVATE nomen_flags)
    set_target_properties(watch_calls PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_dependencies(nomen_tests watch_calls)
endif()
