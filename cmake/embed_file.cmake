# Writes the files IN, with an empty line between them, as a C byte array named SYMBOL to OUT; the
# array ends with a NUL.
foreach(file ${IN})
	file(READ ${file} text HEX)
	list(APPEND texts ${text})
endforeach()
list(JOIN texts 0a hex)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0x00};\n")
