import type { GuestContext } from './bridge.ts';
import { createContextObject } from './context/context-object.ts';
import { FunctionLog } from './context/function-log.ts';
import { describeDefinition } from './describe-definition.ts';
import { printFromConsole } from './globals/function-console.ts';
import type { BundleFactory, GuestResult, GuestTask } from './guest-link.ts';
import type { HostCalls } from './host-calls.ts';
import { type Definition, loadDefinition } from './load-definition.ts';
import { utf8Length } from './plain-json.ts';
import { JSONParse, JSONStringify, PrimordialError } from './primordials.ts';
import { toWire } from './wire-errors.ts';

/** Limit of functions.md 6.3. */
const MAX_OUTPUT_BYTES = 2_097_152;

type Require = (name: string) => unknown;

interface TaskOptions {
  factory: BundleFactory;
  task: GuestTask;
  host: HostCalls;
  require: Require;
  now: () => number;
}

/** Loads the bundle, then describes or runs it. Never rejects: anything that is thrown becomes a result. */
export async function runTask(options: TaskOptions): Promise<GuestResult> {
  const { factory, task, host, require, now } = options;
  const { fileName, context } = task;
  const log = context && new FunctionLog({ host, level: context.logLevel, now });
  try {
    if (log && context.isCLI) printFromConsole((level, text) => log.printed(level, text));
    const definition = loadDefinition(factory, require, fileName);
    if (!context || !log) return { ok: true, text: JSONStringify(describeDefinition(definition)) };
    const nango = createContextObject({ context, host, log, now });
    return { ok: true, text: await execute(definition, nango, context, task.input) };
  } catch (error) {
    return { ok: false, error: toWire(error, fileName) };
  } finally {
    await log?.flush();
  }
}

/** Only actions have an output; returned values of other functions are ignored. */
async function execute(definition: Definition, nango: object, context: GuestContext, input?: string): Promise<string> {
  const value = input === undefined ? undefined : JSONParse(input);
  switch (context.scriptType) {
    case 'action':
      return outputText(await callable(definition, 'exec')(nango, value || {}));
    case 'webhook':
      await callable(definition, 'onWebhook')(nango, value);
      return 'null';
    default:
      await callable(definition, 'exec')(nango);
      return 'null';
  }
}

function callable(definition: Definition, name: 'exec' | 'onWebhook'): (...args: unknown[]) => unknown {
  const member = definition[name];
  if (typeof member !== 'function') throw new PrimordialError(`The function has no '${name}'`);
  return member as (...args: unknown[]) => unknown;
}

function outputText(output: unknown): string {
  const text = JSONStringify(output) ?? 'null';
  const bytes = utf8Length(text);
  if (bytes <= MAX_OUTPUT_BYTES) return text;
  throw new PrimordialError(`The output has ${bytes} bytes; an action may return ${MAX_OUTPUT_BYTES} (2 MB)`);
}
