# SPDX-License-Identifier: BSD-3-Clause
"""verdict - what the figures of a run say: the best peer of each point, the ratio to totum, the
losses, the limit.

A run is the dictionary that is written as JSON; everything here and in the report and the pictures
comes from it alone.
"""

import math
from dataclasses import dataclass

from .hosts import Layout

MODES = ("reused", "fresh")
CLASSES = (
    ("small (to 4K)", 0, 4096),
    ("middle (16K to 1M)", 16 << 10, (1 << 20) + 64),
    ("large (from 4M)", 4 << 20, 1 << 62),
)


@dataclass
class Verdict:
    """One point, one mode: totum with private buffers against the best peer."""

    point: dict
    mode: str
    totum_ns: float
    peer: str
    peer_ns: float

    def ratio(self):
        """Above 1: totum is faster."""
        return self.peer_ns / self.totum_ns

    def loses(self):
        """Slower than the best peer, by whatever little that two decimals show."""
        return round(self.ratio(), 2) < 1

    def overlaps(self):
        """Do the middle 80 % of both figures have values in common? Then another run may say
        otherwise.
        """
        mine, other = (self.point["results"][name][self.mode] for name in ("totum", self.peer))
        return mine["p10_ns"] <= other["p90_ns"] and other["p10_ns"] <= mine["p90_ns"]


def median(point, name, mode):
    """Nanoseconds of a column, None when it was not measured."""
    result = point["results"].get(name, {}).get(mode)
    return result["median_ns"] if result else None


def judge(run, point, mode):
    """The verdict of a point; None without totum or without a peer."""
    totum = median(point, "totum", mode)
    peers = {
        key: median(point, key, mode)
        for key, library in run["libraries"].items()
        if library["peer"]
    }
    peers = {key: time for key, time in peers.items() if time}
    if not totum or not peers:
        return None
    best = min(peers, key=peers.get)
    return Verdict(point, mode, totum, best, peers[best])


def judge_all(run):
    """All verdicts, of both modes."""
    found = (judge(run, point, mode) for mode in MODES for point in run["points"])
    return [verdict for verdict in found if verdict]


def layout(point):
    """Where it was measured; a run of one host says nothing of hosts."""
    return Layout(point["ranks"], point.get("hosts", 0))


def traffic(collective, nranks):
    """Bytes that a rank must read and write, in copies of M bytes (which read M and write M)."""
    if collective == "reduce_scatter":  # reads its block of all inputs, writes it once
        return (1 + 1 / nranks) / 2
    if collective == "allreduce":  # the same, then copies the blocks that others have reduced
        return (3 - 1 / nranks) / 2
    return 1


def limit(point, mode):
    """Nanoseconds that the bytes of the point need: on the links, or at the speed of the faster
    copy; None when not measured.
    """
    for pattern in ("ring", "chain"):
        if median(point, "link " + pattern, "reused"):
            return median(point, "link " + pattern, "reused")
    copies = [median(point, "limit " + memory, mode) for memory in ("plain-copy", "streamed-copy")]
    copies = [time for time in copies if time]
    return min(copies) * traffic(point["collective"], point["ranks"]) if copies else None


def geometric_mean(values):
    """Of ratios."""
    return math.exp(sum(map(math.log, values)) / len(values))


def describe(point):
    """A point in words."""
    size = f", {point['size']}" if point["size"] else ""
    return f"{point['collective']}, {layout(point)}{size}"
