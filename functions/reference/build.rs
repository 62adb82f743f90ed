//! Prepares the content that the function serves: compressed files with content hashes in their names, the compressed
//! OpenAPI document and the texts made from it, and the list of its operations.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const DOCS: &str = "../../docs";
/// Colours and type, which the pages share with the console.
const COLOURS: &str = "../../console/src/style/tokens.css";

fn main() -> Result<()> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let renderer =
        scalar_api_reference::get_asset("scalar.js").ok_or("the crate scalar_api_reference has no scalar.js")?;
    let files = [
        ("RENDERER", "renderer.js", "text/javascript", renderer),
        ("START", "start.js", "text/javascript", read("assets/start.js")?),
        ("ONBOARDING", "onboarding.js", "text/javascript", read("assets/onboarding.js")?),
        ("SIGN_IN", "sign-in.js", "text/javascript", read("assets/sign-in.js")?),
        ("CONSENT", "simulated-consent.js", "text/javascript", read("assets/simulated-consent.js")?),
        ("STYLE", "style.css", "text/css", [read(COLOURS)?, read("assets/style.css")?].concat()),
    ];

    let mut code = String::new();
    for (constant, file, content_type, content) in files {
        let (stem, extension) = file.split_once('.').ok_or("the file has no extension")?;
        let name = format!("{stem}-{:08x}.{extension}", crc32fast::hash(&content));
        let packed = out.join(&name);
        fs::write(&packed, compressed(&content)?)?;
        code += &format!(
            "pub(crate) const {constant}: Asset = Asset {{ name: {name:?}, content_type: {content_type:?}, gzipped: include_bytes!({packed:?}) }};\n"
        );
    }
    fs::write(out.join("assets.rs"), code)?;

    // As it is printed, so that it is served in the order of the reference; compressed, the white space takes next to nothing.
    let document = read(format!("{DOCS}/openapi.json"))?;
    fs::write(out.join("openapi.json.gz"), compressed(&document)?)?;
    fs::write(out.join("operations.rs"), operations(&serde_json::from_slice(&document)?)?)?;
    fs::write(out.join("texts.rs"), texts(&out)?)?;
    Ok(())
}

/// Returns Rust code with the API reference as Markdown: each text under its path below docs/, compressed.
fn texts(out: &Path) -> Result<String> {
    println!("cargo::rerun-if-changed={DOCS}/api_reference");
    let pages = fs::read_dir(format!("{DOCS}/api_reference"))?.map(|entry| Ok(entry?.file_name().into_string()));
    let pages: Vec<_> = pages.collect::<std::io::Result<_>>()?;
    let pages = pages.into_iter().flatten().map(|name| format!("api_reference/{name}"));
    let mut paths: Vec<String> = pages.chain(["llms.txt".to_owned(), "api_reference.md".to_owned()]).collect();
    paths.sort();

    let mut code = format!("const TEXTS: [(&str, &[u8]); {}] = [", paths.len());
    for path in paths {
        let packed = out.join(path.replace('/', "-") + ".gz");
        fs::write(&packed, compressed(&read(format!("{DOCS}/{path}"))?)?)?;
        code += &format!("({path:?}, include_bytes!({packed:?})),");
    }
    Ok(code + "];\n")
}

/// Returns Rust code with method and path of every operation.
fn operations(document: &serde_json::Value) -> Result<String> {
    let mut code = "const OPERATIONS: &[(&str, &str)] = &[".to_owned();
    for (path, item) in document["paths"].as_object().ok_or("the document has no paths")? {
        for method in ["get", "post", "put", "patch", "delete"].iter().filter(|method| item.get(**method).is_some()) {
            code += &format!("({:?}, {path:?}),", method.to_uppercase());
        }
    }
    Ok(code + "];\n")
}

fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    println!("cargo::rerun-if-changed={}", path.as_ref().display());
    Ok(fs::read(path)?)
}

fn compressed(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}
