"""
For Lightning: its checkpoints by a Saver, in the background and without pickle, and the word of `tare run`.

    from tare.lightning import TareCallback, TareCheckpointIO
    io = TareCheckpointIO("checkpoints")
    callback = TareCallback(io, every_s=600)
    trainer = Trainer(plugins=[io], callbacks=[callback], enable_checkpointing=False)
    trainer.fit(model, ckpt_path=io.latest())
    sys.exit(callback.exit_code)

What a module puts into its checkpoint has to be tensors, numbers, text and dicts or lists of them (hyper-parameters, too); else an error names the key.
"""
import time

try:
    from lightning.pytorch import Callback
    from lightning.pytorch.plugins.io import CheckpointIO
except ImportError:
    from pytorch_lightning import Callback
    from pytorch_lightning.plugins.io import CheckpointIO

from .saver import Saver, load_latest
from .steps import should_save, should_stop, step_done
from .training import INTERRUPTED


class TareCheckpointIO(CheckpointIO):
    def __init__(self, dir, **saver):
        super().__init__()
        self.dir, self._options, self._saver = str(dir), saver, None

    def latest(self):
        """For fit(ckpt_path=...): the folder, or None where nothing was saved yet."""
        return self.dir if load_latest(self.dir, rng_state=False)[1] is not None else None

    def save_checkpoint(self, checkpoint, path, storage_options=None):
        if self._saver is None:
            self._saver = Saver(self.dir, **self._options)
        self._saver.save(checkpoint["global_step"], checkpoint)

    def load_checkpoint(self, path, map_location=None, **kwargs):
        return load_latest(path, device=map_location if isinstance(map_location, str) else None)[1]

    def remove_checkpoint(self, path):
        """Saver keeps keep_last of them."""

    def teardown(self):
        if self._saver is not None:
            saver, self._saver = self._saver, None
            saver.close()


class TareCallback(Callback):
    def __init__(self, io, every_s=None):
        self.io, self.every_s, self.interrupted, self._saved_at = io, every_s, False, time.monotonic()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        step_done(trainer.global_step)
        stop = should_stop()
        if stop or should_save() or (self.every_s is not None and time.monotonic() - self._saved_at >= self.every_s):
            trainer.save_checkpoint(self.io.dir)
            self._saved_at = time.monotonic()
        if stop:
            trainer.should_stop = self.interrupted = True

    @property
    def exit_code(self):
        return INTERRUPTED if self.interrupted else 0
