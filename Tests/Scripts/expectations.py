#!/usr/bin/env python3
"""expectations: what scripts/check-expectations says of small repositories.

Usage: Tests/Scripts/expectations.py
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/check-expectations"
INSIDE, OUTSIDE = "Tests/PagesTests/A.swift", "Tests/IntegrationTests/B.swift"
SWIFT = '#expect(a == 1)\n#expect(\n    b == "x)",\n    "\\(c(")"))"\n)\nlet d = try #require(d)\n'
HEAD = "| file | expectation | why |\n|---|---|---|\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.write({INSIDE: SWIFT, OUTSIDE: "#expect(e)\ncheck(f, 2)\n#expect(g)\n", "Tests/Clients/c.py": "assert h == 1, i\n"})
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=a")

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def expect(self, status, *said, base=("HEAD",), ci=False):
        """Runs the script and holds it to its status and to words of what it says."""
        environment = {name: value for name, value in os.environ.items() if name != "CI"} | ({"CI": "true"} if ci else {})
        run = subprocess.run([SCRIPT, *base], cwd=self.root, env=environment, capture_output=True, text=True)
        output = run.stdout + run.stderr
        self.assertEqual(run.returncode, status, output)
        for words in said:
            self.assertIn(words, output)

    def test_nothing_changed(self):
        self.expect(0, "7 at", "7 now; 0 changed or gone")

    def test_layout_and_place_do_not_count(self):
        self.write({INSIDE: "", OUTSIDE: "#expect(g)\n", "Tests/IntegrationTests/C.swift": "check(\n    f,  2,\n)\n#expect(e)\n"})
        self.write({"Tests/NewTests/A.swift": SWIFT.replace("\n    b", " b")})
        self.expect(0, "7 now; 0 changed or gone")

    def test_a_changed_one_inside_is_listed_and_passes(self):
        self.write({INSIDE: SWIFT.replace('"x)"', '"y)"')})
        self.expect(0, f'{INSIDE}: #expect(b == "x)", "\\(c(")"))")', "1 changed or gone, 0 of outside")

    def test_fewer_fail(self):
        self.write({INSIDE: SWIFT.replace("#expect(a == 1)\n", "")})
        self.expect(1, f"{INSIDE}: #expect(a == 1)", "7 expectations have become 6")

    def test_a_changed_one_outside_fails_until_it_is_listed(self):
        for name, old, new in [(OUTSIDE, "check(f, 2)", "check(f, 3)"), ("Tests/Clients/c.py", "assert h == 1, i", "assert h == 2, i")]:
            path = self.root / name
            path.write_text(path.read_text().replace(old, new))
            self.expect(1, f"{name}: an outside test expected this", old)
            self.write({"docs/expectations.md": HEAD + f"| `{name}` | `{old}` | it is three |\n"})
            self.expect(0, f"{name}: {old} (listed)", "1 listed")
            self.git("checkout", "--quiet", "--", name)

    def test_what_leaves_the_outside_fails(self):
        self.write({OUTSIDE: "#expect(e)\ncheck(f, 2)\n", INSIDE: SWIFT + "#expect(g)\n"})
        self.expect(1, "7 now", f"{OUTSIDE}: an outside test expected this", "#expect(g)")

    def test_what_goes_outside_passes(self):
        self.write({INSIDE: SWIFT.replace("#expect(a == 1)\n", ""), "Tests/Browser/x.swift": "#expect(a == 1)\n"})
        self.expect(0, "7 now; 0 changed or gone")

    def test_a_comment_is_no_expectation(self):
        self.write({OUTSIDE: "#expect(e)\ncheck(f, 2)\n// #expect(g)\n"})
        self.expect(1, "6 now", "#expect(g)")

    def test_a_renamed_word_passes_where_it_is_listed(self):
        self.write({OUTSIDE: "#expect(e)\ncheck(flow.f, 2)\n#expect(g)\n"})
        self.expect(1, "check(f, 2)")
        self.write({"docs/expectations.md": "| word | now | why |\n|---|---|---|\n| f | flow.f | one name |\n"})
        self.expect(0, "0 changed or gone")

    def test_a_renamed_word_may_stay_in_places(self):
        self.write({OUTSIDE: "#expect(e)\ncheck(f, f, 2)\ncheck(f, f, 2)\n#expect(g)\n"})
        self.commit()
        book = {"docs/expectations.md": "| word | now | why |\n|---|---|---|\n| f | h | one name |\n"}
        self.write(book | {OUTSIDE: "#expect(e)\ncheck(f, h, 2)\ncheck(h, h, 2)\n#expect(g)\n"})
        self.expect(0, "0 changed or gone")
        self.write({OUTSIDE: "#expect(e)\ncheck(f, h, 2)\ncheck(h, h, 3)\n#expect(g)\n"})
        self.expect(1, "an outside test expected this", "check(f, f, 2)")

    def test_a_golden_file_is_an_expectation(self):
        golden = "Tests/IntegrationTests/Golden/a.txt"
        self.write({golden: "1\n"})
        self.commit()
        self.expect(0, "8 now")
        self.write({golden: "2\n"})
        self.expect(1, f"{golden}: an outside test expected this")
        self.git("mv", golden, "Tests/IntegrationTests/Golden/b.txt")
        self.write({"Tests/IntegrationTests/Golden/b.txt": "1\n"})
        self.expect(0, "0 changed or gone")

    def test_a_row_that_is_none_fails(self):
        self.write({"docs/expectations.md": HEAD + f"| `{OUTSIDE}` | `#expect(e)` |\n"})
        self.expect(1, "docs/expectations.md:3: not three cells")

    def test_the_base_is_the_commit_that_the_book_names(self):
        self.git("tag", "v1")
        self.write({OUTSIDE: "#expect(e)\ncheck(f, 2)\n", "docs/expectations.md": "Base: `v1`\n"})
        self.commit()
        self.expect(1, "7 expectations have become 6", base=())
        self.expect(0, "6 now")

    def test_no_base_is_an_error_but_in_a_shallow_clone_of_ci(self):
        self.expect(2, "has no line", base=(), ci=True)
        self.write({"docs/expectations.md": "Base: `gone`\n"})
        self.expect(2, "this clone has no commit gone", base=())
        self.expect(0, "nothing is compared", base=(), ci=True)
        self.expect(2, "this clone has no commit lost", base=("lost",), ci=True)

    def test_help(self):
        self.expect(0, "Usage: scripts/check-expectations [BASE]", base=("--help",))


if __name__ == "__main__":
    unittest.main()
