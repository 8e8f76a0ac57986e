"""Does with the recipe for conda what conda-build does, as far as that needs no channel: reads it with Jinja and names its
commands; with TC_BUILD_RECIPES runs its script with PREFIX, and its tests. usage: conda.py SOURCE PREFIX"""
import os
import re
import subprocess
import sys
from pathlib import Path

import jinja2
import yaml

source, prefix = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def load_file_regex(load_file, regex_pattern, from_recipe_dir):
    assert not from_recipe_dir
    return re.search(regex_pattern, (source / load_file).read_text())


text = (source / "packaging/conda/meta.yaml").read_text()
text = jinja2.Template(text).render(load_file_regex=load_file_regex, compiler=lambda language: language + "_compiler")
recipe = yaml.safe_load(text)
assert (source / "packaging/conda" / recipe["source"]["path"]).resolve() == source
assert (source / recipe["about"]["license_file"]).exists()
print(recipe["package"]["name"], recipe["package"]["version"], "needs", *recipe["requirements"]["host"])
environment = {**os.environ, "PREFIX": str(prefix), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
for command in recipe["build"]["script"] + recipe["test"]["commands"]:
    print(command)
    if "TC_BUILD_RECIPES" in os.environ:
        subprocess.run(["sh", "-c", command], cwd=source, env=environment, check=True, stdout=subprocess.DEVNULL)
