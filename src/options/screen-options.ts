/**
 * The options of every command: how it uses the screen. Apart from the option table, because they are known before a
 * command is, and its start should not wait for the table.
 */
export const screenOptions = {
  quiet: {
    about: 'print nothing on exit code 0',
    details: 'Unless `--on-end`, `--metrics-file` or `--log-file` fails',
    short: 'q',
    everywhere: true,
  },
  verbose: {
    about: 'also print each failed request, settled batch, wait and finished input',
    short: 'v',
    everywhere: true,
  },
  yes: { about: 'do not prompt', short: 'y', everywhere: true },
  progress: { about: 'hide the progress display', off: true, everywhere: true },
  color: { about: 'disable colour', off: true, everywhere: true },
} as const;
