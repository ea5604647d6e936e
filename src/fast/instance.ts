/** The kernel as a WebAssembly instance with its own memory, and views of that memory. */
import code from './kernel/index.ts?wasm';

/** The exports of kernel/index.ts. Addresses and sizes are in bytes. */
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
  addStep(shape: number, column: number, leftOut: number, keys: number): number;
  addKey(text: number, size: number): void;
  setFixed(json: number, size: number, mapped: number, judged: number): void;
  addWord(text: number, size: number): number;
  beginAnswer(size: number, mapped: number, judged: number): number;
  take(from: number, end: number, most: number, spare: number, largest: number, longest: number): number;
}

export interface Instance {
  readonly kernel: Kernel;
  /** The whole memory. Ask again after every call that may allocate. */
  bytes(): Buffer;
  /** The same as numbers of 32 bits. */
  words(): Uint32Array;
}

let compiled: WebAssembly.Module | undefined;

/** The imports of the kernel (kernel/host.ts). */
interface Host {
  readonly evaluate: (step: number) => number;
}

/** @returns undefined if this Node has no WebAssembly, or none with vectors */
export function createInstance(host: Host): Instance | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  compiled ??= WebAssembly.validate(code) ? new WebAssembly.Module(code) : undefined;
  if (compiled === undefined) return undefined;
  const { exports } = new WebAssembly.Instance(compiled, { host });
  // The compiler of kernel/index.ts has checked these types.
  const kernel = exports as unknown as Kernel;
  let bytes = Buffer.from(kernel.memory.buffer);
  let words = new Uint32Array(kernel.memory.buffer);
  /** When the memory grows, the old views become empty. Their length is cheaper to read than the buffer. */
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
