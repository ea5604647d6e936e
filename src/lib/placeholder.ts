/** Words that exports write for "no value", in lower case. */
const WORDS: ReadonlySet<string> = new Set(
  'null,(null),<null>,nil,none,(none),nan,n/a,#n/a,n.a.,n.a,na,n.v.t.,k.a.,keine angabe,s/o,n.d.,nd,-,--,---,–,—,.,?,\\n,undefined,(blank),(empty),(not set),tbd,tba,not available,not applicable,not specified'.split(
    ',',
  ),
);

/** Whether a text stands for an empty cell, such as `NULL`, `N/A` or `-`. It may still be a value: `NA` is a country. */
export function isPlaceholder(text: string): boolean {
  return WORDS.has(text.trim().toLowerCase());
}
