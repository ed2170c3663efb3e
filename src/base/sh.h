#ifndef TARE_BASE_SH_H
#define TARE_BASE_SH_H
/*
 * Lines that are printed to be pasted into a shell, with names from bills, job lists and clusters
 * in them. What is made here means the same in sh (dash), bash and zsh, in a script and at a
 * terminal: there zsh takes "#" for a word like any other (interactivecomments is off), "=ls" for a
 * path, and both replace "!". So comments are lines of their own, and names in them are notes.
 *
 * A name that cannot be said makes its line a comment: sh_word() marks it, and
 * sh_line(), through which every line goes, sees the mark. Nobody has to ask.
 */
#include <stdbool.h>
#include "base/mem.h"

/* One argument, whatever it is: as it stands where it is plain, else in single quotes. Marked:
 * control characters, broken UTF-8, what hides or turns text, more than SH_WORD_MAX bytes. A
 * leading "-" is the caller's matter. */
#define SH_WORD_MAX 1000
const char *sh_word(struct arena *a, const char *z);

/*
 * Whether z may be the name of a thing for a tool that has no "--" to end its options or takes more
 * than names (file://, @file, a,b, *): letters, digits and those in `more` alone, the first of them
 * a letter or digit, or "/" where that is in more. Where it may not, say sh_unsafe(z) instead.
 */
bool sh_name_ok(const char *z, const char *more);
/* of Kubernetes, of hosts and of Slurm (where ALL is every node): no lists, no patterns */
#define SH_HOST "-._"
/* of clouds: ids, zones, types */
#define SH_CLOUD "-._:/@+"

/* Marked all the same: for names that are more than one thing to their tool. */
const char *sh_unsafe(struct arena *a, const char *z);

/* For reading: sh_word(), and where that is marked, the note. */
const char *sh_show(struct arena *a, const char *z);

/* In a comment: letters, digits, blanks and ._:/@+=,%- stay, all else becomes "_"; at most 80
 * bytes. */
const char *sh_note(struct arena *a, const char *z);
/* The same for a pattern of * and ?: a character that is not fit is ?, so that it still matches. */
const char *sh_pattern(struct arena *a, const char *z);

/* The line, or where a name in it is marked (or anything else in it is not fit to be seen) a
 * comment that says so. */
const char *sh_line(struct arena *a, const char *line);

#endif
