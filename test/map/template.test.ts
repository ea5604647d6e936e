import { describe, expect, it } from 'vitest';
import { withOptionalParts } from '../../src/map/template.ts';

describe('a text whose columns can be empty', () => {
  it.each([
    ['{A} raised {B}', ['B'], '{A}[ raised {B}]'],
    ['{A} raised {B} in {C}', ['B'], '{A}[ raised {B}] in {C}'],
    ['{A} raised {B} in {C}', ['B', 'C'], '{A}[ raised {B}][ in {C}]'],
    ['{B} of {A}', ['B'], '[{B} of ]{A}'],
    ['{B} of {C} of {A}', ['B', 'C'], '[{B}][ of {C}] of {A}'],
    ['{A}[ in {C}] for {B}', ['B'], '{A}[ in {C}][ for {B}]'],
    ['{A} {{x}} {B}', ['B'], '{A}[ {{x}} {B}]'],
  ])('%s, without %s, is %s', (source, empty, expected) => {
    expect(withOptionalParts(source, (column) => empty.includes(column))).toBe(expected);
  });

  it('is the same if no column is empty, or if nothing would be left of it', () => {
    expect(withOptionalParts('{A} raised {B}', () => false)).toBeUndefined();
    expect(withOptionalParts('{A} raised {B}', () => true)).toBeUndefined();
    expect(withOptionalParts('{A}[ in {C}]', () => true)).toBeUndefined();
  });
});
