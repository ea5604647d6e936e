/**
 * Loaded before the program: one file-system call fails. SIGNALS_FAULT is JSON: `root`, the folder whose files count; `log`, a
 * file that gets one line for each call; `at`, the number of the call that fails, from 1; `code`, the error, `SHORT` for a write
 * that writes a part, `KILL` or `STOP` for a process that is killed or stopped there.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const { root, log, at, code } = JSON.parse(process.env.SIGNALS_FAULT ?? '{}');
delete process.env.SIGNALS_FAULT;
const real = { ...fs };
const logFile = fs.openSync(log, 'a');
/** Descriptor -> path. */
const files = new Map();
let calls = 0;

function nameOf(file) {
  if (typeof file === 'number') return files.get(file);
  if (typeof file !== 'string' && !(file instanceof URL)) return undefined;
  const name = path.resolve(file instanceof URL ? file.pathname : file);
  return name.startsWith(root) ? name : undefined;
}

/** Throws if this call is the one that fails. Returns whether it writes only a part. */
function count(call, file) {
  const name = nameOf(file);
  if (name === undefined) return false;
  calls += 1;
  const isDue = calls === at;
  real.writeSync(logFile, `${isDue ? `${code} ` : ''}${call} ${path.relative(root, name)}\n`);
  if (!isDue) return false;
  if (code === 'SHORT' && call === 'writeSync') return true;
  if (code === 'KILL') process.kill(process.pid, 'SIGKILL');
  // It goes on with this call when it is continued.
  if (code === 'STOP') {
    process.kill(process.pid, 'SIGSTOP');
    return false;
  }
  const errno = code === 'SHORT' ? 'EIO' : code;
  // As Node's own: only a call by path has a path.
  const place = typeof file === 'number' ? undefined : name;
  const error = new Error(`${errno}: injected, ${call}${place === undefined ? '' : ` '${place}'`}`);
  throw Object.assign(error, { code: errno, errno: -os.constants.errno[errno], syscall: call, path: place });
}

const SYNC = [
  'accessSync',
  'appendFileSync',
  'chmodSync',
  'fdatasyncSync',
  'fstatSync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'lstatSync',
  'mkdirSync',
  'mkdtempSync',
  'readdirSync',
  'readFileSync',
  'readlinkSync',
  'readSync',
  'renameSync',
  'rmSync',
  'statSync',
  'unlinkSync',
  'utimesSync',
  'writeFileSync',
];
for (const name of SYNC) {
  fs[name] = (file, ...rest) => {
    count(name, file);
    return real[name](file, ...rest);
  };
}
fs.writeSync = (file, data, ...rest) => {
  if (!count('writeSync', file)) return real.writeSync(file, data, ...rest);
  const part = typeof data === 'string' ? Buffer.from(data) : data;
  return real.writeSync(file, part, rest[0] ?? 0, Math.ceil(part.byteLength / 2));
};
fs.openSync = (file, ...rest) => {
  count('openSync', file);
  const fd = real.openSync(file, ...rest);
  const name = nameOf(file);
  if (name !== undefined) files.set(fd, name);
  return fd;
};
fs.closeSync = (fd) => {
  const name = files.get(fd);
  real.closeSync(fd);
  if (name !== undefined) count('closeSync', fd);
  files.delete(fd);
};
fs.existsSync = (file) => {
  try {
    count('existsSync', file);
  } catch {
    return false;
  }
  return real.existsSync(file);
};

const { promises } = fs;
const realPromises = { ...promises };
const ASYNC = [
  'access',
  'appendFile',
  'chmod',
  'copyFile',
  'lstat',
  'mkdir',
  'mkdtemp',
  'readdir',
  'readFile',
  'realpath',
  'rename',
  'rm',
  'stat',
  'truncate',
  'unlink',
  'writeFile',
];
for (const name of ASYNC) {
  promises[name] = async (file, ...rest) => {
    count(name, file);
    return realPromises[name](file, ...rest);
  };
}
promises.open = async (file, ...rest) => {
  count('open', file);
  const handle = await realPromises.open(file, ...rest);
  const name = nameOf(file);
  if (name !== undefined) files.set(handle.fd, name);
  return handle;
};
const sample = await realPromises.open(log, 'r');
const prototype = Object.getPrototypeOf(sample);
await sample.close();
for (const name of ['datasync', 'read', 'stat', 'sync', 'truncate', 'write', 'writeFile', 'writev']) {
  const original = prototype[name];
  prototype[name] = async function (...args) {
    count(`handle.${name}`, this.fd);
    return original.apply(this, args);
  };
}
const close = prototype.close;
prototype.close = async function () {
  const { fd } = this;
  await close.call(this);
  if (files.has(fd)) count('handle.close', fd);
  files.delete(fd);
};

// Streams call these: an answer comes later, as from the disk.
for (const name of ['open', 'read', 'write', 'close']) {
  const original = real[name];
  fs[name] = (file, ...rest) => {
    const done = rest.pop();
    try {
      count(name, file);
    } catch (error) {
      if (name === 'close') original(file, () => done(error));
      else setImmediate(() => done(error));
      return;
    }
    original(file, ...rest, (error, result, ...more) => {
      if (name === 'open' && !error && nameOf(file) !== undefined) files.set(result, nameOf(file));
      if (name === 'close') files.delete(file);
      done(error, result, ...more);
    });
  };
}
syncBuiltinESMExports();
