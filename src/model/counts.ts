/** Objects with a value, usually a number, for each of some names. */

export function fromEach<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}

/** The same value for each name. */
export function withEach<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return fromEach(names, () => value);
}

export function sumOf<Name extends string>(counts: Readonly<Record<Name, number>>, names: readonly Name[]): number {
  return names.reduce((sum, name) => sum + counts[name], 0);
}

/** The sums of two sets of counts, name by name. */
export function addCounts<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const sums = Object.entries(other).map(([name, value]) => [name, value + (one[name] ?? 0)]);
  return { ...one, ...Object.fromEntries(sums) };
}
