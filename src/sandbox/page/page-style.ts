/** The page's style: light or dark like the system, from 320 pixels of width, without animation. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0;
  --accepted: #0a58ca; --deduplicated: #8b949e; --rejected: #b93a06; --good: #1a7f37;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943;
    --accepted: #58a6ff; --deduplicated: #7d8896; --rejected: #f0883e; --good: #56d364;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding-bottom: 0; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
a { color: var(--accepted); }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9em; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
#state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%;
  margin-right: .4em; background: var(--good); }
#state.lost::before { background: var(--rejected); }
main { display: grid; gap: 1rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.wide { grid-column: 1 / -1; }
.numbers { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 1rem; margin: 0; }
.numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.numbers dt { color: var(--soft); font-size: .875rem; line-height: 1.3; }
.numbers dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; }
#chart { height: 9rem; }
.accepted { fill: var(--accepted); } .deduplicated { fill: var(--deduplicated); } .rejected { fill: var(--rejected); }
.ends { display: flex; justify-content: space-between; gap: 1rem; font-size: .875rem; color: var(--soft);
  border-top: 1px solid var(--line); padding-top: .25rem; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0 0 .75rem; padding: 0;
  font-size: .875rem; }
.legend svg { display: inline-block; width: .75em; height: .75em; margin-right: .35em; }
.bars { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; }
.bars div { display: flex; justify-content: space-between; gap: 1rem; overflow-wrap: anywhere; }
.bars svg { height: .5rem; }
.track { fill: var(--line); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
/* At most two lines of a name. */
td.name span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
td.name .soft { font-size: .875rem; }
/* Fixed widths, so that a long word in one column does not squeeze the others. */
.fixed { table-layout: fixed; }
.w4 { width: 4.75rem; } .w5 { width: 5.75rem; } .w8 { width: 8.5rem; } .w10 { width: 11rem; } .third { width: 34%; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.mark { display: inline-block; border: 1px solid currentColor; border-radius: 1em; padding: 0 .5em;
  font-size: .8125rem; white-space: nowrap; color: var(--soft); }
.mark.is-accepted { color: var(--accepted); } .mark.is-rejected { color: var(--rejected); }
.mark.is-promoted { color: var(--good); }
footer { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: .375rem;
  padding: .375rem .875rem; min-height: 2.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accepted); outline-offset: 2px; }
[hidden] { display: none !important; }
@media (max-width: 45rem) {
  main { grid-template-columns: minmax(0, 1fr); }
  .numbers { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .w4 { width: 3.4rem; }
  .fixed td.name { padding-right: .375rem; }
  td.name .soft { -webkit-line-clamp: 1; word-break: break-all; }
  .fixed td { font-size: .875rem; }
  .fixed th { font-size: .8125rem; }
  .number { padding-right: 0; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards, .cards tbody, .cards tr, .cards td { display: block; }
  .cards tr { border-bottom: 1px solid var(--line); padding: .625rem 0; }
  .cards tr:last-child { border-bottom: 0; }
  .cards td { border: 0; padding: 0; }
  .cards td[data-label] span { display: inline; }
  .cards td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .cards td.time, .cards td.result { display: inline-block; margin-right: .75rem; color: var(--soft); }
  .cards td.title { font-weight: 600; }
  .cards td:empty { display: none; }
}
`;
