"""Build of the compiled modules: every ext/NAME.pyx becomes the private module solver._NAME.

All other metadata is in pyproject.toml. Set BLOCKWIT_CFLAGS to add compiler flags (for example a sanitizer's).
"""

import os
import shlex
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path(__file__).parent
EXT = Path("ext")
FLAGS = ["-O3", "-fno-strict-aliasing", "-ffp-contract=off"]


def extensions() -> list[Extension]:
    """One extension for each .pyx in ext/, in a stable order."""
    extra = shlex.split(os.environ.get("BLOCKWIT_CFLAGS", ""))
    headers = sorted(str(EXT / path.name) for path in (HERE / EXT).glob("*.h"))
    return [
        Extension(
            f"solver._{path.stem}",
            [str(EXT / path.name)],
            include_dirs=[str(EXT)],
            depends=headers,
            extra_compile_args=FLAGS + extra,
            extra_link_args=extra,
        )
        for path in sorted((HERE / EXT).glob("*.pyx"))
    ]


setup(
    ext_modules=cythonize(
        extensions(),
        include_path=[str(EXT)],
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
