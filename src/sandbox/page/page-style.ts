/** The page's style. */
import { PAGE_STYLE } from '../../lib/page.ts';

export const STYLE = `${PAGE_STYLE}
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
main { padding-bottom: 0; grid-template-columns: repeat(2, minmax(0, 1fr)); }
a { color: var(--link); }
#state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%;
  margin-right: .4em; background: var(--good); }
#state.lost::before { background: var(--bad); border-radius: 0; }
.wide { grid-column: 1 / -1; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(5.25rem, 1fr)); gap: .75rem .25rem; margin: 0; }
.numbers div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.numbers dt { font-size: .8125rem; line-height: 1.3; }
.numbers dd { font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
details { border-top: 1px solid var(--line); }
details > :not(summary) { margin-left: 1.125rem; }
dl.facts { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: 0 1rem; }
.mark { font-weight: 600; }
td { overflow-wrap: anywhere; min-width: 3.5rem; }
.counts th + th, .counts td + td { text-align: right; font-variant-numeric: tabular-nums; }
.plot { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .5rem; margin-bottom: .75rem; }
.plot svg { width: 100%; height: 7rem; border: solid var(--line); border-width: 0 0 1px 1px; }
.plot .top { text-align: right; font-size: .875rem; }
.plot .ends { grid-column: 2; display: flex; justify-content: space-between; font-size: .875rem; }
.swatch { width: 1em; height: 1em; vertical-align: -.125em; margin-right: .375rem; }
.processed { fill: var(--good); } .failed { fill: var(--bad); }
form { display: flex; flex-wrap: wrap; gap: .5rem .75rem; margin-bottom: .75rem; }
label { display: flex; flex-direction: column; font-size: .875rem; color: var(--soft); flex: 1 1 8rem; }
label:first-child { flex-basis: 14rem; }
input, select { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft);
  border-radius: .375rem; padding: .375rem .625rem; min-height: 2.5rem; min-width: 0; width: 100%; }
button { flex: none; padding: .375rem .875rem; min-height: 2.5rem; white-space: nowrap; }
footer { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
@media (max-width: 45rem) {
  main { grid-template-columns: minmax(0, 1fr); padding-bottom: 0; }
}
`;
