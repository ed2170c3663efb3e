#ifndef TARE_ALERTS_ALERTS_SILENCE_H
#define TARE_ALERTS_ALERTS_SILENCE_H
/*
 * Silences that people set with `tare alerts silence`: settings "alerts.silence.ID" in the
 * control.db of a folder, of a store or of an agent. They need no lock of the store. Those in the
 * configuration file are in struct alerts_conf.
 */
#include "base/mem.h"
#include "opt/alert/alert.h"

/* Can these conditions be kept: not too long, and each is one? 0, or -EINVAL which says why not. */
int silence_check(const char *match, struct err *err);
struct silence_new {
	const char *match;    /* "team=vision,node!=n1" */
	const char *why, *by; /* are cleaned and cut */
	int64_t now_ms, until_ms;
};
/* Adds one; id (16 hex digits) from all of it. */
int silence_add(const char *dir, const struct silence_new *s, char ret_id[20], struct err *err);
/* -ENOENT where there is none of this id. */
int silence_remove(const char *dir, const char *id, struct err *err);
/* Those that have not ended, by id, in arena a; none where there is no control.db. Broken ones are
 * left out. */
int silence_list(const char *dir, int64_t now_ms, struct arena *a, struct alert_silence **ret,
		 size_t *ret_n, struct err *err);
struct silences {
	const struct alert_silence *v; /* [n] */
	size_t n;
};
/* Those given that have not ended, then those of silence_list(); in arena a. */
int silence_list_with(struct silences given, const char *dir, int64_t now_ms, struct arena *a,
		      struct silences *ret, struct err *err);
/* Takes out those that ended more than a day ago. */
int silence_sweep(const char *dir, int64_t now_ms, struct err *err);
#endif
