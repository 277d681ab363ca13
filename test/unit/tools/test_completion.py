"""`dycl completion` in the shells that are here; and keywords that do not exist."""

import shutil
import subprocess

import pytest
import torch

import dycl
from dycl.tools import cli, cli_saved
from dycl.tools.completion import SHELLS, completion

NEEDS = {
    shell: pytest.mark.skipif(
        shutil.which(shell) is None, reason=f"there is no {shell}"
    )
    for shell in SHELLS
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """A folder with the script for each shell, and two files."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        text = completion(cli.make_parser(), shell)
        (folder / f"dycl.{shell}").write_text(text)
    (folder / "files").mkdir()
    for name in ("net.dycl", "it is.npy"):
        (folder / "files" / name).touch()
    return folder


def in_bash(folder, *words):
    program = (
        f'source "{folder}/dycl.bash"; cd "{folder}/files"; COMP_WORDS=("$@"); '
        "COMP_CWORD=$(($# - 1)); _dycl; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    command = ["bash", "-u", "-c", program, "bash", "dycl", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted(done.stdout.split("\n")[:-1])


BASH = [
    (["sh"], ["show"]),
    (["com"], ["compile", "completion"]),
    (["show", "n"], ["net.dycl"]),
    (["show", "net.dycl", "h"], ["hcfg", "host"]),
    (["show", "net.dycl", "hcfg", "--f"], ["--format"]),
    (["show", "net.dycl", "hcfg", "--format", ""], ["dot", "mermaid", "svg"]),
    (["profile", "--samples", "it"], ["it is.npy"]),
    (["compile", "--host", "na"], ["native"]),
    (["compile", "--ver", ""], ["it is.npy", "net.dycl"]),
    (["--v"], ["--version"]),
    (["example", "c"], ["c"]),
    (["completion", "z"], ["zsh"]),
]


@NEEDS["bash"]
@pytest.mark.parametrize(("words", "found"), BASH, ids=lambda x: " ".join(x))
def test_bash(scripts, words, found):
    assert in_bash(scripts, *words) == found


@NEEDS["fish"]
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("dycl sh", ["show"]),
        ("dycl show net.dycl hcfg --format ", ["dot", "mermaid", "svg"]),
        ("dycl show net.dycl hcfg --form", ["--format"]),
        ("dycl completion z", ["zsh"]),
    ],
)
def test_fish(scripts, line, found):
    program = f"source {scripts}/dycl.fish; complete -C '{line}'"
    command = ["fish", "--no-config", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = [row.partition("\t")[0] for row in done.stdout.splitlines()]
    assert sorted(said) == found


ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; autoload -Uz compinit; compinit -u -D; . {folder}/dycl.zsh"
zpty -w shell "zstyle ':completion:*' list-prompt ''; echo rea''dy"
zpty -r -m shell text '*ready*'
zpty -w -n shell "dycl {line}"$'\\t\\t'
zpty -r -m shell text '*{wanted}*' && print -r found
zpty -d shell
"""


@NEEDS["zsh"]
@pytest.mark.parametrize(
    ("line", "wanted"), [("ver", "verify"), ("show n hcfg --format me", "mermaid")]
)
def test_zsh(scripts, line, wanted):
    program = ZSH.format(folder=scripts, line=line, wanted=wanted)
    command = ["timeout", "20", "zsh", "-f", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "found" in done.stdout, done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_all_commands_and_options_are_there(scripts, shell, capsys):
    """Also where there is no compiler: then those of its commands are."""
    text = (scripts / f"dycl.{shell}").read_text()
    for name in ("compile", "check", "bench", "verify", "explain", "doctor"):
        assert name in text
    assert "weight-dtype" in text
    assert "expect" not in text
    assert cli_saved.run(["completion", shell]) == 0
    assert "verify" in capsys.readouterr().out


def test_a_shell_that_does_not_exist_is_refused(capsys):
    with pytest.raises(SystemExit) as left:
        cli.run(["completion", "fisch"])
    assert left.value.code == 2
    assert "did you mean 'fish'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda model: dycl.compile(model, (torch.ones(2),), thread=2),
            "there is no option 'thread'; did you mean 'threads'?",
        ),
        (
            lambda model: dycl.compile(model, (torch.ones(2),), dynamic_shape={}),
            "there is no option 'dynamic_shape'; did you mean 'dynamic_shapes'?",
        ),
        (
            lambda _: dycl.load("net.dycl", expect_sha265=""),
            r"dycl.load\(\) has no argument 'expect_sha265'; did you mean "
            "'expect_sha256'?",
        ),
        (
            lambda model: dycl.check(model, model, (), rtoll=1),
            r"dycl.check\(\) has no argument 'rtoll'; did you mean 'rtol'?",
        ),
        (
            lambda model: dycl.compile(model, (torch.ones(2),), {"inplace": True}),
            r"options are a `dycl.CompileOptions`, not of type dict: .* `kwargs=`",
        ),
        (
            lambda model: dycl.profile(nett=model),
            r"dycl.profile\(\) has no argument 'nett'; did you mean 'net'?",
        ),
        (
            lambda model: dycl.profile(model, of="calls"),
            r"dycl.profile\(\) has no argument 'of'$",
        ),
    ],
)
def test_keywords_that_do_not_exist_name_the_closest(call, message):
    with pytest.raises(TypeError, match=message):
        call(torch.nn.ReLU().eval())
