# What CMake asks for: zstd is required; cmocka, ISA-L, libseccomp, libcsv and scdoc are not, and it says
# which of them it found. A big-endian machine is refused.
. "$(dirname "$0")/lib.sh"

command -v cmake >/dev/null && command -v pkg-config >/dev/null || t_skip 'no cmake or pkg-config'
without() { # without CODE MODULE ARG...: configures where pkg-config does not know the module
	t_what="cmake without $2"
	t_code=$1
	printf '#!/bin/sh\ncase " $* " in *%s*) exit 1 ;; esac\nexec %s "$@"\n' \
		"$2" "$(command -v pkg-config)" >"$dir/pkg-config"
	chmod +x pkg-config
	shift 2
	rm -rf build
	cmake -S "$root" -B build -DPKG_CONFIG_EXECUTABLE="$dir/pkg-config" "$@" >"$out" 2>"$err"
	t_status=$?
	[ $t_code -eq $t_status ] || { [ $t_code -ne 0 ] && [ $t_status -ne 0 ]; } ||
		t_fail "exit code $t_status, want $t_code"
}

without 0 cmocka -DBUILD_TESTING=ON
t_out '^-- without cmocka, which the tests in C need'
without 1 cmocka -DBUILD_TESTING=ON -DTC_REQUIRE_TESTS=ON
t_err 'cmocka is not installed'
without 0 libisal -DBUILD_TESTING=OFF
t_out '^-- without ISA-L, which reads \.gz '
t_ok 'the program will say so' grep -q '^TC_OPTIONAL(0, "ISA-L"' build/optional.def
without 1 libzstd
t_out "Checking for module 'libzstd'"
without 0 libseccomp -DBUILD_TESTING=OFF
t_out '^-- without libseccomp, which confines '
without 0 libisal -DBUILD_TESTING=OFF -DCSV_LIBRARY= -DSCDOC=
t_out '^-- without libcsv, which '
t_out '^-- without scdoc, which '

# No fuzzer is asked for in vain: the command of the page builds them.
without 1 none -DBUILD_TESTING=OFF -DTC_FUZZ=ON
t_err 'add -DBUILD_TESTING=ON'
t_ok 'docs/fuzzing.md says so' grep -q 'cmake .*-DBUILD_TESTING=ON -DTC_FUZZ=ON' "$root/docs/fuzzing.md"

if command -v clang >/dev/null; then
	t_what='a big-endian machine'
	rm -rf build
	cmake -S "$root" -B build -DCMAKE_C_COMPILER=clang -DCMAKE_C_COMPILER_TARGET=s390x-linux-gnu \
		-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY >"$out" 2>"$err"
	t_check $? 1
	t_err 'This is a big-endian machine'
fi
t_end
