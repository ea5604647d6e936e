/** A source of AssemblyScript, as the bytes of its WebAssembly: .assembly.mjs makes it so. */
declare module '*?wasm' {
  const code: Uint8Array<ArrayBuffer>;
  export default code;
}

/** As much of the WebAssembly JavaScript Interface (W3C) as the fast path needs; Node's types do not have it. */
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, object>>);
    readonly exports: object;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  interface Global {
    readonly value: number;
  }
  function validate(code: Uint8Array<ArrayBuffer>): boolean;
}
