# System libraries, through pkg-config. zstd is optional: without it .zst input is refused by name.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAJL REQUIRED IMPORTED_TARGET yajl)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3>=3.37)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(POPT REQUIRED IMPORTED_TARGET popt)
pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)
pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
