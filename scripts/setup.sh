# Shared by run-example and run-tests: system packages, and builds. Sourced with the repository
# root as current directory. Looks for the tools themselves first, so that nothing is downloaded
# when all is there; else asks the system's package manager, with sudo only when we are not root.

# What is needed, for which level, and its package: level, test, apt, dnf, pacman, brew.
# test is cmd:PROGRAM, pc:PKG-CONFIG NAME, h:HEADER, py:MODULE of Python or san:COMPILER with the sanitizers;
# "-" means that the system has it, or has no package. The level extra is for what cmake/dependencies.cmake calls optional: it is installed
# where that is possible, and nothing fails without it; so is slurm, where the level all is asked for.
setup_needs='
run    cmd:cc            gcc               gcc                 gcc         -
run    h:stdlib.h        libc6-dev         glibc-devel         glibc       -
run    cmd:make          make              make                make        -
run    cmd:cmake         cmake             cmake               cmake       cmake
run    cmd:pkg-config    pkg-config        pkgconf-pkg-config  pkgconf     pkg-config
run    pc:yajl           libyajl-dev       yajl-devel          yajl        yajl
run    pc:sqlite3        libsqlite3-dev    sqlite-devel        sqlite      sqlite
run    pc:zlib           zlib1g-dev        zlib-devel          zlib        zlib
run    pc:libzstd        libzstd-dev       libzstd-devel       zstd        zstd
run    pc:popt           libpopt-dev       popt-devel          popt        popt
run    pc:inih           libinih-dev       inih-devel          libinih     inih
tests  pc:cmocka         libcmocka-dev     libcmocka-devel     cmocka      cmocka
tests  cmd:c++           g++               gcc-c++             gcc         -
tests  cmd:python3       python3           python3             python      python
tests  cmd:nm            binutils          binutils            binutils    -
tests  cmd:readelf       binutils          binutils            binutils    -
tests  cmd:ctest         cmake             cmake               cmake       cmake
wheel  cmd:python3       python3           python3             python      python
wheel  cmd:strip         binutils          binutils            binutils    -
wheel  cmd:objdump       binutils          binutils            binutils    -
wheel  py:wheel          python3-wheel     python3-wheel       python-wheel -
wheel  py:setuptools     python3-setuptools python3-setuptools python-setuptools -
checkout cmd:git         git               git                 git         git
all    cmd:clang         clang             clang               clang       -
all    san:clang         libclang-rt-dev   compiler-rt         compiler-rt -
all    cmd:pmccabe       pmccabe           -                   -           pmccabe
all    cmd:clang-format  clang-format      clang-tools-extra   clang       clang-format
all    cmd:chromium      chromium          chromium            chromium    -
all    cmd:node          nodejs            nodejs              nodejs      node
all    cmd:npm           npm               nodejs-npm          npm         -
all    cmd:sqlite3       sqlite3           sqlite              sqlite      sqlite
all    cmd:zstd          zstd              zstd                zstd        zstd
all    cmd:groff         groff-base        groff-base          groff       groff
all    cmd:cpack         cmake             cmake               cmake       cmake
all    cmd:lintian       lintian           -                   -           -
all    cmd:debootstrap   debootstrap       debootstrap         debootstrap -
all    cmd:file          file              file                file        -
all    cmd:systemd-analyze systemd         systemd             systemd     -
all    cmd:ruby          ruby              ruby                ruby        -
all    py:jinja2         python3-jinja2    python3-jinja2      python-jinja -
all    py:yaml           python3-yaml      python3-pyyaml      python-yaml -
all    py:prometheus_client python3-prometheus-client python3-prometheus_client python-prometheus_client -
all    py:ensurepip      python3-venv      python3             python      -
extra  pc:libisal        libisal-dev       isa-l-devel         isa-l       isa-l
extra  pc:libseccomp     libseccomp-dev    libseccomp-devel    libseccomp  -
extra  h:csv.h           libcsv-dev        libcsv-devel        -           libcsv
extra  cmd:scdoc         scdoc             scdoc               scdoc       scdoc
slurm  cmd:slurmctld     slurm-wlm         -                   -           -
slurm  cmd:munged        munge             -                   -           -
'

setup_say() {
	echo "$0: $*" >&2
}

setup_manager() {
	for manager in apt-get dnf pacman brew; do
		command -v "$manager" >/dev/null 2>&1 && {
			echo "$manager"
			return
		}
	done
}

setup_has() {
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null 2>&1 ;;
	pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
	py:*) ${PYTHON:-$(command -v /usr/bin/python3 || echo python3)} -c "import ${1#py:}" 2>/dev/null ;;
	h:*) echo "#include <${1#h:}>" | cc -E -x c - >/dev/null 2>&1 ;;
	san:*) echo 'int main(void) { return 0; }' | "${1#san:}" -fsanitize=address -x c - -o /dev/null 2>/dev/null ;;
	esac
}

# setup_missing LEVELS MANAGER: prints the packages of needs that are not met, on one line.
setup_missing() {
	echo "$setup_needs" | while read -r level need apt dnf pacman brew; do
		[ -n "$level" ] || continue
		case " $1 " in *" $level "*) ;; *) continue ;; esac
		setup_has "$need" && continue
		case $2 in
		apt-get) package=$apt ;;
		dnf) package=$dnf ;;
		pacman) package=$pacman ;;
		brew) package=$brew ;;
		*) package=${need#*:} ;;
		esac
		[ "$package" = - ] || echo "$package"
	done | awk '!seen[$0]++' | tr '\n' ' ' | sed 's/ $//'
}

# What stands before a command of root's, as this user.
setup_sudo() {
	if [ "$(id -u)" -ne 0 ] && command -v sudo >/dev/null 2>&1; then
		echo sudo
	fi
}

# Can packages be installed from here, perhaps after asking for a password?
setup_may_install() {
	case $1 in
	'') return 1 ;;
	brew) return 0 ;;
	esac
	[ "$(id -u)" -eq 0 ] && return 0
	[ -n "$(setup_sudo)" ] || return 1
	# The password is asked for on the terminal, whatever standard input is.
	[ -t 2 ] || sudo -n true 2>/dev/null
}

# setup_command MANAGER PACKAGE...: the words that install them.
setup_command() {
	manager=$1
	shift
	case $manager in
	apt-get) echo "apt-get install -y --no-install-recommends $*" ;;
	dnf) echo "dnf install -y $*" ;;
	pacman) echo "pacman -S --noconfirm --needed $*" ;;
	brew) echo "brew install $*" ;;
	esac
}

# setup_install MANAGER PACKAGE...: the words are split on purpose.
setup_install() {
	sudo=$(setup_sudo)
	[ "$1" = brew ] && sudo=
	command=$(setup_command "$@")
	[ "$1" = apt-get ] && command="env DEBIAN_FRONTEND=noninteractive $command"
	$sudo $command >&2 || {
		[ "$1" = apt-get ] && $sudo apt-get update >&2 && $sudo $command >&2
	}
}

# setup_by_hand MANAGER PACKAGE...: the line to copy.
setup_by_hand() {
	sudo=$(setup_sudo)
	sudo=${sudo:+$sudo }
	[ "$1" = brew ] && sudo=
	case $1 in
	'') echo "    (with your system's package manager) $2" ;;
	apt-get) echo "    ${sudo}apt-get update && $sudo$(setup_command "$@")" ;;
	*) echo "    $sudo$(setup_command "$@")" ;;
	esac >&2
}

# setup_try MANAGER REQUIRED EXTRAS: installs what can be. The extras that could not be are noted, so
# that they are not asked for each time.
setup_try() {
	setup_say "installing: $2${2:+ }$3"
	setup_install "$1" $2 $3 || { [ -n "$2" ] && [ -n "$3" ] && setup_install "$1" $2; }
	left=$(setup_missing "$optional" "$1")
	mkdir -p build 2>/dev/null && echo "$left" 2>/dev/null >build/extras-tried
}

# setup_packages LEVEL...: makes sure that the needs of the levels are met, or ends the script.
setup_packages() {
	manager=$(setup_manager)
	optional=extra
	case " $* " in *" all "*) optional='extra slurm' ;; esac
	missing=$(setup_missing "$*" "$manager")
	extras=$(setup_missing "$optional" "$manager")
	[ "$extras" != "$(cat build/extras-tried 2>/dev/null)" ] || extras=
	[ -n "$missing$extras" ] || return 0
	if setup_may_install "$manager"; then
		setup_try "$manager" "$missing" "$extras"
		missing=$(setup_missing "$*" "$manager")
	elif [ -z "$missing" ]; then
		setup_say "not installed, and not required: $extras. To install:"
		setup_by_hand "$manager" "$extras"
	fi
	[ -n "$missing" ] || return 0
	# Of the level all, gates and compilers skip what is not there; so do the tests of the wheel.
	required=$(for level in "$@"; do
		case $level in all | wheel | checkout) ;; *) setup_missing "$level" "$manager" ;; esac
	done)
	[ -n "$required" ] || {
		setup_say "still missing, so some tests are skipped: $missing"
		return 0
	}
	setup_say "packages are missing. Install them$(
		[ -n "$(setup_sudo)" ] || [ "$(id -u)" -eq 0 ] || echo ' as root'
	), then run this again:"
	setup_by_hand "$manager" "$missing${extras:+ $extras}"
	exit 1
}

setup_jobs() {
	getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# setup_writable PATH: PATH, or the nearest directory above it that is there, can be written.
setup_writable() {
	path=$1
	while [ ! -e "$path" ]; do
		path=$(dirname "$path")
	done
	[ -w "$path" ] && return 0
	owner=$(ls -ld "$path" | awk '{ print $3 }')
	if [ "$path" = . ]; then
		setup_say "$PWD belongs to $owner, and you may not write there. Make a copy of your own:"
		echo "    cp -R '$PWD' ~/tracecoach && sh ~/tracecoach/scripts/$(basename "$0")" >&2
	else
		setup_say "$PWD/$path belongs to $owner, and you may not write there. Remove the build:"
		echo "    sudo rm -rf '$PWD/build'" >&2
	fi
	return 1
}

# setup_cached DIRECTORY NAME: the directory that CMake noted, without symbolic links.
setup_cached() {
	noted=$(sed -n "s/^$2:INTERNAL=//p" "$1/CMakeCache.txt")
	cd -P "$noted" 2>/dev/null && pwd -P
}

# A build belongs to the place where it was configured; in a checkout that was moved or copied it
# is made again. What it knows of the old place must not mix with the new.
setup_drop_moved() {
	[ -f "$1/CMakeCache.txt" ] || return 0
	here=$(pwd -P)
	[ "$(setup_cached "$1" CMAKE_HOME_DIRECTORY)" = "$here" ] &&
		[ "$(setup_cached "$1" CMAKE_CACHEFILE_DIR)" = "$(cd -P "$1" && pwd -P)" ] && return 0
	setup_say "$1 was built in another directory: building it again"
	rm -rf "$1"
}

# setup_build DIRECTORY CMAKE-OPTION...: configures, then builds what changed, as much as can be.
setup_build() {
	directory=$1
	shift
	for path in "$directory" "$directory/CMakeCache.txt" "$directory.log"; do
		setup_writable "$path" || return 1
	done
	mkdir -p "$(dirname "$directory")" || return 1
	setup_drop_moved "$directory"
	first=
	[ -f "$directory/CMakeCache.txt" ] || first=yes
	[ -z "$first" ] || setup_say "building in $directory: a minute or two, once"
	cmake -S . -B "$directory" -G 'Unix Makefiles' "$@" >"$directory.log" 2>&1 &&
		make -C "$directory" -k -j "$(setup_jobs)" >>"$directory.log" 2>&1 || {
		grep -E 'error|Error|warning:|undefined' "$directory.log" | head -20 >&2
		setup_say "cannot build; all of the output is in $directory.log"
		return 1
	}
	[ -z "$first" ] || sed -n "s|^-- \(without .*\)|$0: built \1|p" "$directory.log" >&2
}
