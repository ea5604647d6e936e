/** The JSON files of `--accounts` and `--icp`, and the defaults. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';

const text = z.string().regex(/\S/, 'expected a text that is not blank');
const employees = z.number().nonnegative();

const ACCOUNTS = z.array(
  z.strictObject({
    name: text,
    domain: text.optional(),
    industry: text.optional(),
    employees: employees.optional(),
    location: text.optional(),
  }),
);

const PROFILE = z.strictObject({
  employees: z.strictObject({ min: employees.optional(), max: employees.optional() }).optional(),
  /** Any of these, without regard to case. */
  industries: z.array(z.string()).optional(),
  /** None of these. */
  excludedIndustries: z.array(z.string()).optional(),
  /** The location contains any of these words. */
  locations: z.array(z.string()).optional(),
  /** Families of signals; events have none and pass. */
  families: z.array(z.string()).optional(),
  /** Result of a criterion if the company's value is unknown. Default `pass`. */
  unknown: z.enum(['pass', 'fail']).optional(),
});

export type Account = Readonly<z.infer<typeof ACCOUNTS>[number]>;

/** The ideal customer profile (ICP): which companies qualify. */
export type IcpProfile = Readonly<z.infer<typeof PROFILE>>;

/** @throws ProblemError `sandbox.accounts` */
export function readAccounts(path: string): readonly Account[] {
  return read(path, ACCOUNTS, 'sandbox.accounts', 'accounts');
}

/** @throws ProblemError `sandbox.icp` */
export function readIcpProfile(path: string): IcpProfile {
  return read(path, PROFILE, 'sandbox.icp', 'ICP');
}

function read<T>(path: string, schema: z.ZodType<T>, code: string, name: string): T {
  const fail = (why: string): never => {
    throw new ProblemError({
      code,
      message: `The ${name} file cannot be used: ${why}.`,
      where: path,
      hint: 'docs/sandbox.md describes the file, with an example.',
    });
  };
  let json: string;
  try {
    json = readFileSync(path, 'utf8');
  } catch (error) {
    return fail(`the file cannot be read (${messageOf(error)})`);
  }
  let value: unknown;
  try {
    // Some editors add a byte order mark.
    value = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's message quotes the file and depends on the version of Node.
    return fail('the file is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path: keys, message } = { path: [], message: '' }] = parsed.error.issues;
  // Such as `[1].name` or `employees.min`; empty for the whole file.
  const place = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return fail(
    [place.replace(/^\./, ''), message.replace(/^Invalid (?:input|option): /, '')].filter(Boolean).join(': '),
  );
}

/** The profile without `--icp`. */
export const DEFAULT_PROFILE: IcpProfile = {
  employees: { min: 50, max: 5000 },
  excludedIndustries: ['Gambling', 'Tobacco', 'Weapons'],
};

const EXAMPLES = [
  ['Northwind Robotics', 'northwindrobotics.example', 'Industrial automation', 180, 'Hamburg, Germany'],
  ['Kestrel Analytics', 'kestrel-analytics.example', 'Software', 95, 'Lisbon, Portugal'],
  ['Oak & Ember Foods', 'oakandember.example', 'Food production', 1200, 'Lyon, France'],
  ['Meridian Freight', 'meridianfreight.example', 'Logistics', 2300, 'Rotterdam, Netherlands'],
  ['Solara Energi', 'solaraenergi.example', 'Energy', 260, 'Stockholm, Sweden'],
  ['Quillon Software', 'quillon.example', 'Software', 75, 'Berlin, Germany'],
  ['Harborview Hotels', 'harborviewhotels.example', 'Hospitality', 5200, 'Miami, FL'],
  ['Vantage Mobility', 'vantagemobility.example', 'Automotive', 340, 'Leeds, United Kingdom'],
  ['Cobalt Security', 'cobaltsecurity.example', 'Computer security', 150, 'Toronto, Canada'],
  ['Lumen Classroom', 'lumenclassroom.example', 'Education', 31, 'Austin, TX'],
  ['Willowbrook Media', 'willowbrook.example', 'Media', 64, 'Melbourne, Australia'],
  ['Zephyr Drones', 'zephyrdrones.example', 'Aerospace', 45, 'Toulouse, France'],
] as const;

/** The accounts without `--accounts`: fictional companies of this project's examples. */
export const DEFAULT_ACCOUNTS: readonly Account[] = EXAMPLES.map(([name, domain, industry, employees, location]) => {
  return { name, domain, industry, employees, location };
});
