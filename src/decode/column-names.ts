/** Gives every column a unique name, so that each can be mapped and no header is refused. */

/**
 * Trims the header's cells. An empty cell becomes `column 3`; a repeated name gets ` (2)`, ` (3)`.
 * A name that the header contains as written stays with the first column that has it.
 */
export function nameColumns(cells: readonly string[]): string[] {
  const trimmed = cells.map((cell) => cell.trim());
  const written = new Set(trimmed);
  const used = new Set<string>();
  return trimmed.map((cell, index) => {
    const base = cell === '' ? `column ${index + 1}` : cell;
    let name = base;
    for (let n = 2; used.has(name) || (name !== cell && written.has(name)); n += 1) name = `${base} (${n})`;
    used.add(name);
    return name;
  });
}
