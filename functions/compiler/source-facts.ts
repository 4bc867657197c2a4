import type { CallExpression, Node } from 'oxc-parser';
import type { SourceFile } from './source-file.ts';
import { unwrapped, walk, writtenName } from './syntax.ts';

/** A call `nango.<method>(…)` in a file. The receiver must be an identifier with exactly this name. */
export interface NangoCall {
  method: string;
  call: CallExpression;
  line: number;
  /** Whether it is awaited, chained with `.then` or `.catch`, or part of a returned value. */
  isHandled: boolean;
  /** Whether it is inside a property named `exec`. */
  isInsideExec: boolean;
}

/** Facts about a file for the checks, collected in one walk over its syntax tree. */
export interface FileFacts {
  file: SourceFile;
  nangoCalls: NangoCall[];
  /** Offset of the first `console.<x>`, if there is one. */
  consoleOffset: number | undefined;
}

export function collectFacts(file: SourceFile): FileFacts {
  const facts: FileFacts = { file, nangoCalls: [], consoleOffset: undefined };
  walk(file.program, (node, ancestors) => {
    if (node.type === 'CallExpression') {
      const method = memberOf(node.callee, 'nango');
      if (method !== undefined) facts.nangoCalls.push(toNangoCall(file, node, method, ancestors));
    } else if (node.type === 'MemberExpression' && memberOf(node, 'console') !== undefined) {
      facts.consoleOffset ??= node.start;
    }
  });
  return facts;
}

/** Name of the member if the node reads a member of the identifier `receiver`. */
function memberOf(node: Node, receiver: string): string | undefined {
  const member = unwrapped(node);
  if (member.type !== 'MemberExpression') return undefined;
  if (member.object.type !== 'Identifier' || member.object.name !== receiver) return undefined;
  return writtenName(member.property, member.computed);
}

function toNangoCall(file: SourceFile, call: CallExpression, method: string, ancestors: readonly Node[]): NangoCall {
  return {
    method,
    call,
    line: file.lineAt(call.start),
    isHandled: ancestors.some(handsOn) || isChained(call, ancestors),
    isInsideExec: ancestors.some(isExecProperty),
  };
}

function handsOn(ancestor: Node): boolean {
  return ancestor.type === 'AwaitExpression' || ancestor.type === 'ReturnStatement';
}

function isExecProperty(ancestor: Node): boolean {
  return ancestor.type === 'Property' && writtenName(ancestor.key, ancestor.computed) === 'exec';
}

/** Follows `nango.x()…` outwards through members and calls and looks for `.then` or `.catch`. */
function isChained(call: Node, ancestors: readonly Node[]): boolean {
  let inner = call;
  for (const ancestor of ancestors.toReversed()) {
    if (ancestor.type === 'MemberExpression' && ancestor.object === inner) {
      const name = writtenName(ancestor.property, ancestor.computed);
      if (name === 'then' || name === 'catch') return true;
    } else if (!(ancestor.type === 'CallExpression' && ancestor.callee === inner) && unwrapped(ancestor) === ancestor) {
      return false;
    }
    inner = ancestor;
  }
  return false;
}
