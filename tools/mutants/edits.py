"""Mutants of an artifact: what is in it, changed at random; then its hashes made anew.

`mutant(members, seed)` gives the file's bytes and what was done, the same for a seed.
"""

import hashlib
import json
import random

from dycl.runtime.manifest import CHECK, MANIFEST, WEIGHTS, canonical
from dycl.runtime.members import page_sums
from tools.mutants.archives import write
from tools.mutants.values import edited_json, edited_text, replacement


def mutant(members, seed):
    """An artifact made of `members`, name -> bytes: its bytes, what was changed.

    What was changed is a set of names of members; "archive" is what is around them.
    """
    draw = random.Random(seed)
    members, changed = dict(members), set()
    kinds = draw.choices(list(_KINDS), list(_KINDS.values()), k=draw.choice((1, 1, 2)))
    for kind in kinds:
        if kind != "archive":
            changed |= kind(members, draw)
    if draw.random() < 0.9:
        hash_anew(members)
    data = write(members, draw if "archive" in kinds else None)
    return data, changed | ({"archive"} if "archive" in kinds else set())


def hash_anew(members):
    """What the manifest says of members; and its own hash."""
    try:
        manifest = json.loads(members[MANIFEST])
        files = manifest["files"]
        for name, data in members.items():
            if name in files:
                files[name]["bytes"] = len(data)
                files[name]["sha256"] = hashlib.sha256(data).hexdigest()
        if WEIGHTS in members and "sums" in files[WEIGHTS]:
            files[WEIGHTS]["sums"] = page_sums(members[WEIGHTS])
        manifest[CHECK] = hashlib.sha256(canonical(manifest)).hexdigest()
        members[MANIFEST] = json.dumps(manifest).encode()
    except (ValueError, KeyError, TypeError, RecursionError):
        pass  # It is no manifest any more.


def _json_member(members, draw):
    """A value somewhere in a member of JSON; the manifest as often as all others."""
    others = [name for name in members if name.endswith(".json")]
    name = draw.choice((MANIFEST, draw.choice(others)))
    if name in members:
        members[name] = edited_json(members[name], draw)
    return {name}


def _text_member(members, draw):
    """A line, a piece or a byte of a text."""
    name = draw.choice([n for n in members if n.endswith((".py", ".json", ".c", ".h"))])
    members[name] = edited_text(members[name], draw)
    return {name}


def _weights(members, draw):
    if WEIGHTS not in members:
        return set()
    members[WEIGHTS] = edited_weights(members[WEIGHTS], draw)
    return {WEIGHTS}


def edited_weights(data, draw):
    """A safetensors file with another header, another length of it, or another end."""
    length = int.from_bytes(data[:8], "little")
    header, body = data[8 : 8 + length], data[8 + length :]
    how = draw.randrange(7)
    if how < 5:
        edited = edited_json if how < 4 else edited_text
        header = edited(header, draw)
        length = len(header)
    elif how == 5:
        length = replacement(length, draw, sizes=True)
    else:
        body = body[: draw.randrange(len(body) + 1)]
    return (length % (1 << 64)).to_bytes(8, "little") + header + body


def _code(members, draw):
    """Bytes of an object's headers, its end, or its seal."""
    name = draw.choice([n for n in members if n.endswith(".so")] or [MANIFEST])
    data = bytearray(members[name])
    how = draw.randrange(4)
    if how == 0 and data:
        data[draw.randrange(min(len(data), 0x300))] = draw.randrange(256)
    elif how == 1:
        del data[draw.randrange(len(data) + 1) :]
    elif how == 2:
        data += bytes(draw.randrange(1, 64))
    elif data:
        data[-draw.randrange(1, min(len(data), 44))] ^= 1 << draw.randrange(8)
    members[name] = bytes(data)
    return {name}


def _whole_members(members, draw):
    """Members that are missing, that changed places, or that have another name."""
    one, other = draw.choice(list(members)), draw.choice(list(members))
    how = draw.randrange(4)
    if how == 0:
        del members[one]
    elif how == 1:
        members[one], members[other] = members[other], members[one]
    elif how == 2:
        members[one] = members[other]
    else:
        new = draw.choice(("", "../" + one, "/etc/passwd", one.upper(), "a/b/c", "\0"))
        members[new] = members.pop(one)
    return {one, other}


_KINDS = {
    _json_member: 8,
    _text_member: 3,
    _weights: 4,
    _code: 2,
    _whole_members: 2,
    "archive": 4,
}
