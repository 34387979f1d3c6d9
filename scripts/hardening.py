"""Rows of docs/hardening.md and the mutants in scripts/mutants.d; read by check-hardening and mutants."""
import pathlib
import re
from dataclasses import dataclass, field

BOOK = "docs/hardening.md"
OPEN = "## What stays open"
MUTANTS = "scripts/mutants.d"
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TEST = re.compile(r'`(Tests/(\w+)/[^`]+\.swift)` "([^"]+)"')


@dataclass
class Row:
    """A weakness, and the test that fails where it is open."""

    slug: str
    weakness: str
    file: str
    target: str
    test: str

    @property
    def filter(self):
        """The name as a regular expression for `swift test --filter`, which looks for it in `Target.Suite/`name`(labels:)/File:1:2`."""
        name = re.sub(r"([\\.^$|?*+()\[\]{}/])", r"\\\1", self.test)
        return rf"^{self.target}\.(.*/)?`{name}`\("


@dataclass
class Block:
    """Whole lines of one file, and what stands there instead."""

    file: str
    old: list = field(default_factory=list)
    new: list = field(default_factory=list)

    def applied(self, text):
        """The file's text with the block replaced, or None where the old lines do not occur exactly once."""
        lines, count = text.split("\n"), len(self.old)
        places = [at for at in range(len(lines) - count + 1) if lines[at : at + count] == self.old]
        if len(places) != 1:
            return None
        return "\n".join(lines[: places[0]] + self.new + lines[places[0] + count :])


def tables(root):
    """Number, cells and table of each row of the book: whether it is of the second one, of weaknesses that stay open."""
    is_open = False
    for number, line in enumerate((root / BOOK).read_text().splitlines(), 1):
        is_open = is_open or line == OPEN
        if line.startswith("|") and not re.match(r"\|\s*(slug\s*\||-)", line):
            yield number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))], is_open


def left_open(root):
    """The slugs of weaknesses that stay open, and what is wrong with their rows."""
    found, problems = [], []
    for number, cells, is_open in tables(root):
        if is_open and (len(cells) != 3 or not all(cells) or not SLUG.fullmatch(cells[0])):
            problems.append(f"{BOOK}:{number}: not three cells: slug, weakness, why it stays open")
        elif is_open:
            found.append(cells[0])
    return found, problems


def rows(root):
    """The rows of weaknesses that are closed, and what is wrong with their table."""
    found, problems = [], []
    for number, cells, is_open in tables(root):
        if is_open:
            continue
        test = TEST.fullmatch(cells[-1].replace("\\|", "|"))
        if len(cells) != 4 or not all(cells):
            problems.append(f"{BOOK}:{number}: not four cells: slug, weakness, what holds now, test")
        elif not SLUG.fullmatch(cells[0]):
            problems.append(f"{BOOK}:{number}: the slug {cells[0]!r} is not lower-case words with hyphens")
        elif not test:
            problems.append(f'{BOOK}:{number}: the last cell is not `Tests/Target/File.swift` "exact test name"')
        else:
            found.append(Row(cells[0], cells[1], test[1], test[2], test[3]))
    return found, problems


def mutant(path):
    """The blocks of a mutant; raises ValueError with what is wrong."""
    blocks, said = [], False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not blocks and line.startswith("# "):
            said = True
        elif line.startswith("file "):
            blocks.append(Block(line[5:].strip()))
        elif blocks and line.startswith("-") and not blocks[-1].new:
            blocks[-1].old.append(line[1:])
        elif blocks and line.startswith("+"):
            blocks[-1].new.append(line[1:])
        elif line.strip():
            raise ValueError(f"line {number} is neither `file PATH` nor a line with - or, behind all of those, +")
    if not said:
        raise ValueError("does not begin with `# what is taken out`")
    if not blocks:
        raise ValueError("has no block `file PATH`")
    for block in blocks:
        if not block.old:
            raise ValueError(f"the block of {block.file} has no line with -, so it has no place")
        if block.old == block.new:
            raise ValueError(f"the block of {block.file} changes nothing")
    return blocks


def mutated(root, blocks):
    """The new text of each file that a mutant changes, by path; raises ValueError where a block has not exactly one place."""
    texts = {}
    for block in blocks:
        path = pathlib.PurePosixPath(block.file)
        if path.is_absolute() or ".." in path.parts or not (root / path).is_file():
            raise ValueError(f"{block.file} is no file of the project")
        text = block.applied(texts.get(block.file) or (root / path).read_text())
        if text is None:
            raise ValueError(f"the lines with - do not stand in {block.file} exactly once")
        texts[block.file] = text
    return texts
