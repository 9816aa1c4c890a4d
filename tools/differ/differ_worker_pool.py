"""The near end of the pipe: starts a worker, asks it, starts it again when it dies or hangs."""

import os
import pathlib
import pickle
import select
import struct
import subprocess

SCRIPT = pathlib.Path(__file__).with_name("differ_worker.py")


class Worker:
    def __init__(self, python, library, seconds=180, script=SCRIPT):
        # Generous: on a loaded machine a start alone may take as long as a batch.
        self.command = [python, str(script), library]
        self.seconds = seconds
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def read(self, n, seconds):
        parts, pipe = [], self.process.stdout.fileno()
        while n:
            if not select.select([pipe], [], [], seconds)[0]:
                raise TimeoutError
            part = os.read(pipe, min(n, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            n -= len(part)
        return b"".join(parts)

    def send(self, batch):
        if not self.process:
            self.start()
        message = pickle.dumps(batch, protocol=4)
        self.process.stdin.write(struct.pack("<q", len(message)) + message)
        self.process.stdin.flush()

    def receive(self, seconds=None):
        seconds = seconds or self.seconds
        return pickle.loads(self.read(struct.unpack("<q", self.read(8, seconds))[0], seconds))

    def one(self, item):
        try:
            self.send([item])
            return self.receive()[0]
        except (EOFError, BrokenPipeError):
            code = self.process.wait()
            self.stop()
            return ("crash", "Crash", f"the process ended with {code}"), []
        except TimeoutError:
            self.stop()
            return ("crash", "Hang", f"no answer in {self.seconds} seconds"), []

    def finish(self, batch):
        """The answers to what was sent; after a crash, each call by itself."""
        try:
            return self.receive()
        except (EOFError, BrokenPipeError, TimeoutError):
            self.stop()
            return [self.one(item) for item in batch]

    def ask(self, batch):
        if not batch:
            return []
        try:
            self.send(batch)
        except BrokenPipeError:
            self.stop()
            return [self.one(item) for item in batch]
        return self.finish(batch)
