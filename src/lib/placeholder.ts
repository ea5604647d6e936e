/** Words that exports write for "no value", in lower case. */
const WORDS: ReadonlySet<string> = new Set(
  'null,(null),<null>,nil,none,(none),nan,n/a,#n/a,n.a.,n.a,na,n.v.t.,k.a.,keine angabe,s/o,n.d.,nd,-,--,---,–,—,.,?,\\n,undefined,(blank),(empty),(not set),tbd,tba,not available,not applicable,not specified,not disclosed,undisclosed,keine angaben,nicht verfügbar,non renseigné,non communiqué,nc,no disponible,no revelado,sin datos,non disponibile,non divulgato,não informado,não divulgado,brak,brak danych,onbekend,ej offentligt,açıklanmadı,なし,未設定,非公開,未公開,无,暂无,未透露,未披露,없음,비공개'.split(
    ',',
  ),
);

/** Whether a text means an empty cell, such as `NULL`, `N/A` or `-`. It may still be a value: `NA` is a country. */
export function isPlaceholder(text: string): boolean {
  return WORDS.has(text.trim().toLowerCase());
}
