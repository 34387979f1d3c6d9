"""Rows of docs/hardening.md and the mutants in scripts/mutants.d; read by check-hardening and mutants."""
import pathlib
import re
from dataclasses import dataclass, field

BOOK = "docs/hardening.md"
OPEN = "## What stays open"
MUTANTS = "scripts/mutants.d"
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TEST = re.compile(r'`(\w+)` "([^"]+)"')


@dataclass
class Row:
    """A weakness, and the test that fails where it is open."""

    slug: str
    weakness: str
    target: str
    test: str

    @property
    def filter(self):
        """The name as a regular expression for `swift test --filter`, which looks for it in `Target.Suite/`name`(labels:)/File:1:2`."""
        name = re.sub(r"([\\.^$|?*+()\[\]{}/])", r"\\\1", self.test)
        return rf"^{self.target}\.(.*/)?`{name}`\("


@dataclass
class Block:
    """A piece of one file, and what stands there instead. It is found by its words: by neither the folder nor the spaces."""

    file: str
    old: list = field(default_factory=list)
    new: list = field(default_factory=list)

    def applied(self, text):
        """The file's text with the piece replaced, or None where its words do not stand there exactly once."""
        words = r"\s+".join(re.escape(word) for word in " ".join(self.old).split())
        places = list(re.finditer(words, text))
        if len(places) != 1:
            return None
        return text[: places[0].start()] + "\n".join(self.new).lstrip() + text[places[0].end() :]


def tables(root):
    """Number, cells and group of each row of the book: the group is the heading above it, None where there is none yet."""
    group = None
    for number, line in enumerate((root / BOOK).read_text().splitlines(), 1):
        group = line if line.startswith("## ") else group
        if line.startswith("|") and not re.match(r"\|\s*(slug\s*\||-)", line):
            yield number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))], group


def contents(root):
    """What is wrong with the list of groups at the start of the book."""
    text = (root / BOOK).read_text()
    groups = re.findall(r"^## (.+)$", text, re.MULTILINE)
    wanted = [(group, re.sub(r"[^\w -]", "", group.lower()).replace(" ", "-")) for group in groups]
    listed = re.findall(r"^\* \[(.+)\]\(#(.+)\)$", text, re.MULTILINE)
    return [] if listed == wanted else [f"{BOOK}: the list at the start does not have the groups in their order"]


def left_open(root):
    """The slugs of weaknesses that stay open, and what is wrong with their rows."""
    found, problems = [], []
    for number, cells, group in tables(root):
        if group == OPEN and (len(cells) != 3 or not all(cells) or not SLUG.fullmatch(cells[0])):
            problems.append(f"{BOOK}:{number}: not three cells: slug, weakness, why it stays open")
        elif group == OPEN:
            found.append(cells[0])
    return found, problems


def rows(root):
    """The rows of weaknesses that are closed, of all groups, and what is wrong with their tables."""
    found, problems = [], []
    for number, cells, group in tables(root):
        if group == OPEN:
            continue
        test = TEST.fullmatch(cells[-1].replace("\\|", "|"))
        if group is None:
            problems.append(f"{BOOK}:{number}: stands in no group")
        elif len(cells) != 4 or not all(cells):
            problems.append(f"{BOOK}:{number}: not four cells: slug, weakness, what holds now, test")
        elif not SLUG.fullmatch(cells[0]):
            problems.append(f"{BOOK}:{number}: the slug {cells[0]!r} is not lower-case words with hyphens")
        elif not test:
            problems.append(f'{BOOK}:{number}: the last cell is not `Target` "exact test name"')
        else:
            found.append(Row(cells[0], cells[1], test[1], test[2]))
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


def files(root):
    """The paths of the project's files, but for mutants and what is built."""
    tops = [top for top in root.iterdir() if not top.name.startswith(".") and top.name != "var"]
    paths = [path.relative_to(root) for top in tops for path in ([top] if top.is_file() else top.rglob("*")) if path.is_file()]
    return [path for path in paths if not path.is_relative_to(MUTANTS)]


def mutated(root, blocks, known):
    """The new text of each file that a mutant changes, by path; raises ValueError where a block has not exactly one place."""
    texts = {}
    for block in blocks:
        parts = pathlib.PurePosixPath(block.file).parts
        paths = [path for path in known if path.parts[-len(parts) :] == parts]
        if len(paths) != 1:
            raise ValueError(f"{block.file} names {len(paths)} files of the project")
        text = block.applied(texts.get(paths[0]) or (root / paths[0]).read_text())
        if text is None:
            raise ValueError(f"the words of the lines with - do not stand in {paths[0]} exactly once")
        texts[paths[0]] = text
    return texts
