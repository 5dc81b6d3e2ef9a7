"""Pack the extension: `python vsix.py wherefrom.vsix`, after `npm ci` and `npm run build`.

A `.vsix` is a zip file with a manifest of its own beside the folder `extension`. The same files give the same bytes.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

HERE = Path(__file__).resolve().parent
FILES = (
    "package.json", "README.md", "language.json", "language-slashes.json", "THIRD-PARTY-NOTICES.txt",
    "dist/extension.js",
)  # fmt: skip
TYPES = (
    '<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension=".json" ContentType="application/json"/><Default Extension=".js" '
    'ContentType="application/javascript"/><Default Extension=".md" ContentType="text/markdown"/>'
    '<Default Extension=".txt" ContentType="text/plain"/>'
    '<Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>'
)


def manifest(package: dict[str, object]) -> str:
    """What tells an editor which extension this is."""
    engines = package["engines"]
    assert isinstance(engines, dict)
    identity = " ".join(
        f"{name}={quoteattr(str(package[key]))}"
        for name, key in (("Id", "name"), ("Version", "version"), ("Publisher", "publisher"))
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><PackageManifest Version="2.0.0" '
        'xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>'
        f'<Identity Language="en-US" {identity}/><DisplayName>{escape(str(package["displayName"]))}</DisplayName>'
        f'<Description xml:space="preserve">{escape(str(package["description"]))}</Description><Properties>'
        f'<Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(engines["vscode"])}/></Properties>'
        '</Metadata><Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>'
        '<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>'
        '<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>'
        "</Assets></PackageManifest>"
    )


def pack(folder: Path, target: Path) -> None:
    """Write the package."""
    package = json.loads((folder / "package.json").read_text("utf-8"))
    names = [*FILES, *sorted(f"syntaxes/{path.name}" for path in (folder / "syntaxes").glob("*.json"))]
    contents = {"[Content_Types].xml": TYPES.encode(), "extension.vsixmanifest": manifest(package).encode()}
    contents |= {f"extension/{name}": (folder / name).read_bytes() for name in names}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    pack(HERE, Path(sys.argv[1] if len(sys.argv) > 1 else "wherefrom.vsix"))
