/**
 * What a bundle has of other packages: their licences (THIRD-PARTY-LICENSES.txt), and a CycloneDX 1.6 bill of materials
 * (sbom.cdx.json).
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Modules that are in the bundle as WebAssembly. */
export const modulesInTexts = new Set();

/** @param ids paths of modules */
function packagesOf(ids) {
  const folders = new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return { name, version, license, text: file && readFileSync(path.join(folder, file), 'utf8').trim() };
  });
}

export function licencesOf(ids) {
  const texts = packagesOf(ids).map(({ name, version, license, text }) => {
    return `${name} ${version} (${license})\n${text === undefined ? '' : `\n${text}\n`}`;
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}

/** @param manifest our package.json */
function billOfMaterials(ids, manifest) {
  const component = (type, { name, version, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type, 'bom-ref': purl, name, version, purl, licenses: [{ expression: license }] };
  };
  const components = packagesOf(ids).map((one) => component('library', one));
  const metadata = { component: component('application', manifest) };
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** @type {import('rolldown').Plugin} */
export const licences = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const ids = [...modules, ...modulesInTexts];
    const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8'));
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source: licencesOf(ids) });
    this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source: billOfMaterials(ids, manifest) });
  },
};
