"""The style sheet and the script of a game's page, and the policy that lets the browser run these two only."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from fastscore.palettes import THEMES, variables_of

__all__ = ["PAGE_COLOURS", "PLAYER_COLOURS", "POLICY", "SCRIPT", "STYLE"]

PAGE_COLOURS: Final[dict[str, dict[str, str]]] = {
    "light": {
        "page": "#f6f4ee",
        "card": "#ffffff",
        "text": "#22211d",
        "faint": "#5f5c52",
        "line": "#d9d4c5",
        "accent": "#14742f",
        "current": "#e3f2e5",
        "bad": "#a31621",
        "bad-back": "#fde9e7",
        "hint": "#6b4d00",
        "hint-back": "#fdf3d3",
        "player-1": "#1d5fa8",
        "player-2": "#b0431b",
        "player-3": "#5f7a12",
        "player-4": "#7a2f98",
        "player-5": "#0b6f74",
        "player-6": "#6b4a1f",
    },
    "dark": {
        "page": "#14171a",
        "card": "#1d2226",
        "text": "#e7e9eb",
        "faint": "#a4adb6",
        "line": "#39414a",
        "accent": "#4cd97b",
        "current": "#1d3a28",
        "bad": "#ffa39c",
        "bad-back": "#45191b",
        "hint": "#f3d27a",
        "hint-back": "#3b3115",
        "player-1": "#7fb8f5",
        "player-2": "#f59b72",
        "player-3": "#b9d45f",
        "player-4": "#d59bf0",
        "player-5": "#5fd6cf",
        "player-6": "#d8b48a",
    },
}
"""The colours of a page around the board, by theme."""
PLAYER_COLOURS: Final = sum(name.startswith("player-") for name in PAGE_COLOURS["light"])
"""How many players have a colour of their own."""


def _colours(theme: str) -> str:
    """CSS variables for everything that has a colour; the board lies on the page itself, not on paper of its own."""
    own = {**PAGE_COLOURS[theme], "paper": PAGE_COLOURS[theme]["page"]}
    return " ".join((variables_of(THEMES[theme]), *(f"--{name}: {colour};" for name, colour in own.items())))


_STYLE = """
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.45 system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
header, main { max-width: 78rem; margin: 0 auto; }
h1 { font-size: 1.35rem; margin: 0 0 .2rem; line-height: 1.25; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
h3 { font-size: .95rem; margin: .9rem 0 .3rem; }
p { margin: .3rem 0; }
a { color: inherit; }
svg { display: block; width: 100%; height: auto; }
.faint, .turn dt { color: var(--faint); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.card { padding: .9rem 1rem; margin: 1rem 0; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1.2rem; }
.stage { min-width: 0; }
.board { max-width: min(100%, calc(100vh - 6rem)); margin: 0 auto; }
.scores { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; list-style: none; padding: 0; margin: .4rem 0 0; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 50%; }
.swatch { margin-right: .4em; vertical-align: -.05em; }
.steps { display: flex; gap: .4rem; align-items: stretch; justify-content: center; margin: .8rem 0 0; }
.steps[hidden] { display: none; }
.steps button {
  font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  min-width: 2.9rem; min-height: 2.75rem; padding: 0 .6rem; cursor: pointer;
}
.steps svg { width: 1.1rem; height: 1.1rem; margin: 0 auto; fill: currentColor; }
.steps button:disabled { color: var(--faint); opacity: .5; cursor: default; }
.steps output { min-width: 8.5rem; text-align: center; align-self: center; font-variant-numeric: tabular-nums; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.gone, [hidden] { display: none; }
.tile.fresh > rect:first-child { stroke: var(--fresh-edge); stroke-width: 3.5; }
.tile.fresh:not(.blank) > rect:first-child { fill: var(--fresh); }
.rack { display: flex; flex-wrap: wrap; gap: .2rem; list-style: none; padding: 0; margin: 0; }
.rack li {
  background: var(--tile); color: var(--tile-ink); border: 1px solid var(--tile-edge); border-radius: .25rem;
  min-width: 2rem; padding: .1rem .3rem; text-align: center; font-weight: bold; line-height: 1.5;
}
.rack li.blank { background: var(--blank); color: var(--blank-ink); border-style: dashed; }
.rack sub { font-weight: normal; font-size: .62em; margin-left: .15em; }
/* An address names a turn; the page must not jump to its text, the board stands above or beside it. */
.live .turn { scroll-margin-top: 100vh; }
.turn dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem .9rem; margin: .5rem 0; }
.turn dd { margin: 0; }
.words, .findings, .notes { padding-left: 1.2rem; margin: .3rem 0; }
.words li, .findings li { margin: .25rem 0; }
.sum { font-variant-numeric: tabular-nums; }
.premium { color: var(--faint); font-size: .85em; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bad { color: var(--bad); font-weight: bold; }
.finding { background: var(--bad-back); border-left: .3rem solid var(--bad); padding: .3rem .6rem; list-style: none; }
.finding.consequence { background: var(--hint-back); border-color: var(--hint); }
.findings { padding: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .4rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th.number { text-align: right; }
td.name { max-width: 9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
tr.current td { background: var(--current); }
td a { display: block; text-decoration: none; }
td a:hover { text-decoration: underline; }
.wide { overflow-x: auto; }
pre { overflow-x: auto; margin: 0; white-space: pre; }
pre { font: min(.85rem, 2.65vw)/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
.chart { cursor: pointer; }
.plot .line { fill: none; stroke: var(--text); stroke-width: 2.5; stroke-linejoin: round; }
.plot .recorded { stroke-width: 1.5; stroke-dasharray: 5 4; }
.plot .marker { stroke-width: 0; }
.plot .grid { stroke: var(--line); }
.plot text { fill: var(--faint); font-size: 12px; }
.plot .mark { fill: var(--bad); }
.plot .now { stroke: var(--accent); stroke-width: 2; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; margin: .5rem 0 0; }
.key li { display: flex; align-items: center; gap: .4rem; font-size: .9rem; }
.key svg { width: 2.5rem; flex: none; }
@media (min-width: 62rem) {
  main { grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); }
  .stage { position: sticky; top: 1rem; align-self: start; }
}
@media (max-width: 30rem) {
  body { padding: .5rem; }
  .card { padding: .7rem; margin: .7rem 0; }
  .steps output { min-width: 0; flex: 1; font-size: .9rem; }
  th, td { padding: .35rem .25rem; font-size: .9rem; }
  td.name { max-width: 5.5rem; }
  .chart text { font-size: 20px; }
  .chart .marker { stroke-width: 3; }
}
@media print { .steps, .chart .now { display: none; } .stage { position: static; } }
"""
_PLAYERS = "\n".join(
    f".player-{number} {{ background: var(--player-{number}); }} "
    f".plot .s{number} {{ stroke: var(--player-{number}); }} .plot .f{number} {{ fill: var(--player-{number}); }}"
    for number in range(1, PLAYER_COLOURS + 1)
)
STYLE: Final = f"""
:root {{ color-scheme: light dark; {_colours("light")} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_colours("dark")} }} }}
{_STYLE}{_PLAYERS}
"""

SCRIPT: Final = """
"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const steps = one(".steps");
  const tiles = all("[data-from]");
  const turns = all("article[data-step]");
  const rows = all("tr[data-step]");
  const chart = one(".chart");
  const now = one(".now");
  const stage = one(".stage");
  const picture = one(".board svg");
  const last = Number(steps.dataset.last);
  let shown = last;

  const show = (wanted, keep) => {
    shown = Math.min(Math.max(wanted, 0), last);
    for (const tile of tiles) {
      const from = Number(tile.dataset.from);
      tile.classList.toggle("gone", shown < from || ("to" in tile.dataset && shown >= Number(tile.dataset.to)));
      tile.classList.toggle("fresh", shown === from);
    }
    for (const turn of turns) turn.hidden = Number(turn.dataset.step) !== shown;
    for (const row of rows) {
      const current = Number(row.dataset.step) === shown;
      row.classList.toggle("current", current);
      const link = row.querySelector("a");
      if (current) link.setAttribute("aria-current", "step"); else link.removeAttribute("aria-current");
    }
    if (now) {
      const x = Number(chart.dataset.left) + shown * Number(chart.dataset.step);
      now.setAttribute("x1", x);
      now.setAttribute("x2", x);
    }
    picture.setAttribute("aria-describedby", `board-${shown}`);
    one(".steps output").textContent = shown ? `${shown} of ${last}` : "start";
    one("#first").disabled = one("#previous").disabled = shown === 0;
    one("#next").disabled = one("#last").disabled = shown === last;
    if (!keep) {
      try { history.replaceState(null, "", `#turn-${shown}`); } catch { /* some places have no addresses */ }
    }
  };

  const fromAddress = () => {
    const found = /^#turn-(\\d{1,6})$/.exec(location.hash);
    show(found ? Number(found[1]) : last, true);
  };

  // Links and the chart may be far below the board.
  const look = (wanted) => {
    show(wanted);
    stage.scrollIntoView({ block: "nearest" });
  };

  one("#first").addEventListener("click", () => show(0));
  one("#previous").addEventListener("click", () => show(shown - 1));
  one("#next").addEventListener("click", () => show(shown + 1));
  one("#last").addEventListener("click", () => show(last));
  for (const link of all("a[href^='#turn-']")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      look(Number(link.hash.slice(6)));
    });
  }
  if (chart) {
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const x = (event.clientX - box.left) * chart.viewBox.baseVal.width / box.width;
      look(Math.round((x - Number(chart.dataset.left)) / Number(chart.dataset.step)));
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const wanted = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    show(wanted);
  });
  addEventListener("hashchange", fromAddress);
  steps.hidden = false;
  document.documentElement.classList.add("live");
  fromAddress();
})();
"""


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"script-src {_hashed(SCRIPT)}",
        f"style-src {_hashed(STYLE)}",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    )
)
"""A Content-Security-Policy: this script, this style sheet, no other source of anything."""
