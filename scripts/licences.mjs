/** The licences of the packages in a bundle, and a plugin for rolldown that writes them to `licences.txt`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Modules that are in the bundle as text. */
export const modulesInTexts = new Set();

/** @param ids paths of modules */
export function licencesOf(ids) {
  const folders = new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}

/** @type {import('rolldown').Plugin} */
export const licences = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licencesOf([...ids, ...modulesInTexts]) });
  },
};
