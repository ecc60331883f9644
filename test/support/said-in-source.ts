/** The sentences that our source says to people, found in it: each with a mark wherever something is filled in. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What stands for a value that is filled in: a name with a digit, as ids and figures have. */
export const FILLED = 'x7';

/** What is told by a call: which of its arguments. */
const CALLS = new Map<string, readonly number[]>(
  Object.entries({
    ...{
      ProblemError: [1],
      invalidField: [1],
      refused: [1],
      report: [1],
      wrong: [1],
      invalid: [0],
      unreadable: [1, 2],
    },
    ...{ UnknownAgentError: [0], InvestigatorFaultError: [0], TickTimeoutError: [0], CancelledFailure: [0] },
    ...{ UnreadableUpdate: [0], UnreadableEvent: [0], unsupported: [0], elsewhere: [0], failed: [0] },
    ...{ nonRetryable: [0], retry: [0], reject: [3], end: [1], push: [0] },
    ...{ dismiss: [0], seen: [1], note: [0, 2], giveUp: [1, 2] },
  }),
);
/** These are told even where they are one word. */
const SURE = ['note', 'seen', 'dismiss'];
const FIELDS =
  'error message detail note summary method title question why comment reason what problem doubted how'.split(' ');

export interface Said {
  readonly path: string;
  readonly sentence: string;
}

/** What such calls and fields are given, what is returned and what is named, where it is more than one word. */
export function saidIn(path: string): Said[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Said[] = [];
  const named = new Map<string, readonly string[]>();
  const ways = (node: ts.Expression) => waysOf(node, named);
  const take = (node: ts.Expression | undefined, isSure = false) => {
    for (const sentence of node === undefined ? [] : (ways(node) ?? []))
      if (isSentence(sentence, isSure)) found.push({ path, sentence });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const { expression: callee } = node;
      const name = ts.isPropertyAccessExpression(callee)
        ? callee.name.text
        : ts.isIdentifier(callee)
          ? callee.text
          : '';
      if (['info', 'warn', 'error', 'debug'].includes(name)) return;
      for (const n of CALLS.get(name) ?? []) take(node.arguments?.[n], SURE.includes(name));
    }
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && FIELDS.includes(node.name.text))
      take(node.initializer);
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isIdentifier(node.name)) {
      take(node.initializer);
      const known = ways(node.initializer);
      if (known !== undefined) named.set(node.name.text, known);
    }
    if (ts.isReturnStatement(node)) take(node.expression);
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) take(node.body);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** More than one word of our own, and no part of a sentence that is put together elsewhere. */
function isSentence(text: string, isSure: boolean): boolean {
  const own = text.replaceAll(FILLED, '');
  return /[a-z]{2}/.test(own) && (isSure || (/[a-zA-Z"] [a-z]/.test(text) && !/^[ ;]/.test(text)));
}

type Named = ReadonlyMap<string, readonly string[]>;

/** Every text that an expression may be; undefined: it is no text as it stands. */
function waysOf(node: ts.Expression, named: Named): readonly string[] | undefined {
  const ways = (one: ts.Expression) => waysOf(one, named);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce<readonly string[]>(
      (begun, { expression, literal }) => joined(begun, joined(filling(expression, named), [literal.text])),
      [node.head.text],
    );
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return ways(node.expression);
  if (ts.isConditionalExpression(node)) return either(ways(node.whenTrue), ways(node.whenFalse));
  if (ts.isCallExpression(node)) return waysOfCall(node, named);
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [ways(node.left), ways(node.right)];
  if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return either(
      left,
      right?.filter((way) => way !== ''),
    );
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken || (left ?? right) === undefined) return undefined;
  return joined(left ?? [FILLED], right ?? [FILLED]);
}

/** What is filled in, where it is known, as a constant of the file is. */
function filling(node: ts.Expression, named: Named): readonly string[] {
  return (ts.isIdentifier(node) ? named.get(node.text) : waysOf(node, named)) ?? [FILLED];
}

/** `text.slice(…)`, and `[text, text].join(' ')`. */
function waysOfCall({ expression, arguments: given }: ts.CallExpression, named: Named): readonly string[] | undefined {
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  const { name, expression: of } = expression;
  if (name.text === 'slice') return waysOf(of, named);
  const [between] = given;
  if (name.text !== 'join' || between === undefined || !ts.isStringLiteralLike(between)) return undefined;
  if (!ts.isArrayLiteralExpression(of)) return undefined;
  const parts = of.elements.map((element) => filling(element, named));
  return parts.reduce((begun, part, n) => joined(begun, n === 0 ? part : joined([between.text], part)), ['']);
}

/** What is not known of one of them stands for something filled in. */
function either(one: readonly string[] | undefined, other: readonly string[] | undefined) {
  return one === undefined && other === undefined ? undefined : [...(one ?? [FILLED]), ...(other ?? [FILLED])];
}

function joined(before: readonly string[], after: readonly string[]): readonly string[] {
  return before.flatMap((one) => after.map((other) => one + other));
}
