"""What runs beside the Python tests, as many at a time as there are processors: C programs
(collect_c.py), and what a test that asks for the fixture `beside` waits for. The module of such a
test has a function beside(config, root, **parameters of the test), which runs in a thread; what it
returns is the fixture, what it raises (a skip, for one) is raised there. These tests come last.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import attrgetter

import pytest

FUTURE = pytest.StashKey()
pools = []


def work_of(item):
    """The function that runs beside, or None."""
    if "beside" not in getattr(item, "fixturenames", ()):
        return getattr(item, "run_beside", None)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return partial(item.module.beside, item.config, item.config.rootpath, **parameters)


def start_all(items):
    """Those of Python first, which take minutes each, and of these what takes longest, the modules
    under sanitizers; then C programs, the slow folders first."""
    pool = ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0)))
    pools.append(pool)
    waiting = [item for item in items if work_of(item)]
    folder_and_file = attrgetter("path.parent.name", "path.name")
    for item in sorted(waiting, key=folder_and_file, reverse=True):
        item.stash[FUTURE] = pool.submit(work_of(item))


def result(item):
    return item.stash[FUTURE].result()


def stop_all():
    """An interrupted run does not wait for what has not begun."""
    for pool in pools:
        pool.shutdown(wait=False, cancel_futures=True)
