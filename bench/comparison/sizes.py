# SPDX-License-Identifier: BSD-3-Clause
"""sizes - which collectives, ranks and sizes are measured, and what a size means for each
collective.

A size is M, the total bytes: the gathered result, or the whole vector of a reduction.  "64K+1" is
the size whose shards have one element more than those of 64K, which makes every block but the first
start at an odd place.
"""

import re
from dataclasses import dataclass

from .hosts import Layout

COLLECTIVES = ("allgather", "reduce_scatter", "allreduce", "broadcast", "alltoall", "barrier")
REDUCTIONS = ("reduce_scatter", "allreduce")  # of f32, 4 bytes; the others move bytes
WHOLE = ("allreduce", "broadcast")  # every rank's count is the whole message, not a shard

FULL_SIZES = "8,16:64M,16K+1,64K-1,64K+1,1M-1,1M+1"
QUICK_SIZES = "8,1K,16K,64K+1,1M,16M"
HOSTS_SIZES = "8,1K:64M:8"
HOSTS_QUICK_SIZES = "8,16K,1M,16M"

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_bytes(text):
    """ "64K" -> 65536."""
    match = re.fullmatch(r"([1-9][0-9]*)([KMG]?)", text)
    if not match:
        raise ValueError(f'"{text}" is no size: write bytes like 8, 64K, 16M')
    return int(match[1]) * _UNITS[match[2]]


def format_bytes(size):
    """65536 -> "64K"."""
    for unit in "GMK":
        if size >= _UNITS[unit] and size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return str(size)


@dataclass(frozen=True, order=True)
class Size:
    """A size as asked for: bytes, and elements more or less in each shard."""

    bytes: int
    delta: int = 0

    def __str__(self):
        return format_bytes(self.bytes) + (f"{self.delta:+d}" if self.delta else "")


def _range(text):
    parts = text.split(":")
    first, last = parse_bytes(parts[0]), parse_bytes(parts[1])
    factor = int(parts[2]) if len(parts) > 2 else 4
    if len(parts) > 3 or factor < 2 or first > last:
        raise ValueError(
            f'"{text}" is no range of sizes: write FIRST:LAST or FIRST:LAST:FACTOR, like 8:64M:4'
        )
    while first < last:
        yield first
        first *= factor
    yield last


def parse_sizes(text):
    """ "8:64M,64K+1" -> sorted Sizes."""
    sizes = set()
    for item in text.split(","):
        match = re.fullmatch(r"([^+-]+)([+-][0-9]+)", item)
        if match:
            sizes.add(Size(parse_bytes(match[1]), int(match[2])))
        elif ":" in item:
            sizes.update(Size(size) for size in _range(item))
        else:
            sizes.add(Size(parse_bytes(item)))
    return sorted(sizes)


@dataclass(frozen=True)
class Point:
    """One row of a table: what is measured on all libraries in turn."""

    collective: str
    nranks: int
    label: str  # the size as asked for; "" for a barrier
    count: int  # what the driver is told
    bytes: int  # M, the total bytes that this count makes
    hosts: int = 0  # as in hosts.Layout

    def __str__(self):
        size = f", {self.label} B" if self.label else ""
        return f"{self.collective}, {Layout(self.nranks, self.hosts)}{size}"


def make_point(collective, layout, size):
    """The point of a size, whose bytes are those of a whole number of elements in each shard, at
    least one.
    """
    nranks = layout.nranks
    if collective == "barrier":
        return Point(collective, nranks, "", 0, 0, layout.hosts)
    unit = 4 if collective in REDUCTIONS else 1
    shards = 1 if collective in WHOLE else nranks
    count = max(1, max(1, size.bytes // (shards * unit)) + size.delta)
    return Point(collective, nranks, str(size), count, count * shards * unit, layout.hosts)


def stream_bytes(point):
    """What the links must at least bring into a host, in bytes of each of its ranks' streams."""
    if point.collective == "barrier":
        return 1
    others = 1 - 1 / point.hosts
    each = point.nranks // point.hosts
    share = {"allreduce": 2 * others, "broadcast": 1, "alltoall": others * each}
    return max(1, int(point.bytes * share.get(point.collective, others) / each))


def make_points(collectives, layout, sizes):
    """All points of a layout, without those that come to the same bytes."""
    points = {}
    for collective in collectives:
        for size in sizes:
            point = make_point(collective, layout, size)
            points.setdefault((collective, point.bytes), point)
    return list(points.values())
