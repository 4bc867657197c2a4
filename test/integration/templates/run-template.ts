import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import { OfflineCatalog } from '../../../server/cli/project/offline-catalog.ts';
import { parseFrequency } from '../../../server/contract/frequency.ts';
import { describeFailure, type FailureReport } from '../../../server/functions/dry-run/describe-failure.ts';
import type { ProviderRequestSender } from '../../../server/functions/dry-run/provider-request-sender.ts';
import { ReplayRequestSender } from '../../../server/functions/dry-run/replay-request-sender.ts';
import { refusedByProvider } from '../../../server/platform/sandbox/refused-request.ts';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { builtResources } from '../../support/built-resources.ts';
import { type HostScript, runCode, startSandbox } from '../sandbox/sandbox-fixture.ts';

const TEMPLATES = fileURLToPath(new URL('../../../functions/templates', import.meta.url));

export interface TemplateResponse {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

export interface TemplateOptions {
  input?: unknown;
  metadata?: Record<string, unknown>;
  /** Responses of the provider in order, or a function that answers each request; default: the template's own recording. */
  responses?: TemplateResponse[] | ((request: GuestHttpRequest) => TemplateResponse);
  /** Runs `undo` for this call instead of `exec`; by default its input and output are those of the recording. */
  undo?: { input?: unknown; output?: unknown; kept?: unknown };
  /** Runs `onWebhook` with this payload instead of `exec`. */
  webhook?: unknown;
}

/** The effects of a run, in order. */
export interface TemplateRun {
  output?: unknown;
  failure?: FailureReport;
  requests: GuestHttpRequest[];
  saved: unknown[];
  deleted: string[];
  /** What it kept for its undo. */
  kept?: unknown;
  checkpoints: Array<Record<string, unknown>>;
  /** Methods of the host without the requests to the provider. */
  steps: string[];
}

/** Runs the shipped templates in a real sandbox with a scripted provider. */
export class TemplateRunner {
  readonly #sandbox: Sandbox;
  readonly #compiler: FunctionCompiler;
  readonly #catalog: OfflineCatalog;

  private constructor(sandbox: Sandbox, catalog: OfflineCatalog) {
    this.#sandbox = sandbox;
    this.#catalog = catalog;
    const describe = (bundle: Parameters<Sandbox['describe']>[0]) => sandbox.describe(bundle);
    this.#compiler = new FunctionCompiler({ workspace: TEMPLATES, parseFrequency, describe });
  }

  static async start(): Promise<TemplateRunner> {
    const { catalog } = await builtResources();
    return new TemplateRunner(await startSandbox(), await OfflineCatalog.load(catalog, TEMPLATES));
  }

  async run(path: string, options: TemplateOptions = {}): Promise<TemplateRun> {
    const compiled = await this.#compile(path);
    const fixture = await readFixture(path);
    const done: TemplateRun = { requests: [], saved: [], deleted: [], checkpoints: [], steps: [] };
    const { definition, integration, kind } = compiled;
    const { outcome, calls } = await runCode(this.#sandbox, compiled.bundle, {
      host: hostOf(done, options, fixture),
      input: options.undo
        ? { input: fixture.input, output: fixture.output, ...options.undo }
        : (options.webhook ?? options.input ?? fixture.input),
      context: {
        scriptType: options.webhook === undefined ? kind : 'webhook',
        provider: integration,
        ...(options.undo ? { isUndo: true } : {}),
        models: definition.type === 'sync' ? definition.output : [],
        paginateDefaults: this.#catalog.paginateDefaults(integration),
      },
    });
    done.steps = calls.map(({ method }) => method).filter((method) => method !== 'http.request');
    if (!outcome.ok) return { ...done, failure: describeFailure(outcome.failure) };
    return { ...done, output: JSON.parse(outcome.output) };
  }

  stop(): Promise<void> {
    return this.#sandbox.stop();
  }

  async #compile(path: string) {
    const result = await this.#compiler.compileFile(path);
    if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
    return result.compiled;
  }
}

function hostOf(done: TemplateRun, { responses, metadata }: TemplateOptions, fixture: Fixture): HostScript {
  const sender = responses ? scripted(responses) : new ReplayRequestSender(fixture);
  return {
    'http.request': async (request, signal) => {
      done.requests.push(request);
      const { config, ...response } = await sender.send(request, signal);
      if (response.status > 299) throw refusedByProvider(response, config);
      return { ...response, config };
    },
    'connection.get': () => ({
      ...fixture.nango?.getConnection,
      metadata: metadata ?? fixture.nango?.getMetadata ?? {},
    }),
    'checkpoint.get': () => fixture.nango?.getCheckpoint ?? null,
    'checkpoint.save': ({ checkpoint }) => {
      done.checkpoints.push(checkpoint);
      return null;
    },
    'undo.keep': ({ value }) => {
      done.kept = value === null ? undefined : JSON.parse(value);
      return null;
    },
    'records.save': ({ records }) => {
      done.saved.push(...records.map(({ json }) => JSON.parse(json)));
      return { added: records.length, updated: 0, deleted: 0, unchanged: 0, duplicates: [] };
    },
    'records.delete': ({ ids }) => {
      done.deleted.push(...ids);
      return { added: 0, updated: 0, deleted: ids.length, unchanged: 0, duplicates: [] };
    },
    'records.trackDeletesStart': () => null,
    'records.trackDeletesEnd': () => ({ deletedKeys: [] }),
  };
}

function scripted(responses: NonNullable<TemplateOptions['responses']>): ProviderRequestSender {
  const waiting = typeof responses === 'function' ? [] : [...responses];
  return {
    send: async (request) => {
      const { method, endpoint } = request;
      const next = typeof responses === 'function' ? responses(request) : waiting.shift();
      if (!next) throw new Error(`The provider was not told how to answer ${method} ${endpoint}`);
      const config = { method, url: endpoint, headers: {} };
      const { status = 200, headers = {}, body } = next;
      return { status, statusText: '', headers, body: JSON.stringify(body), config };
    },
  };
}

async function readFixture(path: string): Promise<Fixture> {
  const file = path.replace(/\/[\w-]+\/([\w-]+)\.ts$/, '/tests/$1.test.json');
  return JSON.parse(await readFile(`${TEMPLATES}/${file}`, 'utf8')) as Fixture;
}

/** The provider's responses in a template's recording. */
export async function readResponses(path: string): Promise<unknown[]> {
  const { api = {} } = await readFixture(path);
  const entries = Object.values(api).flatMap((paths) => Object.values(paths).flat());
  return entries.map(({ response }) => response);
}
