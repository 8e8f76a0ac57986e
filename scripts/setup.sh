# Shared by run-example and run-tests: system packages, and builds. Sourced with the repository
# root as current directory. Looks for the tools themselves first, so that nothing is downloaded
# when all is there; else asks the system's package manager, with sudo only when we are not root.

# What is needed, for which level, and its package: level, test, apt, dnf, pacman, brew.
# test is cmd:PROGRAM, pc:PKG-CONFIG NAME or h:HEADER; "-" means that the system has it, or has no
# package.
setup_needs='
run    cmd:cc            gcc               gcc                 gcc         -
run    cmd:make          make              make                make        -
run    cmd:cmake         cmake             cmake               cmake       cmake
run    cmd:pkg-config    pkg-config        pkgconf-pkg-config  pkgconf     pkg-config
run    pc:yajl           libyajl-dev       yajl-devel          yajl        yajl
run    pc:sqlite3        libsqlite3-dev    sqlite-devel        sqlite      sqlite
run    pc:zlib           zlib1g-dev        zlib-devel          zlib        zlib
run    pc:popt           libpopt-dev       popt-devel          popt        popt
run    h:csv.h           libcsv-dev        libcsv-devel        -           libcsv
run    pc:inih           libinih-dev       inih-devel          libinih     inih
tests  pc:cmocka         libcmocka-dev     libcmocka-devel     cmocka      cmocka
all    cmd:clang         clang             clang               clang       -
all    cmd:pmccabe       pmccabe           -                   -           pmccabe
all    cmd:clang-format  clang-format      clang-tools-extra   clang       clang-format
'
# Fine to have, installed along with the first missing package: reads .gz fast and .zst at all, makes
# the man page.
setup_extras_apt='libc6-dev libisal-dev libzstd-dev scdoc'
setup_extras_dnf='isa-l-devel libzstd-devel scdoc'
setup_extras_pacman='isa-l zstd scdoc'
setup_extras_brew='isa-l zstd scdoc'

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
	h:*) echo "#include <${1#h:}>" | cc -E -x c - >/dev/null 2>&1 ;;
	esac
}

# setup_missing LEVELS MANAGER: prints the packages of needs that are not met.
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
	done
}

setup_as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
		sudo "$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo -n "$@"
	else
		setup_say "not root and no sudo: cannot run '$*'"
		return 1
	fi
}

setup_install() { # setup_install MANAGER PACKAGE...
	manager=$1
	shift
	case $manager in
	apt-get)
		set -- setup_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
			--no-install-recommends "$@"
		"$@" || { setup_as_root apt-get update && "$@"; }
		;;
	dnf) setup_as_root dnf install -y "$@" ;;
	pacman) setup_as_root pacman -S --noconfirm --needed "$@" ;;
	brew) brew install "$@" ;;
	*) return 1 ;;
	esac
}

# setup_packages LEVEL...: makes sure that the needs of the levels are met, or ends the script.
setup_packages() {
	manager=$(setup_manager)
	missing=$(setup_missing "$*" "$manager")
	[ -n "$missing" ] || return 0
	setup_say "installing:" $missing
	case $manager in
	apt-get) extras=$setup_extras_apt ;;
	dnf) extras=$setup_extras_dnf ;;
	pacman) extras=$setup_extras_pacman ;;
	brew) extras=$setup_extras_brew ;;
	*) extras= ;;
	esac
	# Words are split on purpose; the second try is without what we can do without.
	setup_install "$manager" $missing $extras >&2 || setup_install "$manager" $missing >&2 || :
	missing=$(setup_missing "$*" "$manager")
	case " $* " in
	*" all "*) required=$(setup_missing "run tests" "$manager") ;;
	*) required=$missing ;;
	esac
	[ -z "$missing" ] || setup_say "still missing:" $missing
	[ -z "$required" ] || {
		setup_say "install these by hand and run again:" $required
		exit 1
	}
}

setup_jobs() {
	getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# setup_build DIRECTORY CMAKE-OPTION...: configures, then builds what changed, as much as can be.
setup_build() {
	directory=$1
	shift
	[ -f "$directory/CMakeCache.txt" ] || setup_say "building in $directory: a minute or two, once"
	cmake -S . -B "$directory" -G 'Unix Makefiles' "$@" >"$directory.log" 2>&1 &&
		make -C "$directory" -k -j "$(setup_jobs)" >>"$directory.log" 2>&1 || {
		grep -E 'error|Error|warning:|undefined' "$directory.log" | head -20 >&2
		setup_say "cannot build; all of the output is in $directory.log"
		return 1
	}
}
