import type { Plugin } from 'rolldown';

export declare const assembly: Plugin;
