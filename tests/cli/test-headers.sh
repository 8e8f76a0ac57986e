# Every public header compiles alone and twice, in C and in C++; what they declare is there, under
# names of C; and each says what it is for.
. "$(dirname "$0")/lib.sh"

build=$(dirname "$tool")
library=$build/lib/libtracecoach.so
headers=$(cd "$root/include" && ls tracecoach/*.h)
headers="$headers tracecoach/version.h"
include="-I$root/include -I$build/include"
warnings='-Wall -Wextra -pedantic -Wshadow -Werror'
command -v nm >/dev/null && [ -f "$library" ] || t_skip 'no nm, or no library beside the program'

compile() { # compile LANGUAGE FILE: into FILE.o
	case $1 in
	c) cc -std=c11 $warnings $include -c "$2" -o "$2.o" ;;
	c++) c++ -std=c++17 $warnings $include -c "$2" -o "$2.o" ;;
	esac >"$out" 2>"$err"
}

languages=
for language in c c++; do
	echo 'int tc_nothing(void); int tc_nothing(void) { return 0; }' >"nothing.$language"
	compile $language "nothing.$language" && languages="$languages $language"
done
[ -n "$languages" ] || t_skip 'no compiler'

for header in $headers; do
	t_what=$header
	file=$root/include/$header
	[ -f "$file" ] || file=$build/include/$header
	t_ok "$header says what it is for" sh -c "head -n 1 '$file' | grep -q '^/\*'"
	for language in $languages; do
		base=$(basename "$header" .h)
		printf '#include "%s"\n#include "%s"\nextern int tc_nothing;\n' "$header" "$header" >"$base.$language"
		compile $language "$base.$language"
		t_check $? 0
	done
done

# A C++ program that uses all of them asks the library for the names that it has.
t_what='the functions of all headers'
names=$(for header in $headers; do
	cat "$root/include/$header" "$build/include/$header" 2>/dev/null
done | grep -v '^typedef' | grep -oE '(^|[ *])tc_[a-z_]+\(' | tr -d ' *(' | sort -u)
t_ok 'there are some' test "$(echo "$names" | wc -l)" -gt 20
for language in $languages; do
	{
		for header in $headers; do echo "#include \"$header\""; done
		echo 'typedef void (*any)(void);'
		echo 'extern const any all[];'
		echo 'const any all[] = {'
		for name in $names; do echo "(any)$name,"; done
		echo '};'
	} >"all.$language"
	warnings_before=$warnings
	warnings='-Wall'
	compile $language "all.$language"
	t_check $? 0
	warnings=$warnings_before
	nm -u "all.$language.o" | awk '{ print $NF }' | grep tc_ | sort -u >asked
	echo "$names" >declared
	t_ok "$language asks for C names" cmp -s asked declared
done
nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | grep '^tc_' | sort -u >defined
t_ok 'the shared library shows them and no others' cmp -s declared defined
t_end
