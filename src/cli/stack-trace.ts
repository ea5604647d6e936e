/**
 * Translates the locations in a stack trace from the bundle to the source. The source maps are read only when there is
 * a trace, because loading them slows the start.
 */
import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A location in a stack trace: file, line and column, both from 1. */
const LOCATION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;

/** Replaces each location that a source map knows with `PATH:LINE:COLUMN`. */
export async function toSource(trace: string): Promise<string> {
  const files = new Set([...trace.matchAll(LOCATION)].map(([, file = '']) => file));
  const maps = new Map<string, SourceMap>();
  for (const file of files) {
    const map = await readSourceMap(file);
    if (map !== undefined) maps.set(file, map);
  }
  return trace.replace(LOCATION, (location, file: string, line: string, column: string) => {
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return location;
    return `${sourceName(entry.originalSource, file)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/** The source map of a bundled file; undefined if it is missing or unreadable. */
async function readSourceMap(file: string): Promise<SourceMap | undefined> {
  try {
    return new SourceMap(JSON.parse(await readFile(`${fileURLToPath(file)}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Sources are named relative to the map: `../src/main.ts` of `dist/main.js.map` is `src/main.ts`. */
function sourceName(source: string, file: string): string {
  const folder = path.dirname(fileURLToPath(file));
  return path.relative(path.dirname(folder), path.resolve(folder, source));
}
