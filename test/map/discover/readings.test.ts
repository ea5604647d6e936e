import { expect, it } from 'vitest';
import { readingsOf } from './sample-of.ts';

it('asks about values that are no dates if they are many, also after many dates', () => {
  const dates = Array.from({ length: 80 }, (_, day) => `${1 + (day % 12)}/${1 + (day % 28)}/${2020 + (day % 6)}`);
  const texts = Array.from({ length: 20 }, (_, at) => `Q${at}`);
  const reading = readingsOf('detected_at', `On: ${[...dates, ...texts].join(' | ')}`);
  expect(reading?.doubt).toBe('20 of 100 sampled values will be left out, such as "Q0"');
});
