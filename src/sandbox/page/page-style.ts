/** The page's style: light or dark like the system, from 320 pixels of width, without animation. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0;
  --accepted: #0a58ca; --rejected: #b93a06; --good: #1a7f37;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943;
    --accepted: #58a6ff; --rejected: #f0883e; --good: #56d364;
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
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem;
  min-width: 0; overflow-x: auto; }
.wide { grid-column: 1 / -1; }
.numbers { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 1rem; margin: 0; }
.numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.numbers dt { color: var(--soft); font-size: .875rem; line-height: 1.3; }
.numbers dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; min-width: 4.5rem; }
tr:last-child td { border-bottom: 0; }
.counts th + th, .counts td + td { text-align: right; font-variant-numeric: tabular-nums; }
/* At most two lines of a name. */
td.name span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
td.name .soft { font-size: .875rem; }
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
}
`;
