# scripts/setup.sh: what is installed and what is asked for, on a machine made of stand-ins, and
# builds that cannot be used where they are. scripts/try-package: what it runs in the root it makes.
. "$(dirname "$0")/lib.sh"

# A machine whose programs are those in bin: the shell's own, and stand-ins for those of the system.
# The file have lists what is installed, in the words of scripts/setup.sh; apt-get adds to it.
mkdir bin tree tree/testdata
cp -R "$root/scripts" tree/
for program in sh env sed awk tr cat mkdir dirname basename ls rm grep head getconf; do
	ln -s "$(command -v $program)" "bin/$program"
done
stand_in() { # stand_in NAME: the text is on standard input
	{
		echo '#!/bin/sh'
		cat
	} >"bin/$1"
	chmod +x "bin/$1"
}
stand_in id <<END
cat $dir/user
END
stand_in pkg-config <<END
grep -q "^\$2\$" $dir/have
END
stand_in cc <<END
read -r line
line=\${line#*<}
grep -q "^\${line%>}\$" $dir/have
END
stand_in apt-get <<END
echo "apt-get \$*" >>$dir/asked
[ \$1 = install ] || exit 0
[ -e $dir/offline ] && exit 1
for package in "\$@"; do
	case \$package in
	libyajl-dev) echo yajl ;;
	libzstd-dev) echo libzstd ;;
	libcmocka-dev) echo cmocka ;;
	libisal-dev) echo libisal ;;
	libseccomp-dev) echo libseccomp ;;
	libcsv-dev) echo csv.h ;;
	esac
done >>$dir/have
END
stand_in cmake <<END
mkdir -p \$4
echo '-- without ISA-L, which is fast'
echo "CMAKE_HOME_DIRECTORY:INTERNAL=\$(pwd -P)" >\$4/CMakeCache.txt
echo "CMAKE_CACHEFILE_DIR:INTERNAL=\$(cd \$4 && pwd -P)" >>\$4/CMakeCache.txt
END
stand_in make <<END
printf '#!/bin/sh\necho report\n' >\$2/tracecoach
exec $(command -v chmod) +x \$2/tracecoach
END
stand_in scdoc </dev/null

machine() { # machine USER WORD...: who runs it, and all that is installed but these
	echo "$1" >user
	shift
	printf '%s\n' stdlib.h yajl sqlite3 zlib libzstd popt inih cmocka libisal libseccomp csv.h >have
	for word in "$@"; do
		grep -v "^$word\$" have >less
		mv less have
	done
	rm -rf offline bin/sudo tree/build
	: >asked
}

example() { # example CODE: run-example on that machine
	t_what='run-example'
	PATH=$dir/bin sh tree/scripts/run-example </dev/null >"$out" 2>"$err"
	t_check $? "$1"
}

asked() { # asked REGEX: the package manager was asked for that
	grep -Eq -e "$1" asked || t_fail "not asked for '$1' but: $(cat asked)"
}

machine 0
example 0
t_out '^report$'
t_ok 'nothing is installed where all is there' test ! -s asked
t_err ': built without ISA-L, which is fast$'
example 0
t_ok 'the second run says nothing' test ! -s "$err"

# Required ones bring the optional ones along, and these are installed alone, too.
machine 0 libzstd csv.h
example 0
asked 'install .* libzstd-dev libcsv-dev$'
machine 0 libisal
example 0
asked 'install .* libisal-dev$'

# What cannot be had is asked for once.
machine 0 libisal
touch offline
example 0
asked libisal-dev
: >asked
example 0
t_ok 'not asked for again' test ! -s asked
machine 0 libisal yajl
touch offline
example 1
t_err '^    apt-get update && apt-get install -y --no-install-recommends libyajl-dev libisal-dev$'

# A user who may install nothing is told the line to copy, whole.
machine 1000 libzstd libisal
example 1
t_ok 'nothing was tried' test ! -s asked
t_err ': packages are missing\. Install them as root, then run this again:$'
t_err '^    apt-get update && apt-get install -y --no-install-recommends libzstd-dev libisal-dev$'
machine 1000 libisal
example 0
t_err '^    apt-get update && apt-get install -y --no-install-recommends libisal-dev$'
machine 1000 libzstd
echo 'exit 1' | stand_in sudo
example 1
t_err '^    sudo apt-get update && sudo apt-get install -y --no-install-recommends libzstd-dev$'
machine 1000 libzstd
printf '[ $1 = -n ] && shift\nexec "$@"\n' | stand_in sudo
stand_in true </dev/null
example 0
asked 'install .* libzstd-dev$'

# The tests need cmocka, a compiler of C++ and Python; to run the program does not.
machine 1000 cmocka
example 0
t_what='run-tests without cmocka'
PATH=$dir/bin sh tree/scripts/run-tests </dev/null >"$out" 2>"$err"
t_check $? 1
t_err ' libcmocka-dev g\+\+ python3 binutils cmake$'

# What was skipped is counted, and no failure.
stand_in ctest <<'END'
echo ' 1/4 Test  #7: unit.buf ........   Passed    0.01 sec'
echo ' 2/4 Test  #8: cli.x ...........***Skipped   0.01 sec'
echo ' 3/4 Test  #9: cli.y ...........***Skipped   0.01 sec'
[ "$4" = green ] || echo ' 4/4 Test #10: cli.z ...........***Failed    0.01 sec'
END
cat >gates <<'END'
. tree/scripts/setup.sh
. tree/scripts/tally.sh
tally_begin
tally_run good true
tally_run absent sh -c 'echo "no tool"; exit 77'
tally_skip python 'no python3'
tally_ctest 'quick: ' . 2 "$1"
tally_end
END
t_what='a tally'
PATH=$dir/bin:$PATH sh gates green >"$out" 2>"$err"
t_check $? 0
t_out '^skip  absent: no tool$'
t_out '^skip  quick: cli\.y$'
t_out '^ok    quick: 1 tests passed, 0 failed, 2 skipped$'
t_out '^2 passed, 0 failed, 4 skipped$'
PATH=$dir/bin:$PATH sh gates red >"$out" 2>"$err"
t_check $? 1
t_out '^FAIL  quick: 1 tests passed, 1 failed, 2 skipped$'
t_out '^2 passed, 1 failed, 4 skipped$'

# A build that was made elsewhere is made again, and one that was made here is not.
machine 0
example 0
touch tree/build/release/old
example 0
t_ok 'the build stays' test -e tree/build/release/old
cp -R tree moved
t_what='run-example of a copy'
PATH=$dir/bin sh moved/scripts/run-example </dev/null >"$out" 2>"$err"
t_check $? 0
t_err ': build/release was built in another directory: building it again$'
t_ok 'nothing of the old build stays' test ! -e moved/build/release/old
ln -s tree link
t_what='run-example by a symbolic link'
PATH=$dir/bin sh link/scripts/run-example </dev/null >"$out" 2>"$err"
t_check $? 0
t_ok 'the build stays' test -e tree/build/release/old

# A checkout of another user's, and a build of root's in one's own.
other() { # other CODE: run-example as a user who owns nothing here
	t_what='run-example as another user'
	PATH=$dir/bin "$setpriv" --reuid=65534 --regid=65534 --clear-groups \
		"$dir/bin/sh" tree/scripts/run-example </dev/null >"$out" 2>"$err"
	t_check $? "$1"
}
setpriv=$(command -v setpriv)
if [ -n "$setpriv" ] && [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$t_top" "$dir"
	other 1
	t_err 'build/release belongs to root, and you may not write there'
	t_err "^    sudo rm -rf '.*/tree/build'$"
	rm -r tree/build
	other 1
	t_err 'tree belongs to root, and you may not write there\. Make a copy of your own:$'
	t_err "^    cp -R '.*/tree' ~/tracecoach && sh ~/tracecoach/scripts/run-example$"
	chmod 777 tree
	other 0
	t_out '^report$'
fi

# A directory of temporary files is not there in the root: neither what fills it nor what runs in it is told of one.
for program in mktemp realpath cp tail chmod; do
	ln -sf "$(command -v $program)" "bin/$program"
done
stand_in debootstrap <<END
mkdir -p \$3/proc
[ -z "\$TMPDIR" ]
END
stand_in mount </dev/null
stand_in umount </dev/null
stand_in chroot <<END
[ -z "\$TMPDIR" ] && grep -c tracegen \$1/try/run
END
mkdir temporary
touch some.deb
t_what='try-package with TMPDIR set'
TMPDIR=$dir/temporary PATH=$dir/bin sh tree/scripts/try-package some.deb >"$out" 2>"$err"
t_check $? 0
t_out '^some\.deb: installed, run, built with, and removed in a clean bookworm$'
t_ok 'nothing stays behind' test -z "$(ls temporary)"

# What a release and a wheel need is asked for before anything is made.
for program in date tar; do
	ln -sf "$(command -v $program)" "bin/$program"
done
t_what='no git'
mkdir tree/.git
PATH=$dir/bin sh tree/scripts/make-release made >"$out" 2>"$err"
t_check $? 1
t_err '^make-release: git is missing '
t_what='what a wheel needs is named at once'
machine 1000 libzstd inih
PATH=$dir/bin sh tree/scripts/make-wheel made >"$out" 2>"$err"
t_check $? 1
t_err ': packages are missing\. Install them, then run this again:$'
t_err ' install .* libzstd-dev libinih-dev .*binutils .*git$'
t_what='no checkout'
rmdir tree/.git
stand_in git </dev/null
PATH=$dir/bin sh tree/scripts/make-release made >"$out" 2>"$err"
t_check $? 1
t_err '^make-release: this is no git checkout: clone the repository'
t_ok 'nothing is made' test ! -e made
t_end
