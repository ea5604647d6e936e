/** Reads the JSON files of `--accounts` and `--icp`. */
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
  const fail = failure('sandbox.accounts', path);
  const list = parse(path, fail);
  if (!Array.isArray(list)) return fail('expected an array of accounts');
  return list.map((item: unknown, index) => {
    const at = `account ${index + 1}`;
    if (!isObject(item)) return fail(`${at} is not an object`);
    checkKeys(item, ACCOUNT_KEYS, (key) => fail(`${at} has the unknown key ${key}`));
    const text = (key: string): string | undefined => {
      const value = item[key];
      if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value;
      return fail(`${key} of ${at} must be a string`);
    };
    const name = text('name') ?? fail(`${at} has no name`);
    return {
      name,
      domain: text('domain'),
      industry: text('industry'),
      employees: number(item['employees'], () => fail(`employees of ${at} must be a number`)),
      location: text('location'),
    };
  });
}

/**
 * One object, see {@link IcpProfile}.
 *
 * @throws ProblemError `sandbox.icp`
 */
export function readIcpProfile(path: string): IcpProfile {
  const fail = failure('sandbox.icp', path);
  const profile = parse(path, fail);
  if (!isObject(profile)) return fail('expected an object');
  checkKeys(profile, PROFILE_KEYS, (key) => fail(`the key ${key} is unknown`));
  const list = (key: string): readonly string[] | undefined => {
    const value = profile[key];
    if (value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'))) {
      return value;
    }
    return fail(`${key} must be an array of strings`);
  };
  const { employees, unknown } = profile;
  if (unknown !== undefined && unknown !== 'pass' && unknown !== 'fail') {
    return fail('unknown must be "pass" or "fail"');
  }
  if (employees !== undefined && !isObject(employees)) {
    return fail('employees must be an object such as {"min":50,"max":5000}');
  }
  if (employees !== undefined) {
    checkKeys(employees, ['min', 'max'], (key) => fail(`employees has the unknown key ${key}`));
  }
  const bound = (key: string): number | undefined =>
    number(employees?.[key], () => fail(`${key} of employees must be a number`));
  return {
    employees: employees && { min: bound('min'), max: bound('max') },
    industries: list('industries'),
    excludedIndustries: list('excludedIndustries'),
    locations: list('locations'),
    families: list('families'),
    unknown,
  };
}

type Fail = (why: string) => never;

function failure(code: string, path: string): Fail {
  return (why) => {
    throw new ProblemError({
      code,
      message: `${code === 'sandbox.icp' ? 'The ICP' : 'The accounts'} file cannot be used: ${why}.`,
      where: path,
      hint: 'docs/sandbox.md describes the file, with an example.',
    });
  };
}

function parse(path: string, fail: Fail): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return fail(`the file cannot be read (${messageOf(error)})`);
  }
  try {
    // Some editors add a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's message quotes the file and depends on the version of Node.
    return fail('the file is not JSON');
  }
}

function checkKeys(object: Json, known: readonly string[], fail: (key: string) => never): void {
  const other = Object.keys(object).find((key) => !known.includes(key));
  if (other !== undefined) fail(JSON.stringify(other.slice(0, 40)));
}

function number(value: unknown, fail: () => never): number | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'number' && value >= 0 ? value : fail();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
