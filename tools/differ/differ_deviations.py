"""Differences that are meant: each rule has the number of the written deviation it stands for.

A rule sees (case, mine, theirs, said): what nomen gave, what the oracle gave, what was found
different. The first that fits counts. Numbers are sections of the page of deviations; the words
after them say which sentence. `P` are properties of PyTorch's own kernels that differ from kernel
to kernel, with the reason.
"""

import differ_judge as judge

RULES = []


def deviation(number):
    def put(function):
        RULES.append((number, function))
        return function

    return put


@deviation("1 every dtype that makes sense")
def more_dtypes(case, mine, theirs, said):
    return theirs[0] == "error" and mine[0] != "error" and judge.NO_KERNEL.search(theirs[2])


@deviation("1 every operation works with names")
def more_names(case, mine, theirs, said):
    return theirs[0] == "error" and judge.UNSUPPORTED.search(theirs[2])


def of(case, mine, theirs, said):
    for number, function in RULES:
        if function(case, mine, theirs, said):
            return number
    return None
