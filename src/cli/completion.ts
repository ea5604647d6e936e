/**
 * `signals completion SHELL` prints a script for the shell. The script asks this program what can come next
 * (`completion SHELL -- WORDS`), so the answers always agree with the table of commands, and one function serves four shells.
 */
import type { Work } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { flagOf, type OptionTable, usageError } from '../options/option-spec.ts';

/** `$words`: the words after the program's name, up to the cursor. Without an answer, the shell completes file names. */
const SCRIPTS = {
  bash: `_signals() {
  local IFS=$'\\n'
  COMPREPLY=($(signals completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _signals signals
`,
  zsh: `#compdef signals
_signals() {
  local -a found
  found=("\${(@f)$(signals completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then compadd -- $found; else _files; fi
}
compdef _signals signals
`,
  fish: `function __signals_candidates
  set -l words (commandline -opc) (commandline -ct)
  signals completion fish -- $words[2..] 2>/dev/null
end
complete -c signals -a '(__signals_candidates)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName signals -ScriptBlock {
  param($word, $ast)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '""' }
  signals completion powershell -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
} as const;

const INSTALL: Readonly<Record<keyof typeof SCRIPTS, string>> = {
  bash: 'signals completion bash >> ~/.bashrc',
  zsh: 'signals completion zsh > ~/.zfunc/_signals  (in a folder of $fpath)',
  fish: 'signals completion fish > ~/.config/fish/completions/signals.fish',
  powershell: 'signals completion powershell >> $PROFILE',
};

const shells = Object.keys(SCRIPTS);

export const command = {
  more: ['To install:', ...Object.values(INSTALL).map((line) => `  ${line}`)],
  async run(context, [shell = '', ...words]) {
    const script = new Map<string, string>(Object.entries(SCRIPTS)).get(shell);
    if (script === undefined) throw usageError(`Unknown shell '${shell}'.`, `Expected ${shells.join(', ')}.`);
    const partial = words.at(-1) ?? '';
    const all = words.length === 0 ? [] : await possibleWords(words.slice(0, -1), partial);
    const lines = all.filter((word) => word.startsWith(partial)).map((word) => `${word}\n`);
    context.streams.out(words.length === 0 ? script : lines.join(''));
    return 0;
  },
} satisfies Work;

/** What can be typed after some words. Empty if it is a file, or anything. @param partial the beginning of the word */
async function possibleWords(typed: readonly string[], partial: string): Promise<readonly string[]> {
  const [name, below] = typed;
  if (name === undefined) return [...commands.map((each) => each.name), 'completion'];
  if (name === 'completion') return shells;
  const entry = commands.find((each) => each.name === name);
  if (entry === undefined) return [];
  const work = await entry.load();
  const subcommand = work.commands?.find((each) => each.name === below);
  const flags = flagsIn(((await subcommand?.load()) ?? work).options ?? {});
  const before = typed.at(-1) ?? '';
  const asking = flags.find(({ spec, words }) => spec.value !== undefined && words.includes(before));
  if (asking !== undefined) return asking.spec.choices ?? [];
  if (partial.startsWith('-')) return flags.flatMap(({ words }) => words.slice(-1));
  return subcommand === undefined && typed.length === 1 ? (work.commands ?? []).map((each) => each.name) : [];
}

/** The options that have a flag, with the words that give them: `-m` and `--map`. */
export function flagsIn(table: OptionTable) {
  return Object.entries(table).flatMap(([name, spec]) => {
    const words = [...(spec.short === undefined ? [] : [`-${spec.short}`]), flagOf(name, spec)];
    return spec.setting === 'only' ? [] : [{ name, spec, words }];
  });
}
