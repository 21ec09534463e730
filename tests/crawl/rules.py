#!/usr/bin/env python3
"""Interclass rules from a taxonomy to a crawl: what 'scent rules build' counts is what a second count of the same web gives,
'scent rules show' adds up its paths, the strategy tunnels, and what does not fit is refused."""

import collections
import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from crawling import finish, query, scent, test, write

WORDS = {
    "School.University": "campus rector students enroll tuition lecture hall alumni charter degree".split(),
    "School.Department": "faculty dean staff offices research groups seminar budget committee institute".split(),
    "School.Person": "resume hobbies family photos biography interests email birthday garden travels".split(),
    "Sports": "goal match league striker referee stadium penalty trophy season coach".split(),
}
NAMES = {category: category.split(".")[-1].lower() for category in WORDS}
COUNT = 16


def links_of(category, i):
    """Universities lead to departments, these to people; people link to people and departments, sports to sports."""
    plan = {
        "School.University": [("School.Department", i), ("School.Department", i + 1), ("School.University", i + 3)],
        "School.Department": [("School.Person", 2 * i), ("School.Person", 2 * i + 1), ("School.Department", i + 1)],
        "School.Person": [("School.Person", i + 2), ("School.Department", i)],
        "Sports": [("Sports", i + 1), ("Sports", i + 2), ("Sports", i + 5), ("Sports", i + 7)],
    }
    return [(to, number % COUNT) for to, number in plan[category]]


def path_of(category, i):
    return f"{NAMES[category]}{i}.html"


def page(category, i):
    words = WORDS[category]
    text = " ".join(words[(i + k * (1 + i % 3)) % len(words)] for k in range(40))
    anchors = " ".join(f'<a href="/{path_of(*link)}">on</a>' for link in links_of(category, i))
    return f"<html lang=en><title>{words[0]} {i}</title><body><p>{text} number{i}</p>{anchors}"


def is_example(i):
    return i % 2 == 0


def make_web(base="http://site.test/"):
    Path("site").mkdir()
    for category, i in itertools.product(WORDS, range(COUNT)):
        Path("site", path_of(category, i)).write_text(page(category, i))
    scent("web", "pack", "site", "-b", base, "-o", "collection")
    write("taxonomy.tsv", "".join(f"{category}\t{base}{path_of(category, i)}\n"
                                  for category in WORDS for i in range(COUNT) if is_example(i)))


def topic(path="people.yaml", taxonomy="{file: taxonomy.tsv, collection: collection, target: School.Person}", **keys):
    keys.setdefault("seeds", "[http://site.test/university1.html, http://site.test/sports1.html]")
    lines = ["topic: people", "politeness: {delay: 0}", f"taxonomy: {taxonomy}"] + [f"{k}: {v}" for k, v in keys.items()]
    return write(path, "\n".join(lines) + "\n")


def expected_rules():
    """Distinct pages that the examples of a class link to, by class."""
    counts = collections.Counter()
    for category in WORDS:
        counts.update((category, to) for to, _ in
                      {link for i in range(COUNT) if is_example(i) for link in links_of(category, i)})
    return counts


def read_rules(path):
    rules, classes = {}, []
    for line in Path(path).read_text().splitlines()[1:]:
        columns = line.split("\t")
        if columns[0] == "class":
            classes.append(columns[1])
        elif columns[0] == "rule":
            rules[columns[1], columns[2]] = int(columns[3])
    return classes, rules


def shares(rules):
    totals = collections.Counter()
    for (start, _), count in rules.items():
        totals[start] += count
    return {rule: count / totals[rule[0]] for rule, count in rules.items()}


def path_score(x, start, target, depth):
    """The sum over cycle-free paths, by trying every sequence of classes."""
    if start == target:
        return x.get((target, target), 0)
    score = 0
    for length in range(1, depth + 1):
        for middle in itertools.permutations([c for c in WORDS if c not in (start, target)], length - 1):
            path = (start, *middle, target)
            product = 1
            for rule in zip(path, path[1:]):
                product *= x.get(rule, 0)
            score += product
    return score


def refused(*args, says):
    done = scent(*args, status=2)
    assert says in done.stderr, f"'{says}' is not said in:\n{done.stderr}"


def people_found(crawl, pages):
    return query(crawl, f"select count(*) from (select url.url from page join url on url.id = page.url_id where counted "
                        f"order by page.number limit {pages}) where url like '%person%'")[0][0]


@test
def rules_are_counted_as_the_web_links():
    make_web()
    topic()
    done = scent("rules", "build", "people.yaml")
    classes, rules = read_rules("people.rules")
    assert sorted(classes) == sorted(WORDS), classes
    assert rules == dict(expected_rules()), (rules, expected_rules())
    assert "people.rules: " in done.stdout and "between 4 classes" in done.stdout, done.stdout
    before = Path("people.rules").read_bytes()
    scent("rules", "build", "people.yaml", "-q")
    assert Path("people.rules").read_bytes() == before, "the same web gives other rules"
    scent("rules", "build", "people.yaml", "--per-class", 3, "-o", "few.rules", "-q")
    _, few = read_rules("few.rules")
    for category in WORDS:
        assert sum(n for (start, _), n in few.items() if start == category) == 3, few


@test
def rules_of_random_walks():
    """A walk follows links with the same probability each: its shares are those of the pages' links."""
    make_web()
    topic()
    done = scent("rules", "build", "people.yaml", "--walks", 3000, "-o", "walks.rules")
    classes, rules = read_rules("walks.rules")
    assert sorted(classes) == sorted(WORDS), classes
    links = collections.Counter((category, to) for category in WORDS for i in range(COUNT) for to, _ in links_of(category, i))
    assert set(rules) == set(links), (rules, links)
    # Sports link to sports alone, and a walk there never ends: each class's shares can be told without the others'.
    got, want = shares(rules), shares(links)
    assert all(abs(got[rule] - want[rule]) < .05 for rule in links), (got, want)
    assert sum(rules.values()) == 3000 * 20, rules
    assert "60000 links of 3000 walks from 32 examples through 64 known pages" in done.stdout, done.stdout
    before = Path("walks.rules").read_bytes()
    scent("rules", "build", "people.yaml", "--walks", 3000, "-o", "walks.rules", "-q")
    assert Path("walks.rules").read_bytes() == before, "the same web gives other rules"
    # Without pages that are known before there is nothing to walk through.
    topic("bare.yaml", taxonomy="{file: taxonomy.tsv, target: School.Person}")
    refused("rules", "build", "bare.yaml", "--walks", 10, "--from", "collection", says="walks go through pages that are known")
    topic("known.yaml", taxonomy="{file: taxonomy.tsv, target: School.Person}", graph="collection")
    scent("rules", "build", "known.yaml", "--walks", 3000, "--from", "collection", "-q")
    assert read_rules("known.rules")[1] == rules
    scent("crawl", "known.yaml", "--from", "collection", "-o", "out", "--window", 1, "--strategy", "rules", "--pages", 20, "-q")
    assert people_found("out", 20) >= 5


@test
def paths_are_shown_and_add_up():
    make_web()
    topic()
    scent("rules", "build", "people.yaml", "-q")
    x = shares(read_rules("people.rules")[1])
    for depth in (1, 2, 3):
        shown = scent("rules", "show", "people.yaml", "--depth", depth).stdout
        for category in WORDS:
            want = path_score(x, category, "School.Person", depth)
            got = re.search(rf"\n  ([0-9.]+)  {re.escape(category)}(  \(a target\))?\n", shown.split("of each class (sum")[1])
            assert bool(got) == (want > 0), (category, depth, shown)
            assert not got or abs(float(got[1]) - want) < 1e-4, (category, depth, want, shown)
    shown = scent("rules", "show", "people.rules", "--to", "School.Person", "--max").stdout
    assert "School.University -> School.Department -> School.Person" in shown, shown
    assert "1 classes have no path: their links are scored by soft focus" in shown, shown
    both = scent("rules", "show", "people.rules", "--to", "School").stdout
    assert "-> School.University" in both and "-> Sports" not in both, both
    everything = scent("rules", "show", "people.rules").stdout
    assert everything.count(" -> ") == len(x), everything


@test
def pictures_are_drawn():
    make_web()
    topic()
    scent("rules", "build", "people.yaml", "-q")
    dot = scent("rules", "show", "people.yaml", "--dot").stdout
    assert dot.startswith("digraph") and '"School.University" -> "School.Department"' in dot and "Sports" not in dot, dot
    svg = ElementTree.fromstring(scent("rules", "show", "people.yaml", "--svg").stdout)
    titles = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(titles) == ["School.Department", "School.Person", "School.University"], titles
    write("odd.rules", 'scent-rules\t1\t0000000000000000\nclass\t<b>&"x"\nclass\tA\\B\nrule\t<b>&"x"\tA\\B\t1\n')
    svg = ElementTree.fromstring(scent("rules", "show", "odd.rules", "--to", "A\\B", "--svg").stdout)
    assert '<b>&"x"' in [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert '"<b>&\\"x\\"" -> "A\\\\B"' in scent("rules", "show", "odd.rules", "--to", "A\\B", "--dot").stdout
    refused("rules", "show", "odd.rules", "--svg", says="--to")


@test
def a_crawl_by_rules_tunnels():
    make_web()
    topic()
    scent("rules", "build", "people.yaml", "-q")
    for name, strategy in {"soft": "soft-focus", "rules": "rules", "refined": "rules:refine=yes,depth=3"}.items():
        scent("crawl", "people.yaml", "--from", "collection", "-o", name, "--window", 1, "--strategy", strategy, "--pages", 20)
    assert people_found("rules", 20) > people_found("soft", 20), (people_found("rules", 20), people_found("soft", 20))
    assert people_found("refined", 20) >= people_found("soft", 20)
    assert Path("rules/learned/rules").read_text() == Path("people.rules").read_text()
    assert not Path("soft/learned/rules").exists()
    # Resumed, it goes on with the rules that it began with.
    Path("people.rules").unlink()
    scent("crawl", "people.yaml", "--from", "collection", "-o", "rules", "--window", 1, "--strategy", "rules", "--pages", 30)
    assert people_found("rules", 30) > people_found("rules", 20)


@test
def a_score_is_told_with_the_options_of_its_run():
    make_web()
    topic(strategy="{name: rules, depth: 2}")
    scent("rules", "build", "people.yaml", "-q")
    for name, spec in {"far": "rules:depth=3,refine=yes", "near": "rules:depth=1"}.items():
        scent("crawl", "people.yaml", "--from", "collection", "-o", name, "--window", 1, "--strategy", spec, "--pages", 1)
        url = query(name, "select url from url where state = 'queued' and url like '%department%' limit 1")[0][0]
        told = json.loads(scent("why", name, url, "--json").stdout)
        x = shares(read_rules("people.rules")[1])
        path = path_score(x, "School.University", "School.Person", 3 if name == "far" else 1)
        assert abs(told["score"]["parts"][0]["value"] - path) < 1e-4, (told, path)


@test
def linked_pages_are_fetched_politely():
    Path("web").mkdir()
    for category, i in itertools.product(WORDS, range(COUNT)):
        Path("web", path_of(category, i)).write_text(page(category, i))
    scent("web", "pack", "web", "-b", "http://site.test/", "-o", "pages")
    write("taxonomy.tsv", "".join(f"{category}\thttp://site.test/{path_of(category, i)}\n"
                                  for category in WORDS for i in range(COUNT) if is_example(i)))
    topic(taxonomy="{file: taxonomy.tsv, target: School.Person}")
    scent("rules", "build", "people.yaml", "--from", "pages", "-q")
    assert read_rules("people.rules")[1] == dict(expected_rules())
    fetched = query("people.linked", "select count(*) from page")[0][0]
    assert fetched == len({link for c in WORDS for i in range(COUNT) if is_example(i) for link in links_of(c, i)}), fetched


@test
def small_leaves_go_into_their_parent():
    make_web()
    with open("taxonomy.tsv", "a") as out:
        out.write("School.Person.Famous\thttp://site.test/person1.html\n")
    topic(taxonomy="{file: taxonomy.tsv, collection: collection, target: School.Person, min_leaf: 2}")
    scent("rules", "build", "people.yaml", "-q")
    assert sorted(read_rules("people.rules")[0]) == sorted(WORDS)


@test
def a_tree_of_folders_that_runs_in_circles_is_told():
    make_web()
    for category, i in itertools.product(WORDS, range(0, COUNT, 2)):
        file = Path("tree", *category.split("."), f"{i}.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(category, i).replace('href="/', 'href="http://site.test/'))
    Path("tree/School/Person/above").symlink_to("../..")
    topic(taxonomy="{file: tree, target: School.Person}")
    done = scent("rules", "build", "people.yaml", "--from", "collection")
    assert "tree: 1 folders are left out: symbolic links are not followed" in done.stderr, done.stderr
    assert sorted(read_rules("people.rules")[0]) == sorted(WORDS), "a category was met twice"
    assert read_rules("people.rules")[1] == dict(expected_rules())


@test
def what_does_not_fit_is_refused():
    make_web()
    topic(strategy="rules")
    refused("crawl", "people.yaml", "--from", "collection", "-o", "out", says="scent rules build people.yaml")
    refused("rules", "show", "people.yaml", says="scent rules build people.yaml")
    scent("rules", "build", "people.yaml", "-q")
    refused("rules", "show", "people.yaml", "--to", "School.Teacher", says="unknown class 'School.Teacher'")
    refused("rules", "show", "people.yaml", "--from", "Person", says="School.Person")
    refused("rules", "show", "people.yaml", "--depth", 4, says="depth")
    refused("rules", "show", "nothing.rules", says="nothing.rules")
    text = Path("people.rules").read_text()
    write("other.rules", text.replace("Sports", "Arts"))
    topic("other.yaml", strategy="rules", rules="other.rules")
    refused("crawl", "other.yaml", "--from", "collection", "-o", "out2", says="'Arts'")
    write("other.rules", text.replace("rule\t", "ruel\t", 1))
    refused("crawl", "other.yaml", "--from", "collection", "-o", "out3", says="other.rules:")
    topic("wrong.yaml", taxonomy="{file: taxonomy.tsv, collection: collection, target: School.Teacher}")
    refused("rules", "build", "wrong.yaml", says="no category 'School.Teacher'")
    write("two.yaml", "topic: t\nseeds: [http://site.test/]\nexamples: {positive: site, negative: site}\n")
    refused("rules", "build", "two.yaml", says="taxonomy")
    write("key.yaml", "topic: t\nseeds: [http://site.test/]\nrules: x.rules\n")
    refused("crawl", "key.yaml", says="key.yaml:3")
    write("lonely.tsv", "".join(f"{c}\thttp://site.test/lonely{n}{i}.html\n" for n, c in enumerate(WORDS) for i in range(3)))
    for n, category in enumerate(WORDS):
        for i in range(3):
            Path("site", f"lonely{n}{i}.html").write_text(f"<p>{' '.join(WORDS[category])} {i}")
    scent("web", "pack", "site", "-b", "http://site.test/", "-o", "lonely")
    topic("lonely.yaml", taxonomy="{file: lonely.tsv, collection: lonely, target: Sports}")
    refused("rules", "build", "lonely.yaml", says="no links to other pages")


finish()
