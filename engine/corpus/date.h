/* date.h: dates as people and programs write them, as ISO 8601 has them.
 * May use: libc. */
#ifndef DRT_CORPUS_DATE_H
#define DRT_CORPUS_DATE_H

#include <stdbool.h>
#include <stddef.h>

/* "2019-05-17T10:00:00Z", "D:20190517", "2019/5/17", "Fri, 17 May 2019 10:20", "May 17th, 2019" -> "2019-05-17"; "May 2019"
 * -> "2019-05"; "2019" -> itself. false: it isn't clear which day, month or year is meant ("3/4/2019", "Spring 2019"). */
bool drt_date_iso(const char *data, size_t length, char iso[11]);

#endif
