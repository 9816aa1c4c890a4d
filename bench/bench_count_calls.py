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
    "x.sum(dim=dim)": "x.sum(dim=dim, keepdim=True)",
    "x.mean(dim)": "x.mean(dim)",
    "x.max(dim)": "x.max(dim)",
    "x.softmax(dim)": "x.softmax(dim)",
    "x.exp()": "x.exp()",
    "x.relu()": "x.relu()",
    "nomen.exp(x)": "nomen.exp(x)",
    "x.transpose": "x.transpose(0, 1)",
    "x @ y": "x @ y",
    "x[0]": "x[0]",
    "x[0, 1]": "x[0, 1]",
    "x[1:3]": "x[1:3]",
    "x.unsqueeze(0)": "x.unsqueeze(0)",
    "x.reshape(2, 8)": "x.reshape(2, 8)",
    "x.to(dtype)": "x.to(nomen.float64)",
    "where": "nomen.where(mask, x, y)",
    "cat": "nomen.cat((x, y), dim)",
    "nomen.zeros": "nomen.zeros(4, 4)",
    "nomen.tensor": "nomen.tensor([1.0, 2.0, 3.0])",
    "backward of ten": "w.grad = None\n        v = ((w * 2 + x).exp() * y + w).tanh() - x\n"
    "        (v * y + x).neg().sum().backward()",
}
NAMED = {
    "x.transpose(names)": "x.transpose('N', 'C')",
    "x.rename": "x.rename('A', 'B')",
    "x.align_to": "x.align_to('C', 'N')",
    "x.flatten": "x.flatten(('N', 'C'), 'F')",
    "nomen.zeros(names)": "nomen.zeros(4, 4, names=('N', 'C'))",
}


def run(kind, names, examples):
    x, y = nomen.ones(4, 4, names=names), nomen.zeros(4, 4, names=names)
    w = nomen.ones(4, 4, names=names, requires_grad=True)
    scope = {"nomen": nomen, "x": x, "y": y, "w": w, "mask": x > y}
    scope["dim"] = 1 if names is None else "C"
    for name, text in examples.items():
        head = "def call(many, x=x, y=y, w=w, mask=mask, dim=dim):\n    for _ in many:\n        "
        exec(head + text, scope)
        scope["call"](range(WARM))
        nomen.set_num_threads(1)
        scope["call"](range(CALLS))
        nomen.set_num_threads(1)
        print(name + kind)


nomen.set_num_threads(1)
run("", None, EXAMPLES)
run(", named", ("N", "C"), EXAMPLES | NAMED)
