# Shared by the check-* scripts, which source it after changing to the repository root.
#
# gate_files DIR...   C files below the directories, sorted
# gate_report GATE    reads findings "FILE:LINE:KEY:MESSAGE", drops those listed in
#                     tools/exceptions, prints the rest as "FILE:LINE: MESSAGE", and complains
#                     about exceptions that are not needed. Status 1 when anything was printed.
# MESSAGEs that start with "warning" are printed and do not fail.

gate_files() {
	find "$@" \( -name '*.c' -o -name '*.h' \) -type f | LC_ALL=C sort
}

gate_report() {
	LC_ALL=C awk -v gate="$1" '
	FILENAME != "-" {
		if ($1 == gate) {
			excepted[$2] = FNR
		}
		next
	}
	{
		file = $0; sub(/:.*/, "", file)
		rest = substr($0, length(file) + 2)
		line = rest; sub(/:.*/, "", line)
		rest = substr(rest, length(line) + 2)
		key = rest; sub(/:.*/, "", key)
		message = substr(rest, length(key) + 2)
		if ((file ":" key) in excepted) {
			used[file ":" key] = 1
			next
		}
		print file ":" line ": " message
		if (message !~ /^warning/)
			failed = 1
	}
	END {
		for (name in excepted) {
			if (name in used)
				continue
			print "tools/exceptions:" excepted[name] ": " name \
				" needs no exception: remove the line"
			failed = 1
		}
		exit failed
	}' tools/exceptions -
}
