/** The tables of docs/reference.md, made from the option table. */
import { aboutSetting, otherVariables } from '../../src/cli/help.ts';
import { flagOf, type OptionSpec, type OptionTable, settingsOf } from '../../src/options/option-spec.ts';

/** The option table of docs/reference.md: an option, and its meaning with details and default. */
export function referenceOptions(options: OptionTable): readonly string[] {
  const rows = Object.entries(options)
    .filter(([, { setting }]) => setting !== 'only')
    .map(([name, spec]) => {
      const placeholder = spec.choices?.join('|') ?? spec.value?.toUpperCase();
      const short = spec.short === undefined ? '' : `-${spec.short}, `;
      const words = `\`${short}${flagOf(name, spec)}${placeholder === undefined ? '' : ` ${placeholder}`}\``;
      const byDefault = spec.default ?? spec.defaultText;
      return [words, meaningOf(`${spec.about}${byDefault === undefined ? '' : ` (default: ${byDefault})`}`, spec)];
    });
  return markdownTable(['option', 'meaning'], rows);
}

/** The table of settings of docs/reference.md. Those that are options too are in one row, because the options are explained above. */
export function referenceSettings(table: OptionTable): readonly string[] {
  const settings = settingsOf(table).map(({ key, spec }) => ({ key: `\`${key}\``, spec }));
  const also = settings.filter(({ spec }) => spec.setting === 'also').map(({ key }) => key);
  const rows = settings
    .filter(({ spec }) => spec.setting !== 'also')
    .map(({ key, spec }) => [key, meaningOf(aboutSetting(spec), spec)]);
  return markdownTable(['setting', 'meaning'], [...rows, [also.join(', '), 'as the options of the same names']]);
}

function meaningOf(about: string, { details }: OptionSpec): string {
  const text = about.replace(/<|>/g, '\\$&');
  return details === undefined ? text : `${text}. ${details}`;
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
