import { SourceMap, type SourceMapPayload } from 'node:module';
import type { RunFailure, RunOutcome, SourcePosition } from '../../../functions/runtime/bridge.ts';
import type { Bundle } from './sandbox-task.ts';

const MARK = '\n//# sourceMappingURL=';
const INLINE_MAP = /^data:application\/json;(?:charset=[\w-]+;)?base64,([A-Za-z0-9+/=]+)\s*$/;

/** The code without its source map, which only this file reads and which is larger than the code. */
export function withoutMap(code: string): string {
  const at = code.lastIndexOf(MARK);
  return at < 0 || !INLINE_MAP.test(code.slice(at + MARK.length)) ? code : code.slice(0, at + 1);
}

/** The outcome with a stack that names lines of the author's files instead of the bundle. */
export function withSourceLines(outcome: RunOutcome, bundle: Bundle): RunOutcome {
  if (outcome.ok || outcome.failure.kind !== 'thrown' || !outcome.failure.error.stack) return outcome;
  const map = readMap(bundle.code);
  if (!map) return outcome;
  const stack = toSource(outcome.failure.error.stack, bundle.fileName, map);
  return { ...outcome, failure: { kind: 'thrown', error: { ...outcome.failure.error, stack } } };
}

/** Where in the author's files the error was thrown: the topmost stack line in one of them. */
export function findSourcePosition(failure: RunFailure, bundle: Bundle): SourcePosition | undefined {
  const stack = failure.kind === 'thrown' ? failure.error.stack : undefined;
  const map = stack ? readMap(bundle.code) : undefined;
  if (!stack || !map) return undefined;
  for (const [, line, column] of stack.matchAll(positionsIn(bundle.fileName))) {
    const position = positionOf(map, line, column);
    if (position) return position;
  }
  return undefined;
}

function readMap(code: string): SourceMap | undefined {
  // The last mark counts: an earlier one may be a text of the author.
  const at = code.lastIndexOf(MARK);
  const encoded = at < 0 ? undefined : INLINE_MAP.exec(code.slice(at + MARK.length))?.[1];
  if (encoded === undefined) return undefined;
  try {
    return new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload);
  } catch {
    // A deployed bundle may end with any text; then the stack keeps the bundle's lines.
    return undefined;
  }
}

function toSource(stack: string, fileName: string, map: SourceMap): string {
  return stack.replace(positionsIn(fileName), (written: string, line: string, column: string) => {
    const position = positionOf(map, line, column);
    return position ? `${position.file}:${position.line}:${position.column}` : written;
  });
}

/** `<file name of the bundle>:<line>:<column>`. */
function positionsIn(fileName: string): RegExp {
  return new RegExp(`${fileName.replace(/\W/g, '\\$&')}:(\\d+):(\\d+)`, 'g');
}

function positionOf(map: SourceMap, line: string | undefined, column: string | undefined): SourcePosition | undefined {
  const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in entry)) return undefined;
  return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}
