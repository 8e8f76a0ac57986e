#!/bin/sh
# Builds the fuzz targets as OSS-Fuzz asks for: its build.sh calls this with the compiler in CC, flags in
# CFLAGS, what links the engine in LIB_FUZZING_ENGINE, and the place for the results in OUT. Each target
# there has its seeds as fuzz_NAME_seed_corpus.zip; the shared libraries that it needs lie in OUT/lib.
# Without the environment it builds for clang's libFuzzer with the address and undefined-behaviour
# sanitizers, in build/oss-fuzz.
# usage: sh scripts/oss-fuzz-build.sh
set -eu
cd "$(dirname "$0")/.."
: "${CC:=clang}"
: "${CFLAGS=-O1 -gline-tables-only -fsanitize=address,undefined,fuzzer-no-link}"
: "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
: "${OUT:=$PWD/build/oss-fuzz/out}"
work=${WORK:-$PWD/build/oss-fuzz}
mkdir -p "$OUT/lib" "$work"

# An engine that is an archive is written in C++.
case $LIB_FUZZING_ENGINE in
-*) engine=$LIB_FUZZING_ENGINE ;;
*) engine="$LIB_FUZZING_ENGINE;-lc++" ;;
esac
cmake -S . -B "$work/build" -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" \
	-DTC_FUZZ=ON -DTC_FUZZ_ENGINE="$engine" -DTC_USE_ISAL=OFF -DTC_USE_SECCOMP=OFF \
	-DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
for seeds in tests/fuzz/seeds/*; do
	name=fuzz_$(basename "$seeds")
	cmake --build "$work/build" -j "$(nproc)" --target "$name"
	cp "$work/build/tests/$name" "$OUT/"
	(cd "$seeds" && cmake -E tar cf "$OUT/${name}_seed_corpus.zip" --format=zip ./*)
	printf '[libfuzzer]\nmax_len = 4096\nentropic = 0\n' >"$OUT/$name.options"
	# The images that run fuzzers have the C library and no more.
	ldd "$work/build/tests/$name" | awk '$2 == "=>" && $1 ~ /^lib(yajl|sqlite3|z|zstd|inih|csv)[.]/ { print $3 }' |
		xargs -r cp -L -t "$OUT/lib"
done
