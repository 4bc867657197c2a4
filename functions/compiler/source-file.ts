import { type Program, parseSync } from 'oxc-parser';
import type { CompileDiagnostic } from './compile-diagnostic.ts';

/** One parsed file of the workspace. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly syntaxErrors: CompileDiagnostic[];
  readonly #positions: LinePositions;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#positions = new LinePositions(text);
    const parsed = parseSync(path, text);
    this.program = parsed.program;
    this.syntaxErrors = parsed.errors
      .filter((error) => error.severity === 'Error')
      .map((error) => this.diagnostic('failed_to_build_unknown', error.message, error.labels[0]?.start ?? 0));
  }

  lineAt(offset: number): number {
    return this.#positions.at(offset).line;
  }

  /** Returns a diagnostic at an offset of this file. */
  diagnostic(
    code: CompileDiagnostic['code'],
    message: string,
    offset: number,
    severity: CompileDiagnostic['severity'] = 'error',
  ): CompileDiagnostic {
    return { code, message, file: this.path, ...this.#positions.at(offset), severity };
  }
}

/** Converts offsets of a text to lines and columns, both counted from 1. */
export class LinePositions {
  readonly #lineStarts: number[] = [0];

  constructor(text: string) {
    for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) {
      this.#lineStarts.push(index + 1);
    }
  }

  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#lineStarts[low] ?? 0) + 1 };
  }
}
