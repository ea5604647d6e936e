/** The columns of a sample, with what their headers mean and their cells. */
import { once } from '../../lib/resources.ts';
import { isRejectsColumn } from '../../model/rejects-file.ts';
import { normalise } from '../column-names.ts';
import { type ColumnProfile, profileColumn } from './column-facts.ts';
import { type Meanings, meaningsOf } from './header-words.ts';
import type { Sample } from './proposal.ts';

export interface Column {
  readonly name: string;
  /** The name without regard to case, spaces and punctuation. */
  readonly key: string;
  readonly meanings: Meanings;
  readonly profile: ColumnProfile;
}

/** Headers with the same unknown word, from which the word is ignored: the name of the tool. */
const REPEATED = 3;

/** A sample's type, its mapping and its questions are asked for one after the other. */
const known = new WeakMap<Sample['rows'], { readonly names: readonly string[]; readonly columns: readonly Column[] }>();

export function columnsIn({ columns: names, rows }: Sample): readonly Column[] {
  const found = known.get(rows);
  if (found?.names === names) return found.columns;
  const columns = readColumns(names, rows);
  known.set(rows, { names, columns });
  return columns;
}

function readColumns(columns: readonly string[], rows: Sample['rows']): readonly Column[] {
  // The table of words is built only where a name does not say everything.
  const meanings = once(() => meaningsOfAll(columns));
  return columns.flatMap((name, index) => {
    if (isRejectsColumn(name)) return [];
    const profile = profileColumn(rows.map((row) => row[index]));
    return [
      {
        name,
        key: normalise(name),
        profile,
        get meanings() {
          return meanings()[index] ?? meaningsOf(name);
        },
      },
    ];
  });
}

function meaningsOfAll(columns: readonly string[]): readonly Meanings[] {
  const all = columns.map(meaningsOf);
  const counts = new Map<string, number>();
  for (const word of all.flatMap(({ unknown }) => [...new Set(unknown)])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return all.map(({ unknown, ...meanings }) => ({
    ...meanings,
    unknown: unknown.filter((word) => (counts.get(word) ?? 0) < REPEATED),
  }));
}

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

/** Whether the language of the headers writes the day before the month. */
export function isDayFirst(columns: readonly Column[]): boolean {
  const headers = columns.map(({ name }) => name);
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
