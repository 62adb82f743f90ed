//! Writes the document and the client files.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (path, content) in contract::files::tracked().into_iter().chain(contract::files::untracked()) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&root))?;
        std::fs::write(path, content)?;
    }
    Ok(())
}
