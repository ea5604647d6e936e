/** Whether the content of a row is its cells, and not an object or a text. */
export function isCells(content: unknown): content is readonly string[] {
  return Array.isArray(content);
}
