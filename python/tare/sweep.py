"""
Successive halving over files: trials that fall behind end early, on any number of machines that share a folder, and all of it goes on after an interruption.

Asynchronous successive halving (Li et al. 2020, "A System for Massively Parallel Hyperparameter Tuning", ASHA), in its stopping form: at the steps
min_steps * eta^k a trial goes on only if it is among the best 1/eta of those that have come there so far. Differs in: what was decided for a trial at a rung is
kept, so that an interrupted trial that comes there again is told the same.

  DIR/sweep.json        eta, min_steps, max_steps, mode, and the trials' settings, fixed when the sweep is begun
  DIR/lock              held while something is decided
  DIR/rung-STEP/TRIAL   {"value": ..., "go": true}      DIR/done/TRIAL   {"value": ..., "step": ..., "stopped": ...}
  DIR/claim/TRIAL       locked by the process that runs it, for as long as it lives: a trial whose process died is given out again
"""
import contextlib
import fcntl
import json
import math
import os
from decimal import Decimal

from .cost import Cost, usd_hour_told

COST = "sweep-cost.json"  # in the folder of a trial


def _write(path, value):
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(value, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(path + ".new", path)


def _read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return None


class Trial:
    """One setting of the sweep. name, config; report() after each evaluation."""

    def __init__(self, sweep, name, config, claim):
        self.sweep, self.name, self.config, self._claim = sweep, name, config, claim
        self.stopped, self.reason = False, None
        os.makedirs(self.folder, exist_ok=True)
        self.cost = Cost(os.path.join(self.folder, COST), sweep.usd_hour)

    @property
    def folder(self):
        """For its checkpoints."""
        return os.path.join(self.sweep.dir, "trials", self.name)

    def report(self, step: int, value: float) -> bool:
        """The value after `step` steps; True: go on, False: it fell behind, is done, or the budget of the sweep is spent."""
        self.cost.tick()
        go = self.sweep.decide(self.name, int(step), float(value))
        if not go:
            self.stopped, self.reason = True, "done" if step >= self.sweep.max_steps else "fell behind at step %d" % step
        elif self.sweep.budget_usd is not None:
            self.cost.write()
            if self.sweep.over_budget():
                go, self.stopped, self.reason = False, True, "the budget of %s $ for the sweep is spent" % self.sweep.budget_usd
        return go

    def finish(self, step: int, value: float) -> None:
        """It ended for a reason of its own (early stopping, say) with this value: it is done, and not given out again."""
        self.cost.tick()
        self.sweep.finish(self.name, int(step), float(value))
        self.stopped, self.reason = True, "done"

    def close(self):
        """Give it back; done where report() said so, else another process may go on with it."""
        if self._claim is not None:
            self.cost.tick()
            self.cost.write()
            os.close(self._claim)
            self._claim = None

    def state_dict(self):
        return {"stopped": self.stopped, "reason": self.reason}

    def load_state_dict(self, state):
        """What a rung decided stays; a spent budget may be raised."""
        self.stopped = bool(state["stopped"]) and self.sweep.is_done(self.name)
        self.reason = state["reason"] if self.stopped else None


class Sweep:
    """
    configs: list of dicts (JSON values), or None to join a sweep that was begun; min_steps, max_steps, eta, mode ("min" or "max") as above.

        for trial in tare.Sweep("sweep", configs, min_steps=100, max_steps=2700):
            for step, loss in train(trial.config, trial.folder):
                if not trial.report(step, loss):
                    break

    budget_usd: what all trials together may cost (usd_hour: price of the machine of one, else TARE_USD_HOUR). Once it is spent no trial goes on and none is given out;
    those that were not done resume from their checkpoints when the sweep is run again with a larger one. Up to 10 s of a trial that was killed are not counted.
    """

    def __init__(self, dir: "str | os.PathLike[str]", configs: "list[dict] | None" = None, min_steps: int = 1, max_steps: int = 81, eta: int = 3, mode: str = "min",
                 budget_usd: "float | str | None" = None, usd_hour: "float | str | None" = None) -> None:
        if mode not in ("min", "max") or eta < 2 or not 1 <= min_steps <= max_steps:
            raise ValueError("mode is min or max, eta at least 2, 1 <= min_steps <= max_steps")
        self.dir, self.usd_hour = os.fspath(dir), usd_hour_told(usd_hour)
        self.budget_usd = Decimal(str(budget_usd)) if budget_usd is not None else None
        if self.budget_usd is not None and self.usd_hour is None:
            raise ValueError("a budget in dollars needs the price of an hour: usd_hour=..., TARE_USD_HOUR, or `tare run`, which sets it")
        for sub in ("", "done", "claim", "trials"):
            os.makedirs(os.path.join(self.dir, sub), exist_ok=True)
        with self._locked():
            was, told = _read(self._path("sweep.json")), None
            if configs is not None:
                told = {"eta": eta, "min_steps": min_steps, "max_steps": max_steps, "mode": mode, "configs": json.loads(json.dumps(list(configs)))}
            if was is None and told is None:
                raise ValueError("there is no sweep in '%s' yet: give its configs" % self.dir)
            if was is not None and told is not None and was != told:
                raise ValueError("'%s' holds a sweep with other settings: go on with those, or begin in another folder" % self.dir)
            if was is None:
                _write(self._path("sweep.json"), told)
        got = was or told
        self.eta, self.min_steps, self.max_steps, self.mode, self.configs = (got[k] for k in ("eta", "min_steps", "max_steps", "mode", "configs"))
        self.rungs = []
        while self.min_steps * self.eta ** len(self.rungs) < self.max_steps:
            self.rungs.append(self.min_steps * self.eta ** len(self.rungs))

    def _path(self, *parts):
        return os.path.join(self.dir, *parts)

    @contextlib.contextmanager
    def _locked(self):
        fd = os.open(self._path("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def decide(self, trial, step, value):
        """Whether this trial goes on. The largest rung at or below `step` that it has not passed decides."""
        with self._locked():
            if step >= self.max_steps:
                _write(self._path("done", trial), {"value": value if math.isfinite(value) else None, "step": step, "stopped": False})
                return False
            for rung in (r for r in self.rungs if r <= step):
                if not self._at_rung(rung, trial, value):
                    _write(self._path("done", trial), {"value": value if math.isfinite(value) else None, "step": rung, "stopped": True})
                    return False
        return True

    def finish(self, trial, step, value):
        with self._locked():
            if not self.is_done(trial):
                _write(self._path("done", trial), {"value": value if math.isfinite(value) else None, "step": step, "stopped": False})

    def _at_rung(self, rung, trial, value):
        folder = self._path("rung-%d" % rung)
        os.makedirs(folder, exist_ok=True)
        was = _read(os.path.join(folder, trial))
        if was is not None:
            return was["go"]
        go = math.isfinite(value)
        others = [_read(os.path.join(folder, n))["value"] for n in sorted(os.listdir(folder)) if not n.endswith(".new")]
        if go:
            sign = 1 if self.mode == "min" else -1
            better = sum(1 for o in others if o is not None and sign * o < sign * value)
            go = better < max(1, (len(others) + 1) // self.eta)
        _write(os.path.join(folder, trial), {"value": value if math.isfinite(value) else None, "go": go})
        return go

    def spent_usd(self):
        """Decimal: what all trials have cost so far, of which the price is known."""
        folder = self._path("trials")
        return sum((Cost.spent_in(os.path.join(folder, n, COST)) for n in sorted(os.listdir(folder))), Decimal(0))

    def over_budget(self):
        return self.budget_usd is not None and self.spent_usd() >= self.budget_usd

    def is_done(self, trial):
        return os.path.exists(self._path("done", trial))

    def claim(self):
        """A Trial that is not done and that nobody runs, or None; None, too, when the budget is spent."""
        if self.over_budget():
            return None
        for i, config in enumerate(self.configs):
            name = "%05d" % i
            if os.path.exists(self._path("done", name)):
                continue
            fd = os.open(self._path("claim", name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(fd)
                continue
            if not os.path.exists(self._path("done", name)):  # not done in between
                return Trial(self, name, config, fd)
            os.close(fd)
        return None

    def __iter__(self):
        given = set()
        while True:
            trial = self.claim()
            if trial is None or trial.name in given:  # given back without being done: not again by this process
                if trial:
                    trial.close()
                return
            given.add(trial.name)
            try:
                yield trial
            finally:
                trial.close()

    def results(self):
        """[(name, config, value, step, stopped)] of the trials that are done, the best of those that went furthest first."""
        got = []
        for i, config in enumerate(self.configs):
            d = _read(self._path("done", "%05d" % i))
            if d:
                got.append(("%05d" % i, config, d["value"], d["step"], d["stopped"]))
        sign = 1 if self.mode == "min" else -1
        return sorted(got, key=lambda r: (-r[3], math.inf if r[2] is None else sign * r[2], r[0]))
