/** The kernel as WebAssembly: an instance with a memory of its own, and views of that memory. */
import code from './kernel/index.ts?wasm';

/** What kernel/index.ts exports. Addresses and sizes are numbers of bytes. */
interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly output: WebAssembly.Global;
  readonly rows: WebAssembly.Global;
  readonly notes: WebAssembly.Global;
  readonly noteTimes: WebAssembly.Global;
  readonly rowCount: WebAssembly.Global;
  readonly noteCount: WebAssembly.Global;
  readonly outputSize: WebAssembly.Global;
  readonly next: WebAssembly.Global;
  readonly lines: WebAssembly.Global;
  readonly starts: WebAssembly.Global;
  readonly ends: WebAssembly.Global;
  readonly marks: WebAssembly.Global;
  readonly present: WebAssembly.Global;
  allocate(size: number): number;
  setDialect(delimiter: number, quoted: boolean, columns: number): void;
  setObjects(columns: number, longest: number): void;
  setPath(column: number, text: number, size: number): void;
  addStep(
    shape: number,
    column: number,
    joined: boolean,
    remembered: boolean,
    leftOut: number,
    keys: number,
  ): number;
  addKey(text: number, size: number): void;
  setFixed(json: number, size: number, mapped: number, judged: number): void;
  addWord(text: number, size: number): number;
  answerRoom(size: number): number;
  setNotes(mapped: number, judged: number): void;
  take(from: number, end: number, most: number, spare: number, largest: number, longest: number): number;
}

export interface Instance {
  readonly kernel: Kernel;
  /** The whole memory. To be asked for anew behind every call that may allocate. */
  bytes(): Buffer;
  /** The same as numbers of 32 bits. */
  words(): Uint32Array;
}

let compiled: WebAssembly.Module | undefined;

/** What the kernel asks of its host: kernel/host.ts says it. */
interface Host {
  readonly evaluate: (step: number) => number;
}

/** @returns undefined where this Node runs no WebAssembly, or none with vectors */
export function createInstance(host: Host): Instance | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  compiled ??= WebAssembly.validate(code) ? new WebAssembly.Module(code) : undefined;
  if (compiled === undefined) return undefined;
  const { exports } = new WebAssembly.Instance(compiled, { host });
  // The compiler of kernel/index.ts has seen to it that they are what the source says.
  const kernel = exports as unknown as Kernel;
  let bytes = Buffer.from(kernel.memory.buffer);
  let words = new Uint32Array(kernel.memory.buffer);
  /** A memory that has grown is another one, and the views of the old one are empty. Asking that is much cheaper. */
  const refresh = (): void => {
    if (words.length > 0) return;
    bytes = Buffer.from(kernel.memory.buffer);
    words = new Uint32Array(kernel.memory.buffer);
  };
  return {
    kernel,
    bytes() {
      refresh();
      return bytes;
    },
    words() {
      refresh();
      return words;
    },
  };
}
