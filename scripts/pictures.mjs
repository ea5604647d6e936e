/**
 * Makes the pictures of README and docs from real runs: two recordings of a terminal (needs tmux) and the report page in
 * a browser (needs Chromium, or one named by SIGNALS_CHROMIUM). `npm run docs:pictures` writes them to docs/, `node
 * scripts/pictures.mjs FOLDER` elsewhere; further arguments name the pictures to make.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { terminalSvg } from './terminal-svg.mjs';

const root = path.join(import.meta.dirname, '..');
const [folderArgument, ...wanted] = process.argv.slice(2);
const target = path.resolve(folderArgument ?? path.join(root, 'docs'));
const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.includes(name);
const MAX_BYTES = 150_000;
const PROMPT = /\$ $/;

const home = mkdtempSync(path.join(tmpdir(), 'signals-pictures-'));
const folder = path.join(home, 'deals');
const socket = path.basename(home);
const tmux = (/** @type {readonly string[]} */ ...words) =>
  execFileSync('tmux', ['-L', socket, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** A recording: types into a terminal, waits for what it shows, and keeps each picture that differs from the last. */
class Recording {
  /** @type {{ ms: number, rows: readonly string[] }[]} */
  frames = [];
  #at = Date.now();

  /** @param {{ columns: number, rows: number, env: Record<string, string> }} terminal */
  constructor(terminal) {
    this.terminal = terminal;
    const variables = Object.entries({ HOME: home, ...terminal.env }).flatMap(([name, value]) => [
      '-e',
      `${name}=${value}`,
    ]);
    const size = ['-x', String(terminal.columns), '-y', String(terminal.rows)];
    // The state of whoever makes the pictures must not show.
    const shell = `env -u CI -u NO_COLOR -u FORCE_COLOR -u npm_command PATH='${home}/bin:${process.env['PATH']}' sh`;
    tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', folder, ...variables, shell);
    tmux('set', '-g', 'status', 'off');
    tmux('send-keys', "PS1='$ '; clear", 'Enter');
  }

  capture() {
    const rows = tmux('capture-pane', '-p', '-e', '-N')
      .split('\n')
      .map((row) => row.trimEnd());
    const now = Date.now();
    const last = this.frames.at(-1);
    if (last !== undefined) last.ms += now - this.#at;
    this.#at = now;
    if (last?.rows.join('\n') !== rows.join('\n')) this.frames.push({ ms: 0, rows });
  }

  /** @param {RegExp} pattern @param {number} ms how long the picture stays afterwards */
  async until(pattern, ms = 0) {
    const end = Date.now() + 60_000;
    for (;;) {
      this.capture();
      const screen = tmux('capture-pane', '-p').trimEnd();
      if (pattern.test(`${screen} `)) break;
      if (Date.now() > end) throw new Error(`the screen never showed ${pattern}:\n${screen}`);
      await sleep(120);
    }
    this.hold(ms);
  }

  /** @param {number} ms */
  hold(ms) {
    this.capture();
    const last = this.frames.at(-1);
    if (last !== undefined) last.ms += ms;
  }

  /** @param {string} text as a person types it, a word at a time */
  async type(text) {
    for (const word of text.split(/(?<= )/)) {
      tmux('send-keys', '-l', '--', word);
      await sleep(60);
      this.capture();
      this.hold(120);
    }
    this.hold(500);
    tmux('send-keys', 'Enter');
  }

  /** @param {string} key @param {number} ms how long people need to read before */
  press(key, ms = 1500) {
    this.hold(ms);
    tmux('send-keys', key);
  }

  /** @param {string} name @param {string} title */
  save(name, title) {
    tmux('kill-server');
    // The first pictures are those of the shell before it is ready.
    const first = this.frames.findIndex(({ rows }) => rows[0]?.startsWith('$') === true);
    keep(name, terminalSvg(this.frames.slice(first), { ...this.terminal, title }));
  }
}

/** @param {string} name @param {string | Buffer} content */
function keep(name, content) {
  const file = path.join(target, name);
  writeFileSync(file, content);
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes; expected at most ${MAX_BYTES}`);
  process.stdout.write(`${file}: ${size} bytes\n`);
}

/** A mock of the service that answers as slowly as a real one. @returns {Promise<Record<string, string>>} */
async function startService() {
  const child = spawn(path.join(home, 'bin/signals'), ['sandbox', '--fault', 'latency=120ms', '--key', 'picture-key'], {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  let text = '';
  for await (const piece of child.stdout) {
    text += String(piece);
    const url = /base URL +(\S+)/.exec(text)?.[1];
    if (url !== undefined) return { SIGNALS_BASE_URL: url, SIGNALS_API_KEY: 'picture-key' };
  }
  throw new Error(`the sandbox printed no URL:\n${text}`);
}

/** An export of 40,000 rows; two of a hundred name no company. */
function writeExport() {
  const rows = Array.from({ length: 40_000 }, (_, n) => {
    const company = n % 50 === 49 ? '' : `Company ${n}`;
    return `${company},company${n}.example,Raised a round,funding,2026-11-20T09:15:00Z`;
  });
  const header = 'company_name,company_domain,signal_title,signal_source,detected_at';
  writeFileSync(path.join(folder, 'deals.csv'), [header, ...rows, ''].join('\n'));
}

/** @param {Record<string, string>} env */
async function recordUpload(env) {
  const terminal = new Recording({ columns: 92, rows: 16, env });
  await terminal.until(PROMPT, 600);
  await terminal.type('signals upload deals.csv');
  await terminal.until(/\b[45]\d%/);
  terminal.press('C-c', 0);
  await terminal.until(PROMPT, 2500);
  await terminal.type('clear');
  await terminal.until(PROMPT);
  await terminal.type('signals resume');
  await terminal.until(/rows delivered to[\s\S]*\$ $/, 6000);
  terminal.save('upload.svg', 'An upload is interrupted with Ctrl-C and resumed: every row is accounted for.');
}

async function recordMap() {
  const terminal = new Recording({ columns: 100, rows: 37, env: {} });
  await terminal.until(PROMPT, 600);
  await terminal.type('signals map deals-export.csv --encoding windows-1252 -o deals.yaml');
  for (let answers = 0; answers < 8; answers += 1) {
    await terminal.until(/● |Saved to/, 300);
    if (/Saved to/.test(tmux('capture-pane', '-p'))) break;
    const before = tmux('capture-pane', '-p');
    terminal.press('Enter');
    while (tmux('capture-pane', '-p') === before) await sleep(50);
  }
  await terminal.until(PROMPT, 5000);
  terminal.save('map.svg', 'signals map asks what is unclear, with examples from the rows, and saves the mapping.');
}

async function photographReport() {
  const report = execFileSync(
    path.join(home, 'bin/signals'),
    ['report', 'last', '-o', path.join(home, 'report.html')],
    {
      cwd: folder,
      env: { ...process.env, HOME: home },
      encoding: 'utf8',
    },
  ).trim();
  const executablePath = process.env['SIGNALS_CHROMIUM'] ?? '/usr/bin/chromium';
  // A container has no user namespaces for Chromium's own sandbox; nothing but the report is opened.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  await page.goto(pathToFileURL(path.resolve(folder, report)).href);
  keep('report.png', await page.screenshot());
  await browser.close();
}

mkdirSync(path.join(home, 'bin'));
mkdirSync(folder);
symlinkSync(path.join(root, 'bin/signals.js'), path.join(home, 'bin/signals'));
cpSync(path.join(root, 'fixtures/deals-export.csv'), path.join(folder, 'deals-export.csv'));
try {
  writeExport();
  if (isWanted('upload.svg') || isWanted('report.png')) await recordUpload(await startService());
  if (isWanted('map.svg')) await recordMap();
  if (isWanted('report.png')) await photographReport();
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exit();
