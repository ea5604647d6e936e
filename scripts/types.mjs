/**
 * `node scripts/types.mjs` writes the types of the library to dist/index.d.ts, in one file and without those of packages:
 * types that zod infers from a schema are written out.
 */
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '..');
const entry = path.join(root, 'src', 'library', 'index.ts');
const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram([entry, path.join(root, 'src', 'fast', 'wasm.d.ts')], {
  ...options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: root,
});
const checker = program.getTypeChecker();

/** The text of a type of plain data. @param {ts.Type} type */
function textOf(type) {
  if (type.isUnion()) return [...new Set(type.types.map(textOf))].join(' | ');
  const items =
    checker.isArrayType(type) || checker.isTupleType(type) ? checker.getTypeArguments(type).map(textOf) : [];
  if (checker.isArrayType(type)) return `readonly (${items})[]`;
  if (checker.isTupleType(type)) return `readonly [${items.join(', ')}]`;
  if (type.isLiteral() || !(type.flags & ts.TypeFlags.Object)) return checker.typeToString(type);
  const properties = checker.getPropertiesOfType(type).map((property) => {
    const mark = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    return `readonly ${property.name}${mark}: ${textOf(checker.getTypeOfSymbol(property))};`;
  });
  const values = checker.getIndexInfosOfType(type).map((info) => `readonly [key: string]: ${textOf(info.type)};`);
  return `{ ${[...properties, ...values].join(' ')} }`;
}

/** @param {string} text of a declaration file @param {ts.SourceFile} source */
function withoutSchemas(text, source) {
  const types = checker.getExportsOfModule(checker.getSymbolAtLocation(source) ?? source.symbol);
  return text.replace(/^export type (\w+) = [^;\n]*\b(?:Data|z\.infer)<[^;\n]*;/gm, (_all, name) => {
    const type = types.find((symbol) => symbol.name === name);
    return `export type ${name} = ${textOf(checker.getDeclaredTypeOfSymbol(type))};`;
  });
}

/** Declaration files, made from the sources when they are imported. @type {import('rolldown').Plugin} */
const declarations = {
  name: 'declarations',
  resolveId: {
    filter: { id: /\.ts$/ },
    handler: (id, importer = '') => path.resolve(path.dirname(importer), id.replace(/(?:\.d)?\.ts$/, '.d.ts')),
  },
  load: {
    filter: { id: /\.d\.ts$/ },
    handler(id) {
      const source = program.getSourceFile(id.replace(/\.d\.ts$/, '.ts'));
      let declared = '';
      program.emit(source, (_file, text) => {
        declared = withoutSchemas(text, source);
      });
      return declared;
    },
  },
};

const bundle = await rolldown({
  input: { index: entry },
  platform: 'node',
  // Declarations that the library does not export may mention them; those are left out.
  external: /^[^./]/,
  checks: { bundlerTimings: false },
  plugins: [declarations, dts({ dtsInput: true, tsconfig: false })],
});
await bundle.write({ dir: 'dist', format: 'esm' });
await bundle.close();
