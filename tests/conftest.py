"""Options of the test run: slow proofs, and how hypothesis chooses its examples."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.fourth import tictactoe, tictactoe_library

__all__ = ["tictactoe", "tictactoe_library"]

settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("explore", parent=settings.get_profile("ci"), derandomize=False, max_examples=1000)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run the longer proofs as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = [item for item in items if "slow" in item.keywords]
    if config.getoption("--run-slow"):
        for item in slow:
            # Longer than others are allowed to take; a mark of its own comes first.
            item.add_marker(pytest.mark.timeout(3600), append=True)
        return
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
