# Packages: "cpack" in a build directory makes a .deb of what "cmake --install" installs.
# scripts/make-release makes one from a clean tree, with the source and checksums.
set(TC_PACKAGE_CONTACT "The tracecoach authors <tracecoach@users.noreply.github.com>" CACHE STRING
	"Who answers for the package: name and address")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tracecoach)
set(CPACK_PACKAGE_CONTACT ${TC_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "advice from profiler traces of deep-learning runs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
	GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_debian.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_PACKAGE_DESCRIPTION "\
tracecoach streams a trace of the PyTorch profiler (Intel Gaudi, CUDA, ROCm,
XPU, MTIA, Ascend) into an SQLite store, accounts for the time of device and
host, and prints ranked advice: what, how much time it wins back, the
evidence, and how to fix it.")
# Depends on what program and library are linked with; programs that use the archive need more, all of
# what tracecoach.pc names as private.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
	"sqlite3, pkg-config, libyajl-dev, libsqlite3-dev, zlib1g-dev, libzstd-dev, libinih-dev")
if(ISAL_FOUND)
	string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libisal-dev")
endif()
if(SECCOMP_FOUND)
	string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libseccomp-dev")
endif()
if(CSV_FOUND)
	string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libcsv-dev")
endif()
# The library is found without a script: dpkg runs ldconfig for this trigger.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
file(CHMOD ${PROJECT_BINARY_DIR}/triggers PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
include(CPack)
