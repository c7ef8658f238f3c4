// tokenizer.cc: sentencepiece behind tokenizer.h. The only file that includes sentencepiece.
#include "tokenizer/tokenizer.h"
