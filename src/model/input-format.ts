/** The formats of inputs: names for `--format`, mapping files and run.json. `decode/` has one file for each. */
export const inputFormats = ['csv', 'ndjson', 'json'] as const;

export type InputFormat = (typeof inputFormats)[number];
