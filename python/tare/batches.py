"""The order of the data as a state: which samples are in which batch is a function of seed, epoch and position, so that nothing is repeated or left out after a resume."""
from . import rng


def _mix(x):
    """splitmix64's finaliser (Steele, Lea, Flood 2014): every bit of the result depends on every bit of x."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return x ^ (x >> 31)


class Shuffle:
    """
    A permutation of range(n) without memory: a Feistel network of four rounds over the next power of four, walked until it falls into the range
    (Black & Rogaway 2002). Any element is had at once, so nothing has to be drawn again to get to a position.
    """

    def __init__(self, n, key):
        self.n = n
        self._half = max(1, ((max(n, 2) - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._keys = [_mix((key + i * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF) for i in range(1, 5)]

    def __getitem__(self, i):
        half, mask = self._half, self._mask
        while True:
            left, right = i >> half, i & mask
            for k in self._keys:
                left, right = right, left ^ (_mix(right + k & 0xFFFFFFFFFFFFFFFF) & mask)
            i = left << half | right
            if i < self.n:
                return i


class Batches:
    """
    Batches of indices into n samples, epoch after epoch: the batch_sampler of a DataLoader, or used alone.

        batches = tare.Batches(len(data), 32, seed=1)
        loader = DataLoader(data, batch_sampler=batches)      # may read ahead
        for x, y in batches.over(loader):                     # counts what was trained on
            ...

    Iterating resumes from where the state says and does not end (epochs: after so many); it does not change the state, because a loader reads ahead: over() or
    advance() do. Save state_dict(). Several ranks (rank, world; None: RANK and WORLD_SIZE) each get their share of the same order; the position counts
    samples of all ranks, so that a resume with another number of ranks or another batch_size goes on at the same sample.
    """

    def __init__(self, n: int, batch_size: int, seed: int = 0, shuffle: bool = True, drop_last: bool = True, epochs: "int | None" = None, rank: "int | None" = None,
                 world: "int | None" = None) -> None:
        from .saver import _place
        self.rank, self.world = _place(rank, world)
        self.n, self.batch_size, self.seed, self.shuffle, self.drop_last, self.epochs = int(n), int(batch_size), int(seed), shuffle, drop_last, epochs
        self.epoch, self.position = 0, 0
        self._all = self.batch_size * self.world
        if self.n < 1 or self.batch_size < 1 or (drop_last and self.n < self._all):
            raise ValueError("%d samples do not fill one batch of %d on %d ranks" % (self.n, self.batch_size, self.world))

    def _next(self, epoch, position):
        """(epoch, position) of the first batch at or after this place: an epoch's rest that is no whole batch is left out, where told so."""
        left = self.n - position
        return (epoch + 1, 0) if left <= 0 or (self.drop_last and left < self._all) else (epoch, position)

    def _batch(self, order, position):
        begin = position + self.rank * self.batch_size
        if self.drop_last:
            return [order[i] for i in range(begin, begin + self.batch_size)]
        end = min(position + self._all, self.n)
        if self.world == 1:
            return [order[i] for i in range(begin, end)]
        return [order[i % self.n] for i in range(begin, begin + self.batch_size)]  # every rank needs a batch: the last ones take from the beginning

    def __iter__(self):
        epoch, position, of, order = self.epoch, self.position, None, None
        while True:
            epoch, position = self._next(epoch, position)
            if self.epochs is not None and epoch >= self.epochs:
                return
            if epoch != of:
                of, order = epoch, Shuffle(self.n, _mix(self.seed * 0x9E3779B97F4A7C15 + epoch & 0xFFFFFFFFFFFFFFFF)) if self.shuffle else range(self.n)
            yield self._batch(order, position)
            position += self._all

    def __len__(self):
        """Batches of an epoch."""
        return self.n // self._all if self.drop_last else -(-self.n // self._all)

    def advance(self, batches: int = 1) -> None:
        """So many more batches were trained on."""
        for _ in range(batches):
            self.epoch, self.position = self._next(self.epoch, self.position)
            self.position += self._all

    def over(self, loader):
        """The items of a loader over these batches; each counts as trained on when it is handed out, so save after the step, not within it."""
        was = rng.state()  # a DataLoader draws a seed when it begins: after a resume that would be one draw more than without
        items = iter(loader)
        rng.restore(was)
        for item in items:
            self.advance()
            yield item

    def state_dict(self):
        return {"seed": self.seed, "epoch": self.epoch, "position": self.position, "n": self.n, "shuffle": bool(self.shuffle)}

    def load_state_dict(self, state):
        if (state["n"], state["seed"], state["shuffle"]) != (self.n, self.seed, bool(self.shuffle)):
            raise ValueError("the order that was saved is of %d samples with seed %d, this one of %d with seed %d: its position means nothing here"
                             % (state["n"], state["seed"], self.n, self.seed))
        self.epoch, self.position = int(state["epoch"]), int(state["position"])
