# SPDX-License-Identifier: BSD-3-Clause
"""group - the ranks of one library, alive through the whole comparison and stopped while others are
measured.

Each rank connects to a socket of ours and blocks in it between commands (drivers/driver.c).  That
alone does not keep a library's own threads from spinning, nor a rank that waits for others inside
the library; so every rank is stopped by SIGSTOP after its answer and continued by SIGCONT before
its next command.  Whatever happens to us, no rank is left behind: launchers get SIGKILL when we
die, ranks when their launcher does.
"""

import ctypes
import os
import select
import signal
import socket
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1
START_SECONDS = 90
_libc = ctypes.CDLL(None, use_errno=True)


class GroupError(Exception):
    """The library failed, hung or gave a wrong result; the text is a sentence for the report."""


class WrongResult(GroupError):
    """The library answered with a result that is not right."""


def _die_with_parent():
    # not a session of its own: where the system groups sessions to schedule them, ranks that are
    # started one by one would not give way to each other as those of one launcher do
    os.setpgid(0, 0)
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Rank:
    """One rank: its connection, its process, what it has said."""

    def __init__(self, connection):
        self.connection = connection
        self.pid = 0
        self.text = b""


class Group:
    """Starts processes that run the driver; commands are said to all ranks and answered by each."""

    def __init__(self, name, nranks, commands, environment, scratch):
        """commands: argument lists of the processes to start, with the variables of each."""
        self.name, self.nranks = name, nranks
        self.folder = tempfile.mkdtemp(prefix=name + "-", dir=scratch)
        self.log_path = os.path.join(self.folder, "output")
        self.version = ""
        self.ranks, self.processes = [], []
        self.stopped = False
        with open(os.path.join(self.folder, "meeting"), "wb") as file:
            file.truncate(4096)
        listener = self._listen()
        base = dict(os.environ, COMPARE_SOCKET="socket", COMPARE_MEETING="meeting", **environment)
        try:
            with open(self.log_path, "wb") as log:
                for arguments, extra in commands:
                    self.processes.append(
                        subprocess.Popen(
                            arguments,
                            env=dict(base, **extra),
                            stdin=subprocess.DEVNULL,
                            stdout=log,
                            stderr=log,
                            cwd=self.folder,
                            preexec_fn=_die_with_parent,
                        )
                    )
            self._greet(listener)
        except BaseException:
            self.kill()
            raise
        finally:
            listener.close()

    def _listen(self):
        """A socket in our folder, where all ranks run: the whole path may be too long for one."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        folder = os.open(self.folder, os.O_PATH)
        try:
            listener.bind(f"/proc/self/fd/{folder}/socket")
        finally:
            os.close(folder)
        listener.listen(self.nranks)
        return listener

    def _greet(self, listener):
        end = time.monotonic() + START_SECONDS
        while len(self.ranks) < self.nranks:
            ready, _, _ = select.select([listener], [], [], 0.2)
            if ready:
                self.ranks.append(Rank(listener.accept()[0]))
            elif all(process.poll() is not None for process in self.processes):
                raise GroupError(f"{self.name} does not start: {self.last_words()}")
            elif time.monotonic() > end:
                raise GroupError(
                    f"{self.name} has not started {self.nranks} ranks within "
                    f"{START_SECONDS} s: {self.last_words()}"
                )
        for words in self._answers(end - time.monotonic()):
            if words[0] != "hello" or int(words[2]) != self.nranks:
                raise GroupError(
                    f"{self.name} greets with \"{' '.join(words)}\" instead of as one of "
                    f"{self.nranks} ranks"
                )
            self.version = " ".join(words[4:])
        self._stop()

    def last_words(self):
        """The last line that the library or its launcher has printed."""
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip(" -=*\n")]
        return lines[-1][:300] if lines else "it has printed nothing"

    def _signal(self, number):
        for rank in self.ranks:
            if rank.pid:
                try:
                    os.kill(rank.pid, number)
                except ProcessLookupError:
                    pass

    def _stop(self):
        self._signal(signal.SIGSTOP)
        self.stopped = True

    def _go(self):
        if self.stopped:
            self._signal(signal.SIGCONT)
            self.stopped = False

    def _answers(self, seconds):
        """One line of every rank, as lists of words, in no order."""
        end = time.monotonic() + seconds
        waiting = {rank.connection: rank for rank in self.ranks}
        answers = []
        while waiting:
            left = end - time.monotonic()
            ready, _, _ = select.select(list(waiting), [], [], max(0, min(left, 1)))
            if not ready and left <= 0:
                raise GroupError(
                    f"{self.name} with {self.nranks} ranks has not answered within "
                    f"{seconds:.0f} s: "
                    f"{self.last_words()}"
                )
            for connection in ready:
                rank = waiting[connection]
                piece = connection.recv(65536)
                rank.text += piece
                if not piece:
                    raise GroupError(
                        f"{self.name} with {self.nranks} ranks has lost a rank: {self.last_words()}"
                    )
                if rank.text.endswith(b"\n"):
                    words = rank.text.decode("utf-8", "replace").split()
                    rank.text = b""
                    if words[0] == "failed":
                        raise GroupError(
                            f"{self.name} with {self.nranks} ranks: {' '.join(words[1:])}"
                        )
                    if words[0] == "hello":
                        rank.pid = int(words[3])
                    answers.append(words)
                    del waiting[connection]
        return answers

    def ask(self, command, seconds):
        """The answer to a measure command: nanoseconds from the first rank's start to the last
        one's end, for each thing timed; None for "none".
        """
        self._go()
        line = (command + "\n").encode()
        for rank in self.ranks:
            try:
                rank.connection.sendall(line)
            except OSError:
                raise GroupError(
                    f"{self.name} with {self.nranks} ranks has lost a rank: " f"{self.last_words()}"
                ) from None
        answers = self._answers(seconds)
        self._stop()
        for words in answers:
            if words[0] == "wrong":
                raise WrongResult(
                    f"{self.name} with {self.nranks} ranks: wrong {' '.join(words[1:])}"
                )
        if answers[0][0] == "none":
            return None
        spans = [list(map(int, words[1:])) for words in answers]
        return [
            max(ends) - min(starts)
            for starts, ends in zip(
                zip(*(times[0::2] for times in spans)), zip(*(times[1::2] for times in spans))
            )
        ]

    def end(self):
        """Lets the ranks leave as they should; kills what has not gone within seconds."""
        try:
            self._go()
            for rank in self.ranks:
                rank.connection.sendall(b"end\n")
            end = time.monotonic() + 10
            for process in self.processes:
                process.wait(max(0.1, end - time.monotonic()))
        except (OSError, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self):
        """Kills every process of the group that is still there."""
        self._signal(signal.SIGKILL)
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        for rank in self.ranks:
            rank.connection.close()
        self.ranks = []
