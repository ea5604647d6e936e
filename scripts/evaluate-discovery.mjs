/**
 * `node scripts/evaluate-discovery.mjs [WEIGHTS]`: the figures of docs/mapping.md, on the tables of sources that are never trained
 * on. With collected.test.ts it is the only reader of their labels. `--wrongs` would be a way to tune on them, so there is none.
 */
import { readFileSync } from 'node:fs';
import { report } from './discovery-report.mjs';
import { loadDiscovery } from './load-discovery.mjs';

const d = await loadDiscovery();
const weights = JSON.parse(readFileSync(process.argv[2] ?? 'src/map/discover/weights.json', 'utf8'));
const tables = d.heldOutTables();
const sources = new Set(tables.map(({ origin }) => origin)).size;
report(d, `held out, ${sources} sources`, new Map([[weights, tables]]));
