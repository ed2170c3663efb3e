#ifndef TARE_BASE_YAML_H
#define TARE_BASE_YAML_H
/*
 * YAML documents (libyaml) as a read-only tree that remembers line numbers, for configs and maps.
 * One document a file; anchors, aliases, tags, merge keys, keys that are no plain text and a key
 * twice in a mapping are refused; depth at most 32, size at most 4 MiB. Every value is text; an
 * unquoted null, ~ or nothing at all is YAML_NULL.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/dec.h"
#include "base/err.h"
#include "base/str.h"

enum yaml_type { YAML_NULL, YAML_TEXT, YAML_SEQ, YAML_MAPPING };

struct yaml {
	enum yaml_type type;
	const char *text;   /* YAML_TEXT; never holds a NUL character; NULL for other types */
	const char *key;    /* name when it is a member of a mapping */
	int line;           /* from 1 */
	struct yaml *child; /* first member or item */
	struct yaml *next;  /* next sibling */
};

struct yaml_doc; /* owns the tree */
/* Both return -EINVAL with name and line for what is no YAML of that kind; an empty document has a
 * root of YAML_NULL. */
int yaml_load(const char *path, struct yaml_doc **ret, struct err *err);
int yaml_parse(const char *name, struct sv text, struct yaml_doc **ret, struct err *err);
const struct yaml *yaml_root(const struct yaml_doc *d);
const char *yaml_name(const struct yaml_doc *d);
uint64_t yaml_digest(const struct yaml_doc *d); /* of the text as it was read */
void yaml_doc_free(struct yaml_doc *d);         /* NULL is fine */
/* inline: libyaml has a function of its own behind this name */
static inline void yaml_free(struct yaml_doc *d)
{
	yaml_doc_free(d);
}

/* NULL if absent or map is NULL or no mapping */
const struct yaml *yaml_get(const struct yaml *map, const char *key);
/* Values by key; absent or null leaves *ret as it is and returns 0; wrong type or range is -EINVAL
 * naming file, line and key. */
int yaml_text(const struct yaml_doc *d, const struct yaml *map, const char *key, const char **ret,
	      struct err *err);
struct yaml_range {
	int64_t lo, hi;
};
int yaml_i64(const struct yaml_doc *d, const struct yaml *map, const char *key,
	     struct yaml_range range, int64_t *ret, struct err *err);
int yaml_dec(const struct yaml_doc *d, const struct yaml *map, const char *key, dec *ret,
	     struct err *err);
/* true, false, yes, no, on, off */
int yaml_bool(const struct yaml_doc *d, const struct yaml *map, const char *key, bool *ret,
	      struct err *err);
/* -EINVAL: "'FILE' line N: 'KEY' must be WANTED, not ..." with what y is. */
int yaml_bad_value(const struct yaml_doc *d, const struct yaml *y, struct err *err,
		   const char *wanted);
/* 0 where map is NULL or null; -EINVAL where it is no mapping. Else -EINVAL naming the first key of
 * map that is not in allowed (NULL-terminated), with the nearest allowed one as hint. */
int yaml_check_keys(const struct yaml_doc *d, const struct yaml *map, const char *const *allowed,
		    struct err *err);

#endif
