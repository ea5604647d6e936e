/**
 * Stack traces in terms of the source. The program runs as a bundle, so a trace names places in the bundle; the
 * source maps beside it say where these come from. Read when there is a trace to tell: a program that loads its
 * maps at every start would start more slowly.
 */
import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A place of a stack trace: file, line and column, both from 1. */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;

/** The trace with every place that a map knows replaced by `src/file.ts:line:column`. Others stay as they are. */
export async function toSource(trace: string): Promise<string> {
  const files = new Set([...trace.matchAll(PLACE)].map(([, file = '']) => file));
  const maps = new Map<string, SourceMap>();
  for (const file of files) {
    const map = await mapOf(file);
    if (map !== undefined) maps.set(file, map);
  }
  return trace.replace(PLACE, (place, file: string, line: string, column: string) => {
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    return `${named(entry.originalSource, file)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/** The map beside a file of the bundle, where there is one that can be read. */
async function mapOf(file: string): Promise<SourceMap | undefined> {
  try {
    return new SourceMap(JSON.parse(await readFile(`${fileURLToPath(file)}.map`, 'utf8')));
  } catch {
    // Without a map the place in the bundle is still a place.
    return undefined;
  }
}

/** Sources are named relative to the map: `../src/main.ts` of `dist/main.js.map` is `src/main.ts`. */
function named(source: string, file: string): string {
  const folder = path.dirname(fileURLToPath(file));
  return path.relative(path.dirname(folder), path.resolve(folder, source));
}
