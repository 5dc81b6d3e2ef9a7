"""The page: its bundle, as it was built ahead, and the policy it runs under.

The same bundle is served and put into reports. It never asks anything of another host, and the policy says so to the
browser: scripts and styles of its own alone, no frames, no forms. In a report, which has everything inside, script and
style are named by their digests, and there is nothing that it may connect to.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path

STATIC = Path(__file__).parent / "static"
SCRIPT = "explorer.js"
STYLE = "explorer.css"
ICON = "icon.svg"
_JAVASCRIPT, _CSS = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
ASSETS = {
    SCRIPT: _JAVASCRIPT,
    STYLE: _CSS,
    ICON: "image/svg+xml",
    "playground.js": _JAVASCRIPT,
    "playground.css": _CSS,
    "playground.worker.js": _JAVASCRIPT,
    "playground.ttf": "font/ttf",
}
"""The files of the bundle that a page asks for, with their types."""

_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src {image}; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)
SERVED_POLICY = (
    _POLICY.format(script="'self'", style="'self'", image="'self'", connect="'self'") + "; frame-ancestors 'none'"
)

PLAYGROUND_POLICY = (
    _POLICY.format(script="'self'", style="'self' 'unsafe-inline'", image="'self' data:", connect="'self'")
    + "; font-src 'self'; worker-src 'self'; frame-ancestors 'none'"
)
"""Of the page with the editor, which places its lines by styles in the text of the page."""


def asset(name: str) -> bytes:
    """A file of the bundle."""
    return (STATIC / name).read_bytes()


def served_page(title: str) -> bytes:
    """The page that asks its server."""
    head = f'<link rel="icon" href="{ICON}"><link rel="stylesheet" href="{STYLE}">'
    return _page(title, head, f'<script src="{SCRIPT}"></script>')


def playground_page(title: str) -> bytes:
    """The page with an editor, which asks the same server."""
    styles = "".join(f'<link rel="stylesheet" href="{name}">' for name in (STYLE, "playground.css"))
    return _page(title, f'<link rel="icon" href="{ICON}">{styles}', '<script src="playground.js"></script>')


def report_page(title: str, data: str) -> bytes:
    """The page with everything inside; `data` is text of the alphabet of base 64."""
    script, style = asset(SCRIPT).decode(), asset(STYLE).decode()
    policy = _POLICY.format(script=_digest(script), style=_digest(style), image="data:", connect="'none'")
    icon = base64.b64encode(asset(ICON)).decode()
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}"><style>{style}</style>'
    )
    body = f'<script type="text/plain" id="documents">{data}</script><script>{script}</script>'
    return _page(title, head, body)


def _page(title: str, head: str, body: str) -> bytes:
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        f"<title>wherefrom · {escape(title)}</title>{head}</head>"
        f'<body><div id="page"><noscript>This page needs JavaScript.</noscript></div>{body}</body></html>\n'
    )
    return text.encode("utf-8", "replace")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
