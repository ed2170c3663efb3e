#!/usr/bin/env python3
"""
The callbacks for Lightning and for the Trainer of Hugging Face: frameworks.py FOLDER (made and filled). Run by t-python.py.

The libraries are not here. Stand-ins of their own making follow the order in which they document (and their sources show) to call hooks, save, resume and
handle SIGTERM: for Lightning 2.x that of Trainer.fit(), its loops and its signal connector, for transformers 4.x that of Trainer.train(). A training on each is
interrupted by SIGTERM and by kill -9 at random and has to end with the result of one that was not.
"""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import types

TOTAL, SAMPLES, BATCH = 240, 57, 4  # the total is no multiple of save_steps: a Trainer that resumes what was complete does one step more


class Model:
    """Its state is a hash over all the batches it has seen, in their order."""

    def __init__(self):
        self.h, self.begun = b"begin", False

    def train(self, batch):
        if not self.begun:
            self.begun = True
            print("trains", flush=True)
        self.h = hashlib.sha256(self.h + repr(list(batch)).encode()).digest()
        time.sleep(float(os.environ.get("STEP_S", "0.0002")))


# ---- Lightning ----------------------------------------------------------------------------------------------------------------------------


class Strategy:
    def __init__(self, io):
        self.io = io

    def reduce_boolean_decision(self, decision, all=True):
        return decision


class Progress:
    """_BatchProgress: after a restart what was not completed is done again."""

    def __init__(self):
        self.total = dict.fromkeys(("ready", "started", "processed", "completed"), 0)
        self.current = dict(self.total)

    def add(self, what):
        self.total[what] += 1
        self.current[what] += 1

    def restart(self):
        for k in ("ready", "started", "processed"):
            self.current[k] = self.current["completed"]


class SIGTERMException(SystemExit):
    pass


class LightningTrainer:
    def __init__(self, plugins, callbacks, max_steps, min_steps=None):
        self.strategy, self.callbacks, self.max_steps, self.min_steps = Strategy(plugins[0]), callbacks, max_steps, min_steps
        self.should_stop = self.received_sigterm = False
        self.world_size, self.is_global_zero, self.global_step, self.epoch = 1, True, 0, 0
        self.progress, self.restarting = Progress(), False

    def _call(self, hook, *args):
        for c in self.callbacks:
            getattr(c, hook)(self, self.model, *args)

    def _on_sigterm(self, signum, frame):
        self.received_sigterm = True

    def save_checkpoint(self, path):
        checkpoint = {"epoch": self.epoch, "global_step": self.global_step, "pytorch-lightning_version": "2.2.0", "state_dict": {"h": self.model.h},
                      "loops": {"fit_loop": {"epoch_loop.batch_progress": {"total": dict(self.progress.total), "current": dict(self.progress.current)}}},
                      "callbacks": {type(c).__qualname__: c.state_dict() for c in self.callbacks if c.state_dict()}, "optimizer_states": [{"state": {0: {"step": 1.0}}}],
                      "lr_schedulers": [], "hparams_name": "kwargs", "hyper_parameters": {"lr": 1e-3}}
        self._call("on_save_checkpoint", checkpoint)
        if self.is_global_zero:
            self.strategy.io.save_checkpoint(checkpoint, path, storage_options=None)

    def _restore(self, path):
        got = self.strategy.io.load_checkpoint(path)
        self.model.h = got["state_dict"]["h"]
        self._call("on_load_checkpoint", got)
        for c in self.callbacks:
            if type(c).__qualname__ in got["callbacks"]:
                c.load_state_dict(got["callbacks"][type(c).__qualname__])
        self._call("on_fit_start")
        loop = got["loops"]["fit_loop"]["epoch_loop.batch_progress"]
        self.progress.total, self.progress.current = loop["total"], loop["current"]
        self.global_step, self.epoch, self.restarting = got["global_step"], got["epoch"], True

    def _advance(self, loader, length):
        batch = next(loader)
        self.progress.add("ready")
        index = self.progress.current["ready"] - 1
        self._call("on_train_batch_start", batch, index)
        self.progress.add("started")
        self.model.train(batch)
        self.global_step += 1
        self.progress.add("processed")
        self._call("on_train_batch_end", None, batch, index)
        self.progress.add("completed")
        done = self.global_step >= self.max_steps or self.progress.current["ready"] >= length
        if not done and self.received_sigterm:
            raise SIGTERMException

    def _stops(self):
        return self.global_step >= self.max_steps or (self.should_stop and (self.min_steps is None or self.global_step >= self.min_steps))

    def _epoch(self, batches):
        if self.restarting:
            self.progress.restart()
        else:
            self.progress.current = dict.fromkeys(self.progress.current, 0)
        loader = iter(batches)
        self._call("on_train_epoch_start")
        while not self._stops() and self.progress.current["ready"] < len(batches):
            self._advance(loader, len(batches))
            self.restarting = False
        self.restarting = False
        self._call("on_train_epoch_end")
        self.epoch += 1

    def fit(self, model, batches, ckpt_path=None):
        self.model = model
        signal.signal(signal.SIGTERM, self._on_sigterm)  # in Python: a handler that a library has put there in C is gone
        try:
            if ckpt_path:
                self._restore(ckpt_path)
            else:
                self._call("on_fit_start")
            self._call("on_train_start")
            while not self._stops():
                self._epoch(batches)
            self._call("on_train_end")
            self._call("on_fit_end")
        except BaseException as e:
            self._call("on_exception", e)
            self.strategy.io.teardown()
            raise
        self.strategy.io.teardown()


def lightning_modules():
    class Callback:
        def state_dict(self):
            return {}

        def load_state_dict(self, state_dict):
            pass

        def __getattr__(self, name):
            if name.startswith("on_"):
                return lambda *args: None
            raise AttributeError(name)

    pl, plugins, io = (types.ModuleType("lightning.pytorch" + n) for n in ("", ".plugins", ".plugins.io"))
    pl.Callback, io.CheckpointIO = Callback, object
    sys.modules.update({"lightning": types.ModuleType("lightning"), pl.__name__: pl, plugins.__name__: plugins, io.__name__: io})


def lightning(folder, min_steps=None, signal_in_save=False):
    lightning_modules()
    import tare
    from tare.lightning import TareCallback, TareCheckpointIO
    batches, io = tare.Batches(SAMPLES, BATCH, seed=3), TareCheckpointIO(folder, keep_last=2)
    if signal_in_save:
        saves = io.save_checkpoint

        def save(*args, **kwargs):
            os.kill(os.getpid(), signal.SIGTERM)
            saves(*args, **kwargs)
        io.save_checkpoint = save
    callback, model = TareCallback(io, every_s=0.02, batches=batches), Model()
    trainer = LightningTrainer([io], [callback], TOTAL, min_steps)
    trainer.fit(model, batches, ckpt_path=io.latest())
    return callback, model


# ---- transformers --------------------------------------------------------------------------------------------------------------------------


class HfTrainer:
    def __init__(self, output_dir, callbacks, save_steps):
        self.args = types.SimpleNamespace(output_dir=output_dir, save_steps=save_steps, device=None)
        self.callbacks = callbacks
        self.state = types.SimpleNamespace(is_world_process_zero=True, global_step=0, max_steps=TOTAL, epoch=0.0)
        self.control = types.SimpleNamespace(should_training_stop=False, should_epoch_stop=False, should_save=False, should_evaluate=False, should_log=False)

    def _call(self, event, **kwargs):
        for c in self.callbacks:
            got = getattr(c, event)(self.args, self.state, self.control, model=self.model, **kwargs)
            self.control = got if got is not None else self.control

    def _maybe_save(self):
        if self.control.should_save:
            self._save()
            self.control.should_save = False
            self._call("on_save")

    def _save(self):
        """Files as they are, no rename: whoever reads them finds out what was finished."""
        folder = os.path.join(self.args.output_dir, "checkpoint-%d" % self.state.global_step)
        os.makedirs(folder, exist_ok=True)
        pathlib.Path(folder, "model.bin").write_bytes(self.model.h)
        pathlib.Path(folder, "trainer_state.json").write_text(json.dumps({"global_step": self.state.global_step}))

    def train(self, model, resume_from_checkpoint=None):
        self.model, per_epoch, skip = model, SAMPLES // BATCH, 0
        if resume_from_checkpoint:
            model.h = pathlib.Path(resume_from_checkpoint, "model.bin").read_bytes()
            self.state.global_step = json.loads(pathlib.Path(resume_from_checkpoint, "trainer_state.json").read_text())["global_step"]
            skip = self.state.global_step % per_epoch
        self.control.should_training_stop = False
        self._call("on_train_begin")
        for epoch in range(self.state.global_step // per_epoch, -(-TOTAL // per_epoch)):
            self.control.should_epoch_stop = False
            self._call("on_epoch_begin")
            order = random.Random(epoch).sample(range(SAMPLES), SAMPLES)
            for step in range(skip, per_epoch):
                self.control.should_log = self.control.should_evaluate = self.control.should_save = False
                self._call("on_step_begin")
                model.train(order[step * BATCH:(step + 1) * BATCH])
                self.state.global_step += 1
                self.control.should_save = self.state.global_step % self.args.save_steps == 0  # DefaultFlowCallback, which comes first
                self.control.should_training_stop = self.state.global_step >= self.state.max_steps
                self._call("on_step_end")
                self._maybe_save()
                if self.control.should_epoch_stop or self.control.should_training_stop:
                    break
            skip = 0
            self._call("on_epoch_end")
            self._maybe_save()
            if self.control.should_training_stop:
                break
        self._call("on_train_end")


def hf_modules():
    class TrainerCallback:
        def __getattr__(self, name):
            if name.startswith("on_"):
                return lambda *args, **kwargs: None
            raise AttributeError(name)

    module = types.ModuleType("transformers")
    module.TrainerCallback = TrainerCallback
    sys.modules["transformers"] = module


def hf(folder):
    hf_modules()
    from tare.hf import TareCallback, latest
    callback, model = TareCallback(), Model()
    HfTrainer(folder, [callback], save_steps=25).train(model, resume_from_checkpoint=latest(folder))
    return callback, model


# ---- the tests -----------------------------------------------------------------------------------------------------------------------------


def start(which, folder, *more, step_s="0.0002"):
    return subprocess.Popen([sys.executable, __file__, "run", which, str(folder), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "STEP_S": step_s})


def to_the_end(which, folder):
    out, err = start(which, folder).communicate(timeout=300)
    assert out.splitlines()[-1].startswith("result "), err
    return out.splitlines()[-1]


def interrupted(which, folder, seed):
    rnd, codes = random.Random(seed), []
    while len(codes) < 60:
        p = start(which, folder, step_s="0.03" if len(codes) < 12 else "0.0002")  # not done before it is interrupted
        if len(codes) < 12:
            p.stdout.readline()  # it trains
            time.sleep(rnd.random() * 0.15)
            p.send_signal(signal.SIGKILL if rnd.random() < 0.4 else signal.SIGTERM)
        out, err = p.communicate(timeout=300)
        codes.append(p.returncode)
        assert p.returncode in (0, 85, -signal.SIGKILL), (p.returncode, err)
        if p.returncode == 0:
            return out.splitlines()[-1], codes
    raise AssertionError(codes)


def test(work):
    for which in ("lightning", "hf"):
        straight = to_the_end(which, work / which / "straight")
        again, codes = interrupted(which, work / which / "killed", 7)
        assert again == straight, (which, straight, again, codes)
        assert codes.count(85) >= 3 and codes.count(-signal.SIGKILL) >= 1, codes
        assert to_the_end(which, work / which / "killed") == straight  # nothing is left to do
        print("ok", which, "%d times asked to stop, %d times killed: the same result" % (codes.count(85), codes.count(-signal.SIGKILL)))
    p = start("lightning", work / "min", "1000", step_s="0.05")  # min_steps: Lightning would go on
    p.stdout.readline()
    time.sleep(0.05)
    p.send_signal(signal.SIGTERM)
    out, err = p.communicate(timeout=300)
    assert p.returncode == 85, (p.returncode, err)
    for n in "12":  # SIGTERM comes after the callback has looked for it, while it saves: in the first save, and once more in the first save of the next attempt
        p = start("lightning", work / "in-a-save", "0", "1")
        out, err = p.communicate(timeout=300)
        assert p.returncode == 85, (n, p.returncode, err)
    assert to_the_end("lightning", work / "in-a-save") == to_the_end("lightning", work / "lightning" / "straight")
    broken = work / "hf" / "killed" / "checkpoint-999"  # the Trainer died in it
    broken.mkdir()
    (broken / "trainer_state.json").touch()
    hf_modules()
    from tare.hf import latest
    assert 225 <= int(latest(work / "hf" / "killed").split("-")[-1]) <= TOTAL and latest(work / "none") is None
    print("frameworks: both loops hold")


def main():
    if sys.argv[1] != "run":
        return test(pathlib.Path(sys.argv[1]))
    callback, model = {"lightning": lightning, "hf": hf}[sys.argv[2]](sys.argv[3], *map(int, sys.argv[4:]))
    if not callback.exit_code:
        print("result", model.h.hex())
    sys.exit(callback.exit_code)


main()
