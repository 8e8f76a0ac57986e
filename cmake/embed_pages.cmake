# Writes the pages *.md of the directory IN to OUT as the table tc_pages of cmd/page.h, in the order
# of their names.
file(GLOB pages ${IN}/*.md)
list(SORT pages)
foreach(page ${pages})
	get_filename_component(id ${page} NAME_WE)
	string(MAKE_C_IDENTIFIER ${id} symbol)
	file(READ ${page} hex HEX)
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
	string(APPEND arrays "static const char ${symbol}[] = {\n${bytes}0x00};\n")
	string(APPEND rows "\t{\"${id}\", ${symbol}},\n")
endforeach()
file(WRITE ${OUT} "#include \"page.h\"\n\n${arrays}\nconst struct tc_page tc_pages[] = {\n${rows}\t{0, 0}};\n")
