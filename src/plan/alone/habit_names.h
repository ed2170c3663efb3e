#ifndef TARE_PLAN_ALONE_HABIT_NAMES_H
#define TARE_PLAN_ALONE_HABIT_NAMES_H
/*
 * The names of submissions as patterns for sv_glob() and for people: what differs from run to run
 * is a star. Numbers always ("resnet-lr-8" is "resnet-lr-*"); parts that a controller or a script
 * made up ("train-x7k2p", "eval-3f9a2b1c") where no name comes twice: a part that looks made up but
 * comes again and again is a name.
 */
#include "plan/fleet/fleet.h"

/*
 * [fleet.work.n] in mem; "" for a workload without a name.
 * Made up is a part between dashes of five letters and digits that Kubernetes draws from (no
 * vowels, no 0, 1, 3), or of seven or more hexadecimal digits with a letter among them, in names of
 * an owner's jobs of which there are at least three and nine in ten are different. O(works).
 * Source: k8s.io/apimachinery util/rand, alphanums "bcdfghjklmnpqrstvwxz2456789".
 */
const char **habit_names(const struct fleet *f, struct arena *mem);
/* Could a run of this name be one of those behind the pattern? A pattern without a letter says
 * nothing: false. */
bool habit_name_fits(const char *name, const char *pattern);

#endif
