import type { CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { functionPath } from '../../../functions/compiler/function-path.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { FunctionType } from '../functions.store.ts';
import type { ParsedDefinition } from './deployed-function.ts';

/** Code that was sent over the API; the sender may say what type of function it must be. */
export interface SentFunction {
  code: string;
  integrationKey: string;
  name: string;
  type: FunctionType;
}

/** The required parts of a compiled function. */
export interface CompiledCode {
  definition: ParsedDefinition;
  bundle: string;
  bundleHash: string;
  source: string;
}

/** Limit for one compilation (http-api.md 14). */
const COMPILE_LIMIT_MS = 3 * 60_000;

export type AdHocCode = ReturnType<typeof createAdHocCode>;

/** Compiles functions that are sent as text (http-api.md 14): one file each, without files to import from. */
export function createAdHocCode({
  loadCompiler,
  clock,
}: {
  /** The compiler works in its own folder, so that sent code cannot import files of the user. */
  loadCompiler(): Promise<{ compileFile(path: string, source: string): Promise<CompileResult> }>;
  clock: Clock;
}) {
  async function compileAs(path: string, code: string): Promise<CompileResult> {
    const tooLong = Promise.withResolvers<never>();
    const timer = clock.after(COMPILE_LIMIT_MS, () =>
      tooLong.reject(new HomeportError('timeout', 'The code took longer than three minutes to compile.')),
    );
    try {
      return await Promise.race([loadCompiler().then((compiler) => compiler.compileFile(path, code)), tooLong.promise]);
    } finally {
      timer.cancel();
    }
  }

  return {
    async compile({ code, integrationKey, name, type }: SentFunction): Promise<CompiledCode> {
      const result = await compileAs(functionPath(integrationKey, type, name), code);
      if (!result.ok) throw refusal(result);
      return result.compiled;
    },
    /** Compiles code of unknown type: tries the types until one matches the definition in the code. */
    async compileAny(code: string): Promise<CompiledCode> {
      const order: FunctionType[] = ['action', 'sync', 'on-event'];
      for (const type of order) {
        const result = await compileAs(functionPath('code', type, 'code'), code);
        if (result.ok) return result.compiled;
        const isOther = result.diagnostics.some((one) => one.code === 'invalid_definition_type');
        if (!isOther || type === order.at(-1)) throw refusal(result);
      }
      throw new Error('No type was tried.');
    },
  };
}

function refusal({ diagnostics }: CompileResult & { ok: false }): HomeportError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
  const message = lines.join('\n') || 'The code contains no function: export createSync or createAction as default.';
  return new HomeportError('compilation_error', message, { payload: { diagnostics: errors } });
}
