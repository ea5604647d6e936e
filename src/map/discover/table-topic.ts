/** Detects what a list is about (jobs, funding, news, reviews, technology, visits) and whether its rows are people. */
import type { Column } from './column.ts';
import { isEmail, isFilled, isName, isPerson, isPersonPage, most, share } from './column-facts.ts';
import { type HeaderMatcher, headerMatcher } from './header-words.ts';

/** Kinds of lists, named by the source that their signals have. */
type ListKind = 'funding' | 'job_posting' | 'news' | 'review_site' | 'tech_install' | 'web_visit';

export interface TableTopic {
  /** Whether rows are about people. A title is then probably a person's. */
  readonly people: boolean;
  /** Whether there are columns of an address book. */
  readonly contacts: boolean;
  /** Whether two columns are about companies, besides their names. */
  readonly companies: boolean;
  /** The likeliest first; empty if no kind is likely. */
  readonly kinds: readonly ListKind[];
}

/** Headers that suggest a kind of list. Two columns are enough. */
const KINDS = Object.entries({
  funding: headerMatcher('funding, investment, raised, round, investor, funded'),
  job_posting: headerMatcher('job, job_title, salary, contract, employer'),
  news: headerMatcher('headline, news, publisher, author'),
  review_site: headerMatcher('review, reviewer, rating'),
  tech_install: headerMatcher('tech'),
  web_visit: headerMatcher('visit'),
} satisfies Record<ListKind, HeaderMatcher>) as readonly (readonly [ListKind, HeaderMatcher])[];

const ofVacancies = headerMatcher('vacancy');
const ofAddressBook = headerMatcher('=email, =fax_phone, =first_name, =last_name, =person, =name person');
const ofCompanies = headerMatcher('web, domain, industry, sector, employees, founded, investor, hq');

export function detectTopic(columns: readonly Column[]): TableTopic {
  const people = rowsArePeople(columns);
  const marks = (fits: HeaderMatcher): number => columns.filter(({ meanings }) => fits(meanings)).length;
  return {
    people,
    contacts: people || marks(ofAddressBook) > 0,
    companies: marks(ofCompanies) >= 2,
    // A word for vacancies is enough.
    kinds: KINDS.map(([kind, fits]) => ({
      kind,
      count: marks(fits) + (kind === 'job_posting' ? marks(ofVacancies) : 0),
    }))
      .filter(({ count }) => count >= 2)
      .sort((one, other) => other.count - one.count)
      .map(({ kind }) => kind),
  };
}

/** Headers of people that a table of companies also has: its contacts. */
const ofContacts = headerMatcher('people_of, investor, job_change, contact');
const ofContactNames = headerMatcher('person contact');
const ofCompanyNames = headerMatcher('=company, company name, legal');
const ofNames = headerMatcher('first_name, last_name');
const ofBareNames = headerMatcher('=name, =full_name, =full_name person');
/** A contact or a reviewer of a company is not what a row is about, unless there is a job. */
const ofPersons = headerMatcher('=person, =name person');
const ofJobs = headerMatcher('=job_title, =title, =role, =job, =headline');

function rowsArePeople(columns: readonly Column[]): boolean {
  const company = columns.findIndex(({ meanings }) => ofCompanyNames(meanings));
  const name = columns.findIndex(({ meanings }) => ofNames(meanings));
  // A company and what is known of it, and then its contact.
  if (
    company >= 0 &&
    company < name &&
    columns.slice(company, name).filter(({ meanings }) => ofCompanies(meanings)).length >= 2
  )
    return false;
  const own = columns.filter(({ meanings }) => !ofContacts(meanings));
  const has = (fits: HeaderMatcher): boolean => own.some(({ meanings }) => fits(meanings));
  const titled = has(ofJobs);
  // Names of people are too many to be listed, but their addresses differ from those of companies.
  // A contact in a column of its own has the job and the address: "Name" is the company.
  const hasContact = columns.some(
    ({ meanings, profile }) => ofContactNames(meanings) && share(profile, isName) > 0.5 && !personalEmails(profile),
  );
  const addressed = titled && !hasContact && has(ofBareNames) && own.some(({ profile }) => personalEmails(profile));
  return (
    addressed ||
    has(ofNames) ||
    own.some(({ meanings, profile }) => {
      const isName = ofBareNames(meanings) || (titled && ofPersons(meanings));
      const hasPages = share(profile, isPersonPage) > 0.5 && isFilled(profile);
      return hasPages || (isName && share(profile, isPerson) > 0.5);
    })
  );
}

const GENERIC_MAILBOX =
  /^(?:info|contact|contacto|contatto|contato|kontakt|hello|hi|hallo|hola|ciao|sales|vertrieb|office|team|support|mail|post|admin|biuro|jobs|careers|press|presse)(?:[.-]\w+)?@/iu;

/** Addresses of people, not of companies. */
const personalEmails = most((text) => isEmail(text) && !GENERIC_MAILBOX.test(text));
