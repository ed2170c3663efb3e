#ifndef TARE_FEED_MAP_H
#define TARE_FEED_MAP_H
/* Inside of maps, shared by map.c (reading the YAML) and map_tab.c (rows through a map);
 * docs/MAPS.md is the format. */
#include "base/yaml.h"
#include "feed/feed.h"

#define MAP_MAX_TARGETS 64
#define MAP_MAX_CONDS   8
#define MAP_MAX_PARTS   9

/* A condition on a cell of the file. */
struct map_cond {
	const char *column;
	enum { COND_BLANK, COND_NOT_BLANK, COND_IS, COND_IS_NOT } op;
	const char **word; /* [nword], any of them */
	size_t nword;
};
struct map_conds { /* all of them hold */
	struct map_cond v[MAP_MAX_CONDS];
	size_t n;
};

struct map_skip {
	struct map_conds when;
	const char *key, *reason; /* key: column whose cell names the row, or NULL */
};

enum time_format { TIME_NONE, TIME_RFC3339, TIME_MDY, TIME_DMY, TIME_NUMBER };
struct map_time {
	enum time_format format;
	int64_t unit_ms; /* of TIME_NUMBER */
};

struct map_part { /* of a text: a literal, a column, or the line number */
	enum { PART_TEXT, PART_COLUMN, PART_LINE } kind;
	const char *text;
};

/* One column that comes out. */
struct map_target {
	const char *name, *from, *fill; /* fill: taken for blank cells, in the file's own terms */
	struct map_part part[MAP_MAX_PARTS];
	size_t npart;
	bool optional, set;      /* set: a constant that --set may replace */
	struct map_time time[4]; /* tried in turn */
	size_t ntime;
	int64_t origin_ms;
	const char *plus; /* column with a duration that is added to the time */
	int64_t plus_unit_ms;
	const char *times; /* column whose number it is multiplied by */
	bool number;
	unsigned dec_flags;
	dec factor; /* after num/den */
	int64_t num, den;
	const char **word; /* [2 * nword] pairs: theirs, ours */
	size_t nword;
	struct map_conds when;
};

struct feed_map {
	struct arena mem;
	struct yaml_doc *doc;
	struct str text;
	const char *name, *kind;
	bool keep;   /* columns that no target names pass as they are */
	bool covers; /* a complete list of the jobs of its clusters */
	const char **null;
	size_t nnull;
	const char **note;
	size_t nnote;
	struct map_target target[MAP_MAX_TARGETS];
	size_t ntarget;
	struct map_skip skip[MAP_MAX_CONDS];
	size_t nskip;
};

#endif
