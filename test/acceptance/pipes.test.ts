/** The pipes of docs/automate.md, as it shows them, with the real tools: where all goes well, and where the producer fails. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf } from '../support/doc-blocks.ts';
import { listen } from '../support/listen.ts';
import { hasPostgres, postgresServer } from '../support/postgres.ts';
import { at, csvOf, program, root, service, workspace } from '../support/program.ts';

const page = await readFile(path.join(root, 'docs', 'automate.md'), 'utf8');

/** The only command that begins with these words, after the `set` of its block. */
function commandWith(words: string): string {
  const found = blocksOf(page).flatMap(({ lines }) => {
    const options = lines.filter((line) => line.startsWith('set '));
    return lines.filter((line) => line.startsWith(words)).map((line) => [...options, line].join('\n'));
  });
  const [command, ...others] = found;
  if (command === undefined || others.length > 0) throw new Error(`not one command begins with ${words}`);
  return command;
}

const has = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

interface Scene {
  readonly cwd: string;
  readonly service: Awaited<ReturnType<typeof service>>;
  /** Runs commands in bash. Returns the exit code, and how many rows the service has received. */
  run(commands: string, env?: NodeJS.ProcessEnv): Promise<{ code: number; rows: number; stderr: string }>;
}

async function scene(): Promise<Scene> {
  const [cwd, there] = [await workspace(), await service()];
  const bin = path.join(cwd, 'bin');
  await mkdir(bin);
  await symlink(program, path.join(bin, 'signals'));
  return {
    cwd,
    service: there,
    async run(commands, env = {}) {
      const child = spawn('bash', ['-c', commands.replaceAll('signals upload', 'signals upload --quiet')], {
        cwd,
        env: {
          PATH: `${bin}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
          HOME: cwd,
          ...at(there),
          ...env,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (data) => {
        stderr += data;
      });
      const [code] = await once(child, 'close');
      const rows = there.requests().reduce((sum, { records }) => sum + records, 0);
      return { code, rows, stderr };
    },
  };
}

describe.runIf(has('curl'))('curl', () => {
  /** An export server: complete, cut in the middle, or with an error. */
  async function exports(): Promise<string> {
    const body = csvOf(300);
    const server = createServer((request, response) => {
      if (request.url === '/error/signals.csv') return response.writeHead(500).end('<html>Error</html>');
      response.setHeader('content-length', body.length);
      if (request.url === '/signals.csv') return response.end(body);
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return undefined;
    });
    return `http://127.0.0.1:${await listen(server)}`;
  }

  test('sends a complete export, and fails if it is cut off or an error', async () => {
    const [{ run }, url] = [await scene(), await exports()];
    const pipe = commandWith('curl --fail --silent --show-error https://exports.example/signals.csv |');
    const complete = await run(pipe.replace('https://exports.example', url));
    expect(complete).toMatchObject({ code: 0, rows: 300 });
    const cut = await run(pipe.replace('https://exports.example', `${url}/cut`));
    // The exit code of curl for a transfer that is not complete.
    expect(cut.code, cut.stderr).toBe(18);
    expect(cut.rows).toBeGreaterThan(300);
    const failed = await run(pipe.replace('https://exports.example', `${url}/error`));
    expect(failed).toMatchObject({ code: 2, rows: cut.rows });
  });

  test('sends nothing of an export that is cut off if it goes to a file first', async () => {
    const [{ run }, url] = [await scene(), await exports()];
    const command = commandWith('curl --fail --silent --show-error https://exports.example/signals.csv --output');
    expect(await run(command.replace('https://exports.example', `${url}/cut`))).toMatchObject({ code: 18, rows: 0 });
    expect(await run(command.replace('https://exports.example', url))).toMatchObject({ code: 0, rows: 300 });
  });
});

describe.runIf(hasPostgres)('PostgreSQL', () => {
  test('sends every row of a query, and fails if the query fails half-way', async () => {
    const [{ run }, env] = [await scene(), await postgresServer()];
    const columns = `'Company ' || n AS company_name, 'company' || n || '.example' AS company_domain,
      'Raised' AS signal_title, 'funding' AS signal_source`;
    const create = `CREATE VIEW signals AS SELECT ${columns} FROM generate_series(1, 500) n`;
    execFileSync('psql', ['-X', '-c', create], { env: { ...process.env, ...env } });
    const pipe = commandWith('psql');
    const done = await run(pipe, env);
    expect(done, done.stderr).toMatchObject({ code: 0, rows: 500 });
    const failing = create
      .replace('CREATE VIEW', 'CREATE OR REPLACE VIEW')
      .replace("'Raised'", "'Raised ' || 1 / (40000 - n)");
    execFileSync('psql', ['-X', '-c', failing.replace('500', '50000')], { env: { ...process.env, ...env } });
    const failed = await run(pipe, env);
    expect(failed.code, failed.stderr).toBe(1);
    expect(failed.stderr).toContain('division by zero');
  });
});
