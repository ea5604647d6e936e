import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import weights from '../../../src/map/discover/weights.json' with { type: 'json' };
import { trainedFrom } from './headers.ts';

test('weights.json is trained from these tables and this code, and is small: run scripts/train-discovery.mjs', () => {
  expect(weights.from).toBe(trainedFrom());
  expect(statSync(path.join(import.meta.dirname, '../../../src/map/discover/weights.json')).size).toBeLessThan(250_000);
});
