/** An AssemblyScript source, compiled to WebAssembly bytes by scripts/assembly.mjs. */
declare module '*?wasm' {
  const code: Uint8Array<ArrayBuffer>;
  export default code;
}

/** The part of the WebAssembly JavaScript Interface (W3C) that the fast path uses; Node's types do not have it. */
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
