/** `signals report`: writes one self-contained HTML page about a run. Sends nothing. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonOptions, findRunFolder } from '../app/find-run.ts';
import { reportFacts } from '../app/report-facts.ts';
import { viewRun } from '../app/run-context.ts';
import { writePrivateFile } from '../journal/file-system.ts';
import { assertPlainFiles } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { flag, text, usageError } from '../options/option-spec.ts';
import { reportPage } from '../report/page.ts';
import { Timeline } from '../report/timeline.ts';
import { defineCommand } from './command.ts';

export const command = defineCommand({
  options: {
    output: text('file', 'file to write (default: report.html in the run folder); - for stdout', { short: 'o' }),
    open: flag('open the page in the browser'),
    ...commonOptions,
  },
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last".',
    '',
    'The page has rows of the input: share it only with people who may see them.',
    '',
    'Examples:',
    '  signals report last --open',
    '  signals report last -o report.html',
  ],
  async run(context, [wanted = 'last'], options) {
    const { streams } = context;
    const { output, open, json } = options;
    if (output === '-' && (open || json))
      throw usageError('With -o -, the page is on stdout: leave out --open and --json.');
    const folder = await findRunFolder(context, options, wanted);
    assertPlainFiles(folder.path);
    const timeline = new Timeline();
    const view = await viewRun(context, options, folder, timeline.on);
    const page = reportPage(await reportFacts(view, timeline.facts()));
    if (output === '-') {
      streams.out(page);
      return 0;
    }
    const file = output ?? path.join(folder.path, 'report.html');
    write(file, page);
    if (json) streams.json({ run: view.file.run, report: path.resolve(file) });
    else streams.out(`${printable(file)}\n`);
    if (open && !(await openInBrowser(file))) {
      streams.err(`No program to open the page was found. Open ${printable(pathToFileURL(path.resolve(file)).href)}\n`);
    }
    return 0;
  },
});

/** @throws ProblemError `report.file` */
function write(file: string, page: string): void {
  try {
    writePrivateFile(file, page);
  } catch (error) {
    throw new ProblemError({
      code: 'report.file',
      message: `Cannot write the report to ${file}: ${messageOf(error)}.`,
      hint: 'Choose another file with -o.',
    });
  }
}

/** Asks the system to open a file. @returns whether it has a program for that */
function openInBrowser(file: string): Promise<boolean> {
  const url = pathToFileURL(path.resolve(file)).href;
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** A URL of a file has no characters that rundll32 or a shell would read as anything else. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
