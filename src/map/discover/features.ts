/** What the scorer knows of a column, as a few numbers in a space of hashed names: its header, its values, and both together. */

import { type Column, FACTS } from './column.ts';
import { meaningsOf, words } from './header-words.ts';

/** Size of the space: names that share a are rare enough. */
export const SPACE = 32768;

/** Places in the space with their values. */
export interface Features {
  readonly places: number[];
  readonly values: number[];
}

/** FNV-1a. */
function placeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (SPACE - 1);
}

/** Shares of values from which a fact describes the column. */
const STEPS = [0.01, 0.3, 0.7, 0.95] as const;

/** Facts that, in this order, say in one word what most values are. */
const FORMS =
  'empty email post person_page company_page page site own_domain relative iso date currency percentage integer number network engagement source round yes_no person job_title long sentence phrase few_words one_word'
    .split(' ')
    .map((name) => [name, FACTS.indexOf(name)] as const);

/** Those of the header and of the values. */
export function featuresOf({ name, meanings }: Column, facts: Float32Array): readonly Features[] {
  const parts: Features[] = [];
  const begin = (): void => {
    parts.push({ places: [], values: [] });
  };
  const add = (feature: string, value = 1): void => {
    parts.at(-1)?.places.push(placeOf(feature));
    parts.at(-1)?.values.push(value);
  };
  begin();
  const known = [...meanings.known].sort();
  const whole = known.join(' ');
  const strange = Math.min(2, meanings.unknown.length);
  for (const each of meanings.precise) add(`m:${each}`);
  for (const one of known) for (const other of known) if (one < other) add(`m:${one}+${other}`);
  add(`all:${whole}`);
  add(`all:${whole}/${strange}`);
  add(`strange:${strange}`);
  const list = words(name);
  for (const word of list) add(`w:${word}`, 0.7);
  add(`w:${list.join(' ')}`);
  add(`first:${list[0]}`, 0.7);
  add(`last:${list.at(-1)}`, 0.7);
  // A question of a survey is neither a fact nor a comment.
  const letters = `^${list.join(' ')}${/[?？]\s*$/u.test(name) ? '?' : ''}$`.slice(0, 60);
  const pieces = Math.max(1, letters.length * 2);
  for (let size = 3; size <= 5; size += 1) {
    for (let at = 0; at + size <= letters.length; at += 1)
      add(`n:${letters.slice(at, at + size)}`, 2 / Math.sqrt(pieces));
  }
  begin();
  FACTS.forEach((fact, at) => {
    const share = facts[at] ?? 0;
    if (share > 0) add(`f:${fact}`, share);
    for (const step of STEPS) if (share >= step) add(`f:${fact}>${step}`, 0.5);
  });
  const form = FORMS.find(([, index]) => (facts[index] ?? 0) >= 0.5)?.[0] ?? 'mixed';
  add(`form:${form}`);
  for (const each of known) add(`form:${form}*${each}`);
  add(`form:${form}*${whole}`);
  add(`form:${form}*${list.at(-1)}`);
  return parts;
}

/** The name of a file without its folder and its extensions. */
export function bareName(file: string): string {
  return (file.split(/[/\\:]/u).at(-1) ?? '').replace(/(?:\.[a-z]{2,7}){1,2}$/iu, '');
}

/** The same of the file's name, which says what the rows are. */
export function fileFeatures(file: string): Features {
  const name = bareName(file);
  const list = words(name).filter((word) => !/^\d+$/u.test(word));
  const features = [
    ...[...meaningsOf(name).precise].map((each) => `file:${each}`),
    ...list.map((word) => `file-word:${word}`),
  ];
  return { places: features.map(placeOf), values: features.map(() => 1) };
}
