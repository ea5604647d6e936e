/**
 * Which companies match the ideal customer profile (ICP). The interface names ICP filtering and shows no profile, so this
 * one is a short list of criteria, and each result states its reason.
 */
import type { Account, IcpProfile } from './profile-files.ts';

/** A company's data, from its account or from the record's hints; `family` is that of the signal. */
export type Company = Omit<Account, 'name' | 'domain'> & { readonly family?: string | undefined };

export interface IcpResult {
  readonly qualified: boolean;
  /** The value that fails a criterion, or the values that pass. */
  readonly because: string;
}

/** A criterion of the profile. */
interface Criterion {
  readonly name: keyof Company;
  /** @param value trimmed, in lower case */
  readonly allows: (value: string) => boolean;
}

export function createIcpCheck(profile: IcpProfile): (company: Company) => IcpResult {
  const criteria = criteriaOf(profile);
  return (company) => {
    const passed = new Set<string>();
    for (const { name, allows } of criteria) {
      const value = company[name];
      if (value === undefined) {
        if (profile.unknown === 'fail') return { qualified: false, because: 'too little data' };
        continue;
      }
      const description = name === 'employees' ? `${value} employees` : `${name} ${value}`;
      if (!allows(String(value).trim().toLowerCase())) return { qualified: false, because: description };
      passed.add(description);
    }
    return { qualified: true, because: [...passed].join(', ') || 'no criterion applies' };
  };
}

function criteriaOf({ employees, industries, excludedIndustries, locations, families }: IcpProfile): Criterion[] {
  const { min = 0, max = Number.POSITIVE_INFINITY } = employees ?? {};
  const isExcluded = isOneOf(excludedIndustries ?? []);
  const words = locations?.map((word) => word.toLowerCase());
  const criteria: readonly (Criterion | undefined)[] = [
    employees && { name: 'employees', allows: (value) => Number(value) >= min && Number(value) <= max },
    industries && { name: 'industry', allows: isOneOf(industries) },
    excludedIndustries && { name: 'industry', allows: (value) => !isExcluded(value) },
    words && { name: 'location', allows: (value) => words.some((word) => value.includes(word)) },
    families && { name: 'family', allows: isOneOf(families) },
  ];
  return criteria.filter((criterion) => criterion !== undefined);
}

function isOneOf(list: readonly string[]): (value: string) => boolean {
  const known = new Set(list.map((name) => name.trim().toLowerCase()));
  return (value) => known.has(value);
}
