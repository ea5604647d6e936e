/** Evidence for neither type: records of a business about its own work, and totals instead of events. `what` completes "the rows look like …". */
import type { EvidenceKind, TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

/** Totals of posts: with authors, a row is still a person's post. */
const withoutAuthors = ({ authors }: TableFacts): boolean => !authors;

export const KINDS_OF_NEITHER: readonly EvidenceKind[] = [
  {
    what: 'contacts without an event',
    weights: { neither: 3 },
    headers: 'first_name, last_name, full_name, =name',
    when: ({ people }) => people,
  },
  {
    what: 'contact data',
    weights: { neither: 1.5 },
    headers: 'email, fax_phone',
    check: values.reachable,
    values: values.emails,
  },
  { what: 'totals of posts', weights: { neither: 2, social: -2 }, headers: 'impression', when: withoutAuthors },
  {
    // Companies and persons as accounts: their own posts, not what others did with them.
    what: 'posts of accounts',
    weights: { neither: 3.5, social: -3.5 },
    headers: 'account type',
    check: ({ texts }) => texts.every((text) => /^(?:company|individual|person|page)$/iu.test(text)),
    when: withoutAuthors,
  },
  { what: 'totals of clicks', weights: { neither: 2, social: -1.5 }, headers: 'click', when: withoutAuthors },
  {
    what: 'results of advertising',
    weights: { neither: 3, social: -1 },
    headers: 'advertising',
    check: values.coded,
    when: withoutAuthors,
  },
  {
    what: 'visits of a website in total',
    weights: { neither: 2.5 },
    headers: 'traffic, =user, =visit',
    check: values.counts,
    // What a list of companies says about their websites is about companies.
    when: ({ companies }) => !companies,
  },
  { what: 'telephone calls', weights: { neither: 3 }, headers: 'call' },
  { what: 'support tickets', weights: { neither: 3 }, headers: 'ticket' },
  {
    what: 'activities of a CRM',
    weights: { neither: 2 },
    headers: 'activity type|date|subject|people_of, trade type',
    check: (profile) => !values.reactions(profile),
  },
  { what: 'tasks', weights: { neither: 2 }, headers: 'task, assignee' },
  {
    what: 'invoices or orders',
    weights: { neither: 3 },
    headers: 'invoice, =quantity',
    check: (profile) => values.coded(profile) && !values.companyNames(profile),
  },
  { what: 'stock of products', weights: { neither: 3 }, headers: 'stock' },
  { what: 'prices', weights: { neither: 1 }, headers: '=price' },
  { what: 'answers to a survey', weights: { neither: 3 }, headers: 'question', when: ({ asks }) => asks },
  { what: 'answers to a survey', weights: { neither: 3 }, headers: 'survey' },
  { what: 'results of e-mail campaigns', weights: { neither: 3 }, headers: 'newsletter' },
  { what: 'employees of one company', weights: { neither: 3, signals: -1 }, headers: 'staff' },
  { what: 'payments and expenses', weights: { neither: 3 }, headers: 'bank, deal text|amount' },
  { what: 'meetings', weights: { neither: 3 }, headers: 'meeting, =appointment' },
  {
    what: 'candidates for jobs',
    weights: { neither: 3, signals: -1.5 },
    headers: 'candidate, =applicant, applicant name|email',
  },
  { what: 'works of science or art', weights: { neither: 3, signals: -4 }, headers: 'work' },
  { what: 'plans for posts', weights: { neither: 2.5, social: -2.5 }, headers: 'plan' },
  { what: 'working hours', weights: { neither: 2.5 }, headers: 'hours', check: values.counts },
  { what: 'logs of a server', weights: { neither: 3 }, headers: 'log', check: values.coded },
  { what: 'property for sale or rent', weights: { neither: 3 }, headers: 'property' },
  { what: 'courses and grades', weights: { neither: 3 }, headers: 'course' },
  { what: 'private messages', weights: { neither: 2.5, social: -1 }, headers: 'inbox' },
];
