# SPDX-License-Identifier: BSD-3-Clause
"""measure - every point on all libraries in turn, round after round, within a bounded time.

One round measures A B C ... once each, so that what disturbs the machine disturbs all alike.  A
turn is some batches of calls back to back on inputs that stay as they are, short ones so that most
of them pass undisturbed, then some single calls whose inputs were rewritten just before.  It counts
with the median of each; what is reported are the median and the percentiles over rounds.  A time
begins when the first rank begins and ends when the last one has ended.
"""

import math
import statistics
import time
from dataclasses import dataclass, field

from .group import GroupError, WrongResult
from .hosts import Layout
from .sizes import stream_bytes

BATCH_SECONDS = {True: 0.0002, False: 0.001}  # has every rank a core?
CALLS_MAX, BATCHES_MAX = 100000, 40
FRESH_MAX, FRESH_MIN = 20, 2
PATIENCE_SECONDS = 60  # for one answer: who takes longer is given up for this number of ranks
ROUNDS_MIN = 3
COPY_FROM = 4096  # bytes: below, the limit is in the flags
FAR_BEHIND = 10  # times the fastest library


@dataclass
class Pace:
    """How much is measured."""

    seconds: float  # of the whole comparison
    slot: float  # seconds of a turn's batches
    rounds: int  # at most


@dataclass
class Column:
    """A library with one kind of memory: what one turn of a round measures."""

    group: object
    library: object
    memory: str
    calls: int = 0  # in a batch; 0 when it does not take part in this point
    batches: int = 0
    fresh_calls: int = 0
    reused: list = field(default_factory=list)
    fresh: list = field(default_factory=list)

    def name(self):
        """As in the report: the library's key, and the memory when it is not private."""
        return self.library.key if self.memory == "private" else f"{self.library.key} {self.memory}"

    def applies(self, point):
        """Does it say anything about this point?"""
        if self.library.key == "limit":
            return self.memory == "flags" or point.bytes >= COPY_FROM
        if self.library.key == "link":
            return (self.memory == "chain") == (point.collective == "broadcast")
        return True

    def far_behind(self, fastest):
        """Is it a peer that is so slow that one round tells enough?"""
        return self.library.peer and self.reused and min(self.reused) > FAR_BEHIND * fastest


def percentile(values, share):
    """The value below which a share of them lies, between neighbours in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low, high = math.floor(place), math.ceil(place)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summary(values):
    """Median, 10th and 90th percentile in nanoseconds, and what they were made of."""
    return {
        "median_ns": round(statistics.median(values), 1),
        "p10_ns": round(percentile(values, 0.1), 1),
        "p90_ns": round(percentile(values, 0.9), 1),
        "values_ns": [round(value, 1) for value in values],
    }


class Measurement:
    """Measures points on live groups; a group that fails is dropped, with a note."""

    def __init__(self, pace):
        self.pace = pace
        self.notes, self.faults = [], []  # of peers, of totum
        self.seed = 0

    def _ask(self, column, point, calls, batches, fresh):
        """Times a call in nanoseconds, (of batches, of single calls); None when the library has no
        such memory.
        """
        self.seed += fresh + 1
        collective, count = point.collective, point.count
        if column.memory == "flags":
            collective, count = "barrier", 0
        elif column.library.key == "limit":
            collective, count = "allgather", point.bytes // point.nranks
        elif column.library.key == "link":
            collective, count = "barrier", stream_bytes(point)
        words = [collective, count, column.memory, self.seed % 2**31, calls, batches, fresh]
        times = column.group.ask(" ".join(map(str, ["measure", *words])), PATIENCE_SECONDS)
        if times is None:
            return None
        return [taken / calls for taken in times[:batches]], times[batches:]

    def _calibrate(self, column, point):
        """Finds how many calls make a batch, and how many batches a turn."""
        calls, batch = 1, BATCH_SECONDS[column.library.roomy(point.nranks)] * 1e9
        while True:
            times = self._ask(column, point, calls, 1, 0)
            if times is None:
                return
            took = max(times[0][0], 1)
            fit = max(1, min(CALLS_MAX, int(batch / took)))
            if calls * 8 >= fit:
                break
            calls = min(fit, calls * 256)  # the first calls are slow ones, and say little
        turn = self.pace.slot * 1e9 / took  # in calls
        column.calls = fit
        column.batches = max(1, min(BATCHES_MAX, int(turn / fit)))
        column.fresh_calls = max(FRESH_MIN, min(FRESH_MAX, int(turn)))

    def _turn(self, column, point):
        timeless = column.memory == "flags" or column.library.key == "link"
        fresh = 0 if point.collective == "barrier" or timeless else column.fresh_calls
        times = self._ask(column, point, column.calls, column.batches, fresh)
        column.reused.append(statistics.median(times[0]))
        if fresh:
            column.fresh.append(statistics.median(times[1]))

    def _guarded(self, step, column, point):
        """Runs a step; a failure takes the column, or its whole group, out of this point."""
        try:
            step(column, point)
            return
        except WrongResult as error:
            said = str(error)
        except GroupError as error:
            layout = Layout(point.nranks, point.hosts)
            said = f"{point}: {error}; not measured any further with {layout}"
            column.group.kill()
        (self.notes if column.library.peer else self.faults).append(said)
        column.calls = 0
        column.reused, column.fresh = [], []

    def point(self, point, groups, seconds):
        """Results by column name of all living groups; takes about so many seconds, ROUNDS_MIN
        rounds at least.
        """
        begin = time.monotonic()
        columns = []
        for library, group in groups:
            for memory in library.memories:
                column = Column(group, library, memory)
                if column.applies(point):
                    columns.append(column)
        for column in columns:
            if column.group.ranks:
                self._guarded(self._calibrate, column, point)
        for done in range(self.pace.rounds):
            if done >= ROUNDS_MIN and time.monotonic() - begin > seconds:
                break
            fastest = min(
                (
                    statistics.median(column.reused)
                    for column in columns
                    if column.reused and column.memory == "private"
                ),
                default=0,
            )
            for column in columns:
                if column.calls and column.group.ranks and not column.far_behind(fastest):
                    self._guarded(self._turn, column, point)
        results = {}
        for column in columns:
            if column.reused:
                result = {"calls": column.calls, "reused": summary(column.reused)}
                if column.fresh:
                    result["fresh"] = summary(column.fresh)
                results[column.name()] = result
        return results


def weight(point):
    """How long a point takes in relation to others: filling and checking grow with bytes times
    ranks.
    """
    return 1 + point.bytes * point.nranks / (16 << 20)
