/**
 * Loads the files of the bundle, each with the code that V8 made of it when the program was built: V8 need not read
 * and compile it again. `.compile.mjs` makes that code, in a folder named for one Node on one machine; where there
 * is none, or V8 does not take it (another version, other flags), the file is compiled as any other.
 *
 * Node itself loads main.ts, the version and the list of commands, for that is quicker while there is little to load.
 * The list is loaded once more here, so that the commands are loaded from here too; it holds no state.
 *
 * Nothing is written here. V8 knows a text by its length: whoever edits a file in dist/ by hand removes dist/compiled/.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** Where the files of the bundle are: this one is among them. */
const FOLDER = import.meta.dirname;

/**
 * Where the compiled code is, for the Node that runs. V8 refuses what another version of it has made, but does not see
 * that a Node of the same version was built in another way: the size of the executable tells.
 */
export const COMPILED = join(
  FOLDER,
  'compiled',
  `${process.version}-${process.platform}-${process.arch}-${statSync(process.execPath).size}`,
);

/** More than the largest file of the bundle has. */
const MEMORY_BYTES = 1024 * 1024;

/** The file that loads modules of users (src/import-file.ts). */
const FOR_NODE = './import-file.cjs';

/** What few commands use of Node, and what takes it milliseconds to load: loaded when it is used. */
const LATE: ReadonlySet<string> = new Set(['node:crypto']);

/** What CommonJS hands to a file. On one line with the file's own first line, so that lines keep their numbers. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';

/** A file of the bundle as it was loaded. */
export interface Loaded {
  /** Its name in the folder of the bundle. */
  readonly name: string;
  readonly script: Script;
}

const modules = new Map<string, { exports: unknown }>();
const scripts: Loaded[] = [];

/** Runs a file of the bundle, unless it has run already, and gives what it exports. @param name such as `program.cjs` */
export function load(name: string): unknown {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const file = join(FOLDER, name);
  // The bundle is ASCII (.rolldown.mjs).
  const text = read(file, HEAD, TAIL).toString('latin1');
  const cachedData = compiledCode(name);
  const script = new Script(text, {
    // As modules are named in traces.
    filename: pathToFileURL(file).href,
    columnOffset: -HEAD.length,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  scripts.push({ name, script });
  const module = { exports: {} };
  modules.set(name, module);
  const run: unknown = script.runInThisContext();
  if (typeof run !== 'function') throw new TypeError(`${name} is no file of the bundle`);
  Reflect.apply(run, module.exports, [module.exports, required, module, file, FOLDER]);
  return module.exports;
}

/** What was loaded until now, in that order. */
export function loaded(): readonly Loaded[] {
  return scripts;
}

function compiledCode(name: string): Buffer | undefined {
  try {
    return read(join(COMPILED, `${name}.bin`));
  } catch {
    // Nobody has compiled it for this Node: that takes a moment longer, and nothing else.
    return undefined;
  }
}

/** What is read, one file after the other: memory that is fresh takes longer to get than a file to read. */
let memory = Buffer.allocUnsafeSlow(0);

/** All of a file with a text before and behind it. Good until the next one is read. */
function read(file: string, head = '', tail = ''): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const length = head.length + size + tail.length;
    if (memory.length < length) memory = Buffer.allocUnsafeSlow(Math.max(length, MEMORY_BYTES));
    memory.write(head, 'latin1');
    const end = head.length + readSync(descriptor, memory, head.length, size, null);
    return memory.subarray(0, end + memory.write(tail, end, 'latin1'));
  } finally {
    closeSync(descriptor);
  }
}

/** `require` of the files of the bundle, which ask for each other and for modules of Node alone. */
function required(name: string): unknown {
  if (name === FOR_NODE) return process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);
  if (name.startsWith('./')) return load(basename(name));
  return LATE.has(name) ? late(name) : builtin(name);
}

function builtin(name: string): object {
  const module = process.getBuiltinModule(name);
  if (module === undefined) throw new Error(`${name} is not in the bundle`);
  return module;
}

/** Stands for a module of Node until something of it is asked for; each thing is looked up once. */
function late(name: string): object {
  const lookUp = new Proxy(
    {},
    {
      get(_, key, asked: object) {
        const value: unknown = Reflect.get(builtin(name), key);
        Object.defineProperty(asked, key, { value });
        return value;
      },
    },
  );
  return Object.create(lookUp);
}
