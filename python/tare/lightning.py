"""
For Lightning (2.0 and later): its checkpoints by a Saver, in the background and without pickle, and the word of `tare run`.

    from tare.lightning import TareCallback, TareCheckpointIO
    io = TareCheckpointIO("checkpoints")
    callback = TareCallback(io, every_s=600)
    trainer = Trainer(plugins=[io], callbacks=[callback], enable_checkpointing=False, max_steps=10_000)
    trainer.fit(model, ckpt_path=io.latest())
    sys.exit(callback.exit_code)

What a module puts into its checkpoint has to be tensors, numbers, text and dicts or lists of them (hyper-parameters, too); else an error names the key.

Lightning goes on in the middle of an epoch with its counters, but its data begins again. With TareCallback(io, batches=batches), a tare.Batches that is the batch_sampler
of the train_dataloader, the data goes on with the next batch, too; count by max_steps then, as Lightning may put the end of an epoch off by a batch at a resume.
Strategies that write shards themselves (FSDP with sharded state, DeepSpeed) do not ask a CheckpointIO: save with tare.Saver there.
"""
import time

try:
    from lightning.pytorch import Callback
    from lightning.pytorch.plugins.io import CheckpointIO
except ImportError:
    from pytorch_lightning import Callback
    from pytorch_lightning.plugins.io import CheckpointIO

from .cost import CostLog
from .saver import Saver, load_latest
from .steps import should_save, should_stop, step_done
from .training import INTERRUPTED


class TareCheckpointIO(CheckpointIO):
    """dir: folder of the checkpoints; from_zero: as in load_latest(); saver: further arguments of Saver. Lightning gives the whole state to its rank 0 alone, which is here the only one that saves."""

    def __init__(self, dir, from_zero=False, **saver):
        super().__init__()
        self.dir, self._from_zero, self._options, self._saver = str(dir), from_zero, {**saver, "rank": 0, "world": 1}, None

    def latest(self):
        """For fit(ckpt_path=...): the folder, or None where nothing was saved yet."""
        return self.dir if load_latest(self.dir, rng_state=False, rank=0, world=1, from_zero=self._from_zero)[1] is not None else None

    def save_checkpoint(self, checkpoint, path, storage_options=None):
        if self._saver is None:
            self._saver = Saver(self.dir, **self._options)
        self._saver.save(checkpoint["global_step"], checkpoint)

    def load_checkpoint(self, path, map_location=None, **kwargs):
        """Of the newest checkpoint in the folder `path` that holds. Moved by Lightning itself where map_location is more than the name of a device."""
        return load_latest(path, device=map_location if isinstance(map_location, str) else None, rank=0, world=1)[1]

    def remove_checkpoint(self, path):
        """Saver keeps keep_last of them."""

    def teardown(self):
        if self._saver is not None:
            saver, self._saver = self._saver, None
            saver.close()


class TareCallback(Callback):
    """
    Saves when `tare run` asks, every every_s seconds, when the run is to end early and at its end. check_every: batches between two looks; several ranks agree at each
    look, which costs a small message among them. cost: a tare.Cost, told of each minute on stderr, and part of the checkpoint.
    """

    def __init__(self, io, every_s=None, batches=None, check_every=1, cost=None):
        self.io, self.every_s, self.batches, self.check_every, self.cost = io, every_s, batches, max(1, int(check_every)), cost
        self._log = CostLog(cost) if cost is not None else None
        self.interrupted, self._saved_at, self._saved_step = False, time.monotonic(), None

    # The callback's part of Lightning's checkpoint.

    def state_dict(self):
        return {name: part.state_dict() for name, part in (("batches", self.batches), ("cost", self.cost)) if part is not None}

    def load_state_dict(self, state_dict):
        for name, part in (("batches", self.batches), ("cost", self.cost)):
            if part is not None and name in state_dict:
                part.load_state_dict(state_dict[name])

    # What the trainer calls, in this order.

    def on_train_start(self, trainer, pl_module):
        self._saved_at, self._saved_step = time.monotonic(), trainer.global_step

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        if self.interrupted:  # min_epochs or min_steps would have it go on: the machine does not wait for those
            raise SystemExit(INTERRUPTED)

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if self.batches is not None:
            self.batches.advance()
        step_done(trainer.global_step)
        if self._log and trainer.is_global_zero:
            self._log.step(trainer.global_step)
        if (batch_idx + 1) % self.check_every:
            return
        # Lightning catches SIGTERM itself, before the library can, and ends without a checkpoint.
        stop = self._agreed(trainer, should_stop() or getattr(trainer, "received_sigterm", False) is True)
        save = self._agreed(trainer, trainer.is_global_zero and (should_save() or self._due()))
        if stop or save:
            self._save(trainer)
        if stop and not self._complete(trainer):
            trainer.should_stop = self.interrupted = True

    def on_train_end(self, trainer, pl_module):
        self._save(trainer)
        if self._log and trainer.is_global_zero:
            self._log.step(trainer.global_step, now=True)

    def on_exception(self, trainer, pl_module, exception):
        if not isinstance(exception, SystemExit):
            return
        if getattr(trainer, "received_sigterm", False) is True and not self.interrupted and not self._complete(trainer):
            self.interrupted = True  # it came after our last look, while we saved, say; a look of one rank alone can bring no others to save
            if trainer.world_size == 1:
                self._save(trainer)
        if self.interrupted:  # Lightning ends after a SIGTERM with 0, as if all were done
            exception.code = INTERRUPTED

    def _save(self, trainer):
        if self._saved_step != trainer.global_step:
            trainer.save_checkpoint(self.io.dir)
            self._saved_step = trainer.global_step
        self._saved_at = time.monotonic()

    def _due(self):
        return self.every_s is not None and time.monotonic() - self._saved_at >= self.every_s

    @staticmethod
    def _agreed(trainer, mine):
        """Saving is done by all ranks together: what one was told counts for all."""
        return bool(trainer.strategy.reduce_boolean_decision(bool(mine), all=False)) if trainer.world_size > 1 else bool(mine)

    @staticmethod
    def _complete(trainer):
        limit = getattr(trainer, "max_steps", -1)
        return isinstance(limit, int) and 0 <= limit <= trainer.global_step

    @property
    def exit_code(self):
        return INTERRUPTED if self.interrupted else 0
