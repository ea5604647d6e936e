#!/usr/bin/env node
require('../dist/load.cjs').load('main.cjs');
