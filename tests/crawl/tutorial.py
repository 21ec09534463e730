#!/usr/bin/env python3
"""Runs the commands of the pages for new users, as they are printed there, in one shell each.

A block of a page that begins with ```sh is run; it must succeed. A block without a language right behind it is what the
commands say, on standard output or error: its lines must come in this order, "…" stands for anything. A comment before a
block changes that:

    <!-- not here: WHY -->        it is not run
    <!-- serves -->               it runs until it is stopped: the address that it prints must answer
    <!-- answers: … -->           questions are answered by the comment's own rule
"""

import random
import re
import signal
import urllib.request

from crawling import *

ROOT = Path(__file__).resolve().parents[2]
DOC = Path("/usr/share/doc")
BLOCK = re.compile(r"(?:^<!-- (?P<kind>not here|serves|answers)(?P<rule>[^>]*)-->\n)?^```sh\n(?P<commands>.*?)^```\n"
                   r"(?:^```\n(?P<says>.*?)^```\n)?", re.M | re.S)


def blocks(page):
    text = page.read_text()
    assert text.count("\n```sh\n") == len(BLOCK.findall(text)), "a block is not understood"
    return BLOCK.finditer(text)


class Shell:
    """One shell for all blocks of a page: a folder that is entered stays entered."""

    def __init__(self):
        self.folder = os.getcwd()
        self.environment = os.environ | {"PATH": f"{Path(SCENT).parent}:{os.environ['PATH']}"}

    def start(self, commands, **options):
        self.end, inner = os.pipe()
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
            script.write(f"cd '{self.folder}'\n{commands}\npwd >&{inner}\n")
        child = subprocess.Popen(["bash", "-euo", "pipefail", script.name], env=self.environment, pass_fds=[inner],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
        os.close(inner)
        return child

    def run(self, commands, answers=""):
        child = self.start(commands, stdin=subprocess.PIPE)
        said, _ = child.communicate(answers, timeout=240)
        with os.fdopen(self.end) as end:
            self.folder = end.read().strip() or self.folder
        assert child.returncode == 0, f"exit status {child.returncode}:\n{commands}\n{said}"
        return said

    def serve(self, command, before=""):
        """The first line that a server prints has its address."""
        child = self.start(f"{before}\nexec {command.strip()}", stdin=subprocess.DEVNULL)
        try:
            address = None
            while not address:
                line = child.stdout.readline()
                assert line, "the server has ended"
                address = re.search(r"http://\S+", line)
            with urllib.request.urlopen(address[0], timeout=200) as answer:
                assert answer.status == 200 and b"<html" in answer.read().lower(), address[0]
        finally:
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=200)
            os.close(self.end)


def check_said(said, expected):
    at = 0
    for line in expected.splitlines():
        pattern = ".*".join(map(re.escape, line.split("…")))
        found = re.compile(f"^{pattern}", re.M).search(said, at) if line.strip("… ") else re.compile("").search(said, at)
        assert found, f"'{line}' is not said in:\n{said}"
        at = found.end()


def answer_questions(shell, commands, rule):
    """The rule is the comment's: y where a pattern is in what is asked, so many times."""
    pattern, number = re.fullmatch(r': y where "([^"]+)" is in what is asked, else n; (\d+) ', rule).groups()
    child = shell.start("exec " + commands.strip(), stdin=subprocess.PIPE)
    said, asked = "", ""
    for _ in range(int(number)):
        while not asked.endswith("[q]uit: "):
            byte = child.stdout.read(1)
            assert byte, "there are no more questions:\n" + said + asked
            asked += byte
        child.stdin.write("y\n" if re.search(pattern, asked, re.I) else "n\n")
        child.stdin.flush()
        said, asked = said + asked, ""
    rest, _ = child.communicate("q\n", timeout=200)
    os.close(shell.end)
    assert child.returncode == 0, said + rest
    return said + rest


def run_page(page):
    shell = Shell()
    for block in blocks(page):
        if block["kind"] == "not here":
            continue
        print(block["commands"], end="", flush=True)
        if block["kind"] == "serves":
            shell.serve(block["commands"])
            continue
        said = (answer_questions(shell, block["commands"], block["rule"]) if block["kind"] == "answers"
                else shell.run(block["commands"]))
        print(said, end="", flush=True)
        check_said(said, block["says"] or "")
    return Path(shell.folder)


@test
def a_first_collection():
    for package in ("postgresql-doc-15", "apache2-doc"):
        if not (DOC / package).is_dir():
            raise Skip(f"{package} is not installed")
    folder = run_page(ROOT / "docs" / "guide" / "first-collection.md")
    texts = [json.loads(line) for line in (folder / "server-tls.jsonl").read_text().splitlines()]
    assert len(texts) >= 20 and all(len(text["text"]) > 100 for text in texts), len(texts)
    about = sum(bool(re.search(r"\b(ssl|tls|certificates?|encrypt\w*)\b", text["text"], re.I)) for text in texts)
    assert about > .9 * len(texts), f"{about} of {len(texts)} texts are about the topic"
    check_crawl(folder / "server-tls.crawl")


def path_without_scent():
    """A folder that has it, such as /usr/bin with the package installed, is replaced by links to the rest of it."""
    folders = []
    for number, folder in enumerate(os.environ["PATH"].split(":")):
        if Path(folder, "scent").exists():
            links = Path(f"path-{number}").absolute()
            links.mkdir()
            for file in Path(folder).iterdir():
                if file.name != "scent":
                    (links / file.name).symlink_to(file.absolute())
            folder = links
        folders.append(str(folder))
    return ":".join(folders)


@test
def the_demonstration_says_what_to_do_next():
    """Where the program is not on the path, its commands work when they are pasted all the same."""
    bare = {"PATH": path_without_scent()}
    done = subprocess.run([SCENT, "demo", "--pages", "100"], env=os.environ | bare, stdout=subprocess.PIPE, text=True, check=True)
    table = [float(line.split()[-1]) for line in done.stdout.splitlines() if re.match(r"  (breadth|best|default)", line)]
    assert len(table) == 3 and table[2] > table[0], done.stdout
    path, shown, pages, _ = done.stdout.split("Next:\n")[1].splitlines()
    assert "export PATH=" in path, done.stdout
    for command in (shown, pages):
        shell = Shell()
        shell.environment |= bare
        shell.serve(f"{command.partition('#')[0]}", before=path)


PRACTICE = {  # folder: (address, {file: words}); a page links to all others
    "wiki": ("https://en.wikipedia.org/wiki/", {
        "Tide": "tide spring neap moon sun gravity high water low water range current estuary amphidromic",
        "Neap_tide": "neap spring tide moon quarter range high water low water",
        "Bread": "bread flour yeast oven dough loaf crust bake baker wheat rye"}),
    "noaa": ("https://oceanservice.noaa.gov/education/tutorial_tides/", {
        "index.html": "tides tutorial gravity moon bulge high tide low tide coast water level station",
        "spring.html": "spring tide neap tide moon sun aligned range high water coast"}),
}


@test
def the_five_steps_of_the_readme():
    """The program that they call reads its pages from an archive, and from no server."""
    for folder, (base, files) in PRACTICE.items():
        Path(folder).mkdir()
        for name, words in files.items():
            links = "".join(f'<a href="{other}">{other}</a> ' for other in files)
            dice = random.Random(name)
            text = " ".join(" ".join(dice.sample(words.split(), 8)) + "." for _ in range(40))
            write(f"{folder}/{name}", f"<!doctype html><html lang=en><title>{name}</title><p>{text}<p>{links}</html>")
        scent("web", "pack", folder, "-o", f"practice/{folder}", "-b", base)
    Path("build/release").mkdir(parents=True)
    write("build/release/scent", f"""#!/bin/sh
[ "$1" != crawl ] || set -- "$@" --from "{os.getcwd()}/practice"
exec "{SCENT}" "$@"
""")
    os.chmod("build/release/scent", 0o755)
    run_page(ROOT / "README.md")
    texts = [json.loads(line) for line in Path("tides.jsonl").read_text().splitlines()]
    assert any(text["url"].endswith("/Tide") for text in texts), texts
    assert not any("Bread" in text["url"] for text in texts), texts
    assert query("tides.crawl", "select count(*) from page where counted")[0][0] >= 4


finish()
