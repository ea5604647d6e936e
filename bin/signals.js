#!/usr/bin/env node
import module from 'node:module';
import v8 from 'node:v8';

// Node 22.8 and later cache compiled code between starts.
module.enableCompileCache?.();
// After the first answer, Node 20 optimises undici's response parser for 100 ms and with 29 MB of memory, and waits for
// that before it exits. A larger budget defers it to uploads of about 50,000 rows, which can afford it.
if (process.versions.node.startsWith('20.')) v8.setFlagsFromString('--wasm-tiering-budget=1000000000');
await import('../dist/main.js');
