"""The runner of the benches: rows kept, resumed, rendered, compared."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import report, runner
from bench.runner import Bench, BenchError, Plot

SCRIPT = """
import json, sys
from pathlib import Path
counter, out = Path(sys.argv[1]), Path(sys.argv[-1])
if counter.name == "broken":
    sys.exit("no such luck")
runs = int(counter.read_text()) + 1 if counter.exists() else 1
counter.write_text(str(runs))
rows = [{"n": n, "nodes": n * 10, "seconds": [0.1 * n, 0.3 * n], "mean": 5.0, "mean ±": 0.1} for n in (1, 10)]
out.write_text(json.dumps({"rows": rows}))
"""


def bench(folder: Path, name: str) -> Bench:
    """Return a bench that counts its runs in a file."""
    command = f"counting {folder / name}"
    return Bench(name, "How often?", command, command, ("n",), ("nodes",), plot=Plot("n", "seconds"))


@pytest.fixture
def counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose benches run; at a commit without changes."""
    (tmp_path / "counting.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(runner, "commit", lambda: "abc")
    return tmp_path


def run(folder: Path, *names: str, seed: int = 1) -> dict[str, Any]:
    """Run benches quietly."""
    benches = [bench(folder, name) for name in names]
    return runner.run("quick", seed, folder / "out.json", benches, lambda _: None)


def test_finished_benches_are_kept(counting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(counting, "one")
    results = run(counting, "one", "two")
    assert {name: (counting / name).read_text() for name in ("one", "two")} == {"one": "1", "two": "1"}
    assert results["benches"]["one"]["rows"][1]["nodes"] == 100
    assert results == runner.read(counting / "out.json")
    run(counting, "one", seed=2)
    monkeypatch.setattr(runner, "commit", lambda: "abd")
    run(counting, "one", seed=2)
    assert (counting / "one").read_text() == "3"
    monkeypatch.setattr(runner, "commit", lambda: "abd-dirty")
    run(counting, "one", seed=2)
    run(counting, "one", seed=2)
    assert (counting / "one").read_text() == "5"


def test_one_failure_does_not_stop_the_others(counting: Path) -> None:
    with pytest.raises(BenchError, match="failed: broken"):
        run(counting, "broken", "one")
    assert list(runner.read(counting / "out.json")["benches"]) == ["one"]


def test_results_of_another_machine_are_refused(counting: Path) -> None:
    run(counting, "one")
    path = counting / "out.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"cores": 999}), encoding="utf-8")
    with pytest.raises(BenchError, match="another machine"):
        run(counting, "one")
    path.write_text("[]", encoding="utf-8")
    for text in ("[]", "[" * 100_000, '{"format": 2, "benches": {}}', '{"format": 1, "benches": 5}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BenchError, match="not a file of results"):
            run(counting, "one")


def test_page_shows_commands_rows_and_pictures(counting: Path) -> None:
    pytest.importorskip("matplotlib")
    results = run(counting, "one")
    page = counting / "RESULTS.md"
    runner.render(results, page, counting / "plots", [bench(counting, "one")])
    text = page.read_text(encoding="utf-8")
    assert f"    python -m counting {counting / 'one'}\n" in text
    assert "| 10 | 100 | 2 (1 to 3) | 5 | 0.1 |" in text
    assert "(plots/one.svg)" in text
    drawn = (counting / "plots" / "one.svg").read_bytes()
    runner.render(results, page, counting / "plots", [bench(counting, "one")])
    assert (counting / "plots" / "one.svg").read_bytes() == drawn


def test_compare_marks_what_exceeds_the_noise(counting: Path) -> None:
    one = run(counting, "one")
    two = json.loads(json.dumps(one))
    rows = two["benches"]["one"]["rows"]
    benches = [bench(counting, "one")]
    assert runner.compare(one, two, benches) == []
    rows[0] |= {"nodes": 11, "seconds": [0.2, 0.4], "mean": 5.2}
    rows[1] |= {"seconds": [4.0, 5.0], "mean": 5.5}
    lines = runner.compare(one, two, benches)
    marks = {(line.split(":")[0][6:], line.split(":")[1].split()[0]): line[0] for line in lines}
    assert marks == {
        ("1", "nodes"): "*",
        ("1", "seconds"): " ",
        ("1", "mean"): " ",
        ("10", "seconds"): "*",
        ("10", "mean"): "*",
    }
    two["benches"]["one"]["command"] += " --other"
    assert "not comparable" in runner.compare(one, two, benches)[0]


def test_every_bench_names_a_script(tmp_path: Path) -> None:
    assert len({each.name for each in runner.BENCHES}) == len(runner.BENCHES)
    for each in runner.BENCHES:
        for size in runner.SIZES:
            module = each.command(size, 1, tmp_path)[1]
            assert (runner.ROOT / (module.replace(".", "/") + ".py")).is_file()
    with pytest.raises(BenchError, match="no bench 'x'"):
        runner.chosen(["x"])


def test_cheap_benches_yield_their_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts really write the columns that the registry speaks of."""
    monkeypatch.setattr(runner, "commit", lambda: "abc")
    cheap = {
        "growth-perft": "bench.growth perft --depth 2",
        "search-hash": "bench.search hash --positions 1 --depth 2 --megabytes 1 2",
        "search-depth": "bench.search depth --positions 1 --depth 2 --repeat 2",
    }
    benches = [
        Bench(each.name, each.question, cheap[each.name], "", each.keys, each.exact, each.ratios, each.plot)
        for each in runner.chosen(list(cheap))
    ]
    results = runner.run("quick", 1, tmp_path / "out.json", benches, lambda _: None)
    for each in benches:
        rows = results["benches"][each.name]["rows"]
        assert len(rows) == 2
        assert each.plot is not None
        assert {*each.keys, *each.exact, each.plot.x, each.plot.y} <= set(report.columns(rows))


def test_numbers_are_short() -> None:
    assert [report.show(x) for x in (1234567, 0.12345, 12.345, [1, 5, 2], None, True, "x")] == [
        "1,234,567",
        "0.123",
        "12.3",
        "2 (1 to 5)",
        "",
        "True",
        "x",
    ]


def test_command_line_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from bench.__main__ import main

    monkeypatch.setattr(sys, "argv", ["bench", "compare", str(tmp_path / "a"), str(tmp_path / "b")])
    with pytest.raises(SystemExit):
        main()
    assert "No such file or directory" in capsys.readouterr().err
