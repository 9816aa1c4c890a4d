# The Python extension nomen._C, built next to links to python/nomen so that the build tree is importable.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

set(package_dir ${PROJECT_BINARY_DIR}/python/nomen)
file(GLOB_RECURSE package_files RELATIVE ${PROJECT_SOURCE_DIR}/python/nomen CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/python/nomen/*.py ${PROJECT_SOURCE_DIR}/python/nomen/*.pyi
    ${PROJECT_SOURCE_DIR}/python/nomen/py.typed)
foreach(file IN LISTS package_files)
    get_filename_component(folder ${package_dir}/${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/nomen/${file} ${package_dir}/${file} SYMBOLIC)
endforeach()

file(GLOB extension_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.c)
if(extension_sources)
    Python_add_library(nomen_python MODULE WITH_SOABI ${extension_sources})
    target_compile_options(nomen_python PRIVATE -falign-functions=64)
    # The library is linked in whole and stays hidden, so that another nomen in the process is not disturbed.
    target_link_libraries(nomen_python PRIVATE nomen_flags nomen_static)
    target_link_options(nomen_python PRIVATE -Wl,--exclude-libs,ALL)
    set_target_properties(nomen_python PROPERTIES
        OUTPUT_NAME _C LIBRARY_OUTPUT_DIRECTORY ${package_dir} C_VISIBILITY_PRESET hidden)
    if(SKBUILD)
        install(TARGETS nomen_python LIBRARY DESTINATION nomen COMPONENT python)
    endif()
endif()
