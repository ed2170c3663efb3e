#include "base/sh.h"

#include <string.h>

#include "base/clean.h"

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define MARK  '\x01' /* no clean text has it */

enum { NOTE_MAX = 80 };

static bool has_char(const char *set, char c)
{
	return c && strchr(set, c);
}

/* `also`: a character that is fit too; other: stands for what is not. */
static const char *note_chars(struct arena *a, const char *z, char also, char other)
{
	struct sv in = sv_of(z);
	struct str s = { 0 };
	uint32_t code;

	for (size_t at = 0, len; at < in.n && s.n < NOTE_MAX; at += len) {
		len = sv_utf8(in.p + at, in.n - at, &code);
		struct sv one = { in.p + at, len };
		if (len == 1 && (has_char(ALNUM " ._:/@+=,%-", *one.p) || (also && *one.p == also)))
			str_addc(&s, *one.p);
		else if (len > 1 && sv_is_clean(one))
			str_addsv(&s, one);
		else
			str_addc(&s, other);
		if (!len)
			len = 1;
	}
	const char *ret = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return ret;
}

const char *sh_note(struct arena *a, const char *z)
{
	return note_chars(a, z, 0, '_');
}

const char *sh_pattern(struct arena *a, const char *z)
{
	return note_chars(a, z, '*', '?');
}

const char *sh_unsafe(struct arena *a, const char *z)
{
	return arena_printf(a, "%c%s%c", MARK, sh_note(a, z), MARK);
}

const char *sh_word(struct arena *a, const char *z)
{
	struct sv in = sv_of(z);
	struct str s = { 0 };

	if (in.n > SH_WORD_MAX || !sv_is_clean(in))
		return sh_unsafe(a, z);
	if (has_char(ALNUM "/._-", *z) && !z[strspn(z, ALNUM "_.:/@+,=-")])
		return arena_strn(a, z, in.n);
	str_addc(&s, '\'');
	for (; *z; z++)
		if (*z == '\'')
			str_addz(&s, "'\\''");
		else
			str_addc(&s, *z);
	str_addc(&s, '\'');
	const char *ret = arena_strn(a, s.p, s.n);
	str_free(&s);
	return ret;
}

bool sh_name_ok(const char *z, const char *more)
{
	bool begins = has_char(ALNUM, *z) || (*z == '/' && has_char(more, '/'));

	for (const char *p = z; *p; p++)
		if (!has_char(ALNUM, *p) && !has_char(more, *p))
			return false;
	return begins && strlen(z) <= SH_WORD_MAX && !strstr(z, "://");
}

const char *sh_show(struct arena *a, const char *z)
{
	const char *word = sh_word(a, z);

	if (*word == MARK)
		return sh_note(a, z);
	return word;
}

const char *sh_line(struct arena *a, const char *line)
{
	bool clean = sv_is_clean(sv_of(line));

	if (clean && (line[0] != '#' || !strpbrk(line, ";|&")))
		return line;
	if (clean) {
		/* what ends a command would begin another where "#" is a word like any other */
		char *ret = arena_printf(a, "%s", line);
		for (char *p = ret; (p = strpbrk(p, ";|&")); p++)
			*p = ',';
		return ret;
	}

	struct str s = { 0 };
	for (const char *p = line; *p; p++) /* without the marks around what sh_unsafe() made */
		if (*p != MARK)
			str_addc(&s, *p);
	const char *ret = arena_printf(
		a, "# left out, as a name in it cannot be given to the command safely: %s",
		sh_note(a, str_z(&s)));
	str_free(&s);
	return ret;
}
