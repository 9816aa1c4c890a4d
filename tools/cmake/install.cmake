# Headers, both libraries, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nomen
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS nomen nomen_static nomen_backend EXPORT nomenTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nomen)
install(EXPORT nomenTargets NAMESPACE nomen:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nomenConfig.cmake.in
    ${PROJECT_BINARY_DIR}/generated/nomenConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/nomenConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/nomenConfig.cmake
    ${PROJECT_BINARY_DIR}/generated/nomenConfigVersion.cmake DESTINATION ${package_dir})

# The file finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_CURRENT_LIST_DIR}/nomen.pc.in ${PROJECT_BINARY_DIR}/generated/nomen.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/nomen.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
