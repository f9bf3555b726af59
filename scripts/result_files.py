"""Files of results, whole or stored compactly (bench store), read through the program."""
import functools
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def program():
    """The program that reads results: $CROSSWARP_BENCH, else the one built last."""
    built = sorted(ROOT.glob("build/*/bin/bench"), key=os.path.getmtime)
    named = os.environ.get("CROSSWARP_BENCH")
    if not named and not built:
        sys.exit("there is no bench to read results with: scripts/bench builds it, or CROSSWARP_BENCH names one")
    return named or str(built[-1])


@functools.cache
def load(path):
    """Context, benchmarks (rows with all their fields) and findings of a file."""
    content = json.loads(pathlib.Path(path).read_text())
    if "format" not in content:
        return content
    command = [program(), "report", "--format", "json", str(path)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        sys.exit(ran.stderr.strip())
    return json.loads(ran.stdout)
