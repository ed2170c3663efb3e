#ifndef TARE_ANSWER_ASK_H
#define TARE_ANSWER_ASK_H
/*
 * What every question is asked with. A question is one file: answer_<question>(ask, its own
 * options, ret, err) reads the store and fills a struct; nothing is printed, no clock is read and
 * no option is parsed here, so that a command line, a page and a test ask alike.
 *
 * All members are borrowed and outlive the answer, whose texts and arrays lie in mem.
 */
#include "base/err.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "ledger/conf.h"
#include "store/store.h"

struct ask {
	struct store *store;
	const struct catalog *catalog; /* NULL where the question needs no prices */
	const struct conf *conf;
	struct arena *mem;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = open */
	int64_t now_ms;
};
#endif
