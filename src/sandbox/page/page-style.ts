/** The page's style, as in the report of a run: light or dark like the system, from 320 pixels of width. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0; --link: #0a58ca;
  --good: #1a7f37; --odd: #9a6700; --bad: #c62222;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943; --link: #6cb6ff;
    --good: #56d364; --odd: #e3b341; --bad: #ff7b72;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 64rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
main { display: grid; gap: 1rem; padding-top: 0; padding-bottom: 0; grid-template-columns: repeat(2, minmax(0, 1fr)); }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
section > :last-child { margin-bottom: 0; }
a { color: var(--link); }
code, pre { font: .875em/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0 0 .75rem; overflow-x: auto; padding: .75rem; background: var(--back); border-radius: .375rem; }
.soft { color: var(--soft); }
.command { display: flex; gap: .5rem; align-items: center; justify-content: space-between; margin-bottom: .75rem;
  padding: .5rem .5rem .5rem .75rem; background: var(--back); border-radius: .375rem; }
#state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%;
  margin-right: .4em; background: var(--good); }
#state.lost::before { background: var(--bad); border-radius: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
.wide { grid-column: 1 / -1; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(5.25rem, 1fr)); gap: .75rem .25rem; margin: 0; }
.numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.numbers dt { color: var(--soft); font-size: .8125rem; line-height: 1.3; }
.numbers dd { margin: 0; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
details { border-top: 1px solid var(--line); }
details > :not(summary) { margin-left: 1.125rem; }
summary { cursor: pointer; padding: .375rem 0; overflow-wrap: anywhere; }
dl.facts { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: 0 1rem; margin: 0 0 .75rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.mark { font-weight: 600; } .is-good { color: var(--good); } .is-odd { color: var(--odd); } .is-bad { color: var(--bad); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 3.5rem; }
tbody tr:last-child td { border-bottom: 0; }
.counts th + th, .counts td + td { text-align: right; font-variant-numeric: tabular-nums; }
.plot { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .5rem; margin-bottom: .75rem; }
.plot svg { width: 100%; height: 7rem; border: solid var(--line); border-width: 0 0 1px 1px; }
.plot .top { text-align: right; font-size: .875rem; }
.plot .ends { grid-column: 2; display: flex; justify-content: space-between; font-size: .875rem; }
.swatch { width: 1em; height: 1em; vertical-align: -.125em; margin-right: .375rem; }
.processed { fill: var(--good); } .failed { fill: var(--bad); }
pattern path { stroke: var(--card); stroke-width: 2; fill: none; }
form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; margin-bottom: .75rem; }
label { display: flex; flex-direction: column; font-size: .875rem; color: var(--soft); flex: 1 1 8rem; }
label:first-child { flex-basis: 14rem; }
input, select, button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft);
  border-radius: .375rem; padding: .375rem .625rem; min-height: 2.5rem; min-width: 0; width: 100%; }
button { flex: none; width: auto; cursor: pointer; padding: .375rem .875rem; white-space: nowrap; }
footer { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
[hidden] { display: none !important; }
@media (max-width: 45rem) {
  header, main, footer { padding: .75rem; }
  main { grid-template-columns: minmax(0, 1fr); padding-top: 0; padding-bottom: 0; }
  section { padding: .75rem; }
}
`;
