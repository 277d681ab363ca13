"""C that our compiler and the machine's compile alike, and what ours refuses."""

import ctypes
import itertools
import subprocess

import pytest

from dycl.artifact import compiler
from dycl.cc import CannotCompile, compile_c
from dycl.host.native import headers
from dycl.kernels.cpu.objects.link import link
from dycl.kernels.cpu.objects.llvm_object import compile_llvm
from dycl.runtime.loading import load_from_memory

INCLUDES = """
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <math.h>
"""


def ours(text):
    compiled = compile_c({"a.c": text}, "a.c")
    assert compiled.elsewhere == []
    code = compile_llvm(compiled.text, "native", compiled.functions[0], [])
    return load_from_memory(link([(code, {})]), "ours")


def theirs(text, folder):
    if compiler() is None:
        pytest.skip("there is no C compiler")
    (folder / "a.c").write_text(INCLUDES + text)
    flags = ["-std=gnu11", "-O1", "-fwrapv", "-fno-strict-aliasing", "-w"]
    command = [compiler(), *flags, "-shared", "-fPIC", "a.c", "-o", "a.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "a.so"))


INTS = [
    0,
    1,
    -1,
    2,
    7,
    -8,
    31,
    255,
    256,
    -129,
    65535,
    2**31 - 1,
    -(2**31),
    2**32,
    2**62,
]
INTS += [2**63 - 1, -(2**63)]

EXPRESSIONS = [
    "a + b * 3 - (a & b) + (a | 5) + (a ^ b) + ~a",
    "(int32_t)a < (int32_t)b",
    "(uint32_t)a < (uint32_t)b",
    "(uint64_t)a > (uint64_t)b ? a : b",
    "(int8_t)a + (uint8_t)b + (int16_t)a - (uint16_t)b",
    "(int32_t)a + (uint32_t)b",
    "(int32_t)a * (int64_t)b",
    "b == 0 || (a == INT64_MIN && b == -1) ? 7 : a / b + a % b",
    "b == 0 ? -1 : (int64_t)((uint64_t)a / (uint64_t)b % 1000)",
    "a << (b & 31)",
    "a >> (b & 63)",
    "(uint32_t)a >> (b & 31)",
    "!a + !!b + (a && b) + (a || b) * 2",
    "a > 3 && b > 3 || a < -3 && b < -3",
    "(a, b)",
    "(bool)a + (bool)(b & 256)",
    "-a + +b",
    "(int64_t)((double)a * 0.5 + (float)(b % 1000))",
    "(double)a < (double)b",
    "a > 0 ? b > 0 ? 1 : 2 : b > 0 ? 3 : 4",
    "sizeof(int) * 100 + sizeof a + sizeof(char *) + sizeof(struct pair)",
    "'a' + '\\n' + '\\0' + '\\x41' + 010 + 0x10 + 3u + 4l",
    "a ? b ? 1 : 2 : 3",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression, tmp_path):
    text = f"""
    struct pair {{ char c; double d; short s; }};
    int64_t f(int64_t a, int64_t b) {{ return {expression}; }}
    """
    libraries = ours(text), theirs(text, tmp_path)
    for library in libraries:
        library.f.argtypes = [ctypes.c_int64] * 2
        library.f.restype = ctypes.c_int64
    for values in itertools.product(INTS, INTS):
        first, other = (library.f(*values) for library in libraries)
        assert first == other, values


PROGRAMS = {
    "loops": """
        int64_t f(int64_t n) {
            int64_t sum = 0;
            for (int i = 0; i < n; i++) {
                if (i == 3) continue;
                if (i > 20) break;
                sum += i;
            }
            do { sum *= 2; n--; } while (n > 0 && sum < 1000);
            while (sum % 7) sum++;
            { int64_t sum = 5; n += sum; }
            for (;;) { if (n++ > 9) goto out; sum -= n; }
        out:
            return sum;
        }""",
    "switches": """
        enum { A = 3, B, C = A + 4 };
        static int64_t one(int64_t n) {
            switch (n) {
            case 0: return 10;
            case A: n += 1; /* on into the next */
            case B: n *= 2; break;
            case 5: case 6: { n = 1; for (;;) { break; } break; }
            default: n = -n;
            case C: n += 100;
            }
            return n;
        }
        int64_t f(int64_t n) { return one(n) * 1000 + one(n % 9); }""",
    "records": """
        typedef union { int64_t i; double d; const char *t; } value;
        typedef struct pair {
            char c; value v[2]; struct pair *next; int8_t last;
        } pair;
        static pair swapped(pair p) {
            value v = p.v[0]; p.v[0] = p.v[1]; p.v[1] = v; return p;
        }
        static value of(int64_t n) { return (value){.i = n}; }
        int64_t f(int64_t n) {
            pair p = {1, {{.i = n}, {.i = n + 1}}, .last = -3};
            pair q = swapped(p), *r = &q;
            r->next = &p;
            p = (pair){.c = 'x', .next = r};
            value all[] = {{5}, {.d = 2.5}, of(n)};
            return q.v[0].i * 100 + q.v[1].i + r->next->c + p.v[0].i + q.last
                + (p.next == r) + (int64_t)(all[1].d * 2) + all[2].i
                + (int64_t)(sizeof all / sizeof *all) + (&p.v[1] - p.v);
        }""",
    "memory": """
        static const int64_t table[] = {3, 1, 4, 1, 5, 9, 2, 6};
        static const char *const words[] = {"zero", "o\\tn\\145" "!", 0};
        static struct { int count; const int64_t *at; double half; }
            kept = {7, table, 0.5};
        static int64_t counts[3];
        static int order(const void *a, const void *b) {
            int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
            return (x > y) - (x < y);
        }
        static int64_t next(void) { static int64_t number = 40; return ++number; }
        int64_t f(int64_t n) {
            int64_t sorted[8], *at = sorted;
            memcpy(sorted, table, sizeof sorted);
            qsort(sorted, 8, sizeof *sorted, order);
            int64_t before = *at++, (*call)(void) = next;
            counts[1] += n;
            kept.count--;
            char text[32];
            int length = snprintf(text, sizeof text, "%s|%d|%.2f|%lld", words[1],
                                  (int)n, kept.half, (long long)kept.at[4]);
            int64_t sum = before + *at + at[3] + call() + next() + counts[1];
            sum += kept.count;
            for (int i = 0; i < length; i++) sum = sum * 31 + text[i];
            return sum + (words[2] == NULL) + (int64_t)strlen(words[0]);
        }""",
    "macros": """
        #define TWICE(x) ((x) + (x))
        #define ALL(...) { int64_t all[] = {__VA_ARGS__}; sum += all[0] + all[1]; }
        #define GLUE(name) n_##name
        #define SAY(name) #name
        #define EACH(X) X(1) X(2) X(3)
        #define ADD(i) + i
        #ifdef NOBODY
        #error
        #else
        #define SOME 4
        #endif
        #ifndef SOME
        int wrong(void) { return }
        #endif
        #if defined(__x86_64__)
        #define HERE 1
        #else
        #define HERE 1
        #endif
        int64_t f(int64_t n) {
            int64_t n_a = TWICE(TWICE(n)), sum = 0; // a comment "with quotes
            ALL(n, TWICE(n)) /* another
                one */
            return sum + GLUE(a) + SAY(ab)[1] + SOME + HERE EACH(ADD) + "//"[0];
        }""",
    "floats": """
        static int64_t bits(double a) { int64_t b; memcpy(&b, &a, 8); return b; }
        int64_t f(int64_t n) {
            double a = n / 3.0, b = -0.0, c = n == 0 ? INFINITY : 1.0 / n;
            float g = (float)a * 0.1f;
            a += 1;
            a *= n;
            return bits(a) ^ bits(-b) ^ bits(c) ^ bits(g) ^ bits(n ? NAN : 0.5)
                ^ (a < c) ^ (isnan(c - c) << 1) ^ (isinf(c) != 0) ^ (signbit(b) != 0)
                ^ bits(fmod(a, 3.7)) ^ bits(0x1p-14) ^ bits(1e-3) ^ (0.0 ? 1 : 2);
        }""",
    "atomics": """
        static struct { _Atomic uint32_t n; _Atomic bool b; atomic_flag f; } all
            = {.f = ATOMIC_FLAG_INIT};
        int64_t f(int64_t n) {
            uint32_t wanted = all.n;
            int64_t sum = atomic_flag_test_and_set(&all.f);
            sum += 2 * atomic_flag_test_and_set(&all.f);
            atomic_flag_clear(&all.f);
            sum += 4 * atomic_compare_exchange_strong(&all.n, &wanted, 9);
            wanted = 5;
            sum += 8 * atomic_compare_exchange_strong(&all.n, &wanted, 10);
            sum += 16 * wanted;
            sum += 1000 * atomic_fetch_add(&all.n, (uint32_t)n);
            sum -= atomic_fetch_sub(&all.n, 2);
            all.n += 3;
            all.b = n > 4;
            sum = sum * 10 + all.n++;
            return sum * 10 + all.n + all.b;
        }""",
    "overflow": """
        int64_t f(int64_t n) {
            int64_t a = 0, b = 0, c = 0, most = INT64_MAX - 3;
            int d = __builtin_add_overflow(n, most, &a);
            int e = __builtin_sub_overflow(-n, most, &b);
            int g = __builtin_mul_overflow(n, most / 4, &c);
            return (a ^ b ^ c) + d + 2 * e + 4 * g + __builtin_clzll(n + 1);
        }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, tmp_path):
    libraries = ours(PROGRAMS[name]), theirs(PROGRAMS[name], tmp_path)
    for library in libraries:
        library.f.argtypes, library.f.restype = [ctypes.c_int64], ctypes.c_int64
    for n in range(12):
        first, other = (library.f(n) for library in libraries)
        assert first == other, n


def test_all_headers_with_a_team():
    """Threads, too: what a host of one thread does not use."""
    text = """
    #include "heap.h"
    #define THREADS 4
    #include "team.h"
    #define INPUTS 0
    #define OUTPUTS 0
    #define ARENA 0
    #define TURNS 0
    #define PATH 0
    #define MADE 0
    struct dycl_weights { char none; };
    const char *const dycl_weight_names[] = {0,};
    const int64_t dycl_weight_count = 0, dycl_decision_count = 0;
    static const struct dycl_kind dycl_kinds[] = {0,}, dycl_made_kinds[] = {0,};
    static const char *const dycl_error_texts[] = {0,};
    void kernel(int64_t);
    static int dycl_make_missing(dycl_weights *w) { return 0; }
    static int dycl_forward(struct dycl_host *h) { kernel(3); return 0; }
    #include "entry.h"
    """
    compiled = compile_c({"host.c": text, **headers()}, "host.c")
    assert compiled.elsewhere == ["kernel"]
    assert "dycl_share_task" in compiled.text
    assert "dycl_run" in compiled.functions
    assert compile_llvm(compiled.text, "x86-64-v3", "dycl_run", ["kernel"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "int f(int a) { return nobody(a); }",
            "`nobody`, which nothing declares, in `f`",
        ),
        ("int f(int a) { return a + ; }", "`;` where an expression should be"),
        ("int f(int a) { return a }", "`;` is missing"),
        ("int f(int a) {", "ends too soon"),
        ("#pragma once", "the directive `#pragma`"),
        ("#if A > 3\n#endif", "the condition `#if A > 3`"),
        ('#include "b.h"', "b.h is not there"),
        ("int f(int n) { int a[n]; return 0; }", "no known number"),
        ("int f(int *a) { return *a->b; }", "a member `b` of"),
        ("#define A(x, y) x\nint f(void) { return A(1); }", "`A` with 1 arguments"),
    ],
)
def test_what_it_lacks_is_said(text, words):
    with pytest.raises(CannotCompile) as caught:
        compile_c({"a.c": text}, "a.c")
    assert words in str(caught.value)
