"""Faults for hours: damaged files, kills, full disks, rude clients, and text without end.

    python benchmarks/soak.py --hours 2

Four parts run side by side, each at a pace that leaves the machine usable:

- Every reader gets damaged files, half of them guided by coverage if atheris is installed.
- Every command that writes is killed at a random moment, up to three times, or its disk is full at a random
  size; given again, it must end with the same bytes as one that nobody disturbed.
- 64 clients ask a server; some send slowly, vanish or send 2 MB. The memory of the server is watched.
- 100 MB of real text is tagged, and one line of 1 GB, with the most memory that they take.

Nothing but what the soak counts is random: `--seed` gives another one. What fails is kept in runs/soak.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from random import Random

from _mutations import all_readers, failures
from _record import HERE, ROOT, RUNS, SHARED, as_command, on_one_thread, record
from _soak_clients import load
from _writers import (
    COMMANDS,
    FILLS_UP,
    NEEDS_RESUME,
    NEVER_REPLACE,
    run,
    targets,
    write_inputs,
    write_old_target,
)

from fofe.cli import main as fofe_main

INPUTS_PER_HOUR, KILLS_PER_HOUR, ANSWERS_PER_SECOND = 600_000, 300, 32.0
AT_ONCE = 1000
"""Damaged files for one reader in a row."""
MOST_KILLS = 3
"""Of one command before it may finish."""
FULL_DISKS = 0.15
"""The share of the trials with a full disk instead of kills."""
TINY = ROOT / "examples" / "tiny.toml"
CORPORA = ("wikipedia-2014.en.txt.xz", "reuters-2006-2013.en.txt.xz")
LINE, CYCLE = 1 << 30, 10 << 20
"""Bytes of the longest line, and of one round of text, blob and blanks in it."""


@dataclass
class Soak:
    """What all parts need."""

    folder: Path
    seed: int
    until: float
    """A moment of `time.monotonic`."""
    began: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.until

    def keep_pace(self, done: int, per_hour: float) -> None:
        """Wait if more is done than the pace asks for."""
        due = self.began + 3600 * done / per_hour
        time.sleep(max(0.0, min(due, self.until) - time.monotonic()))

    def fail(self, what: str) -> None:
        """Keep what failed."""
        with (RUNS / "soak" / "failures.txt").open("a", encoding="utf-8") as file:
            file.write(what.rstrip() + "\n\n")

    @property
    def model(self) -> Path:
        """The small model that all of this is done with."""
        return self.folder / "tiny" / "model"


Metrics = dict[str, float]


def read_damaged_files(soak: Soak) -> Metrics:
    """Feed damaged files to every reader in turn."""
    inputs, tracebacks, seed = 0, 0, soak.seed
    names = [reader.name for reader in all_readers(soak.folder / "tiny", TINY)]
    guided = find_spec("atheris") is not None
    while not soak.over:
        seed += 1
        with tempfile.TemporaryDirectory(dir=soak.folder) as folder:
            for reader in all_readers(soak.folder / "tiny", TINY):
                for number, failure in failures(reader, AT_ONCE, seed, Path(folder)):
                    tracebacks += 1
                    soak.fail(f"{reader.name}, seed {seed}, input {number}:\n{failure}")
                inputs += AT_ONCE
                soak.keep_pace(inputs, INPUTS_PER_HOUR)
                if soak.over:
                    break
        for name in names if guided else ():
            if soak.over:
                break
            ended = _guided(name, soak)
            inputs += AT_ONCE
            if ended.returncode:
                tracebacks += 1
                soak.fail(f"{name}, guided by coverage:\n{ended.stderr[-3000:]}")
            soak.keep_pace(inputs, INPUTS_PER_HOUR)
    return {"inputs": inputs, "tracebacks": tracebacks, "readers": len(names)}


def _guided(name: str, soak: Soak) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        str(HERE / "_guided.py"),
        name,
        str(AT_ONCE),
        str(soak.folder / "guided" / name),
    ]
    command += ["--run", str(soak.folder / "tiny"), "--config", str(TINY)]
    with tempfile.TemporaryDirectory(dir=soak.folder) as folder:
        environment = os.environ | {"TMPDIR": folder}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def kill_commands(soak: Soak) -> Metrics:
    """Kill commands that write, and let them fill the disk; then let them finish."""
    import gensim.models.word2vec  # noqa: F401  what a process imports need not be imported in each of its forks
    import torch  # noqa: F401

    places = write_inputs(_made(soak.folder / "inputs"), TINY.parent / "corpus", soak.model)
    random, trials = Random(soak.seed), {name: Trial(name, places, soak) for name in COMMANDS}
    kills = full = lost = 0
    while not soak.over:
        for trial in trials.values():
            if random.random() < FULL_DISKS:
                lost += not trial.survives_a_full_disk(random)
                full += 1
            else:
                hit, survived = trial.survives_kills(random)
                kills += hit
                lost += not survived
            soak.keep_pace(kills, KILLS_PER_HOUR)
            if soak.over:
                break
    return {"kills": kills, "full_disks": full, "lost": lost, "commands": len(trials)}


class Trial:
    """A command that writes, what it writes when nobody disturbs it, and how long that takes."""

    def __init__(self, name: str, places: dict[str, Path], soak: Soak) -> None:
        self.name, self.places, self.soak = name, places, soak
        self.out = soak.folder / "out"
        self.messages = os.open(os.devnull, os.O_RDONLY)
        self._prepare()
        self.old = targets(self.out)
        began = time.monotonic()
        if os.waitpid(self._start(), 0)[1] != 0:
            raise SystemExit(f"{name} does not work: {self._messages()}")
        self.seconds = time.monotonic() - began
        self.new = targets(self.out)
        self.largest = max(file.stat().st_size for file in self.out.rglob("*") if file.is_file())

    def _prepare(self) -> None:
        """Make the state before the command: an old target where it may replace one."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        write_old_target(self.name, self.out)
        if "{out}/model" in COMMANDS[self.name] and self.name not in NEVER_REPLACE:
            shutil.copytree(self.places["model"], self.out / "model")

    def _start(self, *more: str, disk: int = resource.RLIM_INFINITY) -> int:
        """Start the command in a fork; returns its process."""
        os.close(self.messages)
        self.messages, end = os.pipe()  # no file: that would share the full disk
        if process := os.fork():
            os.close(end)
            return process
        code = 3
        try:
            os.dup2(end, 1)
            os.dup2(end, 2)
            resource.setrlimit(resource.RLIMIT_FSIZE, (disk, resource.RLIM_INFINITY))
            code = run(self.name, self.places, self.out, *more)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _messages(self) -> str:
        return os.read(self.messages, 1 << 16).decode("utf-8", "replace")[-2000:]

    def survives_kills(self, random: Random) -> tuple[int, bool]:
        """How many kills hit, and whether nothing was lost."""
        self._prepare()
        hit = 0
        for _ in range(random.randint(1, MOST_KILLS)):
            process = self._start(*self._resume())
            time.sleep(random.random() * 1.1 * self.seconds)
            os.kill(process, signal.SIGKILL)
            hit += os.WIFSIGNALED(os.waitpid(process, 0)[1])
            if self.name not in FILLS_UP and targets(self.out) not in (self.old, self.new):
                self.soak.fail(f"{self.name}, killed: the target is neither the old nor the new one")
                return hit, False
        return hit, self._finishes("killed")

    def survives_a_full_disk(self, random: Random) -> bool:
        """Whether a disk that is full at a random size is reported, and nothing is lost."""
        self._prepare()
        status = os.waitpid(self._start(disk=random.randrange(self.largest + 1)), 0)[1]
        code, said = os.waitstatus_to_exitcode(status), self._messages()
        if code not in (0, 2) or "Traceback" in said:
            self.soak.fail(f"{self.name}, full disk: exit code {code}\n{said}")
            return False
        return self._finishes("full disk")

    def _resume(self) -> list[str]:
        """The option to go on, for commands that ask for it where there is something to go on with."""
        begun = any(path.is_dir() and any(path.iterdir()) for path in self.out.iterdir())
        return ["--resume"] if begun and self.name in NEEDS_RESUME else []

    def _finishes(self, after: str) -> bool:
        """Whether the command, given again, ends with the same bytes."""
        if self.name in NEVER_REPLACE and targets(self.out) == self.new:
            return True
        code = os.waitstatus_to_exitcode(os.waitpid(self._start(*self._resume()), 0)[1])
        if code or targets(self.out) != self.new or list(self.out.rglob("*.writing")):
            self.soak.fail(f"{self.name}, {after}: exit code {code} when given again\n{self._messages()}")
            shutil.copytree(self.out, RUNS / "soak" / f"{self.name}-{time.monotonic():.0f}")
            return False
        return True


def serve_clients(soak: Soak) -> Metrics:
    """Let the clients ask."""
    counts = load(soak.model, soak.until, ANSWERS_PER_SECOND, soak.seed)
    (RUNS / "soak" / "memory.json").write_text(json.dumps(counts.memory), "utf-8")
    metrics = {"answers": counts.answers, "lost_answers": counts.lost}
    return metrics | {"rss_slope_mb_per_hour": round(counts.slope(), 2)}


def tag_much(soak: Soak) -> Metrics:
    """Tag 100 MB of text, a line at a time, and 1 GB in one line, each within the time of the soak."""
    installed = find_spec("fofe_en") is not None
    return {
        "peak_mb_100mb_text": _peak(str(soak.model), _lines()),
        "peak_mb_1gb_line": _peak("en" if installed else str(soak.model), _one_line()),
    }


def _peak(model: str, text: Iterator[bytes]) -> int:
    """The most memory that `fofe tag` takes for some text, in megabytes."""
    code = (
        "import sys; from pathlib import Path; from fofe.cli import main; assert main(sys.argv[1:]) == 0;"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    command = [sys.executable, "-c", code, "tag", "-m", model, "-o", os.devnull]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for part in text:
            process.stdin.write(part)
        process.stdin.close()
        return int(process.stdout.read()) >> 10


def _lines(most: int = 100 << 20) -> Iterator[bytes]:
    """Lines of the corpora beside the project, or those of the examples again and again."""
    paths = [path for name in CORPORA if (path := SHARED / "corpora" / name).exists()]
    while most > 0:
        for path in paths or [ROOT / "examples" / "plain.txt"]:
            with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
                for line in file:
                    most -= len(line)
                    if most <= 0:
                        return
                    yield line


def _one_line() -> Iterator[bytes]:
    """One line: a megabyte of words, then a word without end, then blanks, and so on."""
    words = b" ".join(line.strip() for line in _lines(100 << 20))
    rest = (CYCLE - (1 << 20)) // 2
    for number in range(LINE // CYCLE):
        yield words[number << 20 : number + 1 << 20].ljust(1 << 20)
        yield b"a" * rest
        yield b" " * rest
    yield b"\n"


PARTS: dict[str, Callable[[Soak], Metrics]] = {
    "files": read_damaged_files,
    "kills": kill_commands,
    "clients": serve_clients,
    "text": tag_much,
}


def _work(part: str, soak: Soak, results: Queue[Metrics]) -> None:
    """One part, in a process of its own."""
    os.environ["TMPDIR"] = tempfile.tempdir = str(_made(soak.folder / part))
    results.put(PARTS[part](soak))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    """Soak, print, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, nargs="+", help="for trials: some parts, not recorded")
    args = parser.parse_args()
    on_one_thread()
    shutil.rmtree(_made(RUNS / "soak"))
    _made(RUNS / "soak")
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        if fofe_main(["train", str(TINY), "-o", f"{folder}/tiny"]) != 0:
            raise SystemExit("the small model cannot be trained")
        soak = Soak(Path(folder), args.seed, time.monotonic() + 3600 * args.hours)
        results: Queue[Metrics] = context.Queue()
        workers = [context.Process(target=_work, args=(part, soak, results)) for part in args.only or PARTS]
        for worker in workers:
            worker.start()
        metrics: Metrics = {"hours": args.hours}
        for worker in workers:
            worker.join()
            if worker.exitcode:
                raise SystemExit("a part of the soak broke off")
            metrics |= results.get()
    print(re.sub(r"[{}']", "", str(metrics)))
    if not args.only:
        record("soak", metrics, f"python benchmarks/soak.py --hours {args.hours:g} --seed {args.seed}")


if __name__ == "__main__":
    as_command(main)
