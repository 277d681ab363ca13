"""network.h: what its macros say is what host.json says, and C takes all of it."""

import subprocess

import pytest

from dycl.host.native import NativeProgram, headers, print_header
from dycl.toolchain import find_compiler

CC = find_compiler()
F32 = ["float32", [1, 8]]
TABLES = {
    "inputs": [
        ["x", *F32],
        ["n", "int", None],
        ["X", "bool", None],
        ["größe", "bfloat16", ["n", 4]],
        ["h", "float32", []],
    ],
    "sizes": [["n", 1, 64], ["m", 2, None]],
    "state": True,
    "returns": [
        {
            "structure": {
                "tuple": [
                    {
                        "dict": [
                            [{"value": "outputs"}, {"leaf": 0}],
                            [{"value": "*/ end"}, {"tuple": [{"leaf": 1}]}],
                            [{"value": 3}, {"value": None}],
                        ]
                    },
                    {"tuple": [{"leaf": 2}]},
                ]
            },
            "types": [["int64", [2, 3]], ["float16", [-1]], ["float32", []]],
        },
        {
            "structure": {
                "tuple": [
                    {
                        "record": "net.Out",
                        "kind": "tuple",
                        "fields": ["y", "more"],
                        "items": [{"leaf": 0}, {"list": [{"leaf": 1}]}],
                    },
                    {"tuple": [{"leaf": 2}]},
                ]
            },
            "types": ["float", {"items": F32}, ["float32", []]],
        },
    ],
    "decisions": [
        ["exit 1", "y.sum() > n", "net.py", 11],
        ["exit 1", "*/ " + chr(10) + "other", "net.py", 12],
    ],
}
CHECKS = """
#include "network.h"
#include <stdio.h>
_Static_assert(DYCL_INPUTS == 5 && DYCL_RETURNS == 2 && DYCL_OUTPUTS == 3, "counts");
_Static_assert(DYCL_INPUT_X == 0 && DYCL_INPUT_N == 1 && DYCL_INPUT_X_2 == 2, "names");
_Static_assert(sizeof(DYCL_INPUT_0_TYPE[DYCL_INPUT_0_ELEMENTS]) == 32, "elements");
_Static_assert(sizeof(DYCL_INPUT_3_TYPE) == 2 && DYCL_INPUT_3_SIZE_1 == 4, "bf16");
_Static_assert(DYCL_INPUT_4_RANK == 0 && DYCL_INPUT_4_ELEMENTS == 1, "rank 0");
_Static_assert(DYCL_LEAST_N == 1 && DYCL_MOST_N == 64 && DYCL_LEAST_M == 2, "limits");
_Static_assert(DYCL_RETURN_0_OUTPUTS == 3 && DYCL_RETURN_0_OUTPUTS_2 == 0, "taken");
_Static_assert(DYCL_RETURN_0_0_SIZE_1 == 3 && DYCL_RETURN_0_END_0 == 1, "keys");
_Static_assert(DYCL_RETURN_1_Y == 0 && DYCL_RETURN_1_MORE_0 == 1, "fields");
_Static_assert(DYCL_RETURN_1_STATE_0 == 2, "state");
_Static_assert(DYCL_DECISION_EXIT_1 == 0 && DYCL_DECISION_EXIT_1_2 == 1, "decisions");
#if defined(DYCL_INPUT_3_ELEMENTS) || defined(DYCL_INPUT_3_SIZE_0)
#error "a size that a call decides is none"
#endif
#ifdef DYCL_MOST_M
#error "a size that a call decides is none"
#endif
int main(void)
{
    for (int i = 0; i < 6; i++)
        printf("%d ", (int)dycl_output_bytes[i / 3][i % 3]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def text():
    return print_header(NativeProgram("", TABLES))


@pytest.mark.skipif(CC is None, reason="there is no C compiler")
def test_the_macros_say_what_the_tables_say(text, tmp_path):
    (tmp_path / "network.h").write_text(text)
    (tmp_path / "dycl.h").write_text(headers()["dycl.h"])
    (tmp_path / "main.c").write_text(CHECKS)
    flags = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic"]
    command = [*CC.command, *flags, "main.c", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "main"], capture_output=True, text=True)
    assert said.stdout.split() == ["48", "-1", "4", "0", "0", "4"]


def test_comments_have_names_shapes_limits_and_the_structure(text):
    for line in (
        "/* net->inputs[0].tensor: x, float32[1, 8] */",
        "/* net->inputs[1].integer: n, int */",
        "/* net->inputs[3].sized: gr\\xf6\\xdfe, bfloat16[n, 4] */",
        "/* n: at least 1, at most 64 */",
        "/* m: at least 2, any size */",
        "/* net->site == 0:",
        "   {'outputs': outputs[0].tensor: int64[2, 3], '* / end': (outputs[1].sized:",
        "   float16[?]), 3: None}",
        "   state: (outputs[2].tensor: float32[])",
        "   Out(y=outputs[0].real: float, more=[outputs[1].list: list of "
        "float32[1, 8]])",
        "#define DYCL_DECISION_EXIT_1 0  // y.sum() > n (net.py:11)",
    ):
        assert line in text.splitlines(), line
