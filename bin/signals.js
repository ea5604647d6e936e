#!/usr/bin/env node
import module from 'node:module';

// While the program loads: a script that interrupts it then gets one JSON object too.
const early = [];
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => early.push(name));
// Node 22.8 and later cache compiled code between starts.
module.enableCompileCache?.();
const { main } = await import('../dist/main.js');
await main(early);
