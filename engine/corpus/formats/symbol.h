/* symbol.h: the font Symbol, whose letters are Greek and whose other signs are those of formulas: Word and RTF still use it.
 * May use: base. */
#ifndef DRT_CORPUS_FORMATS_SYMBOL_H
#define DRT_CORPUS_FORMATS_SYMBOL_H

#include <stdint.h>

/* The character that the font shows for a byte; 0: nothing that is a letter or a sign of text. */
uint32_t drt_symbol_character(unsigned char byte);

#endif
