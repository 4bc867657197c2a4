import { type Document, parseDocument } from 'yaml';
import { CliFailure, EXIT } from '../cli-failure.ts';

/** More than nango.yaml files have. Anchors that repeat each other, or that contain themselves, end here. */
const MAX_DEPTH = 100;
const MAX_VALUES = 1_000_000;

export interface OldYaml {
  /** With the comments. */
  document: Document;
  values: unknown;
}

/** Reads the bytes of a nango.yaml. Throws CliFailure with what is wrong with it. */
export function parseOldYaml(bytes: Uint8Array): OldYaml {
  // Tags such as !!binary would make values that nango.yaml did not have.
  const document = parseDocument(decode(bytes), { merge: true, resolveKnownTags: false });
  const [error] = document.errors;
  if (error) throw unreadable(reasonOf(error.code, error.message), error.linePos?.[0].line);
  const values = toValues(document);
  if (!isBounded(values))
    throw unreadable(
      `it is nested deeper than ${MAX_DEPTH} levels, or has more than a million values with its anchors written out, or an anchor contains itself`,
    );
  return { document, values };
}

/** Editors of Windows write UTF-16 with a byte order mark. The decoders take the mark away. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unreadable('it is not UTF-8 text');
  }
}

function toValues(document: Document): unknown {
  try {
    // Repeated anchors are one object here; the size of what they write out is checked afterwards.
    return document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    if (error instanceof RangeError) throw unreadable('it is nested too deeply');
    if (error instanceof ReferenceError || error instanceof TypeError) throw unreadable(error.message);
    throw error;
  }
}

function isBounded(values: unknown): boolean {
  let count = 0;
  const visit = (value: unknown, depth: number): boolean => {
    count += 1;
    if (count > MAX_VALUES || depth > MAX_DEPTH) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.values(value).every((inner) => visit(inner, depth + 1));
  };
  return visit(values, 0);
}

function reasonOf(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'it contains a second document (after "---")';
  if (/call stack/.test(message)) return 'it is nested too deeply';
  const [reason = ''] = message.split('\n');
  return reason.replace(/ at line \d+, column \d+:?$/, '');
}

function unreadable(reason: string, line?: number): CliFailure {
  const place = line === undefined ? '' : ` (line ${line})`;
  return new CliFailure(`nango.yaml cannot be read${place}: ${reason}. Correct it and try again.`, EXIT.usage);
}
