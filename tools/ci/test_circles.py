import tempfile
import textwrap
import unittest
from pathlib import Path

from tools.ci.circles import circles, misplaced_crates, python_edges
from tools.ci.rust_modules import file_edges, read_crate, tokens


class Sources(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def names(self, edges: dict) -> dict[str, set[str]]:
        return {
            f"{start.relative_to(self.root)} -> {end.relative_to(self.root)}": names
            for (start, end), names in edges.items()
        }

    def rust(self, **files: str) -> dict[str, set[str]]:
        """The edges of a crate: `lib` is lib.rs, `chat__mod` is chat/mod.rs."""
        self.write({f"{name.replace('__', '/')}.rs": text for name, text in files.items()})
        return self.names(file_edges(read_crate(self.root / "lib.rs")))

    def rust_circles(self, **files: str) -> list[list[str]]:
        self.rust(**files)
        found = circles(file_edges(read_crate(self.root / "lib.rs")))
        return [[str(path.relative_to(self.root)) for path in circle] for circle in found]


class Tokens(unittest.TestCase):
    def test_comments_strings_and_lifetimes_are_no_code(self) -> None:
        source = """fn f<'a>(x: &'a str) { /* use crate::a; */ let c = '"'; // crate::b
            let s = r#"crate::c "quoted""#; g("mod d; \\" //"); }"""
        found = tokens(source)
        for hidden in ("a", "b", "c;", "quoted", "d"):
            self.assertNotIn(hidden, found)
        self.assertIn("g", found)
        self.assertEqual(found.count("}"), 1)


class Rust(Sources):
    def test_an_import_leads_to_the_file_that_defines(self) -> None:
        edges = self.rust(
            lib="mod a; mod chat;",
            a="use crate::chat::{Group, message::Message as Text}; fn f(_: Group, _: Text) {}",
            chat__mod="mod group; pub mod message; pub use group::Group;",
            chat__group="pub struct Group;",
            chat__message="pub struct Message;",
        )
        through_the_parent = {"a.rs -> chat/mod.rs": {"Group"}}
        self.assertEqual(
            edges, {"a.rs -> chat/group.rs": {"Group"}, "a.rs -> chat/message.rs": {"Message"}, **through_the_parent}
        )

    def test_paths_within_code_count(self) -> None:
        edges = self.rust(
            lib="mod a; mod b; mod keys;",
            a='#[serde(with = "crate::b::wire")] struct A; fn f() { crate::b::made::<u8>(); }',
            b="use super::keys; pub mod wire {} pub fn made<T>() { keys::item(); }",
            keys="pub fn item() {}",
        )
        self.assertEqual(edges, {"a.rs -> b.rs": {"made"}, "b.rs -> keys.rs": {"item"}})

    def test_declaring_and_re_exporting_children_is_no_use(self) -> None:
        edges = self.rust(lib="mod a; pub use a::A; pub use self::a::{B as C};", a="pub struct A; pub struct B;")
        self.assertEqual(edges, {})

    def test_a_parent_that_uses_what_it_re_exports_uses_it(self) -> None:
        edges = self.rust(lib="mod a; pub use a::A; fn f(_: A) {}", a="pub struct A;")
        self.assertEqual(edges, {"lib.rs -> a.rs": {"A"}})

    def test_a_child_uses_what_its_parent_defines_but_not_what_it_only_imports(self) -> None:
        edges = self.rust(
            lib="mod a; mod b; use b::B; pub struct Context;", a="use super::{B, Context};", b="pub struct B;"
        )
        self.assertEqual(edges, {"a.rs -> lib.rs": {"Context"}, "a.rs -> b.rs": {"B"}, "lib.rs -> b.rs": {"B"}})

    def test_globs_are_looked_through(self) -> None:
        edges = self.rust(
            lib="mod a; mod b;", a="use crate::b::*; fn f() -> Kept { kept() }", b="pub struct Kept; pub fn kept() {}"
        )
        self.assertEqual(edges, {"a.rs -> b.rs": {"Kept", "kept"}})

    def test_what_a_macro_makes_is_defined_where_it_is_invoked(self) -> None:
        edges = self.rust(
            lib="mod id; mod schema; mod a; pub use id::*;",
            id="crate::schema::identifier! { AppId, MediaId }",
            schema="macro_rules! identifier { ($n:ident) => {} } pub(crate) use identifier;",
            a="use crate::AppId;",
        )
        self.assertEqual(edges, {"id.rs -> schema.rs": {"identifier"}, "a.rs -> id.rs": {"AppId"}})

    def test_a_macro_does_not_hide_the_module_of_its_name(self) -> None:
        edges = self.rust(
            lib="mod targets; mod a; macro_rules! targets { () => {} } targets! {}",
            targets="pub fn run() {}",
            a="fn f() { crate::targets::run(); }",
        )
        self.assertEqual(edges, {"a.rs -> targets.rs": {"run"}})

    def test_test_modules_are_left_out(self) -> None:
        circle = self.rust_circles(
            lib="mod a; mod b;",
            a="use crate::b::B; pub struct A;",
            b="""
            pub struct B;
            #[cfg(test)]
            mod tests { use crate::a::A; }
            #[cfg(test)]
            #[allow(unused)]
            use crate::a::A;
            impl B { #[cfg(test)] fn f() -> crate::a::A { A } fn g() {} }
            """,
        )
        self.assertEqual(circle, [])

    def test_other_crates_are_no_files(self) -> None:
        self.assertEqual(
            self.rust(lib="mod a; use std::fmt; fn f() { serde::de(); }", a="use domain::{Failure, id};"), {}
        )


class Circles(Sources):
    """Finds circular dependencies of every shape that this project once had."""

    def test_two_files(self) -> None:
        found = self.rust_circles(
            lib="mod change; mod idempotency;",
            change="use crate::idempotency::Record; pub struct Change;",
            idempotency="use crate::change::Change; pub struct Record;",
        )
        self.assertEqual(found, [["change.rs", "idempotency.rs"]])

    def test_through_a_re_export(self) -> None:
        found = self.rust_circles(
            lib="mod gateway; mod router;",
            gateway__mod="mod event; use crate::router::Api; pub use event::RequestId; fn serve(_: Api) {}",
            gateway__event="pub struct RequestId;",
            router="use crate::gateway::RequestId; pub struct Api;",
        )
        self.assertEqual(found, [["gateway/mod.rs", "router.rs"]])

    def test_a_path_in_a_function(self) -> None:
        found = self.rust_circles(
            lib="mod service; mod targets;",
            service="pub struct Service; impl Service { fn f() { crate::targets::queue::event(); } }",
            targets__mod="pub mod queue;",
            targets__queue="use crate::service::Service; pub fn event() {}",
        )
        self.assertEqual(found, [["service.rs", "targets/queue.rs"]])

    def test_siblings_that_name_each_other_by_their_parent(self) -> None:
        found = self.rust_circles(
            lib="mod profiles;",
            profiles__mod="mod signup; mod steps; pub struct Profile;",
            profiles__signup="use super::steps::Run; pub struct Signup;",
            profiles__steps="use super::signup::Signup; pub struct Run;",
        )
        self.assertEqual(found, [["profiles/signup.rs", "profiles/steps.rs"]])

    def test_a_longer_one(self) -> None:
        found = self.rust_circles(
            lib="mod schema; mod id; mod event; mod webhook;",
            schema="pub(crate) fn one_of() { crate::webhook::MAX_HEADERS; }",
            id="use crate::schema::one_of;",
            event="use crate::schema::one_of; pub struct EventName;",
            webhook="use crate::event::EventName; pub const MAX_HEADERS: usize = 1;",
        )
        self.assertEqual(found, [["event.rs", "schema.rs", "webhook.rs"]])

    def test_a_parent_and_its_child(self) -> None:
        found = self.rust_circles(
            lib="mod http; pub struct Context; fn router() { http::get_app(); }",
            http="use crate::Context; pub fn get_app() {}",
        )
        self.assertEqual(found, [["http.rs", "lib.rs"]])

    def test_a_ladder_is_none(self) -> None:
        self.assertEqual(
            self.rust_circles(lib="mod a; mod b; use a::A;", a="use crate::b::B; pub struct A;", b="pub struct B;"), []
        )


class Python(Sources):
    def test_imports_of_every_kind(self) -> None:
        self.write(
            {
                "tools/__init__.py": "",
                "tools/guard/__init__.py": "from .guard import Guard",
                "tools/guard/guard.py": "from .gateway import through_gateway\nclass Guard: ...",
                "tools/guard/gateway.py": "if TYPE_CHECKING:\n    from .guard import Exchange",
                "tools/guard/test_guard.py": "from tools.stack import run",
                "tools/stack/__init__.py": "",
                "tools/stack/run.py": "import tools.stack.stack\ndef f():\n    from tools.guard import Guard",
                "tools/stack/stack.py": "import json\nfrom tools.stack import paths",
                "tools/stack/paths.py": "",
            }
        )
        edges = python_edges(self.root / "tools")
        self.assertEqual(
            set(self.names(edges)),
            {
                "tools/guard/__init__.py -> tools/guard/guard.py",
                "tools/guard/guard.py -> tools/guard/gateway.py",
                "tools/guard/gateway.py -> tools/guard/guard.py",
                "tools/stack/run.py -> tools/stack/stack.py",
                "tools/stack/run.py -> tools/guard/__init__.py",
                "tools/stack/stack.py -> tools/stack/paths.py",
            },
        )
        found = [[path.name for path in circle] for circle in circles(edges)]
        self.assertEqual(found, [["gateway.py", "guard.py"]])


class Crates(unittest.TestCase):
    def faults(self, **crates: tuple[str, list[str]]) -> list[str]:
        packages = [
            {
                "name": name,
                "manifest_path": f"/checkout/{folder}/{name}/Cargo.toml",
                "dependencies": [{"name": used, "kind": None} for used in uses],
            }
            for name, (folder, uses) in crates.items()
        ]
        return misplaced_crates(packages, Path("/checkout"))

    def test_downwards(self) -> None:
        self.assertEqual(
            self.faults(
                domain=("shared", ["serde"]),
                store=("shared", ["domain"]),
                api=("shared", ["store", "domain"]),
                apps=("functions", ["api"]),
                tests=("tests", ["apps"]),
            ),
            [],
        )

    def test_upwards_and_sideways(self) -> None:
        faults = self.faults(
            store=("shared", ["api"]),
            api=("shared", []),
            inbound=("shared", ["api"]),
            odd=("shared", []),
            apps=("functions", []),
            chat=("functions", ["apps"]),
        )
        self.assertEqual(len(faults), 4, faults)
        for text, fault in zip(
            ("odd has no layer", "store uses shared/api", "inbound uses shared/api", "chat uses"), faults
        ):
            self.assertIn(text, fault)


if __name__ == "__main__":
    unittest.main()
