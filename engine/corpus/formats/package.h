/* package.h: documents that are a zip of files: books, word processors' files. Its names are listed once; files are
 * unpacked into memory when they are wanted, within limits.
 * May use: base, archive, charset, formats.h, utf8proc. */
#ifndef DRT_CORPUS_FORMATS_PACKAGE_H
#define DRT_CORPUS_FORMATS_PACKAGE_H

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/formats.h"

/* A file of the package. */
typedef struct {
    drt_string name; /* as drt_archive_member.path */
    drt_buffer data; /* when it was wanted */
    bool wanted, read;
    bool damaged; /* data are what could be read */
    bool locked;  /* encrypted, by the zip or in a way that the format has */
} drt_package_file;

/* A file by its name without what careless writers confuse: case, the kind of slash, composed letters. */
typedef struct {
    drt_string name;
    drt_package_file *file;
} drt_package_fold;

typedef struct {
    drt_context *context;
    const drt_format_input *input;
    drt_package_file *files; /* in the zip's order */
    size_t n_files;
    drt_package_file **index; /* by name */
    drt_package_fold *folded; /* by folded name */
    size_t n_folded;
    int64_t unpacked;
} drt_package;

/* Lists the files of input and reads those whose names `wanted` chooses. DRT_FAILED: cancelled, or damaged (drt_error: a
 * sentence); what was found until then is there. */
drt_status drt_package_open(drt_package *package, drt_context *context, const drt_format_input *input,
                            bool (*wanted)(const char *name, size_t length));
void drt_package_close(drt_package *package);
/* Reads the files that were marked as wanted meanwhile. Errors as above. */
drt_status drt_package_read(drt_package *package);
/* The file of that name; NULL: none. */
drt_package_file *drt_package_find(const drt_package *package, const char *name, size_t length);
/* The file that a reference names which is relative to a folder ("word/", or "" of length 0): its fragment doesn't count, percent
 * signs are escapes, or else what they are. Where there is no such file: one whose name differs in case, in the kind of slash or in
 * how letters are composed; then the same from the package's root. *file NULL: there is none. false: out of memory. */
bool drt_package_refer(const drt_package *package, const char *folder, size_t folder_length,
                       const drt_string *reference, drt_package_file **file);
/* Appends a file of markup as UTF-8, by the encoding that it declares. */
drt_status drt_package_decode(const drt_package *package, const drt_package_file *file, drt_buffer *out,
                              drt_charset_facts *facts);

#endif
