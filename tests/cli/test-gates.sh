# The gates of tools/check-* find what they are for, where it is, and nothing in clean code.
. "$(dirname "$0")/lib.sh"

mkdir -p tools lib/core lib/store lib/decode/json include/tracecoach cmd tests
cp "$root"/tools/check-* "$root/tools/gate.sh" "$root"/tools/*.awk "$root/.clang-format" tools/
cp "$root/.clang-format" .
echo '# none' >tools/exceptions

gate() { # gate STATUS NAME
	t_what="check-$2"
	"tools/check-$2" >"$out" 2>"$err"
	t_check $? "$1"
}

cat >lib/core/good.c <<'END'
/* printf(), exit() and "malloc(" in texts are no calls. */
#include "core/good.h"

int tc_good(int a, int b, int (*call)(int, int, int))
{
	const char *text = "exit(1); /* not a comment";

	return a + b + call(1, 2, 3) + text[0];
}
END
cat >lib/core/good.h <<'END'
int tc_good(int a, int b, int (*call)(int, int, int));
END
for name in sizes banned includes; do
	gate 0 "$name"
	t_no_out .
done

{
	printf 'int tc_long(void)\n{\n'
	for line in $(seq 90); do echo "	work($line);"; done
	printf '}\n\nstatic int tc_wide(int a, int b, int c, int d, int e, int f, int g)\n{\n}\n'
	printf '\nint tc_sixty(void)\n{\n'
	for line in $(seq 65); do echo "	work($line);"; done
	printf '}\n'
} >lib/core/bad.c
gate 1 sizes
t_out '^lib/core/bad\.c:2: tc_long\(\) has 92 lines'
t_out '^lib/core/bad\.c:[0-9]+: tc_wide\(\) has 7 parameters'
t_out '^lib/core/bad\.c:[0-9]+: warning: tc_sixty\(\) has 67 lines'
if command -v pmccabe >/dev/null; then
	{
		printf 'int tc_branchy(int a)\n{\n'
		for line in $(seq 16); do echo "	if (a == $line)"; echo "		a++;"; done
		printf '	return a;\n}\n'
	} >lib/core/bad.c
	gate 1 sizes
	t_out '^lib/core/bad\.c:[0-9]+: tc_branchy\(\) has McCabe complexity 17'
fi
echo 'check-sizes lib/core/bad.c:tc_branchy old' >tools/exceptions
rm lib/core/bad.c
seq 901 | sed 's|.*|/* & */|' >lib/core/long.h
gate 1 sizes
t_out '^lib/core/long\.h:901: 901 lines'
t_out '^tools/exceptions:1: .* needs no exception'
rm lib/core/long.h
echo '# none' >tools/exceptions

cat >lib/core/bad.c <<'END'
static void bad(char *text)
{
	text = malloc(4);
	strcpy(text, "abc"); /* printf( */
	printf("%s", text);
	exit (1);
}
END
gate 1 banned
t_out '^lib/core/bad\.c:3: malloc\(\)'
t_out '^lib/core/bad\.c:4: strcpy\(\)'
t_out '^lib/core/bad\.c:5: printf\(\)'
t_out '^lib/core/bad\.c:6: exit\(\)'
t_ok 'four findings' test "$(wc -l <"$out")" -eq 4
for call in malloc strcpy printf exit; do
	echo "check-banned lib/core/bad.c:$call a reason"
done >tools/exceptions
gate 0 banned
echo '# none' >tools/exceptions

cat >lib/core/bad.c <<'END'
#include "store/connection.h"
#include <stdio.h>
#include <yajl/yajl_parse.h>
#include "tracecoach/report.h"
END
printf '#include "core/second.h"\n' >lib/core/first.h
printf '#include "core/good.h"\n#include "core/third.h"\n' >lib/core/second.c
printf '#include "core/first.h"\n#include "core/third.h"\n' >lib/core/third.h
printf '#include "core/good.h"\n#include <yajl/yajl_parse.h>\n' >lib/decode/json/parser.c
printf '#include "decode/json/parser.h"\n' >lib/store/bad.c
printf '#include <sys/stat.h>\n#include "bad.h"\n#include "tracecoach/report.h"\n#include "core/good.h"\n' >cmd/bad.c
printf '#include "../lib/core/good.h"\n#include <core/good.h>\n' >cmd/worse.c
printf '#include <stdint.h>\n#include "core/good.h"\n#include <sqlite3.h>\n#include "good.h"\n' >include/tracecoach/report.h
mkdir -p lib/model/launch lib/model/slices
printf '#include "model/slices/args.h"\n#include "model/top.h"\n' >lib/model/launch/bad.h
printf '#include "model/launch/good.h"\n#include "core/good.h"\n' >lib/model/slices/good.h
gate 1 includes
t_out '^cmd/bad\.c:4: private header core/good\.h: '
t_out '^cmd/worse\.c:1: private header \.\./lib/core/good\.h: '
t_out '^cmd/worse\.c:2: private header core/good\.h: '
t_no_out '^cmd/bad\.c:[123]:'
t_out '^include/tracecoach/report\.h:2: public headers include '
t_out '^include/tracecoach/report\.h:3: public headers include .*sqlite3\.h'
t_out '^include/tracecoach/report\.h:4: public headers include .*good\.h'
t_no_out '^include/tracecoach/report\.h:1:'
t_out '^lib/core/bad\.c:1: core must not include store'
t_out '^lib/core/bad\.c:2: <stdio\.h>'
t_out '^lib/core/bad\.c:3: <yajl/'
t_out '^lib/core/bad\.c:4: core must not include report'
t_out '^lib/store/bad\.c:1: store must not include decode'
t_out '^lib/core/first\.h:1: a circle: .* core/second lead back'
t_out '^lib/core/second\.c:2: a circle: .* core/third lead back'
t_out '^lib/core/third\.h:1: a circle: .* core/first lead back'
t_out '^lib/model/launch/bad\.h:1: model/launch must not include model/slices'
t_no_out '^lib/model/(launch/bad\.h:2|slices)'
t_ok 'fifteen findings' test "$(wc -l <"$out")" -eq 15
rm -r lib/model
rm lib/core/first.h lib/core/second.c lib/core/third.h cmd/bad.c cmd/worse.c

rm lib/core/bad.c lib/store/bad.c lib/decode/json/parser.c
mkdir -p heuristics lib/names
cat >heuristics/bad.sql <<'END'
-- The word LIKE 'x' in a comment compares nothing.
SELECT name FROM op_total WHERE name LIKE '%gemm%' OR class = 'matrix' OR name GLOB 'a*'
END
echo '	return tc_pattern_match("*gemm*", name) || strstr(text, "x");' >lib/core/bad.c
cp lib/core/bad.c lib/names/good.c
gate 1 names
t_out '^heuristics/bad\.sql:2: LIKE compares'
t_out '^heuristics/bad\.sql:2: GLOB compares'
t_out '^lib/core/bad\.c:1: tc_pattern_match compares'
t_out '^lib/core/bad\.c:1: strstr compares'
t_ok 'four findings' test "$(wc -l <"$out")" -eq 4
rm -r lib/core/bad.c heuristics lib/names

# Programs that no row of the table installs, wherever a shell would call them, and nothing else.
mkdir -p scripts tests/cli
{
	echo "setup_needs='"
	printf 'run cmd:%s apt dnf pacman brew\n' installed cmake make git pmccabe
	echo "'"
} >scripts/setup.sh
cat >tests/cli/good.sh <<'END'
helper() { # absent1
	case $1 in
	absent2 | *.absent3) echo "absent4 $((1 + (2))) ${x:-"absent5"}" 'absent6' ;;
	esac
}
if command -v absent7 >/dev/null; then X=1 helper absent8 >absent9 2>&1; fi
for absent10 in absent11; do installed "$absent10" \
	absent12; done
cat <<'MARK' <&0
absent13 | absent14
MARK
END
gate 0 programs
t_no_out .
cat >tests/cli/bad.sh <<'END'
absent1 x; true && absent2 | absent3 & ! absent4
x=$(absent5 "$(absent6)") || { (absent7); }
case $(absent8) in a) absent9 ;; *) if absent10; then absent11; else absent12; fi ;; esac
helper() { absent13; }
A=1 env -i B=2 nice -n 19 absent14 absent
t_ok() { :; }
t_ok "a label" absent15 absent
sh -c 'cat | absent16' || find . -exec absent17 {} +
cat <<END2 | absent18
absent
END2
echo "${x:-"$(absent19)"} $(($(absent20) * 2)) '$(absent21)'" >"$(absent22)"
END
gate 1 programs
for number in $(seq 22); do
	t_out "^tests/cli/bad\.sh:[0-9]+: absent$number has no row"
done
t_ok 'twenty-two findings' test "$(wc -l <"$out")" -eq 22
echo 'echo "open' >tests/cli/bad.sh
gate 1 programs
t_out '^tests/cli/bad\.sh:1: .*cannot read this'
rm -r scripts tests/cli

# The shape: what counts for each measure, ceilings that let it pass, and that only shrink.
echo '# none' >tools/ceilings
mkdir before
mv lib include cmd before/
mkdir -p lib/core lib/store include/tracecoach cmd
cat >lib/core/one.h <<'END'
#include "core/two.h"
enum tc_status tc_one_used(int a);
enum tc_status tc_one_shared(int a);
enum tc_status tc_one_macro(int a);
#define TC_ONE(a) tc_one_macro(a)
struct tc_large {
	int a, b, c, d, e, f, g, h, i, j; /* k, l; */
	enum { K, L, M } k;
	int (*l)(int a, int b);
	struct { int a, b; } m, n;
	char o[2][3], p, q, r, s, t;
};
struct tc_larger {
	int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u;
};
END
echo '/* tc_two(); */' >lib/core/two.h
cat >lib/core/one.c <<'END'
#include "core/one.h"

enum tc_status tc_one_used(int a)
{
	return TC_OK;
}

enum tc_status tc_one_shared(int a)
{
	enum tc_status status = tc_one_used(a); /* tc_one_used() */

	return status;
}

enum tc_status tc_one_macro(int a)
{
	return TC_ERR_IO;
}
END
printf '#include "core/one.h"\n#include "core/two.h"\nint tc_a(void)\n{\n	tc_one_used(1);\n	tc_one_shared(1);\n}\n/* The sum of both. */\n/* The same, twice. */\n' >lib/store/a.c
printf '#include "core/one.h"\nint tc_b(void)\n{\n	tc_one_shared(1);\n}\n' >lib/store/b.c
for number in $(seq 46); do
	echo "#include \"core/wide$number.h\""
	echo '/* wide */' >"lib/core/wide$number.h"
done >lib/store/wide.c
shape() { # shape MEASURE ROOM: what the gate lists
	t_what="check-shape --list $*"
	tools/check-shape --list "$@" >"$out" 2>"$err"
	t_check $? 0
}
shape users
t_out '^lib/core/one\.h:2: tc_one_used\(\) has 1 user: '
t_no_out 'tc_one_(shared|macro)'
shape readers core
t_out '^lib/core/wide1\.h:1: has 1 reader besides its \.c: '
t_no_out '^lib/core/(one|two)\.h:1: '
shape members core
t_out '^lib/core/one\.h:13: 21 members: '
t_no_out '^lib/core/one\.h:6: '
shape headers store
t_out '^lib/store/wide\.c:1: reaches 46 headers: '
shape headers core
t_no_out .
shape plumbing core
t_out '^lib/core/one\.c:5: passes a status on'
t_out '^lib/core/one\.c:10: passes a status on'
t_ok 'three lines' test "$(wc -l <"$out")" -eq 3
shape openings
t_out '^lib/store/a\.c:9: begins a comment with a word that refers to nothing'
t_ok 'one opening' test "$(wc -l <"$out")" -eq 1
gate 1 shape
t_out '^tools/ceilings:0: users core: 0 allowed, there are 1: '
t_out '^tools/ceilings:0: openings store: 0 allowed, there are 1: '
tools/check-shape --write
gate 0 shape
t_no_out .
t_ok 'the ceilings are what there is' grep -q '^plumbing core 3$' tools/ceilings
sed -i 's/^users core 1$/users core 2/' tools/ceilings
gate 0 shape
t_out 'tools/ceilings: warning: 1 of the ceilings'
tools/check-shape --write
t_ok 'the ceiling is lower' grep -q '^users core 1$' tools/ceilings
echo '#include "core/one.h"' >>lib/store/wide.c
sed -i 's/^headers store 1$/headers store 0/' tools/ceilings
tools/check-shape --write
gate 1 shape
t_out '^tools/ceilings:[0-9]+: headers store: 0 allowed, there are 1: '
rm -r lib include cmd
mv before/* .

if tools/check-format >"$out" 2>&1; [ $? -ne 77 ]; then
	gate 0 format
	printf 'int  tc_x;\n' >lib/core/bad.c
	gate 1 format
	t_out '^lib/core/bad\.c:1: not formatted'
fi
t_end
