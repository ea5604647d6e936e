/**
 * What the linter has no rule for: an exported name exists once in src/, a function has at most 80 lines and four positional
 * parameters, nothing compares a record type with a name, because a new type would be treated as the other one, and each mutant of
 * the simulation still has its place. Exits with 1 and lists what does not hold.
 */
import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import ts from 'typescript';

const MAX_LINES = 80;
const MAX_PARAMETERS = 4;
/** Each file of a command exports its command under this name. */
const BY_DESIGN = new Set(['command']);
/** AssemblyScript has no destructuring, and its scanners are one automaton each. */
const files = globSync('src/**/*.ts', { ignore: ['src/fast/kernel/**', '**/*.d.ts'] }).toSorted();

/** `type === 'social'` */
function isTypeComparison(node) {
  return (
    ts.isBinaryExpression(node) &&
    /\btype$/.test(node.left.getText()) &&
    /^[!=]==$/.test(node.operatorToken.getText()) &&
    /^'(?:signals|social)'$/.test(node.right.getText())
  );
}

const problems = [];
const exported = new Map();

for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const name = node.name?.getText() ?? node.parent.name?.getText?.() ?? 'a function';
      const at = `${file}:${lineOf(node.getStart())}`;
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
      if (lines > MAX_LINES) problems.push(`${at}: ${name} has ${lines} lines, maximum ${MAX_LINES}`);
      const { length } = node.parameters;
      if (length > MAX_PARAMETERS) problems.push(`${at}: ${name} has ${length} parameters, maximum ${MAX_PARAMETERS}`);
    }
    if (isTypeComparison(node)) {
      problems.push(`${file}:${lineOf(node.getStart())}: compares a record type with a name; use its contract`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const names = new Set();
  for (const statement of source.statements) {
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) continue;
    const declarations = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    for (const { name } of declarations) if (name !== undefined) names.add(name.getText());
  }
  for (const name of names) exported.set(name, [...(exported.get(name) ?? []), file]);
}

const text = files.map((file) => readFileSync(file, 'utf8')).join('\0');
for (const { does, find } of JSON.parse(readFileSync('test/simulation/mutants.json', 'utf8'))) {
  const places = text.split(find).length - 1;
  if (places !== 1) problems.push(`src/ has ${places} places, not one, for the mutant of the simulation that ${does}`);
}

for (const [name, places] of exported) {
  if (places.length > 1 && !BY_DESIGN.has(name)) problems.push(`${name} is exported by ${places.join(' and ')}`);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
