/**
 * Detects what a list is about (jobs, funding, news, reviews, technology, visits) and whether its rows are people. A header
 * such as "Title" has a different meaning in each.
 */

import { once } from '../../lib/once.ts';
import type { RecordType } from '../../model/record.ts';
import { isPerson, isPersonPage, share } from './column-facts.ts';
import { firstNames, lastNames } from './header-synonyms.ts';
import { bag, words } from './header-words.ts';
import type { Candidate, Column } from './score.ts';

/** Kinds of lists, named by the source that their signals have. */
export type ListKind = 'funding' | 'job_posting' | 'news' | 'review_site' | 'tech_install' | 'web_visit';

export interface TableTopic {
  /** Whether rows are about people. A title is then probably a person's. */
  readonly people: boolean;
  /** The likeliest first; empty if no kind is likely. */
  readonly kinds: readonly ListKind[];
  /** The candidate with its confidence adjusted to this list. */
  weigh(candidate: Candidate, type: RecordType): Candidate;
}

/**
 * Factors for a candidate's confidence. They move a trusted header (0.84 to 0.97) below the threshold of use (0.8) and keep
 * it above that of a question (0.45). They are not fitted to the fixtures.
 */
const FACTOR = {
  /** "Title" if rows are people: probably a job title. */
  titleOfPerson: 0.6,
  /** "City" in a list without other company columns: that of a venue or a publisher. */
  placeOfAnything: 0.6,
  /** "Name" if rows are people. */
  nameOfPerson: 0.5,
  /** "Website" in a list of articles: perhaps the publisher's. */
  siteOfPublisher: 0.75,
  /** "Date" in a list of people, or next to another date: its meaning is unclear. */
  dateOfAnything: 0.7,
  /** The author and the date of a post, if a row is a post and not an engagement. */
  ofPost: 0.7,
  /** "Name" (0.55) if the other columns can only be a company's: certain. */
  nameOfCompany: 1.55,
} as const;

/** Maximum of a raised confidence: context is never as certain as a header. */
const RAISED = 0.95;

/** Header words that suggest a kind of list. */
const KIND_WORDS: Readonly<Record<ListKind, ReadonlySet<string>>> = {
  funding: wordSet(
    'funding raised round investors investor deal valuation series leve levee investisseurs finanzierung raccolto financiacion captado',
  ),
  job_posting: wordSet(
    'job jobs salary vacancy vacante vaga vacature stelle stellen gehalt salario salaire poste emploi empleo puesto offre hiring applicants remote',
  ),
  news: wordSet(
    'headline article articles publisher published newspaper author noticia artikel presse sentiment outlet actualite',
  ),
  review_site: wordSet('review reviews rating reviewer stars pros cons bewertung avis resena recensione g2 capterra'),
  tech_install: wordSet('technology technologies tech detected technographic cms stack technologie'),
  web_visit: wordSet('visit visits pageviews visitor sessions landing referrer besuch visite visita'),
};

const personTitles = headers('title,headline,job title,position,role,puesto,cargo,titel,poste,posizione,functie');
const bareNames = headers('name,nom,nombre,nome,naam');
const personNames = headers('name,full name,person,person name,lead name,nombre completo,nom complet,nome completo');

/** Names of people who are a company's contact, unless the list is about people and their jobs. */
const contactNames = headers('contact,contact name,contact person,ansprechpartner,kontakt,contactpersoon');

/** Headers of address books. */
const addressBookHeaders = headers(
  'email,e mail,email address,work email,mobile,mobile phone,phone,direct phone,seniority,first name,last name,contact,contact name,contact person,ansprechpartner,contactpersoon',
);

/** Places of a company, a venue or a publisher. */
const barePlaces = headers(
  'city,country,region,country region,state,land,ort,stadt,ville,pays,ciudad,pais,citta,paese,cidade,plaats,stad',
);
const bareDates = headers('date,datum,fecha,data');

/** Headers of company lists. Two of them are enough to detect one. */
const companyHeaders = headers(
  'website,industry,industries,employees,headcount,total funding,hq country,hq city,founded,domain,launch date,investors,branche,webseite,secteur,sector',
);

/** @param aboutCompanies whether columns contain a company's name and another of its properties */
export function detectTopic(columns: readonly Column[], aboutCompanies = false): TableTopic {
  const bags = columns.map((column) => column.bag);
  const has = (known: () => { has(header: string): boolean }): boolean => bags.some((each) => known().has(each));
  const titled = has(personTitles);
  const people =
    (has(firstNames) && has(lastNames)) ||
    columns.some(
      ({ bag, profile }) =>
        share(profile, isPersonPage) > 0.5 ||
        ((personNames().has(bag) || (titled && contactNames().has(bag))) && share(profile, isPerson) > 0.5),
    );
  const contacts = people || has(addressBookHeaders);
  const kinds = kindsOf(columns);
  const companyLike = bags.filter((each) => companyHeaders().has(each)).length >= 2;
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
    switch (field) {
      case 'signal_title': {
        const aboutEvents = kinds.includes('job_posting') || kinds.includes('news');
        return personTitles().has(header) && (people || (contacts && !aboutEvents)) ? FACTOR.titleOfPerson : 1;
      }
      case 'location':
        return barePlaces().has(header) && !aboutCompanies ? FACTOR.placeOfAnything : 1;
      case 'company_domain': {
        const bareSite = /^(?:domain|site|url|web|website)$/u.test(header);
        return kinds[0] === 'news' && bareSite ? FACTOR.siteOfPublisher : 1;
      }
      case 'company_name': {
        if (!bareNames().has(header)) return 1;
        if (people) return FACTOR.nameOfPerson;
        const profile = companyLike ? columns.find(({ name }) => name === column)?.profile : undefined;
        return profile !== undefined && share(profile, isPerson) < 0.2 ? FACTOR.nameOfCompany : 1;
      }
      case 'detected_at':
        return bareDates().has(header) && (people || dates > 1) ? FACTOR.dateOfAnything : 1;
      default:
        return 1;
    }
  }

  function inSocial({ field }: Candidate, header: string): number {
    // Author and date are about the post in a list of posts, and about the person in a list of engagements.
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
  const counted = (Object.keys(KIND_WORDS) as ListKind[]).map((kind) => ({
    kind,
    marks: all.filter((each) => [...each].some((word) => KIND_WORDS[kind].has(word))).length,
  }));
  return counted
    .filter(({ marks }) => marks >= 2)
    .sort((one, other) => other.marks - one.marks)
    .map(({ kind }) => kind);
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Headers, in any order of their words. */
function headers(list: string): () => ReadonlySet<string> {
  return once(() => new Set(list.split(',').map(bag)));
}
