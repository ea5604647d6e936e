/**
 * What kind of list an input is: about jobs, funding, news, reviews, technology, visits; and whether its rows are
 * people. A header such as "Title" means another thing in each.
 */

import { once } from '../../lib/once.ts';
import type { RecordType } from '../../model/record.ts';
import { isPerson, isPersonPage, share } from './column-facts.ts';
import { firstNames, lastNames } from './header-synonyms.ts';
import { bag, words } from './header-words.ts';
import type { Candidate, Column } from './score.ts';

/** Kinds of lists, each by the source that its signals would have. */
export type ListKind = 'funding' | 'job_posting' | 'news' | 'review_site' | 'tech_install' | 'web_visit';

export interface TableTopic {
  /** Whether rows are about people: then a title may be a person's. */
  readonly people: boolean;
  /** From the likeliest; empty where nothing speaks for one. */
  readonly kinds: readonly ListKind[];
  /** The candidate with the confidence that it has in this list. */
  weigh(candidate: Candidate, type: RecordType): Candidate;
}

/**
 * Factors on a candidate's confidence. They were chosen so that a header that is trusted (0.84 to 0.97) falls below
 * the threshold of use (0.8) and stays above that of a question (0.45), and not by trying out fixtures.
 */
const FACTOR = {
  /** "Title" where rows are people: rather a job than what happened. */
  titleOfPerson: 0.6,
  /** "City" in a list that says nothing else of companies: of a venue, or of the medium. */
  placeOfAnything: 0.6,
  /** "Name" where rows are people. */
  nameOfPerson: 0.5,
  /** "Website" in a list of articles: perhaps the paper's. */
  siteOfPaper: 0.75,
  /** "Date" in a list of people, or next to another date: its meaning is unclear. */
  dateOfAnything: 0.7,
  /** The author and the date of a post, if a row is a post and not an engagement. */
  ofPost: 0.7,
  /** "Name" (0.55) where the other columns can only be a company's: certain. */
  nameOfCompany: 1.55,
} as const;

/** What a factor may raise a confidence to: context alone is never as good as a header. */
const RAISED = 0.95;

/** Words in headers that speak for a kind of list. */
const MARKS: Readonly<Record<ListKind, ReadonlySet<string>>> = {
  funding: set(
    'funding raised round investors investor deal valuation series leve levee investisseurs finanzierung raccolto financiacion captado',
  ),
  job_posting: set(
    'job jobs salary vacancy vacante vaga vacature stelle stellen gehalt salario salaire poste emploi empleo puesto offre hiring applicants remote',
  ),
  news: set(
    'headline article articles publisher published newspaper author noticia artikel presse sentiment outlet actualite',
  ),
  review_site: set('review reviews rating reviewer stars pros cons bewertung avis resena recensione g2 capterra'),
  tech_install: set('technology technologies tech detected technographic cms stack technologie'),
  web_visit: set('visit visits pageviews visitor sessions landing referrer besuch visite visita'),
};

const PERSON_TITLES: ReadonlySet<string> = new Set([
  'title',
  'headline',
  'title job',
  'position',
  'role',
  'puesto',
  'cargo',
  'titel',
  'poste',
  'posizione',
  'functie',
]);
const bareNames = headers(['name', 'nom', 'nombre', 'nome', 'naam']);
const personNames = headers([
  'name',
  'full name',
  'person',
  'person name',
  'lead name',
  'nombre completo',
  'nom complet',
  'nome completo',
]);
/** Names of people who are a company's contact, unless the list is about them and their jobs. */
const contactNames = headers([
  'contact',
  'contact name',
  'contact person',
  'ansprechpartner',
  'kontakt',
  'contactpersoon',
]);
/** Headers of address books. */
const ofContacts = headers([
  'email',
  'e mail',
  'email address',
  'work email',
  'mobile',
  'mobile phone',
  'phone',
  'direct phone',
  'seniority',
  'first name',
  'contact',
  'contact name',
  'contact person',
  'ansprechpartner',
  'contactpersoon',
  'last name',
]);
/** Headers that say a little of where the company is, or of where the medium is. */
const barePlaces = headers([
  'city',
  'country',
  'region',
  'country region',
  'state',
  'land',
  'ort',
  'stadt',
  'ville',
  'pays',
  'ciudad',
  'pais',
  'citta',
  'paese',
  'cidade',
  'plaats',
  'stad',
]);
const bareDates = headers(['date', 'datum', 'fecha', 'data']);

/** Headers that only a list of companies has; two of them make one. */
const ofCompanyLists = headers([
  'website',
  'industry',
  'industries',
  'employees',
  'headcount',
  'total funding',
  'hq country',
  'hq city',
  'founded',
  'domain',
  'launch date',
  'investors',
  'branche',
  'webseite',
  'secteur',
  'sector',
]);

/** @param aboutCompanies whether columns hold the company's name and something else of it */
export function detectTopic(columns: readonly Column[], aboutCompanies = false): TableTopic {
  const bags = columns.map(({ name }) => bag(name));
  const named = bags.some((each) => firstNames().has(each)) && bags.some((each) => lastNames().has(each));
  const titled = bags.some((each) => PERSON_TITLES.has(each));
  const people =
    named ||
    columns.some(
      ({ name, profile }) =>
        share(profile, isPersonPage) > 0.5 ||
        ((personNames().has(bag(name)) || (titled && contactNames().has(bag(name)))) && share(profile, isPerson) > 0.5),
    );
  const contacts = people || bags.some((each) => ofContacts().has(each));
  const kinds = kindsOf(columns);
  const companyLike = bags.filter((each) => ofCompanyLists().has(each)).length >= 2;
  const dates = bags.filter((each) => bareDates().has(each)).length;
  const engaged = bags.some((each) =>
    /\b(?:comment|reaction|interaction|engagement|kommentar|commentaire|comentario|commento)\b/u.test(each),
  );

  return {
    people,
    kinds,
    weigh: (candidate, type) => {
      const header = bag(candidate.column);
      const factor = type === 'signals' ? inSignals(candidate, header) : inSocial(candidate, header);
      return factor === 1 ? candidate : { ...candidate, confidence: Math.min(RAISED, candidate.confidence * factor) };
    },
  };

  function inSignals({ field, column }: Candidate, header: string): number {
    const listed = kinds.includes('job_posting') || kinds.includes('news');
    if (field === 'signal_title' && PERSON_TITLES.has(header) && (people || (contacts && !listed)))
      return FACTOR.titleOfPerson;
    if (field === 'location' && barePlaces().has(header) && !aboutCompanies) return FACTOR.placeOfAnything;
    if (people && field === 'company_name' && bareNames().has(header)) return FACTOR.nameOfPerson;
    if (field === 'company_domain' && kinds[0] === 'news' && /^(?:domain|site|url|web|website)$/u.test(header))
      return FACTOR.siteOfPaper;
    if (field === 'company_name' && bareNames().has(header) && companyLike) {
      const profile = columns.find(({ name }) => name === column)?.profile;
      return profile !== undefined && share(profile, isPerson) < 0.2 ? FACTOR.nameOfCompany : 1;
    }
    if (field === 'detected_at' && bareDates().has(header) && (people || dates > 1)) return FACTOR.dateOfAnything;
    return 1;
  }

  function inSocial({ field }: Candidate, header: string): number {
    // The date and the author of a list of posts are the post's own; where people engage they are theirs.
    const ofPosts =
      !engaged &&
      (bareDates().has(header) || /^(?:author|autor|auteur|autore|published|created|url author)/u.test(header));
    return ofPosts && (field === 'engagement_date' || field === 'engager_name' || field === 'engager_profile_url')
      ? FACTOR.ofPost
      : 1;
  }
}

function kindsOf(columns: readonly Column[]): readonly ListKind[] {
  const all = columns.map(({ name }) => new Set(words(name)));
  const counted = (Object.keys(MARKS) as ListKind[]).map((kind) => ({
    kind,
    marks: all.filter((each) => [...each].some((word) => MARKS[kind].has(word))).length,
  }));
  return counted
    .filter(({ marks }) => marks >= 2)
    .sort((one, other) => other.marks - one.marks)
    .map(({ kind }) => kind);
}

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Headers that mean the same in any order of their words. */
function headers(list: readonly string[]): () => ReadonlySet<string> {
  return once(() => new Set(list.map(bag)));
}
