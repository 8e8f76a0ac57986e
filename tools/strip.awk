# Prints "FILE:LINE:CODE" for C files, with comments and the contents of strings and character
# constants blanked, so that a gate looks at code only.
FNR == 1 { comment = 0 }
{
	out = ""
	n = length($0)
	for (i = 1; i <= n; i++) {
		c = substr($0, i, 1)
		two = substr($0, i, 2)
		if (comment) {
			if (two == "*/") {
				comment = 0
				i++
			}
		} else if (two == "/*") {
			comment = 1
			i++
		} else if (two == "//") {
			break
		} else if (c == "\"" || c == "'") {
			out = out c
			for (i++; i <= n && substr($0, i, 1) != c; i++)
				if (substr($0, i, 1) == "\\")
					i++
			out = out c
		} else {
			out = out c
		}
	}
	print FILENAME ":" FNR ":" out
}
