"""Programs of others that a test starts."""

import os
import shutil
import unittest


def required(name):
    """True where everything is to be installed, as for tests/run.sh: TESSERA_REQUIRE_<NAME> is 1."""
    return os.environ.get(f"TESSERA_REQUIRE_{name.upper().replace('-', '_')}") == "1"


def needs(program):
    """Skips a test, with the reason, where a program is not installed. Where it is required the test runs, and fails."""
    return unittest.skipUnless(shutil.which(program) or required(program), f"{program} is not installed")
