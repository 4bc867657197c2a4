import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPILE_ERROR_CODES, type CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import { checkIntegration } from '../../../functions/compiler/integration-checks.ts';
import { parseFrequency } from '../../../server/contract/frequency.ts';
import { describeInVm } from './describe-in-vm.ts';
import { unpackSample } from './golden-workspace.ts';

const SAMPLES = import.meta.dirname;

/** `npm run golden:update` rewrites `expected.json`; read the difference before you commit it. */
describe('the compiler', () => {
  it.each(sampleNames())('compiles the sample %s as expected', async (sample) => {
    await using files = await unpackSample(join(SAMPLES, sample, 'input.txt'));
    const compiler = new FunctionCompiler({ workspace: files.workspace, describe: describeInVm, parseFrequency });

    const { functions, diagnostics } = await compiler.discover();
    const results = await Promise.all(functions.map(({ path }) => compiler.compileFile(path)));

    const report = {
      misplaced: diagnostics.map(asLine),
      functions: results.map(asReport),
      integrations: checkIntegrations(results).map(asLine),
    };
    await expect(`${JSON.stringify(report, null, 2)}\n`).toMatchFileSnapshot(join(SAMPLES, sample, 'expected.json'));
  });
});

/** Codes without a golden file: a file that disappears is a matter of time, and types have samples of their own. */
const SHOWN_ELSEWHERE = ['no_file', 'old_format', 'type_error'];

describe('the codes of the compiler', () => {
  const reports = sampleNames().map((sample) => readFileSync(join(SAMPLES, sample, 'expected.json'), 'utf8'));

  it.each(COMPILE_ERROR_CODES.filter((code) => !SHOWN_ELSEWHERE.includes(code)))('have a sample of %s', (code) => {
    expect(reports.some((report) => report.includes(` error ${code}: `))).toBe(true);
  });
});

function sampleNames(): string[] {
  return readdirSync(SAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function asLine({ file, line, column, severity, code, message }: CompileDiagnostic): string {
  return `${file}:${line}:${column} ${severity} ${code}: ${message}`;
}

function asReport(result: CompileResult): Record<string, unknown> {
  if (!result.ok) return { path: result.path, diagnostics: result.diagnostics.map(asLine) };
  const { path, integration, kind, name, bundleFileName, inputs, warnings, definition } = result.compiled;
  return { path, integration, kind, name, bundleFileName, inputs, warnings: warnings.map(asLine), definition };
}

function checkIntegrations(results: CompileResult[]): CompileDiagnostic[] {
  const compiled = results.flatMap((result) => (result.ok ? [result.compiled] : []));
  return [...Map.groupBy(compiled, ({ integration }) => integration).values()].flatMap(checkIntegration);
}
