# Does what the recipes of docs/contributing.md say, in the current directory. A marker in a comment
# stands before each fenced block: file:PATH writes it, append:PATH, before:PATH:TEXT and
# after:PATH:TEXT (the statement that holds the text) add it, run:NAME prints it as commands.
function indentation(line) {
	match(line, /^ */)
	return RLENGTH
}
function finish(    line, lines, n, i, done) {
	if (kind == "run") {
		printf "%s", block
		return
	}
	if (kind == "file" || kind == "append") {
		if (kind == "file")
			printf "%s", block >path
		else
			printf "%s", block >>path
		close(path)
		return
	}
	n = 0
	while ((getline line <path) > 0)
		lines[++n] = line
	close(path)
	for (i = 1; i <= n; i++) {
		if (!done && kind == "before" && index(lines[i], text)) {
			printf "%s", block >path
			done = 1
		}
		print lines[i] >path
		if (!done && kind == "after" && (index(lines[i], text) || pending)) {
			pending = lines[i] !~ /;$/
			if (!pending) {
				printf "%s", block >path
				done = 1
			}
		}
	}
	close(path)
	if (!done) {
		print "contributing.md: " path " has no '" text "'" >"/dev/stderr"
		exit 1
	}
}
/<!-- (file|append|before|after|run):/ {
	marker = $0
	sub(/.*<!-- /, "", marker)
	sub(/ -->.*/, "", marker)
	kind = marker
	sub(/:.*/, "", kind)
	path = substr(marker, length(kind) + 2)
	text = ""
	if (kind == "before" || kind == "after") {
		text = path
		sub(/[^:]*:/, "", text)
		sub(/:.*/, "", path)
	}
	marked = 1
	next
}
marked && /^ *```/ {
	if (inside) {
		finish()
		marked = inside = 0
	} else {
		inside = 1
		block = ""
		indent = indentation($0)
	}
	next
}
inside { block = block substr($0, indent + 1) "\n" }
