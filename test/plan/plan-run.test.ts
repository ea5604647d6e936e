import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Plan, type PlanRequest, planRun } from '../../src/plan/index.ts';
import { OpenPointError } from '../../src/plan/undecided-input.ts';
import { problemFrom, problemsFrom } from '../support/problems.ts';

const HEADER = 'company_name,signal_title,signal_source\n';
const ROW = 'Acme,Raises $2M,news\n';
/** The e-acute and u-umlaut of windows-1252, which are not valid UTF-8. */
const LATIN = Buffer.from(`${HEADER}Caf\xe9,M\xfcller ernannt,news\n`, 'latin1');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'plan-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, content: string | Buffer): Promise<string> {
  const location = path.join(folder, name);
  await writeFile(location, content);
  return location;
}

function requestFor(files: readonly string[], more: Partial<PlanRequest> = {}): PlanRequest {
  return {
    files,
    variant: 'auto',
    columns: [],
    constants: [],
    suggest: (...words) => ['signals', ...words].join(' '),
    decode: { maxRowBytes: 2 ** 20, ragged: 'reject' },
    batchSize: 100,
    maxBytes: 10_000_000,
    skip: 0,
    limit: Number.POSITIVE_INFINITY,
    ...more,
  };
}

/** Plans a run and closes its inputs. */
async function planOf(request: PlanRequest, stdin = Readable.from([])): Promise<Plan> {
  const plan = await planRun(request, stdin);
  for (const { source } of plan.job.inputs) await source.close();
  return plan;
}

describe('planRun', () => {
  it('reports the problems of all inputs at once', async () => {
    const latin = await file('latin.csv', LATIN);
    const good = await file('good.csv', HEADER + ROW);
    const jumble = await file('jumble.csv', 'a;b|c,d\n1;2|3,4\n');
    const problems = await problemsFrom(planOf(requestFor([latin, good, jumble])));
    expect(problems.map(({ where, code }) => [where, code])).toStrictEqual([
      [latin, 'input.encoding'],
      [jumble, 'input.delimiter'],
    ]);
  });

  it('accepts a guessed encoding only if the user will be asked about it', async () => {
    const latin = await file('latin.csv', LATIN);
    expect(await problemFrom(planOf(requestFor([latin])))).toMatchObject({ code: 'input.encoding' });
    const plan = await planOf(requestFor([latin], { mayAsk: true }));
    expect(plan.guessed).toMatchObject([{ name: latin, guess: { encoding: 'windows-1252' } }]);
  });

  it('proposes a mapping together with the guess of an encoding, and commands that continue with it', async () => {
    const latin = await file('open.csv', Buffer.from('Company,Website\nM\xfcller,mueller.example\n', 'latin1'));
    const [guess, open] = await problemsFrom(planOf(requestFor([latin], { type: 'signals' })));
    expect(guess?.hint).toContain('If that reads right, use the commands below.');
    expect(open?.code).toBe('mapping.required');
    expect(open?.hint).toContain(`signals map ${latin} --type signals --encoding windows-1252`);
  });

  it('gives options precedence over `input:` of the mapping', async () => {
    const input = await file('in.txt', 'company_name;signal_title|signal_source\n');
    const mapFile = await file(
      'm.yaml',
      'input: { delimiter: "|", format: csv }\nfields: { company_name: A, signal_title: B, signal_source: C }',
    );
    const decode = { maxRowBytes: 1000, ragged: 'reject', delimiter: ';' } as const;
    const [problem] = await problemsFrom(planOf(requestFor([input], { mapFile, decode })));
    expect(problem?.message).toContain('The columns are "company_name" and "signal_title|signal_source".');
    expect(problem?.hint).toMatch(
      /^Without `--delimiter`, .* are "company_name;signal_title" and "signal_source"\. With it/,
    );
  });

  it('refuses a sheet of files that are no workbooks', async () => {
    const decode = { ...requestFor([]).decode, sheet: '2' };
    const request = requestFor([await file('in.csv', HEADER + ROW)], { decode, skipBadFiles: true });
    expect((await problemFrom(planOf(request))).message).toMatch(/^--sheet does not apply: '.*' is not a workbook\.$/);
  });

  it('does not send signals and events of NDJSON files in one run, and takes files without some paths together', async () => {
    const signals = await file('a.ndjson', '{"company_name":"A","signal_title":"t","signal_source":"news"}\n');
    const events = await file('b.ndjson', '{"platform":"x","engagement_type":"like","engager_name":"B"}\n');
    const problem = await problemFrom(planOf(requestFor([signals, events])));
    expect(problem).toMatchObject({ code: 'mapping.layouts', where: events });
    const part = await file('c.ndjson', '{"company_name":"C"}\n');
    const { job, brief } = await planOf(requestFor([part, signals]));
    expect(job.inputs).toHaveLength(2);
    expect(brief[0]).toContain('all 3 columns match by name');
  });

  it('uses a mapping that the user has completed instead of detecting one', async () => {
    const input = await file('in.csv', 'company_name,signal_title,Industry\nAcme,Raises $2M,Software\n');
    const fields = {
      company_name: { column: 'company_name' },
      signal_title: { column: 'signal_title' },
      signal_source: { value: 'news' },
    };
    const plan = await planOf(requestFor([input], { mapping: { type: 'signals', variant: 'a', fields } }));
    expect(plan.mapping.fields).toEqual(fields);
    expect(plan).toMatchObject({ isGuess: false, proposal: undefined });
  });
});

describe('an object around an array of objects', () => {
  const rows = '[{"company_name":"A","signal_title":"t","signal_source":"news"},{"company_name":"B"}]';

  it.each([
    ['on one line', `{"data":${rows},"total":2}`, 'data', `'.["data"]'`],
    [
      'on several lines',
      `{\n"total":2,\n"my rows":\n${rows.replace(/(?<=,)\{.*\}/, '\n$&\n')}\n}\n`,
      'my rows',
      `'.["my rows"]'`,
    ],
  ])('is refused: %s', async (_, text, array, filter) => {
    const wrapper = await file('w.json', text);
    const problem = await problemFrom(planOf(requestFor([wrapper])));
    expect(problem).toMatchObject({ code: 'input.format', where: wrapper });
    expect(problem.message).toContain(`the rows in its array "${array}"`);
    expect(problem.hint).toContain(`\`jq ${filter} ${wrapper} > rows.json\``);
  });

  it('is a record if it has a field of one, or if the format is given', async () => {
    const record = '{"company_name":"A","signal_title":"t","signal_source":"news","people":[{"name":"B"}]}\n';
    await planOf(requestFor([await file('one.ndjson', record)]));
    const wrapped = await file('data.json', `{"data":${rows}}`);
    const decode = { ...requestFor([]).decode, format: 'ndjson' } as const;
    const columns = ['company_name', 'signal_title', 'signal_source'].map((field) => `${field}=data.0.${field}`);
    expect((await planOf(requestFor([wrapped], { decode, columns }))).job.inputs).toHaveLength(1);
  });
});

describe('inputs with different headers', () => {
  it('share a run if they come to the same mapping', async () => {
    const one = await file('one.csv', HEADER + ROW);
    const other = await file('other.csv', `Shoe,${HEADER}9,${ROW}`);
    const plan = await planOf(requestFor([one, other]));
    expect(plan.job.inputs).toHaveLength(2);
  });

  it('are refused together with the files that cannot be read or mapped, so that no file is unmentioned', async () => {
    await file('1.csv', '');
    await file('2.csv', LATIN);
    await file('3.csv', 'a,b\n1,2\n');
    await file('4.csv', 'c,d\n1,2\n');
    const one = await file('5.csv', HEADER + ROW);
    const other = await file('6.csv', `Industry,${HEADER}Software,${ROW}`);
    const codes = ['input.empty', 'input.encoding', 'mapping.type', 'mapping.type', 'mapping.layouts'];
    const problems = await problemsFrom(planOf(requestFor([folder])));
    expect(problems.map(({ code }) => code)).toStrictEqual(codes);
    expect(problems[3]?.hint).toContain(`\`signals upload ${path.join(folder, '4.csv')} --type signals\``);
    const commands = [one, other].map((name) => expect.stringContaining(`\`signals upload ${name}\``));
    for (const command of commands) expect(problems[4]?.hint).toEqual(command);
    const skipping = await problemsFrom(planOf(requestFor([folder], { skipBadFiles: true })));
    expect(skipping.map(({ code }) => code)).toStrictEqual(codes);
  });
});

describe('a required field without a column', () => {
  it('is refused with the mapping so far and the commands that complete it', async () => {
    const input = await file('in.csv', 'company_name,signal_title\nAcme,Raises $2M\n');
    const misspelt = requestFor([input], { type: 'signals', columns: ['industry=Idustry'] });
    expect(await problemsFrom(planOf(misspelt))).toMatchObject([
      { code: 'mapping.column' },
      { code: 'mapping.required' },
    ]);
    const error: unknown = await planOf(requestFor([input], { type: 'signals' })).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(OpenPointError);
    if (!(error instanceof OpenPointError)) return;
    expect(error).toMatchObject({ reopenable: true, open: { variant: { variant: 'a' } } });
    expect(error.problems[0]?.message).toBe(
      'signals (variant a) requires "signal_source", but no column clearly contains it.',
    );
    expect(error.problems[0]?.hint).toContain('--set signal_source=other');
    expect(error.problems[0]?.hint).toContain(
      `signals map ${input} --type signals --set signal_source=VALUE --accept -o ${input}.mapping.yaml`,
    );
  });
});
