"""Build of the compiled modules: every ext/*/NAME.pyx becomes the private module blockwit._NAME.

All other metadata is in pyproject.toml. Set BLOCKWIT_CFLAGS to add compiler flags (for example a sanitizer's).
"""

import os
import shlex
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
EXT = Path("ext")
WINDOWS = sys.platform == "win32"
FLAGS = ["-O3", "-fno-strict-aliasing", "-ffp-contract=off"]


def extensions() -> list[Extension]:
    """One extension for each .pyx below ext/, in a stable order."""
    extra = shlex.split(os.environ.get("BLOCKWIT_CFLAGS", ""))
    # Whoever installs a wheel has no libraries of MinGW's.
    libraries = ["-static"] if WINDOWS else []
    headers = sorted(str(path.relative_to(HERE)) for path in (HERE / EXT).rglob("*.h"))
    return [
        Extension(
            f"blockwit._{path.stem}",
            [str(path.relative_to(HERE))],
            include_dirs=[str(EXT / "include"), str(EXT / "games")],
            depends=headers,
            extra_compile_args=FLAGS + extra,
            extra_link_args=extra + libraries,
        )
        for path in sorted((HERE / EXT).rglob("*.pyx"))
    ]


class BuildPy(build_py):
    """Copies the package; what is built from a checkout remembers its commit."""

    def run(self) -> None:
        """Copy, and write the commit beside the modules."""
        super().run()
        if not self.editable_mode and (HERE / ".git").exists():
            sys.path.insert(0, str(HERE / "solver"))
            from blockwit.revision import commit_of

            if commit := commit_of(HERE):
                Path(self.build_lib, "blockwit", "commit").write_text(commit, encoding="ascii")


setup(
    cmdclass={"build_py": BuildPy},
    # Boards are 128-bit integers, which MSVC does not have.
    options={"build_ext": {"compiler": "mingw32"}} if WINDOWS else {},
    ext_modules=cythonize(
        extensions(),
        include_path=[str(EXT / "include")],
        build_dir="build/cython",
        language_level=3,
        compiler_directives={
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
            "freethreading_compatible": False,
        },
    ),
)
