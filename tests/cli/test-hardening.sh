# The program of a release build is hardened: its ELF file says so.
. "$(dirname "$0")/lib.sh"

command -v readelf >/dev/null || t_skip 'no readelf'
readelf -h "$tool" >"$t_top/header" 2>/dev/null || t_skip 'the program is no ELF file'
cache=$(dirname "$tool")/CMakeCache.txt
[ -f "$cache" ] || t_skip 'the program lies outside of its build directory'
grep -qE '^CMAKE_BUILD_TYPE:[A-Z]*=(Release|RelWithDebInfo|MinSizeRel)$' "$cache" ||
	t_skip 'no release build'
readelf -lWd "$tool" >"$t_top/segments"
readelf -Ws --dyn-syms "$tool" >"$t_top/symbols"

t_ok 'position independent (PIE)' grep -qE '^ *Type: +DYN' "$t_top/header"
t_ok 'RELRO' grep -q ' GNU_RELRO ' "$t_top/segments"
t_ok 'bound at the start, so RELRO is full' grep -qE 'BIND_NOW|Flags: .*NOW' "$t_top/segments"
t_ok 'guarded stacks' grep -q ' __stack_chk_fail' "$t_top/symbols"
t_ok 'no executable stack' awk '$1 == "GNU_STACK" && / RWE / { bad = 1 } END { exit bad }' \
	"$t_top/segments"
# Only glibc has checked calls, and the sanitizers come with calls of their own.
if grep -q '@GLIBC' "$t_top/symbols" && ! grep -qE '^TC_SANITIZE:[A-Z]*=.' "$cache"; then
	t_ok 'checked calls of the C library' grep -qE ' __[a-z]+_chk(@|$)' "$t_top/symbols"
fi
t_end
