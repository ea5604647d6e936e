/**
 * The ideal customer profile: which companies qualify. interface.md names ICP filtering and shows no profile, so
 * this one is a short list of criteria, and each verdict says what it rests on.
 */

export interface Profile {
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

export interface Verdict {
  readonly qualified: boolean;
  /** The first criterion that it fails, or what it passed. */
  readonly because: string;
}

/** `--icp` without a file: middle-sized companies, of which the size may be unknown. */
export const DEFAULT_PROFILE: Profile = {
  employees: { min: 50, max: 5000 },
  excludedIndustries: ['Gambling', 'Tobacco', 'Weapons'],
};

export function qualify(profile: Profile, company: Company): Verdict {
  const { employees, industry, location, family } = company;
  const passed: string[] = [];
  const verdicts = [
    judge(profile.employees, employees, ({ min = 0, max = Number.POSITIVE_INFINITY }, count) => [
      count >= min && count <= max,
      `${count} employees`,
    ]),
    judge(profile.industries, industry, (list, name) => [has(list, name), `industry ${name}`]),
    judge(profile.excludedIndustries, industry, (list, name) => [!has(list, name), `industry ${name}`]),
    judge(profile.locations, location, (list, place) => [
      list.some((word) => place.toLowerCase().includes(word.toLowerCase())),
      `location ${place}`,
    ]),
    judge(profile.families, family, (list, name) => [has(list, name), `family ${name}`]),
  ];
  for (const verdict of verdicts) {
    if (verdict === undefined) continue;
    if (verdict === 'unknown') {
      if (profile.unknown === 'fail') return { qualified: false, because: 'too little is known' };
      continue;
    }
    const [fits, what] = verdict;
    if (!fits) return { qualified: false, because: what };
    if (!passed.includes(what)) passed.push(what);
  }
  return { qualified: true, because: passed.length === 0 ? 'nothing speaks against it' : passed.join(', ') };
}

function judge<C, V>(
  criterion: C | undefined,
  value: V | undefined,
  test: (criterion: C, value: V) => readonly [boolean, string],
): readonly [boolean, string] | 'unknown' | undefined {
  if (criterion === undefined) return undefined;
  return value === undefined ? 'unknown' : test(criterion, value);
}

function has(list: readonly string[], name: string): boolean {
  const wanted = name.trim().toLowerCase();
  return list.some((one) => one.trim().toLowerCase() === wanted);
}
