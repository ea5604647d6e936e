#!/usr/bin/env node
import module from 'node:module';

// Node 22.8 and later keep compiled code across starts; earlier versions start without it.
module.enableCompileCache?.();
await import('../dist/main.js');
