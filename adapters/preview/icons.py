"""The three drawings of the page, as inline SVG: nothing is loaded."""

from __future__ import annotations

from markupsafe import Markup

SHEET = Markup(
    '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" '
    'stroke-linejoin="round" stroke-linecap="round" aria-hidden="true"><path d="M5 4.5h9.5L19 9v10.5H5z"/>'
    '<path d="M14.5 4.5V9H19"/><path d="M8.5 12.5h7M8.5 15.8h4.5"/></svg>'
)
LOCK = Markup(
    '<svg width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.6" '
    'aria-hidden="true"><rect x="3" y="7" width="10" height="7" rx="1.5"/>'
    '<path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2"/></svg>'
)
ALERT = Markup(
    '<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">'
    '<circle cx="9" cy="9" r="7.6" '
    'fill="none" stroke="currentColor" stroke-width="1.8"/>'
    '<path d="M9 4.9v5" stroke="currentColor" stroke-width="2" '
    'stroke-linecap="round"/><circle cx="9" cy="12.8" r="1.2" fill="currentColor"/></svg>'
)
