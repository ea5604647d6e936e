import { describe, expect, test } from 'vitest';
import { blockOf } from '../../src/fast/block.ts';
import { createMemo } from '../../src/fast/memo.ts';

const NONE = { mapped: [], judged: [] };

describe('a memo', () => {
  test('never gives one cell the value of another, although a hundred thousand share its slots', () => {
    const memo = createMemo();
    const out = blockOf(Buffer.alloc(80));
    let found = 0;
    for (let n = 0; n < 100_000; n += 1) {
      // Of all lengths that are kept, told apart by their last bytes alone.
      const cell = blockOf(Buffer.from(`${'x'.repeat(n % 52)}${n}`));
      expect(memo.find(cell, 0, cell.bytes.length)).toBe(-1);
      memo.keep(cell, 0, cell.bytes.length, Buffer.from(String(n)), NONE);
      const slot = memo.find(cell, 0, cell.bytes.length);
      if (slot < 0) continue;
      found += 1;
      expect(out.bytes.toString('latin1', 0, memo.write(slot, out, 0))).toBe(String(n));
    }
    expect(found).toBe(100_000);
  });

  test('keeps a cell of 60 bytes and a value of 64, and nothing longer', () => {
    const memo = createMemo();
    const kept = (cell: number, value: number): boolean => {
      const block = blockOf(Buffer.alloc(cell, 'c'));
      memo.keep(block, 0, cell, Buffer.alloc(value, 'v'), NONE);
      return memo.find(block, 0, cell) >= 0;
    };
    expect([kept(60, 64), kept(61, 1), kept(59, 65)]).toEqual([true, false, false]);
  });

  test('keeps notes with a value, and that a field is absent', () => {
    const memo = createMemo();
    const cell = blockOf(Buffer.from('ann@gmail.com'));
    const notes = { mapped: ['free_mail:company_domain'], judged: [] };
    memo.keep(cell, 0, 13, undefined, notes);
    const slot = memo.find(cell, 0, 13);
    expect(memo.isAbsent(slot)).toBe(true);
    expect(memo.notes(slot)).toEqual(notes);
  });

  test('remembers no value with notes once there were more different notes than it holds', () => {
    const memo = createMemo();
    let kept = 0;
    for (let n = 0; n < 6000; n += 1) {
      const cell = blockOf(Buffer.from(`family ${n}`));
      const size = cell.bytes.length;
      memo.keep(cell, 0, size, Buffer.from('"x"'), { mapped: [], judged: [`open_value:signal_family=${n}`] });
      const slot = memo.find(cell, 0, size);
      if (slot < 0) continue;
      kept += 1;
      expect(memo.notes(slot)?.judged).toEqual([`open_value:signal_family=${n}`]);
    }
    expect(kept).toBe(4096);
  });
});
