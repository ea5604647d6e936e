/**
 * Finds where a text stops being JSON (RFC 8259). V8's messages differ between versions and do not always contain the
 * position. Slow: use it only for texts that JSON.parse rejects.
 */
/** White space, then one token. Matches strings character by character to avoid backtracking. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold them.
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/** What may come next. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'more' | 'end';

/** Index of the first unexpected character; the text's length if the text ends too early. */
export function jsonErrorIndex(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    const start = token === null ? skipWhite(text, at) : at + token[0].length - token[0].trimStart().length;
    if (token === null) return start;
    const sign = token[1];
    const isName = token[2] !== undefined;
    if (expected === 'end') return start;
    if (expected === 'name' || expected === 'name or }') {
      if (isName) expected = 'colon';
      else if (sign === '}' && expected === 'name or }') expected = close(open);
      else return start;
    } else if (expected === 'colon') {
      if (sign !== ':') return start;
      expected = 'value';
    } else if (expected === 'more') {
      if (sign === ',') expected = open.at(-1) === '{' ? 'name' : 'value';
      else if (sign === (open.at(-1) === '{' ? '}' : ']')) expected = close(open);
      else return start;
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      expected = sign === '{' ? 'name or }' : 'value or ]';
    } else if (sign === ']' && expected === 'value or ]') expected = close(open);
    else if (sign !== undefined) return start;
    else expected = open.length === 0 ? 'end' : 'more';
    at += token[0].length;
  }
}

function close(open: ('{' | '[')[]): Expected {
  open.pop();
  return open.length === 0 ? 'end' : 'more';
}

function skipWhite(text: string, at: number): number {
  let index = at;
  while (index < text.length && ' \t\n\r'.includes(text.charAt(index))) index += 1;
  return index;
}
