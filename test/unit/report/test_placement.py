"""The account of a placement says who computes what, and why not who is faster."""

from dycl.report.placement import PlacedKernel, Placement

HEAD = PlacedKernel("head", None, 1, {"cpu": 9.0, "toy": 12.0}, "cpu")
SIDE = PlacedKernel("side", None, 1, {"cpu": 9.0, "toy": 5.0}, "cpu", runs=0.5)
MOVED = PlacedKernel("moved", None, 1, {"cpu": 9.0, "toy": 5.0}, "toy")
OPEN = PlacedKernel("open", None, 1, {}, "cpu", is_open=True)
ALONE = PlacedKernel("alone", None, 1, {}, "cpu", runs=0.5)


def said(*rows, **more):
    return str(Placement(rows, ("toy",), **more)).splitlines()


def test_each_is_where_it_is_fastest():
    assert said(HEAD, OPEN, ALONE) == [
        "All kernels are computed by cpu, which is the fastest for each that toy takes",
        "    head: cpu; 9.0 us by cpu, 12.0 us by toy",
        "    open: cpu; sizes are open",
        "    alone: cpu; nobody else takes it",
    ]
    assert said(HEAD, MOVED) == [
        "Of 2 kernels 1 is not computed by cpu",
        "    head: cpu; 9.0 us by cpu, 12.0 us by toy",
        "    moved: toy; 5.0 us by toy, 9.0 us by cpu",
    ]


def test_what_would_be_gained_elsewhere_is_said():
    lines = said(HEAD, SIDE)
    assert lines[0] == "All kernels are computed by cpu"
    assert lines[1].startswith("    Others are faster for some, but a call would gain ")
    assert lines[2] == (
        "    Launches a call: guessed from decisions and loops; "
        "profile=[inputs] counts them"
    )
    assert lines[4] == (
        "    side: cpu; 5.0 us by toy, 9.0 us by cpu; 0.5 launches a call; toy would "
        "gain 2.0 us a call"
    )


def test_a_profile_has_counted():
    lines = said(SIDE, counted=True)
    assert lines[2] == "    Launches a call: as counted by the profile"


def test_none_could_be_timed():
    head = "All kernels are computed by cpu: none could be timed by toy"
    assert said(OPEN)[0] == said(ALONE)[0] == head
