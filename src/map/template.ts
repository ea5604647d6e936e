/**
 * Templates such as `{Company} raised {Amount}`. A name in braces is a column; `{{` and `}}` are literal braces. A template
 * cannot use a column whose name contains a brace.
 */

export interface Template {
  /** The texts before, between and after the columns: one more than columns. */
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

/** The template's parts, or the problem of an invalid one. */
export function parseTemplate(source: string): Template | string {
  const texts: string[] = [];
  const columns: string[] = [];
  let text = '';
  let index = 0;
  while (index < source.length) {
    const char = source.charAt(index);
    if ((char === '{' || char === '}') && source.charAt(index + 1) === char) {
      text += char;
      index += 2;
    } else if (char === '}') {
      return 'a "}" without a matching "{"; write "}}" for a literal brace';
    } else if (char === '{') {
      const end = source.indexOf('}', index);
      if (end === -1) return 'a "{" without a matching "}"; write "{{" for a literal brace';
      const column = source.slice(index + 1, end).trim();
      if (column === '') return 'empty braces';
      if (column.includes('{')) return 'a "{" inside braces';
      columns.push(column);
      texts.push(text);
      text = '';
      index = end + 1;
    } else {
      text += char;
      index += 1;
    }
  }
  if (columns.length === 0) return 'no column in braces; write a constant as { value: … }';
  return { texts: [...texts, text], columns };
}
