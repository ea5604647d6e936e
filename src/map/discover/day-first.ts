/** Whether the language of a table's headers writes the day before the month: every language with spaces but English. */

/** Words of headers in other languages, of which none is an English word too. Without accents. */
const WORDS = new Set(
  `datum fecha dato tarih tarihi tanggal quand wann quando cuando wanneer kiedy nar hvornar jour heure hora uhrzeit godzina
  nom nombre nome naam namn navn nazwa nazev adi entreprise societe empresa azienda firma bedrijf unternehmen foretag
  virksomhed ville ciudad citta cidade stadt plaats stad miasto mesto sehir pays pais paese kraj lien enlace titre titulo
  titolo titel tytul baslik quelle bron fuente fonte zrodlo kilde kalla besuch bezoek besok visite visita wizyta kommentar
  commentaire comentario commento komentarz yorum auteur autor autore aangemaakt erstellt gevonden gefunden veroffentlicht
  publie publicado pubblicato geplaatst`.split(/\s+/u),
);

/** Scripts whose languages write the year first. */
const YEAR_FIRST = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** A letter that English does not have. */
const FOREIGN = /[^\P{L}A-Za-z]/u;

/** Two headers decide, because a table in English can have one foreign name. */
const ENOUGH = 2;

export function isDayFirst(headers: readonly string[]): boolean {
  if (headers.some((header) => YEAR_FIRST.test(header))) return false;
  return headers.filter(isForeign).length >= ENOUGH;
}

function isForeign(header: string): boolean {
  if (FOREIGN.test(header)) return true;
  return header
    .replace(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u)
    .some((word) => WORDS.has(word));
}
