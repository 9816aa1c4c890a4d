# One module per folder of backends, in the build's own folder "backends", where the tests find them.
# A backend links against nothing of nomen.
file(GLOB backend_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/backends/*)
set(nomen_backends)
foreach(folder IN LISTS backend_folders)
    if(IS_DIRECTORY ${folder})
        get_filename_component(backend ${folder} NAME)
        file(GLOB backend_sources CONFIGURE_DEPENDS ${folder}/*.c)
        add_library(nomen_backend_${backend} MODULE ${backend_sources})
        target_link_libraries(nomen_backend_${backend} PRIVATE nomen_flags m)
        set_target_properties(nomen_backend_${backend} PROPERTIES
            PREFIX "lib" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/backends)
        list(APPEND nomen_backends nomen_backend_${backend})
    endif()
endforeach()
