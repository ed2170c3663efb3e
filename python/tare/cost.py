"""What a run has cost so far, over all its attempts: seconds times the price of an hour, in exact decimals."""
import json
import os
import sys
import time
from decimal import Decimal, InvalidOperation
from typing import Callable

from ._lib import lib

WRITE_EVERY_S = 10  # so much of an attempt that is killed is not counted


def usd_hour_told(value=None):
    """Decimal or None: told, else TARE_USD_HOUR."""
    text = str(value) if value is not None else os.environ.get("TARE_USD_HOUR", "")
    try:
        price = Decimal(text) if text.strip() else None
    except InvalidOperation:
        price = None
        if value is not None:
            raise ValueError("a price an hour is a number of dollars, not %.40r" % text) from None
    if price is not None and (not price.is_finite() or price < 0):
        raise ValueError("a price an hour is a number of dollars from 0 up, not %.40r" % text)
    return price


class Cost:
    """
    The running cost. path: a small file beside the checkpoints that keeps count also where a run is killed between two checkpoints (None: none); a state_dict
    goes along in the checkpoint for the case that the next attempt runs on another machine. Both are put together on load: nothing counts twice.
    Without a price (usd_hour, else TARE_USD_HOUR, and what `tare run` says when it changes) only the seconds are counted, and usd is None: unknown is not zero.
    """

    def __init__(self, path: "str | None" = None, usd_hour: "float | str | Decimal | None" = None, clock: "Callable[[], float]" = time.time) -> None:
        self.path, self.usd_hour, self._clock, self._follows = path, usd_hour_told(usd_hour), clock, usd_hour is None and bool(os.environ.get("TARE_RUN_SOCKET"))
        self._past, self._begun, self._last, self._wrote = {}, clock(), clock(), None
        self._id = "%d-%d" % (int(self._begun * 1000), os.getpid())
        self._seconds = 0.0
        if path:
            self._merge(self._read(path))

    @staticmethod
    def _read(path):
        try:
            with open(path, encoding="utf-8") as f:
                got = json.load(f)
            return got if isinstance(got, dict) else {}
        except (OSError, ValueError):
            return {}  # it is only a count: one that is damaged must not keep a training from going on

    def _merge(self, attempts):
        for key, a in attempts.items():
            try:
                seconds, price = float(a["seconds"]), a.get("usd_hour")
                fits = 0 <= seconds < 1e10 and (price is None or 0 <= Decimal(price) < 10**9)
            except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation):
                continue
            if fits and key != self._id and seconds >= self._past.get(key, {"seconds": -1})["seconds"]:
                self._past[key] = {"seconds": seconds, "usd_hour": price}

    @classmethod
    def spent_in(cls, path: str) -> Decimal:
        """What the attempts in such a file are known to have cost."""
        got = cls(path, usd_hour=0)
        return got.spent_at_least()

    def tick(self) -> None:
        """Count the time since the last tick. A clock that was set back counts nothing, one that jumps ahead at most an hour."""
        now = self._clock()
        self._seconds += min(max(0.0, now - self._last), 3600.0)
        self._last = now
        if self._follows:
            self._follow()
        if self.path and (self._wrote is None or abs(now - self._wrote) >= WRITE_EVERY_S):
            self.write()

    def _follow(self):
        """`tare run` says that the machine costs something else from now on: what was counted keeps its price."""
        nano = lib().tare_usd_hour_nano()
        if nano < 0 or self.usd_hour == Decimal(nano) / 10**9:
            return
        self._past[self._id] = self._mine()
        begun, _, part = self._id.partition(".")
        self._id, self._seconds, self.usd_hour = "%s.%d" % (begun, int(part or 0) + 1), 0.0, Decimal(nano) / 10**9

    def write(self) -> None:
        if not self.path:
            return
        self._wrote = self._last
        try:
            with open(self.path + ".new", "w", encoding="utf-8") as f:
                json.dump(self.state_dict(), f)
            os.replace(self.path + ".new", self.path)
        except OSError:
            pass  # the state in the checkpoint has it too

    @property
    def seconds(self) -> float:
        return self._seconds + sum(a["seconds"] for a in self._past.values())

    @property
    def attempts(self) -> int:
        return len({k.partition(".")[0] for k in [*self._past, self._id]})  # one whose price changed has several parts

    def spent_at_least(self) -> Decimal:
        """Decimal: what is known to be spent; attempts without a price count nothing."""
        usd = sum((Decimal(a["usd_hour"]) * Decimal(repr(a["seconds"])) / 3600 for a in self._all() if a["usd_hour"] is not None), Decimal(0))
        return usd.quantize(Decimal("1e-9"))

    @property
    def usd(self) -> "Decimal | None":
        """Decimal, or None where an attempt had no price."""
        return None if any(a["usd_hour"] is None for a in self._all()) else self.spent_at_least()

    def _all(self):
        return [*self._past.values(), self._mine()]

    def _mine(self):
        return {"seconds": round(self._seconds, 3), "usd_hour": str(self.usd_hour) if self.usd_hour is not None else None}

    def state_dict(self):
        return {**self._past, self._id: self._mine()}

    def load_state_dict(self, state):
        self._merge(state)

    def __str__(self):
        usd = self.usd
        hours = "%.2f h in %d attempt%s" % (self.seconds / 3600, self.attempts, "" if self.attempts == 1 else "s")
        return "%s so far (%s)" % ("%.2f $" % usd if usd is not None else "- $", hours)


class CostLog:
    """A line with the cost so far to a stream, at most every `every_s` seconds, for loops that are not tare.Training's."""

    def __init__(self, cost: Cost, every_s: float = 60.0, log=sys.stderr) -> None:
        self.cost, self.every_s, self.log, self._at = cost, every_s, log, time.monotonic()

    def step(self, done: int, now: bool = False) -> None:
        """After each step. now: whatever the time."""
        self.cost.tick()
        if now or time.monotonic() - self._at >= self.every_s:
            self._at = time.monotonic()
            self.cost.write()
            print("tare: step %d, %s" % (done, self.cost), file=self.log, flush=True)
