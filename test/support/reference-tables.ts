/** The tables of docs/reference.md, made from the option table. */
import { allowedValues, otherVariables, settingsOf } from '../../src/cli/help-topics.ts';
import { flagOf, type OptionTable, settingKey, variableOf } from '../../src/options/option-spec.ts';

/**
 * The option table of docs/reference.md.
 *
 * @param marked the options of the command that the second column is about
 */
export function referenceOptions(options: OptionTable, marked: OptionTable): readonly string[] {
  const rows = Object.entries(options)
    .filter(([, { setting }]) => setting !== 'only')
    .map(([name, spec]) => {
      const placeholder = spec.choices?.join('|') ?? spec.value?.toUpperCase();
      const short = spec.short === undefined ? '' : `-${spec.short}, `;
      const words = `\`${short}${flagOf(name, spec)}${placeholder === undefined ? '' : ` ${placeholder}`}\``;
      const meaning = [spec.about.replace(/<|>/g, '\\$&'), ...(spec.details === undefined ? [] : [spec.details])];
      const byDefault = spec.default === undefined ? (spec.defaultText ?? '') : `\`${spec.default}\``;
      return [words, name in marked ? '✓' : '', meaning.join('. '), byDefault];
    });
  return markdownTable(['option', 'check', 'meaning', 'default'], rows);
}

/** The table of settings of docs/reference.md. */
export function referenceSettings(table: OptionTable): readonly string[] {
  const rows = settingsOf(table).map(({ name, spec }) => [
    `\`${settingKey(name)}\``,
    spec.setting === 'also' ? `\`${flagOf(name, spec)}\`` : '',
    `\`${variableOf(name, spec)}\``,
    [spec.about, ...(spec.setting === 'only' && spec.details !== undefined ? [spec.details] : [])].join('. '),
    allowedValues(spec) ?? '',
    spec.default === undefined ? (spec.defaultText ?? '') : `\`${spec.default}\``,
  ]);
  return markdownTable(['setting', 'option', 'environment variable', 'meaning', 'values', 'default'], rows);
}

/** The other environment variables of docs/reference.md. */
export function referenceVariables(): readonly string[] {
  return markdownTable(
    ['variable', 'meaning'],
    otherVariables.map(([name, about]) => [`\`${name}\``, about]),
  );
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
