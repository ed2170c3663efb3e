#include "store/sql_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word, *meant;
} words[] = {
#define COSTS "the costs of the view entries are effective_cost, billed_cost and list_cost"
#define DAYS \
	"times of the view entries are hour_utc and day_utc; a month is date_trunc('month', day_utc)"
#define HOURS  "GPU time of the view entries is gpu_seconds, hours are sum(gpu_seconds) / 3600"
#define ENERGY "energy is not in the views: tare report --energy --by team -o csv says it"
#define LATENCY \
	"latencies are kept as histograms, not in the views: tare report --serving -o csv says them"
	{ "cost", COSTS },
	{ "amount", COSTS },
	{ "spend", COSTS },
	{ "total_cost", COSTS },
	{ "date", DAYS },
	{ "day", DAYS },
	{ "hour", DAYS },
	{ "month", DAYS },
	{ "time", DAYS },
	{ "gpu_hours", HOURS },
	{ "hours", HOURS },
	{ "utilisation",
	  "of the view entries used_gpu_seconds / gpu_seconds, of time that was read" },
	{ "utilization",
	  "of the view entries used_gpu_seconds / gpu_seconds, of time that was read" },
	{ "user", "the column is user_name" },
	{ "tag", "tags are json_extract_string(tags_json, '$.KEY')" },
	{ "tags", "tags are json_extract_string(tags_json, '$.KEY')" },
	{ "job_id", "the column is job" },
	{ "kwh", ENERGY },
	{ "energy", ENERGY },
	{ "power_w", ENERGY },
	{ "co2_kg", ENERGY },
	{ "latency", LATENCY },
	{ "latency_ms", LATENCY },
	{ "p95", LATENCY },
	{ "p99", LATENCY },
	{ "account_name", "names are in the view accounts: JOIN accounts USING (account)" },
};

const char *sql_word_meant(const char *word)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(words[i].word, word))
			return words[i].meant;
	return NULL;
}

/* Behind a text or name in quotes, or a comment; the same place where none begins here. */
static const char *skip_quoted(const char *p)
{
	if (p[0] == '-' && p[1] == '-')
		return p + strcspn(p, "\n");
	if (p[0] == '/' && p[1] == '*') {
		const char *end = strstr(p + 2, "*/");
		return end ? end + 2 : p + strlen(p);
	}
	if (*p != '\'' && *p != '"')
		return p;
	const char *end = strchr(p + 1, *p);
	return end ? end + 1 : p + strlen(p);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool sql_asks_engine_user(const char *sql)
{
	bool after_as = false;

	for (const char *p = sql; *p;) {
		const char *behind = skip_quoted(p);
		if (behind != p) {
			p = behind;
			after_as = false;
			continue;
		}
		if (!is_word(*p)) {
			after_as &= isspace((unsigned char)*p) != 0;
			p++;
			continue;
		}
		size_t n = 0;
		while (is_word(p[n]))
			n++;
		bool of_table = p > sql && p[-1] == '.';
		bool user = n == 4 && !strncasecmp(p, "user", 4);
		if (user && !after_as && !of_table)
			return true;
		after_as = n == 2 && !strncasecmp(p, "as", 2);
		p += n;
	}
	return false;
}
