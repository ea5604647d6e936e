#!/usr/bin/env node
import module from 'node:module';

// Node 22.8 and later cache compiled code between starts.
module.enableCompileCache?.();
await import('../dist/main.js');
