/**
 * Where a text stops being JSON (RFC 8259). V8's own messages differ between versions and do not always
 * say it. Only for texts that JSON.parse has refused: this is slow.
 */

/** White space, then one token. A string's characters are matched one by one, so that nothing is tried twice. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold them.
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/** What may come next. */
type Want = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'more' | 'end';

/** Index of the first character that cannot be there; the text's length where it breaks off. */
export function jsonErrorIndex(text: string): number {
  const open: ('{' | '[')[] = [];
  let want: Want = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    const start = token === null ? skipWhite(text, at) : at + token[0].length - token[0].trimStart().length;
    if (token === null) return start;
    const sign = token[1];
    const isName = token[2] !== undefined;
    if (want === 'end') return start;
    if (want === 'name' || want === 'name or }') {
      if (isName) want = 'colon';
      else if (sign === '}' && want === 'name or }') want = close(open);
      else return start;
    } else if (want === 'colon') {
      if (sign !== ':') return start;
      want = 'value';
    } else if (want === 'more') {
      if (sign === ',') want = open.at(-1) === '{' ? 'name' : 'value';
      else if (sign === (open.at(-1) === '{' ? '}' : ']')) want = close(open);
      else return start;
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      want = sign === '{' ? 'name or }' : 'value or ]';
    } else if (sign === ']' && want === 'value or ]') want = close(open);
    else if (sign !== undefined) return start;
    else want = open.length === 0 ? 'end' : 'more';
    at += token[0].length;
  }
}

function close(open: ('{' | '[')[]): Want {
  open.pop();
  return open.length === 0 ? 'end' : 'more';
}

function skipWhite(text: string, at: number): number {
  let index = at;
  while (index < text.length && ' \t\n\r'.includes(text.charAt(index))) index += 1;
  return index;
}
