import { type Program, parseSync } from 'oxc-parser';
import type { CompileDiagnostic } from './compile-diagnostic.ts';
import { LinePositions } from './line-positions.ts';

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
