/** The question whether a file is a list of signals or of social engagement. */
import { printable } from '../../lib/printable.ts';
import type { TypeFit, UndecidedType } from '../../map/index.ts';
import type { RecordType } from '../../model/record.ts';
import { Cancelled, type Prompts } from '../../terminal/prompts.ts';

const ABOUT: Readonly<Record<RecordType, string>> = {
  signals: 'signals: news of companies, such as funding, jobs or technology',
  social: 'social: what people did with posts, such as likes and comments',
};

/** Columns named for each type. */
const COLUMNS_SHOWN = 5;

/** @throws Cancelled if it is neither */
export async function askType(prompts: Prompts, name: string, { fits, neither }: UndecidedType): Promise<RecordType> {
  const found = fits.filter(({ evidence }) => evidence.length > 0).map(fitOf);
  const doubt = neither === undefined ? '' : ` It seems to be neither: ${printable(neither)}.`;
  const answer = await prompts.select<RecordType | 'neither'>(
    `Is ${printable(name)} a list of signals or of social engagement?${doubt}${found.length === 0 ? '' : ` ${found.join('; ')}.`}`,
    [
      ...fits.map(({ type }) => ({ value: type, label: ABOUT[type] })),
      { value: 'neither', label: 'neither: stop here' },
    ],
    { initial: neither === undefined ? undefined : 'neither' },
  );
  if (answer === 'neither') throw new Cancelled();
  return answer;
}

/** `3 columns fit signals (Company, Website, Amount)`. */
function fitOf({ type, evidence }: TypeFit): string {
  const names = evidence.slice(0, COLUMNS_SHOWN).map(({ column }) => printable(column, 40));
  const more = evidence.length > COLUMNS_SHOWN ? ', …' : '';
  const columns = names.length === 0 ? '' : ` (${names.join(', ')}${more})`;
  return `${evidence.length} ${evidence.length === 1 ? 'column fits' : 'columns fit'} ${type}${columns}`;
}
