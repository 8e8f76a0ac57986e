# Prints FILE:LINE:command:NAME for each word of a shell script that stands where a command does and is
# written out, without quotes and variables, and FILE:LINE:function:NAME for each function.
#
# What is open (a list of commands, a text in quotes, a "case", ...) lies on a stack. A list has a word
# that is being read, and a mode that says what the next word is:
#   command    the first word of a command           argument   one of those behind it
#   prefixed   of env, exec and so on: options, numbers and assignments, then a command
#   label      of t_ok: a label, then a command      script     of sh -c: a list in single quotes
#   subject    between "case" and "in"               pattern    from there, and from ";;" on, to ")"
function push(what, is) {
	open[++depth] = what
	mode[depth] = is
	word[depth] = target[depth] = ""
	quoted[depth] = 0
}
function is_list() {
	return open[depth] ~ /^(list|script|case)$/
}
function say(kind, text) {
	print FILENAME ":" FNR ":" kind ":" text
}
# The word is at its end.
function finish(    text, plain) {
	text = word[depth]
	if (text == "" && !quoted[depth])
		return
	plain = !quoted[depth] && text ~ /^[A-Za-z_][A-Za-z0-9_.+-]*$/
	word[depth] = ""
	quoted[depth] = 0
	if (target[depth] == "<<")
		ends[++end_count] = text
	if (target[depth] == "")
		take(text, plain)
	target[depth] = ""
}
function take(text, plain) {
	if (mode[depth] == "subject" && plain && text == "in")
		mode[depth] = "pattern"
	else if (plain && text == "esac" && mode[depth] ~ /^(subject|pattern|command)$/)
		leave_case()
	else if (mode[depth] == "label")
		mode[depth] = "command"
	else if (mode[depth] == "argument" && text == "-exec")
		mode[depth] = "command"
	else if (mode[depth] == "argument" && text == "-c" && name[depth] ~ /^(ba)?sh$/)
		mode[depth] = "script"
	else if (mode[depth] == "prefixed" && text ~ /^-[vV]$/) # command -v asks, and calls nothing
		mode[depth] = "argument"
	else if (mode[depth] ~ /^(command|prefixed)$/)
		take_first(text, plain)
}
function take_first(text, plain) {
	if (text ~ /^[A-Za-z_][A-Za-z0-9_]*=/ || (mode[depth] == "prefixed" && text ~ /^[-0-9]/))
		return
	if (text ~ /^([!{]|if|then|elif|else|while|until|do)$/) {
		mode[depth] = "command"
		return
	}
	mode[depth] = "argument"
	if (!plain || text ~ /^(for|fi|done)$/)
		return
	if (text == "case") {
		push("case", "subject")
		return
	}
	say("command", text)
	name[depth] = text
	if (text ~ /^(env|exec|command|nice|nohup|sudo|timeout|xargs|chroot)$/)
		mode[depth] = "prefixed"
	else if (text == "t_ok")
		mode[depth] = "label"
}
function leave_case() {
	mode[--depth] = "argument"
}
# Reads what is at the beginning of rest, c and d, in a list of commands; returns how many characters.
function read_list(c, d) {
	if (c ~ /[ \t]/)
		finish()
	else if (c == "#" && word[depth] == "" && !quoted[depth])
		return length(rest)
	else if (c == "'" && open[depth] == "script") {
		finish()
		depth--
	} else if (c == "'" && mode[depth] == "script") {
		mode[depth] = "argument"
		push("script", "command")
	} else if (c ~ /['"]/) {
		quoted[depth] = 1
		push(c, "")
	} else if (c ~ /[<>]/)
		return read_redirection(c, d)
	else if (c ~ /[;|&()]/)
		return read_operator(c, d)
	else
		return read_other(c, d)
	return 1
}
function read_redirection(c, d) {
	if (word[depth] ~ /^[0-9]$/)
		word[depth] = ""
	finish()
	target[depth] = c d == "<<" ? "<<" : c
	return d == c || d == "&" ? 2 : 1
}
function read_operator(c, d) {
	if (c d == "()" && word[depth] != "") {
		say("function", word[depth])
		word[depth] = ""
		mode[depth] = "command"
		return 2
	}
	finish()
	if (c d == ";;") {
		mode[depth] = "pattern"
		return 2
	}
	if (mode[depth] == "pattern")
		mode[depth] = c == ")" ? "command" : "pattern"
	else if (c == "(")
		push("list", "command")
	else if (c == ")")
		depth--
	else
		mode[depth] = "command"
	return 1
}
# In a text, ${...} or $((...)).
function read_text(c, d) {
	if (c == open[depth] || (c == ")" && open[depth] == "((")) {
		depth--
		return 1
	}
	if (open[depth] == "'") {
		word[depth - 1] = word[depth - 1] c # a mark of lines to come, <<'END'
		return 1
	}
	if ((open[depth] == "}" && c == "\"") || (open[depth] == "((" && c == "(")) {
		push(c == "(" ? "((" : c, "")
		return 1
	}
	return read_other(c, d)
}
# What is the same wherever it stands.
function read_other(c, d) {
	if (c == "\\") {
		quoted[depth] = quoted[depth] || d != ""
		return 2
	}
	if (c d !~ /^\$[({]$/) {
		word[depth] = word[depth] c
		return 1
	}
	quoted[depth] = 1
	if (substr(rest, 3, 1) == "(" && d == "(") {
		push("((", "")
		push("((", "")
		return 3
	}
	push(d == "(" ? "list" : "}", "command")
	return 2
}
function demand_closed() {
	if (depth > 1)
		print file ":" line ":open:tools/commands.awk cannot read this: " open[depth] " is not closed"
}
FNR == 1 {
	demand_closed()
	depth = end_count = 0
	push("list", "command")
}
{
	file = FILENAME
	line = FNR
}
end_count > 0 {
	sub(/^\t*/, "")
	if ($0 == ends[1]) {
		for (i = 1; i < end_count; i++)
			ends[i] = ends[i + 1]
		end_count--
	}
	next
}
{
	for (rest = $0; rest != ""; rest = substr(rest, used + 1)) {
		c = substr(rest, 1, 1)
		d = substr(rest, 2, 1)
		used = is_list() ? read_list(c, d) : read_text(c, d)
	}
	if (is_list() && $0 !~ /\\$/) {
		finish()
		if (mode[depth] !~ /^(subject|pattern)$/)
			mode[depth] = "command"
	}
}
END {
	demand_closed()
}
