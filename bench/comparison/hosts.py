# SPDX-License-Identifier: BSD-3-Clause
"""hosts - several hosts on this machine, for comparisons across them.

They are made by the shell functions that the tests use (tests/hosts/hosts): network namespaces on a
switch, each with a name, a /dev/shm and System V segments of its own, so that no library takes two
of them for one host by accident.  The processes of this system stay visible, because ranks are
stopped and continued by their numbers.
"""

import ctypes
import os
import re
import signal
import subprocess
from dataclasses import dataclass

_libc = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


class HostsError(Exception):
    """This system gives no hosts; the text is a sentence."""


@dataclass(frozen=True, order=True)
class Layout:
    """So many hosts, and ranks on each; no hosts: all ranks on this machine as it is."""

    nranks: int
    hosts: int = 0

    def each(self):
        """Ranks of a host."""
        return self.nranks // self.hosts

    def __str__(self):
        if not self.hosts:
            return f"{self.nranks} ranks"
        return f"{self.hosts} hosts of {self.each()} rank{'s' if self.each() > 1 else ''}"


def parse_layout(text):
    """ "4x2": four hosts of two ranks each."""
    match = re.fullmatch(r"([1-9][0-9]?)(?:x([1-9][0-9]?))?", text)
    if not match or not 2 <= int(match[1]) <= 64:
        raise ValueError(f'"{text}" is no layout of hosts: write HOSTS or HOSTSxRANKS, like 4x2')
    return Layout(int(match[1]) * int(match[2] or 1), int(match[1]))


def _die_with_parent():
    os.setsid()
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


SCRIPT = """
. "$SOURCE/tests/hosts/hosts"
hosts_up "$@" pids=shared
echo ready "$PWD/hosts"
read -r _
"""


class Hosts:
    """Living hosts, gone with this object or this process."""

    def __init__(self, root, layout, rate):
        self.layout = layout
        self.drivers = os.path.join(root, "bench", "drivers")
        options = [f"rate={rate}"] if rate else []
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["sh", "-c", SCRIPT, "sh", str(layout.hosts), *options],
            env=dict(os.environ, SOURCE=root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=_die_with_parent,
        )
        words = self.process.stdout.readline().split(maxsplit=1)
        if not words or words[0] != "ready":
            self.end()
            raise HostsError(" ".join(words) or "hosts cannot be made")
        self.folder = words[1].strip()

    def addresses(self):
        """Of the hosts, in their order."""
        return [f"10.77.0.{host + 1}" for host in range(self.layout.hosts)]

    def host_of(self, rank):
        """The index of a rank's host: ranks are packed."""
        return rank // self.layout.each()

    def on(self, rank, arguments):
        """The arguments that run a command on the host of a rank."""
        return [os.path.join(self.drivers, "on"), str(self.host_of(rank) + 1), *arguments]

    def on_switch(self, arguments):
        """The same, beside the hosts: where launchers run."""
        return [os.path.join(self.drivers, "on"), "switch", *arguments]

    def rsh(self):
        """The command by which launchers reach hosts."""
        return os.path.join(self.drivers, "rsh")

    def end(self):
        """Takes the hosts away."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        self.process.wait()
        self.process.stdout.close()
