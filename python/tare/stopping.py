"""When to end before the last step: no progress, or no money."""
import math
from decimal import Decimal

from .cost import Cost


class EarlyStopping:
    """
    Ends a run that does not get better. update(value) after each evaluation; True: end.

      patience     evaluations without progress that are borne
      min_delta    progress is better than the best by more than this
      mode         "min": less is better (a loss); "max"
      budget_usd   end when the run has cost so much; cost is a tare.Cost with a price (tare.Training gives its own)

    `stopped` and `reason` say what happened. A value that is no number is no progress. Its state is saved with the run, so that patience is not renewed by an interruption.
    """

    def __init__(self, patience: int = 5, min_delta: float = 0.0, mode: str = "min", budget_usd: "float | str | Decimal | None" = None,
                 cost: "Cost | None" = None) -> None:
        if mode not in ("min", "max") or patience < 1 or min_delta < 0:
            raise ValueError("mode is min or max, patience at least 1, min_delta not negative")
        self.patience, self.min_delta, self.mode, self.cost = patience, min_delta, mode, cost
        self.budget_usd = Decimal(str(budget_usd)) if budget_usd is not None else None
        self.best, self.bad, self.stopped, self.reason = None, 0, False, None

    def update(self, value: float) -> bool:
        value = float(value)
        gain = (self.best - value if self.mode == "min" else value - self.best) if self.best is not None else math.inf
        if math.isfinite(value) and gain > self.min_delta:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        if self.bad >= self.patience:
            self._stop("no progress in %d evaluations (best %s)" % (self.bad, "-" if self.best is None else "%g" % self.best))
        return self.check()

    def check(self) -> bool:
        """The budget alone, between evaluations."""
        if self.budget_usd is None:
            return self.stopped
        if self.cost is None or self.cost.usd_hour is None:
            raise ValueError("a budget in dollars needs the price of an hour: Cost(usd_hour=...), TARE_USD_HOUR, or `tare run`, which sets it")
        if self.cost.spent_at_least() >= self.budget_usd:
            self._stop("the budget of %s $ is spent" % self.budget_usd)
        return self.stopped

    def _stop(self, reason):
        if not self.stopped:
            self.stopped, self.reason = True, reason

    def state_dict(self):
        return {"best": self.best, "bad": self.bad, "stopped": self.stopped, "reason": self.reason}

    def load_state_dict(self, state):
        self.best, self.bad = state["best"], state["bad"]
        # A larger patience or budget lets a run go on that ended by the smaller one.
        self.stopped = bool(state["stopped"]) and self.bad >= self.patience
        self.reason = state["reason"] if self.stopped else None
