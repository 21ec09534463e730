"""What was tried and what was found: a row for each kind of input."""

from dataclasses import dataclass, field

COLUMNS = ["input", "runs", "refused", "crashes", "hangs", "over memory", "wrong", "peak memory", "longest"]
FAULTS = ["crash", "hang", "memory", "wrong"]


@dataclass
class Result:
    """Of one attack, or of all of a kind."""
    name: str
    runs: int = 0
    refused: int = 0    # exit status 2: it said what is wrong
    peak: int = 0
    longest: float = 0
    findings: list = field(default_factory=list)  # (kind of fault, line, where it is kept)

    def add(self, outcome):
        self.runs += 1
        self.refused += outcome.status == 2
        self.peak = max(self.peak, outcome.memory)
        self.longest = max(self.longest, outcome.seconds)

    def merge(self, other):
        self.runs += other.runs
        self.refused += other.refused
        self.peak = max(self.peak, other.peak)
        self.longest = max(self.longest, other.longest)
        self.findings += other.findings

    def cells(self):
        found = [kind for kind, _, _ in self.findings]
        return [self.name, f"{self.runs:,}", f"{self.refused:,}", *(str(found.count(kind)) for kind in FAULTS),
                f"{self.peak >> 20} MB", f"{self.longest:.1f} s"]


def total(rows):
    whole = Result("all")
    for row in rows:
        whole.merge(row)
    return whole


def as_text(rows):
    lines = [COLUMNS] + [row.cells() for row in [*rows, total(rows)]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))) for line in lines)


def as_markdown(rows, title):
    lines = [COLUMNS, ["---"] + ["--:"] * (len(COLUMNS) - 1)] + [row.cells() for row in [*rows, total(rows)]]
    text = f"# {title}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    for row in rows:
        for kind, line, kept in row.findings:
            text += f"\n- {row.name}: {kind}: `{line.replace('`', ' ')}` ({kept})"
    return text + "\n"
