/** Objects with a number for each of some names. */

/** The same value for each name. */
export function withEach<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

export function sumOf<Name extends string>(counts: Readonly<Record<Name, number>>, names: readonly Name[]): number {
  return names.reduce((sum, name) => sum + counts[name], 0);
}

/** The sums of two sets of counts, name by name. */
export function addCounts<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const sums = Object.entries(other).map(([name, value]) => [name, value + (one[name] ?? 0)]);
  return { ...one, ...Object.fromEntries(sums) };
}
