# System libraries, through pkg-config. zstd is optional: without it .zst input is refused by name.
# ISA-L is too: without it gzip is decompressed by zlib, at a third of the speed.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAJL REQUIRED IMPORTED_TARGET yajl)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3>=3.37)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(POPT REQUIRED IMPORTED_TARGET popt)
pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)
pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
option(TC_USE_ISAL "Decompress gzip with ISA-L where it is installed" ON)
if(TC_USE_ISAL)
	pkg_check_modules(ISAL IMPORTED_TARGET libisal)
endif()

# libcsv has no pkg-config file everywhere. Without it, CSV side files are refused by name.
find_path(CSV_INCLUDE_DIR csv.h)
find_library(CSV_LIBRARY csv)
if(CSV_INCLUDE_DIR AND CSV_LIBRARY)
	add_library(tc_csv INTERFACE)
	target_include_directories(tc_csv SYSTEM INTERFACE ${CSV_INCLUDE_DIR})
	target_link_libraries(tc_csv INTERFACE ${CSV_LIBRARY})
endif()
