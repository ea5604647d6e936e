/** The columns of a sample, with what their headers mean and facts about their cells; and a column as a candidate for a field. */
import { once } from '../../lib/resources.ts';
import { isRejectsColumn } from '../../model/results-line.ts';
import { normalise } from '../column-names.ts';
import type { FieldMapping } from '../document-schema.ts';
import { type ColumnProfile, profileColumn } from './column-facts.ts';
import { type Meanings, meaningsOf, meaningsOfParts } from './header-words.ts';
import type { Sample } from './proposal.ts';

export interface Column {
  readonly name: string;
  /** The name without regard to case, spaces and punctuation. */
  readonly key: string;
  readonly meanings: Meanings;
  /** Of the parts of an NDJSON path. */
  readonly ofParts: ReturnType<typeof meaningsOfParts>;
  readonly profile: ColumnProfile;
  /** The language of the headers writes the day before the month. */
  readonly dayFirst: boolean;
}

export interface ColumnCandidate {
  readonly field: string;
  readonly column: string;
  readonly mapping: FieldMapping;
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, without a full stop. */
  readonly reason: string;
  /** Other mappings of the same column: the possible formats of an ambiguous date. */
  readonly alternatives?: readonly FieldMapping[] | undefined;
}

/** The meanings of the header but these, to be compared. */
export function meaningsWithout({ meanings: { known } }: Column, ...omitted: readonly string[]): string {
  return [...known]
    .filter((each) => !omitted.includes(each))
    .sort()
    .join(' ');
}

/** Whether the header has only these meanings. */
export function only({ meanings: { known } }: Column, ...allowed: readonly string[]): boolean {
  return known.size > 0 && [...known].every((each) => allowed.includes(each));
}

/** Headers with the same unknown word, from which the word is ignored. */
const REPEATED = 3;

/** Meanings are looked up when they are asked for: columns that have the names of fields need none. */
export function columnsIn({ columns, rows }: Sample): readonly Column[] {
  const all = once(() => columns.map(meaningsOf));
  const dayFirst = once(() => isDayFirst(columns));
  const noise = once(() => repeatedWords(all().map(({ unknown }) => unknown)));
  const telling = (meanings: Meanings): Meanings => ({
    ...meanings,
    unknown: meanings.unknown.filter((word) => !noise().has(word)),
  });
  return columns.flatMap((name, index) => {
    if (isRejectsColumn(name)) return [];
    const meanings = once(() => telling(all()[index] ?? NO_MEANINGS));
    const ofParts = once(() => meaningsOfParts(name).map((part) => ({ ...part, meanings: telling(part.meanings) })));
    return [
      {
        name,
        key: normalise(name),
        get meanings() {
          return meanings();
        },
        get ofParts() {
          return ofParts();
        },
        profile: profileColumn(rows.map((row) => row[index])),
        get dayFirst() {
          return dayFirst();
        },
      },
    ];
  });
}

const NO_MEANINGS: Meanings = { known: new Set(), precise: new Set(), unknown: [] };

/** Words without a known meaning in several headers: the name of the tool, which says nothing about a column. */
function repeatedWords(headers: readonly (readonly string[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const word of headers.flatMap((list) => [...new Set(list)])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].flatMap(([word, count]) => (count >= REPEATED ? [word] : [])));
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

function isDayFirst(headers: readonly string[]): boolean {
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
