#!/usr/bin/env python3
"""What `make install` puts where: the program, its manual, completions where shells look for them, and a library that a program
of somebody else finds by pkg-config."""

import re
import shutil

from crawling import *

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(SCENT).resolve().parent


def install(prefix, **environment):
    if os.environ.get("SCENT_BUILD", "release") != "release":
        raise Skip("only the release build is installed")
    for path in ("man/scent.1", "completions/zsh", "libscent.so", "cmake_install.cmake"):
        if not (BUILD / path).exists():
            raise Skip(f"{path} is not built")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], env=os.environ | environment,
                   stdout=subprocess.DEVNULL, check=True)


@test
def a_program_finds_the_library_by_pkg_config():
    prefix = Path("here").absolute()
    install(prefix)
    assert scent("--version").stdout == subprocess.run([prefix / "bin/scent", "--version"], stdout=subprocess.PIPE, text=True,
                                                       check=True).stdout
    found = os.environ | {"PKG_CONFIG_PATH": str(next(prefix.glob("lib*/**/pkgconfig")))}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libscent"], env=found, stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    subprocess.run(["cc", ROOT / "examples/lib/judge_page.c", *flags, "-o", "judge_page"], check=True)
    write("topic.yaml", "topic: hockey\nrelevant: puck\n")
    path = {"LD_LIBRARY_PATH": str(next(prefix.glob("**/libscent.so.0")).parent)}
    done = subprocess.run(["./judge_page", "topic.yaml", "http://example.org/"], input="<title>Ice</title><p>the puck",
                          env=os.environ | path, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and re.match(r"relevant \S+ Ice\n", done.stdout), done


@test
def the_manual_has_a_page_for_each_command():
    install("/usr/local", DESTDIR=os.getcwd())
    for name in re.findall(r"^  ([a-z]+) ", scent("--help").stdout, re.M):
        assert Path(f"usr/local/share/man/man1/scent-{name}.1").stat().st_size > 500, name


@test
def shells_find_their_completions():
    """zsh is asked itself where it looks; below /usr/local that is another folder than below /usr."""
    for prefix, folder in (("/usr/local", "site-functions"), ("/usr", "vendor-completions")):
        install(prefix, DESTDIR=f"{os.getcwd()}/root{prefix}")
        place = Path(f"root{prefix}{prefix}/share/zsh/{folder}/_scent")
        assert place.read_text().startswith("#compdef scent"), place
        for other in ("bash-completion/completions/scent", "fish/vendor_completions.d/scent.fish"):
            assert Path(f"root{prefix}{prefix}/share", other).stat().st_size, other
        if shutil.which("zsh", path="/usr/bin:/bin"):
            looked = subprocess.run(["/usr/bin/zsh", "-fc", "print -l $fpath"], stdout=subprocess.PIPE, text=True).stdout.split()
            assert f"{prefix}/share/zsh/{folder}" in looked, looked


finish()
