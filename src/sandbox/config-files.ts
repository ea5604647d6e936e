/** The two files that a sandbox can be given: accounts, and the ideal customer profile. JSON, read at the start. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { Account } from './accounts.ts';
import type { IcpProfile } from './icp.ts';

type Json = Readonly<Record<string, unknown>>;

const ACCOUNT_KEYS = ['name', 'domain', 'industry', 'employees', 'location'];
const PROFILE_KEYS = ['employees', 'industries', 'excludedIndustries', 'locations', 'families', 'unknown'];

/**
 * An array of objects `{name, domain?, industry?, employees?, location?}`.
 *
 * @throws ProblemError `sandbox.accounts`
 */
export function readAccounts(path: string): readonly Account[] {
  const refuse = refusing('sandbox.accounts', path);
  const list = parse(path, refuse);
  if (!Array.isArray(list)) return refuse('expected an array of accounts');
  return list.map((item: unknown, index) => {
    const at = `account ${index + 1}`;
    if (!isObject(item)) return refuse(`${at} is no object`);
    noOthers(item, ACCOUNT_KEYS, (key) => refuse(`${at} has the unknown key ${key}`));
    const text = (key: string): string | undefined => {
      const value = item[key];
      if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value;
      return refuse(`${key} of ${at} must be a text`);
    };
    const name = text('name') ?? refuse(`${at} has no name`);
    const [domain, industry, location] = [text('domain'), text('industry'), text('location')];
    const employees = number(item['employees'], () => refuse(`employees of ${at} must be a number`));
    return {
      name,
      ...(domain === undefined ? {} : { domain }),
      ...(industry === undefined ? {} : { industry }),
      ...(employees === undefined ? {} : { employees }),
      ...(location === undefined ? {} : { location }),
    };
  });
}

/**
 * One object, see {@link IcpProfile}.
 *
 * @throws ProblemError `sandbox.icp`
 */
export function readIcpProfile(path: string): IcpProfile {
  const refuse = refusing('sandbox.icp', path);
  const profile = parse(path, refuse);
  if (!isObject(profile)) return refuse('expected an object');
  noOthers(profile, PROFILE_KEYS, (key) => refuse(`the key ${key} is unknown`));
  const list = (key: string): readonly string[] | undefined => {
    const value = profile[key];
    if (value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'))) {
      return value;
    }
    return refuse(`${key} must be an array of texts`);
  };
  const [industries, excludedIndustries] = [list('industries'), list('excludedIndustries')];
  const [locations, families] = [list('locations'), list('families')];
  const { employees, unknown } = profile;
  if (unknown !== undefined && unknown !== 'pass' && unknown !== 'fail') {
    return refuse('unknown must be "pass" or "fail"');
  }
  if (employees !== undefined && !isObject(employees)) {
    return refuse('employees must be an object such as {"min":50,"max":5000}');
  }
  if (employees !== undefined) {
    noOthers(employees, ['min', 'max'], (key) => refuse(`employees has the unknown key ${key}`));
  }
  const [min, max] = ['min', 'max'].map((key) =>
    number(employees?.[key], () => refuse(`${key} of employees must be a number`)),
  );
  return {
    ...(employees === undefined
      ? {}
      : { employees: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) } }),
    ...(industries === undefined ? {} : { industries }),
    ...(excludedIndustries === undefined ? {} : { excludedIndustries }),
    ...(locations === undefined ? {} : { locations }),
    ...(families === undefined ? {} : { families }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

type Refuse = (why: string) => never;

function refusing(code: string, path: string): Refuse {
  return (why) => {
    throw new ProblemError({
      code,
      message: `${code === 'sandbox.icp' ? 'The profile' : 'The accounts'} cannot be used: ${why}.`,
      where: path,
      hint: 'What these files hold stands in docs/sandbox.md, with an example.',
    });
  };
}

function parse(path: string, refuse: Refuse): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return refuse(`the file cannot be read (${messageOf(error)})`);
  }
  try {
    // Editors on Windows put a mark at the beginning.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // What the parser says quotes the file, and differs from one version of Node to the next.
    return refuse('the file is not JSON');
  }
}

function noOthers(object: Json, known: readonly string[], refuse: (key: string) => never): void {
  const other = Object.keys(object).find((key) => !known.includes(key));
  if (other !== undefined) refuse(JSON.stringify(other.slice(0, 40)));
}

function number(value: unknown, refuse: () => never): number | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'number' && value >= 0 ? value : refuse();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
