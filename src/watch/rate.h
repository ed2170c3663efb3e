#ifndef TARE_WATCH_RATE_H
#define TARE_WATCH_RATE_H
/*
 * What this machine costs, from the first that says so:
 *
 *   1. what is given on the command line: an amount, or an instance type and where it stands
 *   2. the settings, section `agent:`, key `node:` (usd_gpu_hour, provider, region, zone,
 *   instance_type, purchase, currency)
 *   3. the settings' owned hardware (`owned:`)
 *   4. what the cloud's metadata say of this machine (device/place.h), asked by the caller
 *
 * Amounts come as they are; a place is looked up in the catalogue. Nothing is
 * guessed: an instance type without a region is priced in its provider's first region, and that is
 * said in source.
 */
#include "watch/watch.h"

struct rate_ask { /* texts NULL, amounts has_... = false where not given */
	const char *provider, *region, *zone, *instance_type, *purchase, *currency;
	dec usd_gpu_hour, usd_hour; /* of a GPU; of the machine */
	bool has_usd_gpu_hour, has_usd_hour;
};
/* The section of the settings; path NULL: nothing. Texts in a. Errors name file, line and key. */
int rate_load(const char *path, struct arena *a, struct rate_ask *ret, struct err *err);

/* What the cloud says of this machine (up to 2 s where one is near and does not answer); everything
 * NULL where it is in none. Texts in a. */
void rate_place(struct arena *a, struct rate_ask *ret);

struct rate_in {
	const struct rate_ask *given, *settings, *place; /* any may be NULL */
	const struct conf *conf;
	const struct catalog *catalog; /* may be NULL */
	const char *node;
	const char *gpu_model; /* the catalogue's name of its GPUs, NULL */
	/* GPUs of the machine: an amount for the machine is divided by it; 0 = not known */
	int gpus;
	int64_t now_ms;
};
/* ret->known = false where nobody says. Never fails. */
void rate_find(const struct rate_in *in, struct watch_rate *ret);
/* "2.74 $/h, us-east-1 on_demand": how a rate is told; in arena a. */
const char *rate_text(const struct watch_rate *r, struct arena *a);

/*
 * What a GPU of this machine costs an hour: as given in *rate, else owned hardware of the settings,
 * else the catalogue by provider and place. rate: texts of the place as far as they are known;
 * known = true with an amount is left as it is. gpu_model: the catalogue's name, NULL = none. Where
 * nothing fits, known stays false: a price is not guessed.
 */
void watch_rate_find(struct watch_rate *rate, const struct conf *conf, const struct catalog *cat,
		     const char *node, const char *gpu_model, int64_t now_ms);

#endif
