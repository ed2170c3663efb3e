/* See quiet.h: every interval is tried. */
#include "opt/capacity/quiet.h"

#include "base/num.h"

bool quiet_find(const int peak[24], struct quiet *ret)
{
	struct quiet best = { 0 };
	int top = -1;

	for (int h = 0; h < 24; h++)
		top = max_int(peak[h], top);
	for (int from = 0; from < 24; from++) {
		int need = 0;
		for (int n = 1; n < 24 && peak[(from + n - 1) % 24] >= 0; n++) {
			int p = peak[(from + n - 1) % 24];
			need = max_int(p, need);
			int off = n * (top - need), most = best.hours * (best.top - best.need);
			if (off > most || (off == most && off > 0 && n > best.hours))
				best = (struct quiet){ from, n, need, top };
		}
	}
	if (!best.hours)
		return false;
	*ret = best;
	return true;
}
