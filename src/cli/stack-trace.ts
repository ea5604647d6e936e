/** Translates the locations in a stack trace from the bundle to the source. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A location in a stack trace: file, line and column, both from 1. */
const LOCATION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;

/**
 * Replaces each location that a source map knows with `PATH:LINE:COLUMN`. Node's own translation would read the maps
 * at every start.
 */
export function toSource(trace: string): string {
  return trace.replace(LOCATION, (location, file: string, line: string, column: string) => {
    try {
      const map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')));
      const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalSource' in entry)) return location;
      // A source is named relative to the map: ../src/main.ts.
      const source = entry.originalSource.replace(/^\.\.\//, '');
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    } catch {
      return location; // no source map
    }
  });
}
