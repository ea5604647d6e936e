/** The fenced blocks of a Markdown page, and the commands in them. */
export interface Block {
  /** After the fence: `console`, `sh exits=3`, `sh file=daily.sh with-service`, `sh until: TEXT`, `sh not-run: REASON`. */
  readonly info: string;
  readonly lines: readonly string[];
  /** Number of the block's first line in the page, from 0. */
  readonly start: number;
}

/** A command of a `console` block with the output that the page shows. */
export interface Step {
  readonly command: string;
  /** Lines of output; `…` is for lines left out. */
  readonly shown: readonly string[];
}

export function blocksOf(page: string): readonly Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  let open: { info: string; start: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^ *```(.*)$/.exec(line);
    if (fence === null) continue;
    if (open === undefined) {
      open = { info: fence[1]?.trim() ?? '', start: index + 1 };
    } else {
      blocks.push({ ...open, lines: lines.slice(open.start, index) });
      open = undefined;
    }
  }
  return blocks;
}

/** The first word of a block's info string. */
export function languageOf({ info }: Block): string {
  return info.split(' ')[0] ?? '';
}

/** Why a block cannot be run by the tests; undefined if it can. */
export function reasonNotToRun({ info }: Block): string | undefined {
  return /\bnot-run: (.+)$/.exec(info)?.[1];
}

/** The exit code that `exits=3` names. */
export function expectedExit({ info }: Block): number {
  return Number(/\bexits=(\d+)/.exec(info)?.[1] ?? 0);
}

/** The name under which a block is to be saved. */
export function fileOf({ info }: Block): string | undefined {
  return /\bfile=(\S+)/.exec(info)?.[1];
}

/** Whether base URL and key of a service must be in the environment. */
export function needsService({ info }: Block): boolean {
  return info.includes(' with-service');
}

/** For a command that runs until Ctrl-C: what it prints when it is time for that. */
export function endOf({ info }: Block): string | undefined {
  return /\buntil: (.+)$/.exec(info)?.[1];
}

/** `$ ` begins a command, `> ` continues it; the other lines are output. */
export function stepsOf({ lines }: Block): readonly Step[] {
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] });
    else if (last === undefined) throw new Error(`a console block begins with output: ${line}`);
    else if (last.shown.length === 0 && line.startsWith('> ')) last.command += `\n${line.slice(2)}`;
    else last.shown.push(line);
  }
  return steps;
}

/** The lines that steps fill in a page. */
export function linesOfSteps(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ command, shown }) => [
    ...command.split('\n').map((line, index) => `${index === 0 ? '$' : '>'} ${line}`),
    ...shown,
  ]);
}

/** Whether the shown lines are the printed ones, where a line `…` is for any lines. */
export function matches(shown: readonly string[], printed: readonly string[]): boolean {
  const pieces = piecesOf(shown);
  let from = 0;
  for (const [index, piece] of pieces.entries()) {
    const fits = (at: number): boolean => piece.every((line, offset) => printed[at + offset] === line);
    const end = printed.length - piece.length;
    // The first piece is at the beginning, the last one at the end.
    const last = index === 0 ? 0 : end;
    let at = index === pieces.length - 1 ? end : from;
    while (at <= last && !fits(at)) at += 1;
    if (at < from || at > last) return false;
    from = at + piece.length;
  }
  return true;
}

/** The lines between the lines `…`. */
function piecesOf(shown: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [[]];
  for (const line of shown) {
    if (line === '…') pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces;
}

/** The printed lines with the same parts left out as before, as far as the lines around them still exist. */
export function leaveOut(printed: readonly string[], shown: readonly string[]): readonly string[] {
  const result: string[] = [];
  let from = 0;
  for (const [index, line] of shown.entries()) {
    if (line !== '…') continue;
    const before = index === 0 ? from - 1 : printed.indexOf(shown[index - 1] ?? '', from);
    const after = index === shown.length - 1 ? printed.length : printed.indexOf(shown[index + 1] ?? '', before + 1);
    if (after < 0 || (index > 0 && before < 0)) continue;
    result.push(...printed.slice(from, before + 1), '…');
    from = after;
  }
  return [...result, ...printed.slice(from)];
}

/** The words of a shell command line that call the program: `signals …`, up to a pipe, a list or a comment. */
export function callsIn(text: string): readonly string[] {
  const joined = text.replace(/\s*\\\n\s*/g, ' ');
  return joined.split('\n').flatMap((line) => {
    const calls = line.matchAll(/(?:^|[\s(/])signals ((?:"[^"]*"|'[^']*'|\\.|[^"'\\|;&#>)])*)/g);
    return [...calls].map(([, words = '']) => words.trim());
  });
}
