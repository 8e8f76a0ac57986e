# Writes the files IN/*ENDING to OUT as the table SYMBOL of struct tc_embedded (core/embedded.h), in
# the order of their names.
file(GLOB files ${IN}/*${ENDING})
list(SORT files)
foreach(file ${files})
	get_filename_component(name ${file} NAME_WE)
	string(MAKE_C_IDENTIFIER text_${name} symbol)
	file(READ ${file} hex HEX)
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
	string(APPEND arrays "static const char ${symbol}[] = {\n${bytes}0x00};\n")
	string(APPEND rows "\t{\"${name}\", ${symbol}, sizeof(${symbol}) - 1},\n")
endforeach()
file(WRITE ${OUT} "#include \"core/embedded.h\"\n\nextern const struct tc_embedded ${SYMBOL}[];\n"
	"${arrays}\nconst struct tc_embedded ${SYMBOL}[] = {\n${rows}\t{NULL, NULL, 0}};\n")
