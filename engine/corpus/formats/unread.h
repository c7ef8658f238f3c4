/* unread.h: what files look like that are recognised but not read, so that the reason for skipping one can say what it is
 * and what helps. Each tells by the first bytes, and where their marks are short by the name too.
 * May use: formats.h. */
#ifndef DRT_CORPUS_FORMATS_UNREAD_H
#define DRT_CORPUS_FORMATS_UNREAD_H

#include "engine/corpus/formats/formats.h"

bool drt_unread_is_locked_office(const drt_format_probe *probe); /* with a password */
bool drt_unread_is_outlook(const drt_format_probe *probe);
bool drt_unread_is_old_office(const drt_format_probe *probe);
bool drt_unread_is_mobi(const drt_format_probe *probe);
bool drt_unread_is_ebook(const drt_format_probe *probe);
bool drt_unread_is_djvu(const drt_format_probe *probe);
bool drt_unread_is_postscript(const drt_format_probe *probe);
bool drt_unread_is_web_archive(const drt_format_probe *probe);
bool drt_unread_is_encrypted(const drt_format_probe *probe);
bool drt_unread_is_image(const drt_format_probe *probe);
bool drt_unread_is_media(const drt_format_probe *probe);
bool drt_unread_is_program(const drt_format_probe *probe);
bool drt_unread_is_database(const drt_format_probe *probe);
bool drt_unread_is_archive(const drt_format_probe *probe);
/* A piece of an archive that was cut into several: its name says so. */
bool drt_unread_is_piece(const char *name, size_t length);

#endif
