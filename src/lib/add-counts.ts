/** The sums of two sets of counts, name by name. */
export function addCounts<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const sums = Object.entries(other).map(([name, value]) => [name, value + (one[name] ?? 0)]);
  return { ...one, ...Object.fromEntries(sums) };
}
