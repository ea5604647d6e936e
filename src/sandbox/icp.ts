/**
 * The ideal customer profile (ICP): which companies qualify. The interface names ICP filtering and shows no profile, so this
 * one is a short list of criteria, and each result states its reason.
 */

export interface IcpProfile {
  readonly employees?: { readonly min?: number | undefined; readonly max?: number | undefined } | undefined;
  /** Any of these, without regard to case. */
  readonly industries?: readonly string[] | undefined;
  /** None of these. */
  readonly excludedIndustries?: readonly string[] | undefined;
  /** The location contains any of these words. */
  readonly locations?: readonly string[] | undefined;
  /** Families of signals; events have none and pass. */
  readonly families?: readonly string[] | undefined;
  /** Result of a criterion if the company's value is unknown. Default `pass`. */
  readonly unknown?: 'pass' | 'fail' | undefined;
}

/** A company's data, from its account or from the record's hints. */
export interface Company {
  readonly employees?: number | undefined;
  readonly industry?: string | undefined;
  readonly location?: string | undefined;
  readonly family?: string | undefined;
}

export interface IcpResult {
  readonly qualified: boolean;
  /** The value that fails a criterion, or the values that pass. */
  readonly because: string;
}

/** The profile without `--icp`. */
export const DEFAULT_PROFILE: IcpProfile = {
  employees: { min: 50, max: 5000 },
  excludedIndustries: ['Gambling', 'Tobacco', 'Weapons'],
};

interface Criterion {
  /** Undefined if the company's value is unknown. */
  readonly matches: (company: Company) => boolean | undefined;
  readonly describe: (company: Company) => string;
}

export function createIcpCheck(profile: IcpProfile): (company: Company) => IcpResult {
  const criteria = criteriaOf(profile);
  return (company) => {
    let because = '';
    for (const { matches, describe } of criteria) {
      const matched = matches(company);
      if (matched === undefined) {
        if (profile.unknown === 'fail') return { qualified: false, because: 'too little data' };
        continue;
      }
      const value = describe(company);
      if (!matched) return { qualified: false, because: value };
      if (!because.includes(value)) because += because === '' ? value : `, ${value}`;
    }
    return { qualified: true, because: because === '' ? 'no criterion applies' : because };
  };
}

function criteriaOf({ employees, industries, excludedIndustries, locations, families }: IcpProfile): Criterion[] {
  const criteria: Criterion[] = [];
  if (employees !== undefined) {
    const { min = 0, max = Number.POSITIVE_INFINITY } = employees;
    criteria.push({
      matches: (company) =>
        company.employees === undefined ? undefined : company.employees >= min && company.employees <= max,
      describe: (company) => `${company.employees} employees`,
    });
  }
  const industry = ({ industry }: Company): string => `industry ${industry}`;
  if (industries !== undefined) {
    criteria.push({
      matches: isOneOf(industries, (company) => company.industry),
      describe: industry,
    });
  }
  if (excludedIndustries !== undefined) {
    const isExcluded = isOneOf(excludedIndustries, (company) => company.industry);
    const matches = (company: Company): boolean | undefined =>
      company.industry === undefined ? undefined : isExcluded(company) === false;
    criteria.push({ matches, describe: industry });
  }
  if (locations !== undefined) {
    const words = locations.map((word) => word.toLowerCase());
    criteria.push({
      matches: ({ location }) =>
        location === undefined ? undefined : words.some((word) => location.toLowerCase().includes(word)),
      describe: ({ location }) => `location ${location}`,
    });
  }
  if (families !== undefined) {
    criteria.push({
      matches: isOneOf(families, (company) => company.family),
      describe: ({ family }) => `family ${family}`,
    });
  }
  return criteria;
}

function isOneOf(list: readonly string[], read: (company: Company) => string | undefined): Criterion['matches'] {
  const known = new Set(list.map((name) => name.trim().toLowerCase()));
  return (company) => {
    const name = read(company);
    return name === undefined ? undefined : known.has(name.trim().toLowerCase());
  };
}
