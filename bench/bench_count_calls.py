"""Small calls from Python for a program that counts instructions (bench_count.py), CALLS each: it
cuts its count at every call of set_num_threads. Prints the names."""

import nomen

CALLS, WARM = 1000, 20
EXAMPLES = {
    "nothing": "pass",
    "x + y": "x + y",
    "x * 2.0": "x * 2.0",
    "x += y": "x += y",
    "x.sum()": "x.sum()",
    "x.sum(dim)": "x.sum(dim)",
    "x.exp()": "x.exp()",
    "nomen.exp(x)": "nomen.exp(x)",
    "x.transpose": "x.transpose(0, 1)",
    "x @ y": "x @ y",
    "x[0]": "x[0]",
    "nomen.zeros": "nomen.zeros(4, 4)",
}


def run(kind, names):
    x, y = nomen.ones(4, 4, names=names), nomen.zeros(4, 4, names=names)
    scope = {"nomen": nomen, "x": x, "y": y, "dim": 1 if names is None else "C"}
    for name, text in EXAMPLES.items():
        exec(f"def call(many, x=x, y=y, dim=dim):\n    for _ in many:\n        {text}", scope)
        scope["call"](range(WARM))
        nomen.set_num_threads(1)
        scope["call"](range(CALLS))
        nomen.set_num_threads(1)
        print(name + kind)


nomen.set_num_threads(1)
run("", None)
run(", named", ("N", "C"))
