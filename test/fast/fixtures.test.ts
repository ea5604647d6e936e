/** Every fixture of rows through both engines: those of decode as files, those of map with their mappings. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { detectInput } from '../../src/input/decode.ts';
import { type FieldMapping, mapByName, parseMapping } from '../../src/map/index.ts';
import type { DecodeOptions } from '../../src/model/decode-options.ts';
import { expectSame } from '../support/both.ts';

const root = path.join(import.meta.dirname, '../../fixtures');
const CHUNKS = [[65_536], [1]];

/** Maps the columns in turn to fields that accept any text; required fields have a constant. */
function anyMapping(columns: readonly string[]): Readonly<Record<string, FieldMapping>> {
  const free = ['description', 'industry', 'location', 'funding_amount', 'notes', 'signal_family', 'detected_at'];
  return {
    company_name: { column: columns[0] ?? '' },
    company_domain: { value: 'acme.com' },
    signal_title: { value: 'Title' },
    signal_source: { value: 'news' },
    ...Object.fromEntries(
      free.flatMap((field, index) => {
        const column = columns[(index + 1) % columns.length];
        return column === undefined ? [] : [[field, { column }]];
      }),
    ),
  };
}

describe('the fixtures of decode', () => {
  const cases = readdirSync(path.join(root, 'decode')).flatMap((name) => {
    const folder = path.join(root, 'decode', name);
    const file = readdirSync(folder).find((entry) => /^input\.(?:[ct]sv|ndjson)$/.test(entry));
    return file === undefined ? [] : [{ name, file: path.join(folder, file), folder }];
  });

  test.each(cases)('are prepared alike by both engines: $name', async ({ file, folder }) => {
    const bytes = readFileSync(file);
    const { options = {} }: { options?: Partial<DecodeOptions> } = JSON.parse(
      readFileSync(path.join(folder, 'expected.json'), 'utf8'),
    );
    const { columns } = detectInput(
      { name: file, head: bytes, headIsWhole: true },
      { header: true, maxRowBytes: 2 ** 20, ragged: 'reject', ...options },
    );
    for (const chunks of CHUNKS) {
      const document = { type: 'signals' as const, fields: anyMapping(columns) };
      const name = path.basename(file);
      const items = await expectSame({ name, bytes, document, variant: 'b', decode: options, chunks });
      expect(items?.length).toBeGreaterThan(0);
    }
  });
});

type MapInput =
  | {
      readonly format: 'csv';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly format: 'ndjson'; readonly rows: readonly object[] };

describe('the fixtures of map', () => {
  const cases = readdirSync(path.join(root, 'map')).flatMap((name) => {
    const input: MapInput = JSON.parse(readFileSync(path.join(root, 'map', name, 'input.json'), 'utf8'));
    return [{ name, input }];
  });

  test.each(cases)('are prepared alike by both engines: $name', async ({ name, input }) => {
    const document = parseMapping(readFileSync(path.join(root, 'map', name, 'mapping.yaml'), 'utf8'), name);
    const lines =
      input.format === 'csv'
        ? [input.columns, ...input.rows].map((cells) =>
            cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
          )
        : input.rows.map((row) => JSON.stringify(row));
    const { variant } = document;
    for (const chunks of CHUNKS) {
      const items = await expectSame({
        bytes: Buffer.from(`${lines.join('\n')}\n`),
        document,
        ...(variant === undefined ? {} : { variant }),
        decode: { format: input.format, delimiter: ',', encoding: 'utf-8' },
        chunks,
      });
      expect(items?.length).toBeGreaterThan(0);
    }
  });
});

describe('the examples', () => {
  test.each([
    'signals.csv',
    'signals-with-faults.csv',
    'social.csv',
    'signals.ndjson',
    'social.ndjson',
    'social-with-faults.ndjson',
  ])('prepare the same by both engines: %s', async (file) => {
    const bytes = readFileSync(path.join(root, file));
    const type = file.startsWith('social') ? ('social' as const) : ('signals' as const);
    const decode = { header: true, maxRowBytes: 2 ** 20, ragged: 'reject' as const };
    const { columns } = detectInput({ name: file, head: bytes, headIsWhole: true }, decode);
    const document = { type, fields: mapByName(columns, contracts[type]).document.fields };
    for (const chunks of CHUNKS) {
      const variant = type === 'signals' ? { variant: 'b' as const } : {};
      const items = await expectSame({ name: file, bytes, document, ...variant, chunks });
      expect(items?.length).toBeGreaterThan(0);
    }
  });
});
