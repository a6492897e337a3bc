# Writes the 32-bit words of SPIRV as a C initializer to WORDS.
file(READ ${SPIRV} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${bytes}")
string(REGEX REPLACE "(0x........,0x........,0x........,0x........,0x........,0x........,0x........,0x........,)" "\\1\n" words "${words}")
file(WRITE ${WORDS} "${words}\n")
