"""Sixty and more ways in which a training ends: real processes that really end so, and logs as they are left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: A loop that prints a falling loss and, at step 80 of 200, does what a case says.
LOOP = """\
import os, signal, sys, time
{setup}
def loss(i):
    return 2.3 * (1 + i / 10) ** -0.4 + 0.001 * ((i * 7919) % 13)
def main():
    for i in range(1, 201):
        print(f"step {{i}}/200 loss {{loss(i):.4f}}", flush={flush})
        if i == 80:
            {act}
{after}
main()
"""
#: The shell adds its own line of a child that was killed, as it does in a job script.
SHELL = "{limit}{wrap}{python} train.py >> train.log 2>&1{background}"


@dataclass(frozen=True, slots=True)
class Case:
    """One ending. made: how; word: how it must be told; cause: the first cause, "" where none is needed."""

    name: str
    word: str | None
    cause: str
    made: str
    make: Callable[[Path], None]
    real: bool = False


def process(
    act: str, setup: str = "", after: str = "", flush: bool = True, limit: str = "", wrap: str = "", files: str = ""
) -> Callable[[Path], None]:
    """Runs the loop in a folder under bash, with its output in train.log."""

    def make(place: Path) -> None:
        body = LOOP.format(setup=setup, act=act, after=after, flush=flush)
        (place / "train.py").write_text(body, encoding="utf-8")
        line = SHELL.format(limit=limit, wrap=wrap, python=sys.executable, background=files)
        with (place / "train.log").open("ab") as err:
            subprocess.run(
                ["bash", "-c", line + "\ntrue"], cwd=place, stderr=err, stdout=err, timeout=120, check=False,
                env={**os.environ, "LC_ALL": "C", "PYTHONUNBUFFERED": "", "PYTHONFAULTHANDLER": ""},
            )  # fmt: skip
        (place / "train.py").unlink()

    return make


def steps(first: int, last: int, total: str = "/200") -> str:
    """Lines of a falling loss."""
    return "".join(f"step {i}{total} loss {2.3 * (1 + i / 10) ** -0.4:.4f}\n" for i in range(first, last + 1))


def text(*tail: str, last: int = 80, total: str = "/200") -> Callable[[Path], None]:
    """A log of `last` steps that ends in these lines."""

    def make(place: Path) -> None:
        (place / "train.log").write_text(steps(1, last, total) + "".join(f"{t}\n" for t in tail), encoding="utf-8")

    return make


def traceback(error: str, line: str = "loss = criterion(model(x), y)", number: int = 39) -> str:
    """A traceback as Python prints it."""
    return (
        "Traceback (most recent call last):\n"
        f'  File "/home/u/project/train.py", line {number}, in main\n    {line}\n'
        '  File "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1736, in _call_impl\n'
        "    return forward_call(*args, **kwargs)\n"
        f"{error}"
    )


def beside(name: str, content: str, last: int = 80) -> Callable[[Path], None]:
    """A JSON-lines log of `last` steps with another file beside it."""

    def make(place: Path) -> None:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content, encoding="utf-8")
        rows = "".join(f'{{"step": {i}, "loss": {2.3 * (1 + i / 10) ** -0.4:.4f}}}\n' for i in range(1, last + 1))
        (place / "metrics.jsonl").write_text(rows, encoding="utf-8")

    return make


def sacred(status: str, trace: str = "null") -> Callable[[Path], None]:
    """A run folder of Sacred's file observer."""

    def make(place: Path) -> None:
        at = [str(i) for i in range(1, 81)]
        values = ", ".join(f"{2.3 * (1 + int(i) / 10) ** -0.4:.4f}" for i in at)
        (place / "metrics.json").write_text(
            f'{{"training.loss": {{"steps": [{", ".join(at)}], "values": [{values}], "timestamps": []}}}}',
            encoding="utf-8",
        )
        (place / "run.json").write_text(
            f'{{"status": "{status}", "heartbeat": "2024-05-01T12:00:00", "experiment": {{"name": "x"}},'
            f' "fail_trace": {trace}}}',
            encoding="utf-8",
        )

    return make


def mlflow(status: int) -> Callable[[Path], None]:
    """A run of MLflow's file store."""

    def make(place: Path) -> None:
        run = place / "0" / ("a" * 32)
        (run / "metrics").mkdir(parents=True)
        (run / "meta.yaml").write_text(
            f"run_id: {'a' * 32}\nrun_name: owl\nexperiment_id: '0'\nstatus: {status}\nlifecycle_stage: active\n",
            encoding="utf-8",
        )
        rows = "".join(f"{1714560000000 + 1000 * i} {2.3 * (1 + i / 10) ** -0.4:.4f} {i}\n" for i in range(1, 81))
        (run / "metrics" / "loss").write_text(rows, encoding="utf-8")

    return make


def torn(name: str, row: str) -> Callable[[Path], None]:
    """A process that writes rows in blocks, as the C library does, and is killed: the last block ends inside a row."""
    script = (
        "import os, signal\n"
        f"f = os.open({name!r}, os.O_WRONLY | os.O_CREAT)\n"
        "held = b''\n"
        "for i in range(1, 2000):\n"
        f"    held += {row!r}.format(i=i, v=2.3 * (1 + i / 10) ** -0.4).encode()\n"
        "    if len(held) >= 4096:\n"
        "        os.write(f, held[:4096]); held = held[4096:]\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    def make(place: Path) -> None:
        subprocess.run([sys.executable, "-c", script], cwd=place, timeout=120, check=False)

    return make


KILL = "os.kill(os.getpid(), signal.{0}); time.sleep(5)"
CASES: tuple[Case, ...] = (
    Case("killed with signal 9", "killed", "killed-run", "kill -9", process(KILL.format("SIGKILL")), True),
    Case("terminated", "killed", "killed-run", "kill -TERM", process(KILL.format("SIGTERM")), True),
    Case(
        "hung up", "killed", "killed-run", "kill -HUP",
        # a suite under nohup hands down that this signal is ignored
        process(KILL.format("SIGHUP"), "signal.signal(signal.SIGHUP, signal.SIG_DFL)"), True,
    ),
    Case(
        "terminated, and the program says so", "killed", "killed-run", "kill -TERM with a handler",
        process(
            "os.kill(os.getpid(), signal.SIGTERM)",
            "def stop(n, f):\n    print('received SIGTERM, shutting down', flush=True); sys.exit(0)\n"
            "signal.signal(signal.SIGTERM, stop)",
        ), True,
    ),
    Case("stopped by Ctrl-C", "by-hand", "", "kill -INT", process(KILL.format("SIGINT")), True),
    Case(
        "stopped by Ctrl-C, output held back", "by-hand", "", "kill -INT, buffered output",
        process(KILL.format("SIGINT"), flush=False), True,
    ),
    Case("an exception", "crash", "violated-assertion", "raise", process("raise ValueError('bad batch')"), True),
    Case(
        "an exception, output held back", "crash", "missing-key", "raise, buffered output",
        process("{}['ckpt_dir']", flush=False), True,
    ),
    Case(
        "an exception while another was handled", "crash", "missing-key", "raise in except",
        process("\n            try:\n                {}['a']\n            except KeyError:\n                {}['b']"),
        True,
    ),
    Case("an exception of its own kind", "crash", "", "raise",
         process("raise Odd('x')", "class Odd(Exception): pass"), True),
    Case(
        "segmentation fault", "crash", "native-crash", "kill -SEGV", process(KILL.format("SIGSEGV")), True,
    ),
    Case(
        "segmentation fault with faulthandler", "crash", "native-crash", "faulthandler",
        process("faulthandler._sigsegv()", "import faulthandler; faulthandler.enable()"), True,
    ),
    Case("aborted", "crash", "native-crash", "os.abort", process("os.abort()"), True),
    Case("bus error", "crash", "native-crash", "a mapped file that shrinks",
         process("f.truncate(0); m[4096:4097]",
                 "import mmap\nf = open('x.bin', 'w+b'); f.truncate(1 << 16); m = mmap.mmap(f.fileno(), 1 << 16)"),
         True),
    Case("illegal instruction", "crash", "native-crash", "kill -ILL", process(KILL.format("SIGILL")), True),
    Case(
        "no address space left", "crash", "host-memory-exhausted", "ulimit -v",
        process("x = bytearray(1 << 33)", limit="ulimit -v 1500000; "), True,
    ),
    Case(
        "an array that does not fit", "crash", "host-memory-exhausted", "numpy",
        process("np.zeros(1 << 56)", "import numpy as np"), True,
    ),
    Case("a file larger than allowed", "disk", "disk-full", "ulimit -f",
         process("open('ckpt.pt', 'wb').write(bytes(1 << 22))", limit="ulimit -f 1000; "), True),
    Case("the disk is full", "disk", "disk-full", "/dev/full",
         process("f = open('/dev/full', 'wb', 0); f.write(bytes(1 << 16))"), True),
    Case("out of time, told by timeout", "time-limit", "time-limit", "timeout -v",
         process("time.sleep(30)", wrap="timeout -v 2 "), True),
    Case("out of time, killed", "killed", "killed-run", "timeout -s KILL",
         process("time.sleep(30)", wrap="timeout -s KILL 2 "), True),
    Case("out of processor time", "time-limit", "time-limit", "ulimit -t",
         process("\n            while True: pass", limit="ulimit -St 1; "), True),
    Case("too many open files", "crash", "process-limit", "ulimit -n",
         process("fs = [open('/dev/null') for _ in range(500)]", limit="ulimit -n 64; "), True),
    Case("a file that is not there", "crash", "missing-file", "open",
         process("open('data/train.csv')"), True),
    Case("a folder for a file", "crash", "missing-file", "open", process("open('/tmp')"), True),
    Case("a recursion without end", "crash", "program-error", "recursion",
         process("f(0)", "def f(i):\n    return f(i + 1)"), True),
    Case("an object that cannot be pickled", "crash", "unpicklable-object", "pickle",
         process("pickle.dumps(lambda: 0)", "import pickle"), True),
    Case("a torn JSON file", "crash", "corrupt-data-file", "json.loads",
         process("json.loads('[1, 2')", "import json"), True),
    Case("a text in another encoding", "crash", "corrupt-data-file", "decode",
         process("b'\\xff\\xfe'.decode('utf-8')"), True),
    Case("a torn checkpoint", "crash", "corrupt-checkpoint", "pickle.loads",
         process("pickle.loads(pickle.dumps([1] * 99)[:40])", "import pickle"), True),
    Case("a package that is missing", "crash", "missing-package", "import",
         process("import apex_of_nothing"), True),
    Case("an argument that is unknown", "crash", "bad-setting", "argparse",
         process("argparse.ArgumentParser('train.py').parse_args(['--lrr', '1'])", "import argparse"), True),
    Case("a check that failed", "crash", "violated-assertion", "assert",
         process("assert 3 == 4, 'batch size must be a multiple of 8'"), True),
    Case("a name that is not defined", "crash", "program-error", "a wrong name", process("print(lss)"), True),
    Case("a port in use", "crash", "launch-setup", "two sockets",
         process("a = socket.socket(); a.bind(('127.0.0.1', 0)); a.listen();"
                 " b = socket.socket(); b.bind(a.getsockname())", "import socket"), True),
    Case("a hub that cannot be reached", "crash", "hub-unreachable", "urllib",
         process("urllib.request.urlopen('http://127.0.0.1:9/model')", "import urllib.request"), True),
    Case("a worker of a pool that dies", "crash", "input-workers", "concurrent.futures",
         process("list(ProcessPoolExecutor(1).map(os._exit, [3]))",
                 "from concurrent.futures import ProcessPoolExecutor"), True),
    Case("a caught exception, then on to the end", "finished", "", "traceback.print_exc",
         process("\n            try:\n                {}['a']\n            except KeyError:\n"
                 "                traceback.print_exc()", "import traceback"), True),
    Case("finished by its plan", "finished", "", "return", process("pass"), True),
    Case("finished, and it says so", "finished", "", "print",
         process("pass", after="    print('Training finished.')"), True),
    Case("gone without a word", "running", "", "os._exit(3)", process("os._exit(3)"), True),
    Case("killed while a buffer was written, JSON lines", "cut-off", "killed-run", "kill -9, buffered",
         torn("metrics.jsonl", '{{"step": {i}, "loss": {v:.6f}}}\n'), True),
    Case("killed while a buffer was written, text", "cut-off", "killed-run", "kill -9, buffered",
         torn("train.log", "step {i} | train loss {v:.6f} | lr 3.0000e-04\n"), True),
    # what cannot be made here: schedulers, GPUs, clusters, hubs
    Case("Slurm: time limit", "time-limit", "time-limit", "text",
         text("slurmstepd: error: *** JOB 1234 ON node1 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***")),
    Case("Slurm: preemption", "preempted", "preemption", "text",
         text("slurmstepd: error: *** JOB 1234 ON node1 CANCELLED AT 2024-05-01T12:00:00 DUE TO PREEMPTION ***")),
    Case("Slurm: cancelled", "killed", "killed-run", "text",
         text("slurmstepd: error: *** JOB 1234 ON node1 CANCELLED AT 2024-05-01T12:00:00 ***")),
    Case("Slurm: node failure", "hardware", "node-failure", "text",
         text("slurmstepd: error: *** JOB 1234 ON node1 CANCELLED AT 2024-05-01T12:00:00 DUE TO NODE FAILURE,"
              " SEE SLURMCTLD LOG FOR DETAILS ***")),
    Case("Slurm: out of memory", "killed", "host-memory-exhausted", "text",
         text("/var/spool/job1234/slurm_script: line 9:  4242 Killed                  python train.py",
              "slurmstepd: error: Detected 1 oom_kill event in StepId=1234.batch."
              " Some of the step tasks have been OOM Killed.")),
    Case("LSF: run limit", "time-limit", "time-limit", "text",
         text("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "Exited with exit code 140.")),
    Case("PBS: walltime", "time-limit", "time-limit", "text",
         text("=>> PBS: job killed: walltime 86438 exceeded limit 86400", "Terminated")),
    Case("Kubernetes: out of memory", "killed", "host-memory-exhausted", "text",
         text("    State: Terminated   Reason: OOMKilled   Exit Code: 137")),
    Case("Kubernetes: evicted", "preempted", "preemption", "text",
         text("Evicted: The node was low on resource: ephemeral-storage.")),
    Case("a container that was killed", "killed", "killed-run", "text", text("trainer-1 exited with code 137")),
    Case("a spot machine that was reclaimed", "preempted", "preemption", "text",
         text("WARNING Spot instance interruption notice received, terminating at 12:02")),
    Case("torchrun: terminated", "killed", "killed-run", "text",
         text("W0501 12:00:00 torch/distributed/elastic/agent/server/api.py:704] Received 15 death signal,"
              " shutting down workers",
              traceback("torch.distributed.elastic.multiprocessing.api.SignalException: Process 4242 got signal: 15"))),
    Case("GPU memory", "crash", "memory-leak", "text",
         text(traceback("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total"
                        " capacity of 23.70 GiB of which 5.81 MiB is free."))),
    Case("GPU: illegal access", "crash", "gpu-illegal-access", "text",
         text(traceback("RuntimeError: CUDA error: an illegal memory access was encountered\n"
                        "CUDA kernel errors might be asynchronously reported at some other API call"))),
    Case("GPU: cuBLAS", "crash", "gpu-library-failure", "text",
         text(traceback("RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(...)`"))),
    Case("GPU: memory fault", "hardware", "gpu-hardware-fault", "text",
         text(traceback("RuntimeError: CUDA error: uncorrectable ECC error encountered"))),
    Case("GPU: fell off the bus", "hardware", "gpu-hardware-fault", "text",
         text("kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, GPU has fallen off the bus.")),
    Case("GPU: driver too old", "crash", "driver-mismatch", "text",
         text(traceback("RuntimeError: The NVIDIA driver on your system is too old (found version 10010)."), last=0)),
    Case("ranks: a collective timed out", "crash", "rank-desync", "text",
         text("[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout:"
              " WorkNCCL(SeqNum=4, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600012 milliseconds"
              " before timing out.")),
    Case("ranks: unused parameters", "crash", "unused-parameters", "text",
         text(traceback("RuntimeError: Expected to have finished reduction in the prior iteration before starting a"
                        " new one. This error indicates that your module has parameters that were not used in"
                        " producing loss."))),
    Case("ranks: an actor died", "crash", "peer-lost", "text",
         text(traceback("ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task."))),
    Case("a data-loader worker was killed", "crash", "input-workers", "text",
         text(traceback("RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed."))),
    Case("a gated model", "crash", "hub-unreachable", "text",
         text(traceback("huggingface_hub.errors.GatedRepoError: 401 Client Error. Access to model x/y is restricted."),
              last=0)),
    Case("a checkpoint of another model", "crash", "checkpoint-mismatch", "text",
         text(traceback('RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict:'
                        ' "module.fc.weight".'), last=0)),
    Case("a token that the table does not hold", "crash", "vocabulary-mismatch", "text",
         text(traceback("IndexError: index out of range in self"))),
    Case("Lightning: stopped early", "early-stopping", "", "text",
         text("Monitored metric val_loss did not improve in the last 3 records. Best score: 0.512."
              " Signaling Trainer to stop.")),
    Case("Lightning: all epochs done", "finished", "", "text",
         text("`Trainer.fit` stopped: `max_epochs=10` reached.", total="")),
    Case("transformers: done", "finished", "", "text",
         text("{'train_runtime': 124.3, 'train_samples_per_second': 80.4, 'train_loss': 0.9, 'epoch': 3.0}", total="")),
    Case("MLflow: killed", "killed", "killed-run", "store", mlflow(5)),
    Case("MLflow: finished", "finished", "", "store", mlflow(3)),
    Case("Sacred: failed", "crash", "missing-key", "store",
         sacred("FAILED", '["Traceback (most recent call last):\\n", "  File \\"train.py\\", line 39, in main\\n",'
                          ' "    x = cfg[\\"depth\\"]\\n", "KeyError: \'depth\'\\n"]')),
    Case("Sacred: interrupted", "by-hand", "", "store", sacred("INTERRUPTED")),
    Case("a retried allocation, then on", "finished", "", "text",
         lambda place: text(
             "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "retrying with half the batch",
             *steps(81, 200).splitlines(),
         )(place)),
    Case("nothing tells", None, "", "text", text("saving checkpoint", total="")),
)  # fmt: skip


def available(case: Case) -> bool:
    """Whether a real ending can be made here."""
    return not case.real or (os.name == "posix" and shutil.which("bash") is not None)
