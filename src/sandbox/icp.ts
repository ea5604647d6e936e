/**
 * The ideal customer profile: which companies qualify. interface.md names ICP filtering and shows no profile, so
 * this one is a short list of criteria, and each verdict says what it rests on.
 */

export interface IcpProfile {
  readonly employees?: { readonly min?: number; readonly max?: number };
  /** Any of these, without regard to case. */
  readonly industries?: readonly string[];
  /** None of these. */
  readonly excludedIndustries?: readonly string[];
  /** Any of these words stands in the location. */
  readonly locations?: readonly string[];
  /** Families of signals; events have none and pass. */
  readonly families?: readonly string[];
  /** What a criterion says of a company of which nothing is known. Default `pass`. */
  readonly unknown?: 'pass' | 'fail';
}

/** What is known of the company: from its account, else from the record's own hints. */
export interface Company {
  readonly employees?: number | undefined;
  readonly industry?: string | undefined;
  readonly location?: string | undefined;
  readonly family?: string | undefined;
}

export interface IcpResult {
  readonly qualified: boolean;
  /** The first criterion that it fails, or what it passed. */
  readonly because: string;
}

/** `--icp` without a file: middle-sized companies, of which the size may be unknown. */
export const DEFAULT_PROFILE: IcpProfile = {
  employees: { min: 50, max: 5000 },
  excludedIndustries: ['Gambling', 'Tobacco', 'Weapons'],
};

/** What a criterion says of a company: undefined where nothing is known. */
interface Criterion {
  readonly fits: (company: Company) => boolean | undefined;
  readonly about: (company: Company) => string;
}

/** Judges companies by the profile. The criteria that it names are put together once. */
export function createIcpCheck(profile: IcpProfile): (company: Company) => IcpResult {
  const criteria = criteriaOf(profile);
  return (company) => {
    let because = '';
    for (const { fits, about } of criteria) {
      const verdict = fits(company);
      if (verdict === undefined) {
        if (profile.unknown === 'fail') return { qualified: false, because: 'too little is known' };
        continue;
      }
      const what = about(company);
      if (!verdict) return { qualified: false, because: what };
      if (!because.includes(what)) because += because === '' ? what : `, ${what}`;
    }
    return { qualified: true, because: because === '' ? 'nothing speaks against it' : because };
  };
}

function criteriaOf({
  employees,
  industries,
  excludedIndustries,
  locations,
  families,
}: IcpProfile): Criterion[] {
  const criteria: Criterion[] = [];
  if (employees !== undefined) {
    const { min = 0, max = Number.POSITIVE_INFINITY } = employees;
    criteria.push({
      fits: (company) =>
        company.employees === undefined ? undefined : company.employees >= min && company.employees <= max,
      about: (company) => `${company.employees} employees`,
    });
  }
  const industry = ({ industry }: Company): string => `industry ${industry}`;
  if (industries !== undefined) {
    criteria.push({ fits: among(industries, (company) => company.industry), about: industry });
  }
  if (excludedIndustries !== undefined) {
    const isAmong = among(excludedIndustries, (company) => company.industry);
    const fits = (company: Company): boolean | undefined =>
      company.industry === undefined ? undefined : isAmong(company) === false;
    criteria.push({ fits, about: industry });
  }
  if (locations !== undefined) {
    const words = locations.map((word) => word.toLowerCase());
    criteria.push({
      fits: ({ location }) =>
        location === undefined ? undefined : words.some((word) => location.toLowerCase().includes(word)),
      about: ({ location }) => `location ${location}`,
    });
  }
  if (families !== undefined) {
    criteria.push({
      fits: among(families, (company) => company.family),
      about: ({ family }) => `family ${family}`,
    });
  }
  return criteria;
}

function among(list: readonly string[], read: (company: Company) => string | undefined): Criterion['fits'] {
  const known = new Set(list.map((name) => name.trim().toLowerCase()));
  return (company) => {
    const name = read(company);
    return name === undefined ? undefined : known.has(name.trim().toLowerCase());
  };
}
