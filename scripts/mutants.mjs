/** The mutants of a source file: small wrong changes of it, of which a test should notice each. */
import ts from 'typescript';

const SWAPS = new Map(
  Object.entries({
    '<': ['<='],
    '<=': ['<'],
    '>': ['>='],
    '>=': ['>'],
    '===': ['!=='],
    '!==': ['==='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '%': ['*'],
    '+=': ['-='],
    '-=': ['+='],
  }),
);
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min', floor: 'ceil', ceil: 'floor' };
const DROPPED = new Set(['filter', 'slice', 'subarray', 'trim', 'toLowerCase', 'sort', 'toSorted', 'reverse', 'catch']);
/** Names that the program decides by; other texts are for people. */
const CODE = /^'[a-z]+(?:[.-][a-z]+)*'$/;

/** The name of the function or method around a node, by which accepted mutants are found again. */
function nameOf(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    const name = ts.isConstructorDeclaration(at) ? 'constructor' : at.name?.getText();
    if ((ts.isFunctionLike(at) || ts.isVariableDeclaration(at)) && name !== undefined) return name;
  }
  return 'top';
}

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** What stands in place of an expression, given the text of its parts. */
function changesOfExpression(node, textOf) {
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    const operator = operatorToken.getText();
    if (operator === '??') return [textOf(left)];
    if (operator === '&&' || operator === '||') return [textOf(left), textOf(right)];
    // Each is noticed where the condition that it is part of is noticed when left out.
    if (isTested(node) && /^[!=]==$/.test(operator)) return [];
    if (operator.startsWith('+') && (isText(left) || isText(right))) return [];
    return (SWAPS.get(operator) ?? []).map((other) => `${textOf(left)} ${other} ${textOf(right)}`);
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return isTested(node) ? [] : [textOf(node.operand)];
  }
  if (ts.isAwaitExpression(node)) return ts.isExpressionStatement(node.parent) ? [textOf(node.expression)] : [];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ['true'];
  if (ts.isStringLiteral(node) && CODE.test(node.getText())) return ["'mutated'"];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name, questionDotToken } = node.expression;
    if (questionDotToken !== undefined) return [];
    const other = Object.hasOwn(METHODS, name.text) ? METHODS[name.text] : undefined;
    if (other !== undefined) return [`${textOf(expression)}.${other}(${node.arguments.map(textOf).join(', ')})`];
    if (DROPPED.has(name.text)) return [textOf(expression)];
  }
  return [];
}

const isRemovable = (node) =>
  ts.isExpressionStatement(node) ||
  ts.isThrowStatement(node) ||
  ts.isContinueStatement(node) ||
  ts.isBreakStatement(node) ||
  (ts.isReturnStatement(node) && node.expression === undefined);

/** Whether a value decides a branch: such a value is also tried always true and always false. */
function isCondition(node) {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return isCondition(parent);
  return ts.isIfStatement(parent)
    ? parent.expression === node
    : ts.isConditionalExpression(parent) && parent.condition === node;
}

const isJunction = (node) => ts.isBinaryExpression(node) && /^(?:&&|\|\|)$/.test(node.operatorToken.getText());

/** Whether an expression is a condition, or a part of one. */
const isTested = (node) => isCondition(node) || isJunction(node.parent);

/** Where another expression may be written in place of this one. */
function isReplaceable(node) {
  const { parent } = node;
  if (ts.isTypeNode(parent) || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return false;
  if (ts.isPropertyAccessExpression(parent) || ts.isNonNullExpression(parent)) return !ts.isOptionalChain(parent);
  if (ts.isStringLiteral(node)) {
    if (ts.isBinaryExpression(parent) && parent.operatorToken.getText().startsWith('=')) return false;
    if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || ts.isBinaryExpression(parent)) return false;
  }
  return !(parent.name === node || ts.isEnumMember(parent) || ts.isOptionalChain(parent));
}

/** A file with all of its mutants in it, each of which is used while `globalThis.mutant(its number)` is true. */
export function withMutants(file, text, first) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const brief = (code) => code.replaceAll(/\s+/g, ' ').slice(0, 90);
  const add = (node, change) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    mutants.push({ file, line: line + 1, key: `${file} ${nameOf(node)}: ${brief(plainOf(node))} => ${brief(change)}` });
    return `globalThis.mutant?.(${first + mutants.length - 1})`;
  };
  const plainOf = (node) => text.slice(node.getStart(), node.end);
  const render = (node) => {
    let out = '';
    let from = node.getStart();
    ts.forEachChild(node, (child) => {
      if (child.getStart() < from) return;
      out += text.slice(from, child.getStart()) + visit(child);
      from = child.end;
    });
    return out + text.slice(from, node.end);
  };
  function visit(node) {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return plainOf(node);
    if (ts.isImportDeclaration(node)) return plainOf(node);
    const inner = render(node);
    if (isRemovable(node)) {
      const isSuper = /^super\(/.test(plainOf(node));
      return isSuper ? inner : `{ if (!${add(node, '(removed)')}) { ${inner} } }`;
    }
    if (!ts.isExpression(node) || !isReplaceable(node)) return inner;
    const changes = changesOfExpression(node, plainOf);
    if (isCondition(node)) {
      const operator = isJunction(node) ? node.operatorToken.getText() : '';
      changes.push(...(operator === '&&' ? ['false'] : operator === '||' ? ['true'] : ['true', 'false']));
    }
    const chosen = changes.map((change) => `${add(node, change)} ? (${change}) : `);
    return chosen.length === 0 ? inner : `(${chosen.join('')}(${inner}))`;
  }
  const out = source.statements.map(
    (statement) => text.slice(statement.getFullStart(), statement.getStart()) + visit(statement),
  );
  return { text: `${out.join('')}\n`, mutants };
}
