/** Evidence for neither type: records of a business about its own work, and totals instead of events. `what` completes "the rows look like …". */
import type { EvidenceKind, TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

/** Totals of posts: with authors, a row is still a person's post. */
const withoutAuthors = ({ authors }: TableFacts): boolean => !authors;

/** What people write to a company on networks is a ticket only to the tool that collects it. */
const withoutNetworks = ({ networks }: TableFacts): boolean => !networks;

export const KINDS_OF_NEITHER: readonly EvidenceKind[] = [
  {
    what: 'totals, not events',
    weight: 3,
    others: { social: -2 },
    values: values.counts,
    when: ({ measures }) => measures,
  },
  { what: 'marks for each day', weight: 3, values: values.marks, when: ({ days }) => days },
  {
    what: 'contacts without an event',
    weight: 3,
    headers: 'first_name, last_name, full_name, =name',
    when: ({ people }) => people,
  },
  { what: 'contact data', weight: 1.5, headers: 'email, fax_phone', check: values.reachable, values: values.emails },
  { what: 'totals of posts', weight: 2, others: { social: -3 }, headers: 'impression', when: withoutAuthors },
  {
    // Companies and persons as accounts: their own posts, not what others did with them.
    what: 'posts of accounts',
    weight: 3.5,
    others: { social: -3.5 },
    headers: 'account type',
    check: ({ texts }) => texts.every((text) => /^(?:company|individual|person|page)$/iu.test(text)),
    when: withoutAuthors,
  },
  { what: 'totals of clicks', weight: 2, others: { social: -2.5 }, headers: 'click', when: withoutAuthors },
  {
    what: 'results of advertising',
    weight: 3,
    others: { social: -1 },
    headers: 'advertising',
    check: values.coded,
    when: withoutAuthors,
  },
  {
    what: 'visits of a website in total',
    weight: 2.5,
    headers: 'traffic !impression, =user, =visit',
    check: values.counts,
    when: ({ companies }) => !companies,
  },
  { what: 'telephone calls', weight: 3, headers: 'call' },
  { what: 'support tickets', weight: 3, headers: 'ticket', when: withoutNetworks },
  {
    what: 'activities of a CRM',
    weight: 2,
    headers: 'activity type|date|subject|people_of, trade type',
    check: (profile) => !values.reactions(profile),
  },
  { what: 'tasks', weight: 2, headers: 'task, =assignee' },
  {
    what: 'invoices or orders',
    weight: 3,
    headers: 'invoice, =quantity',
    check: (profile) => values.coded(profile) && !values.companyNames(profile),
  },
  { what: 'stock of products', weight: 3, headers: 'stock' },
  { what: 'prices', weight: 1, headers: '=price' },
  { what: 'answers to a survey', weight: 3, headers: 'question', when: ({ asks }) => asks },
  { what: 'answers to a survey', weight: 3, headers: 'survey' },
  { what: 'results of e-mail campaigns', weight: 3, headers: 'newsletter' },
  { what: 'employees of one company', weight: 3, others: { signals: -1 }, headers: 'staff' },
  { what: 'payments and expenses', weight: 3, headers: 'bank, deal text|amount' },
  { what: 'meetings', weight: 3, headers: 'meeting, =appointment' },
  {
    what: 'candidates for jobs',
    weight: 3,
    others: { signals: -1.5 },
    headers: 'candidate, =applicant, applicant name|email',
  },
  { what: 'works of science or art', weight: 3, others: { signals: -4 }, headers: 'work' },
  { what: 'plans for posts', weight: 2.5, others: { social: -2.5 }, headers: 'plan !message' },
  {
    what: 'working hours',
    weight: 2.5,
    headers: 'hours',
    check: (profile) => values.counts(profile) || profile.distinct.length <= 3,
  },
  { what: 'reviews of an app', weight: 3, others: { signals: -4 }, headers: 'app' },
  { what: 'logs of a server', weight: 3, headers: 'log', check: values.coded },
  { what: 'property for sale or rent', weight: 3, headers: 'property' },
  { what: 'courses and grades', weight: 3, headers: 'course' },
  { what: 'private messages', weight: 2.5, others: { social: -1 }, headers: 'inbox !profile', when: withoutNetworks },
];
