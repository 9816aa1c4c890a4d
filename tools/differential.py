#!/usr/bin/env python3
"""Random calls of every operation in nomen and in PyTorch, and what is different.

    .venv/bin/python tools/differential.py --calls 10000 --values PYTHON
    .venv/bin/python tools/differential.py --op add --op sum --seed 7
    .venv/bin/python tools/differential.py --one 7:1234          one call, with all answers

Two oracles run in processes of their own: --values, an interpreter with a current torch, which has
no names; --named, one with torch 1.13, which has them (Debian's python3-torch). Calls without names
are held against the first, and against the second if that differs; calls with names against both.
A difference that is meant is counted under its number (tools/differ/differ_deviations.py), every
other one is a finding and is printed as a line of Python, made smaller.

Runs are reproducible: the same seed, calls and table give the same calls.
"""

import argparse
import collections
import multiprocessing
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "differ"))

import differ_cases as cases  # noqa: E402
import differ_deviations as deviations  # noqa: E402
import differ_digits as digits  # noqa: E402
import differ_exact as exact  # noqa: E402
import differ_hints as hints  # noqa: E402
import differ_judge as judge  # noqa: E402
import differ_mended as mended  # noqa: E402
import differ_record as record  # noqa: E402
import differ_samples as samples  # noqa: E402
import differ_say as say  # noqa: E402
import differ_structure  # noqa: E402, F401  its rules join those of differ_deviations
from differ_worker_pool import Worker  # noqa: E402

BATCH = 64


class Bench:
    """nomen and the oracles, asked together."""

    def __init__(self, options):
        self.nomen = Worker(sys.executable, "nomen")
        self.values = Worker(options.values, "torch") if options.values else None
        self.named = Worker(options.named, "torch") if options.named else None

    def stop(self):
        for worker in (self.nomen, self.values, self.named):
            if worker:
                worker.stop()

    def asked_again(self, case, data, answer):
        """The answers with those of oracles that are started afresh: one that has run for long may
        have lost its mind (1.13 corrupts its own names). nomen's first one stays."""
        for worker in (self.values, self.named):
            if worker:
                worker.stop()
        return answer[:1] + self.answers([(case, data)])[0][1:]

    def answers(self, batch):
        """For each case (mine, values, named); None where an oracle was not asked."""
        plain = [None if not self.values else judge.without_names(c) for c, _ in batch]
        asked = [(c, data) for c, (_, data) in zip(plain, batch) if c is not None]
        self.send(self.nomen, batch)
        if asked:
            self.send(self.values, asked)
        mine = self.nomen.finish(batch)
        told = iter(self.values.finish(asked) if asked else [])
        values = [None if c is None else next(told) for c in plain]
        named = [None] * len(batch)
        if self.named:
            want = [
                k
                for k, (case, data) in enumerate(batch)
                if self.need_names(case, data, mine[k], values[k])
            ]
            for k, answer in zip(want, self.named.ask([batch[k] for k in want])):
                named[k] = answer
        return list(zip(mine, values, named))

    def verdict(self, case, data, answer):
        """The verdict of a call; a finding about numbers is looked at more closely."""
        state, said = verdict(case, data, answer)
        if said.startswith("6.2") and not mended.two_mistakes(self, case):
            return "finding", "only one mistake, told otherwise: " + " | ".join(
                f"{told[0][1]}: {told[0][2][:150]}" for told in answer if told and usable(told)
            )
        if state != "finding" or "element" not in said:
            return state, said
        for theirs in answer[1:]:
            if usable(theirs) and self.added_up(case, data, answer[0][0], theirs[0]):
                return "same", ""
            if usable(theirs) and self.nearer(case, data, answer[0][0], theirs[0]):
                return "deviation", deviations.NEARER
        return state, said

    def nearer(self, case, data, mine, theirs):
        """Is nomen's result the more exact one? The oracle for values says so, in float64."""
        if self.settled(case, data, mine, theirs):
            return True
        made = exact.wider(case, data) if self.values else None
        if made is None or mine[0] == "error" or theirs[0] == "error":
            return False
        return exact.nearer(case, data, mine, theirs, self.values.ask([made])[0][0])

    def settled(self, case, data, mine, theirs):
        """Do 60 digits say that nomen's numbers are the nearer ones?"""
        if case["row"] not in digits.ROWS or case.get("mode") == "grad" or mine[0] != "tensor":
            return False
        operand = [v for v in case["args"] if isinstance(v, dict)][:1]  # polygamma(n, x)
        first = dict(case, row="clone", op="clone", form="function", args=operand, kw={})
        given = self.nomen.ask([(first, data)])[0][0]
        return given[0] == "tensor" and digits.settles(case, (given[1], given[4]), mine, theirs)

    def added_up(self, case, data, mine, theirs):
        """Are these sums in float64 that differ as their terms cancel?"""
        made = exact.magnitudes(case, data)
        return bool(made) and exact.within_magnitudes(mine, theirs, self.nomen.ask([made])[0][0])

    @staticmethod
    def send(worker, batch):
        try:
            worker.send(batch)
        except BrokenPipeError:
            worker.stop()
            worker.send(batch)

    @staticmethod
    def need_names(case, data, mine, values):
        if values is None or judge.uses_names(case) or case["row"] in hints.RANDOM:
            return True
        return judge.differ(case, data, mine[0], values[0], False) is not None


def pairs(counts, case, answer, mark=""):
    """For --errors and --meant: what both said."""
    (mine, _), values, named = answer
    for theirs in (named, values):
        if usable(theirs) and "error" in (mine[0], theirs[0][0]):
            texts = [
                f"{t[1]}: {t[2].splitlines()[0] if t[2] else ''}" if t[0] == "error" else "ok"
                for t in (mine, theirs[0])
            ]
            shown = (re.sub(r"-?\d+", "#", t)[:110] for t in texts)
            counts["errors", mark + case["row"], *shown] += 1
            return


def succeeds(answer):
    """Is there a result, here and in one of the oracles?"""
    return answer[0][0][0] != "error" and any(
        told is not None and told[0][0] not in ("error", "crash") for told in answer[1:]
    )


def usable(answer):
    """An oracle that crashed, or that could not build the operands, says nothing."""
    if answer is None or answer[0][0] == "crash":
        return False
    unable = ("Setup", "AttributeError", "KeyError", "Unknown")
    return answer[0][0] != "error" or answer[0][1] not in unable


def verdict(case, data, answer):
    """("same" | "deviation" | "finding" | "skipped", what to say)."""
    (mine, after), values, named = answer
    if mine[0] == "crash":
        return "finding", f"{mine[1]}: {mine[2]}"
    if mine[0] == "error" and mine[1] == "Setup":
        return "finding", f"the operands could not be made: {mine[2]}"
    if mine[0] == "error" and any(after):
        return "finding", f"a failed call changed an operand ({mine[1]}: {mine[2]})"
    if mine[0] == "error" and mine[1] not in KNOWN_ERRORS:
        return "finding", f"{mine[1]}: {mine[2]}"
    said, seen = [], []
    if case["row"] in hints.RANDOM and named and named[0][0] == "crash":
        return "skipped", ""  # the numbers are those of 1.13
    if usable(named):
        theirs = named[0]
        found = judge.differ(case, data, mine, theirs, case.get("mode") != "grad")
        if found is None:
            return "same", ""
        said.append(("1.13", found))
        seen.append((theirs, found))
        if (
            judge.uses_names(case)
            and not judge.names_refused(theirs)
            and names_wrong(case, data, mine, theirs)
        ):
            if usable(values) and as_now(case, data, mine, theirs, values[0]):
                return "same", ""
            number = deviations.of(case, mine, theirs, found)
            return ("deviation", number) if number else ("finding", f"1.13: {found}")
    about_names = mine[0] == "error" and judge.uses_names(case) and deviations.kind(mine) in NAMES
    if about_names:
        pass  # current PyTorch has no names to say anything about
    elif usable(values):
        found = judge.differ(case, data, mine, values[0], False)
        if found is None:
            return "same", ""
        # Numbers drawn by chance are those of 1.13: another answer is no finding if that has one.
        if case["row"] not in hints.RANDOM or not usable(named):
            said.append(("now", found))
            seen.append((values[0], found))
    if not seen:
        return "skipped", ""
    # An oracle that does not know the form of the call has nothing to say where another does.
    for theirs, found in [pair for pair in seen if pair[0][:2] != ("error", "TypeError")] or seen:
        number = deviations.of(case, mine, theirs, found)
        if number:
            return "deviation", number
    return "finding", " | ".join(f"{who}: {what}" for who, what in said)


def as_now(case, data, mine, theirs, now):
    """Is mine what current PyTorch says, and 1.13's another answer that is not about names?"""
    told = [x for x in (mine, theirs, now) if x[0] == "error"]
    return (
        "error" in (theirs[0], mine[0])
        and (mine[0] == "error") == (now[0] == "error")
        and not {deviations.kind(x) for x in told} & set(NAMES)
        and judge.differ(case, data, mine, now, False) is None
    )


def names_wrong(case, data, mine, theirs):
    """Is what differs the names, or that there is an error at all?"""
    if mine[0] == "error" or theirs[0] == "error":
        return not (theirs[0] == "error" and judge.NO_KERNEL.search(theirs[2]))
    if case.get("mode") == "grad":  # gradients have names here only
        mine, theirs = mine[1][0], theirs[1][0]
    return judge.names_differ(mine, theirs)


NAMES = ("names", "resize")
KNOWN_ERRORS = {
    "RuntimeError",
    "TypeError",
    "ValueError",
    "IndexError",
    "NotImplementedError",
    "OverflowError",
    "ZeroDivisionError",
}


def shrink(bench, case, data, said):
    """The smallest call found that still is a finding of the same kind."""
    kind, tries = said.split(":")[0], 0
    progress = True
    while progress and tries < 80:
        progress = False
        for candidate in say.smaller(case):
            tries += 1
            if tries > 80:
                break
            try:
                bits = cases.data_of(candidate)
                answer = bench.answers([(candidate, bits)])[0]
                state, now = bench.verdict(candidate, bits, answer)
            except Exception:
                continue
            if state == "finding" and now.split(":")[0] == kind:
                case, data, said, progress = candidate, bits, now, True
                break
    return case, data, said


def drawn(options):
    table = {**cases.rows(), **cases.PSEUDO}
    names = [n for n in sorted(table) if n not in hints.HIDDEN and table[n]["forms"]]
    if options.op:
        names = [n for n in names if n in options.op]
    return table, names


def part(work):
    """One process' share of the calls."""
    options, start, stop = work
    table, names = drawn(options)
    bench, counts, findings, recorded = Bench(options), collections.Counter(), [], []
    try:
        for at in range(start, stop, BATCH):
            batch = []
            for index in range(at, min(at + BATCH, stop)):
                case = cases.case(table, names, options.seed, index, options.modes)
                case["index"] = index
                batch.append((case, cases.data_of(case)))
            for (case, data), answer in zip(batch, bench.answers(batch)):
                state, said = bench.verdict(case, data, answer)
                if state == "finding":
                    answer = bench.asked_again(case, data, answer)
                    state, said = bench.verdict(case, data, answer)
                counts[state] += 1
                counts["op", case["row"]] += 1
                counts["ok", case["row"]] += succeeds(answer)
                if options.record and state == "same" and record.suits(case, data):
                    kept = record.pack(answer[0][0], case)
                    if kept:
                        case.pop("index")
                        recorded.append([case, kept])
                if state == "deviation":
                    counts["deviation", said] += 1
                    if options.meant and re.search(options.meant, said):
                        pairs(counts, case, answer, said.split()[0] + " ")
                if state == "finding":
                    if options.errors:
                        pairs(counts, case, answer)
                    kind = signature(said)
                    counts["finding", kind, case["row"]] += 1
                    if counts["finding", kind, case["row"]] <= options.show:
                        if options.shrink:
                            case, data, said = shrink(bench, case, data, said)
                        findings.append(
                            (case["row"], case.get("index"), said, say.line(case, data))
                        )
    finally:
        bench.stop()
    return counts, findings, recorded


def again(options):
    """Calls of a record, answered anew: for when the data they are made of has changed."""
    bench, kept, gone = Bench(options), [], []
    lines = record.read(options.again)
    for at in range(0, len(lines), BATCH):
        batch = [(case, cases.data_of(case)) for case, _ in lines[at : at + BATCH]]
        for (case, data), answer in zip(batch, bench.answers(batch)):
            state, said = bench.verdict(case, data, answer)
            told = record.pack(answer[0][0], case) if state == "same" else None
            (kept if told else gone).append([case, told] if told else (said, case))
    bench.stop()
    for said, case in gone:
        print(f"gone: {said}\n    {case}")
    print(f"{len(kept)} of {len(lines)} calls stay")
    record.write(options.again, kept)


def signature(said):
    """What is the same in all findings of a kind."""
    said = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)", "..", said)
    return re.sub(r"np\.\S+|-?\d[\d.e+-]*j?|\bnan\b|-?\binf\b", "#", said)[:150]


def one(options):
    seed, index = map(int, options.one.split(":"))
    table, names = drawn(options)
    case = cases.case(table, names, seed, index, options.modes)
    data = cases.data_of(case)
    bench = Bench(options)
    answer = bench.answers([(case, data)])[0]
    print(say.line(case, data))
    for who, said in zip(("nomen", "values", "named"), answer):
        print(f"{who}:", said)
    print(*bench.verdict(case, data, answer))
    bench.stop()


def rates(counts):
    """Rows by the share of calls that succeed on both sides, the worst first."""
    rows = [key[1] for key in counts if isinstance(key, tuple) and key[0] == "op"]
    share = {row: counts["ok", row] / counts["op", row] for row in rows}
    for row in sorted(rows, key=share.get):
        print(f"{share[row]:6.0%} of {counts['op', row]} succeed: {row}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0, help="number of the first call")
    parser.add_argument("--op", action="append", help="only this operation; may be repeated")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--values", help="an interpreter with a current torch")
    parser.add_argument("--named", default="/usr/bin/python3", help="one with torch 1.13")
    parser.add_argument("--mode", choices=["call", "grad"], help="only calls, or gradients")
    parser.add_argument("--show", type=int, default=2, help="findings per operation and process")
    parser.add_argument("--errors", action="store_true", help="list what the two sides said")
    parser.add_argument("--rates", action="store_true", help="how many calls of a row succeed")
    parser.add_argument("--meant", metavar="WORDS", help="the same for deviations called so")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    parser.add_argument("--record", metavar="FILE", help="keep calls in which all agree")
    parser.add_argument("--again", metavar="FILE", help="answer the calls of a record anew")
    parser.add_argument("--keep", type=int, default=20000, help="how many of them")
    parser.add_argument("--one", metavar="SEED:NUMBER", help="one call, with all answers")
    parser.add_argument("--samples", action="store_true", help="PyTorch's own operator samples")
    parser.add_argument("--kinds", nargs="+", default=samples.KINDS, help="of samples")
    parser.add_argument("--limit", type=int, default=40, help="samples of each kind and dtype")
    options = parser.parse_args()
    options.modes = {"call": ("",), "grad": ("grad",)}.get(options.mode, ("", "", "", "", "grad"))
    return options


def main():
    options = arguments()
    if options.one:
        one(options)
        return 0
    if options.again:
        again(options)
        return 0
    if options.samples:
        bench = Bench(options)
        return samples.run(options, bench, bench.verdict, signature)
    began = time.time()
    share = max(BATCH, min(10000, -(-options.calls // options.jobs)))
    stop = options.start + options.calls
    work = [(options, a, min(a + share, stop)) for a in range(options.start, stop, share)]
    counts, findings, recorded = collections.Counter(), [], []
    pool = multiprocessing.Pool(options.jobs) if options.jobs > 1 else None
    parts = pool.imap_unordered(part, work) if pool else map(part, work)
    for more, found, kept in parts:
        counts.update(more)
        recorded += kept
        if options.record:  # at once: a long run may be stopped
            record.write(options.record, recorded[: options.keep])
            if len(recorded) >= options.keep:
                break
        findings += found
        for row, index, said, text in found:
            print(f"\n{row} ({options.seed}:{index}): {said}\n    {text}", flush=True)
    if pool:
        pool.terminate()
    print()
    for key in sorted((k for k in counts if isinstance(k, tuple) and k[0] == "deviation")):
        print(f"{counts[key]:8} meant: {key[1]}")
    errors = [key for key in counts if isinstance(key, tuple) and key[0] == "errors"]
    for key in sorted(errors, key=lambda key: key[2:]):
        print(f"{counts[key]:5} {key[1]:12} {key[2]}\n{'':18} {key[3]}")
    if options.rates:
        rates(counts)
    kinds = collections.defaultdict(collections.Counter)
    for key, n in counts.items():
        if isinstance(key, tuple) and key[0] == "finding":
            kinds[key[1]][key[2]] += n
    for kind, where in sorted(kinds.items(), key=lambda item: -item[1].total()):
        print(f"{where.total():8} findings: {kind}")
        print("         in", ", ".join(f"{row} {n}" for row, n in where.most_common(12)))
    print(
        f"{options.calls} calls of {sum(k[0] == 'op' for k in counts)} operations in "
        f"{time.time() - began:.0f} s: {counts['same']} the same, {counts['deviation']} meant, "
        f"{counts['skipped']} without an oracle, {counts['finding']} findings"
    )
    for words, key in (("the same", "same"), ("meant", "deviation"), ("findings", "finding")):
        print(f"figure: calls compared, {words}: {counts[key]}")
    return 1 if counts["finding"] else 0


if __name__ == "__main__":
    sys.exit(main())
