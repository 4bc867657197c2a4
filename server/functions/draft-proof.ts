import { createHash } from 'node:crypto';
import type { ParsedDefinition, RunnableFunction } from './deployments/deployed-function.ts';
import type { CompileDiagnostic, FunctionLocation } from './deployments/draft-files.ts';
import type { HeldWrite, PreparedAnswer } from './runs/draft-guard.ts';
import type { DryRunEffects } from './tasks/dry-runs.service.ts';

/** What a check of a draft found. */
export interface DraftCheck {
  /** Identifies the text. */
  codeHash: string;
  compiles: boolean;
  /** Errors and warnings of the compiler, and of the types when it compiles. */
  diagnostics: CompileDiagnostic[];
}

export interface DraftRun {
  input?: unknown;
  /** Syncs only. */
  checkpoint?: Record<string, unknown> | undefined;
  /** What the provider would answer to writes, which are not sent. */
  answers: readonly PreparedAnswer[];
  records: boolean;
  signal: AbortSignal;
}

export interface DraftRunResult {
  codeHash: string;
  /** Of the log. */
  operationId: string;
  passed: boolean;
  error?: { code: string; message: string; payload?: unknown };
  output?: unknown;
  /** Of a sync: what it would store. */
  effects?: DryRunEffects;
  held: HeldWrite[];
  logs: string[];
  /** Path of the recording. */
  recording?: string;
}

/** How many records of a model a run would change. */
export interface RecordCounts {
  model: string;
  added: number;
  updated: number;
  deleted: number;
}

/** Why a function may be deployed, as a person reads it before saying yes. */
export interface DraftProof {
  path: string;
  /** SHA-256 of the text. */
  codeHash: string;
  connectionId: string;
  /** What the dry run held back. */
  held: HeldWrite[];
  records: RecordCounts[];
  /** Compared with the live version. */
  newScopes: string[];
  newHosts: string[];
  /** What the code can do beyond requests to its provider. */
  abilities: string[];
  isNew: boolean;
  difference: string;
}

/** What is known about a text of a draft. */
export interface KnownDraft {
  codeHash: string;
  source: string;
  compiled: { definition: ParsedDefinition; bundle: string; bundleHash: string; bundleFileName: string };
  /** Undefined before a check. */
  typesAreClean?: boolean;
  typesAt?: number;
  /** By the row of the connection. */
  runs: Map<number, { at: number; held: HeldWrite[]; records: RecordCounts[]; replayedAt?: number }>;
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export function countsOf({ added, updated, deleted }: DryRunEffects): RecordCounts[] {
  const models = new Set([added, updated, deleted].flatMap((one) => Object.keys(one)));
  return [...models].sort().map((model) => ({
    model,
    added: added[model]?.length ?? 0,
    updated: updated[model]?.length ?? 0,
    deleted: deleted[model]?.length ?? 0,
  }));
}

export const declaredScopes = (definition: ParsedDefinition | null | undefined): readonly string[] =>
  definition && 'scopes' in definition ? definition.scopes : [];

/** Hosts of addresses that stand in the code. */
export function hostsIn(source: string): string[] {
  const hosts = [...source.matchAll(/\bhttps?:\/\/([^\s/'"`?#\\]+)/gi)].map(([, host = '']) => host.toLowerCase());
  return [...new Set(hosts)].sort();
}

/** What the methods in the code can do beyond requests to the provider. */
const ABILITIES: ReadonlyArray<[RegExp, string]> = [
  [/\b(getConnection|getToken|getRawTokenResponse)\b/, 'It can read the credentials of the connection.'],
  [/\bgetEnvironmentVariables\b/, 'It can read the variables of the environment.'],
  [/\buncontrolledFetch\b/, 'It can send requests to any host.'],
  [/\bbaseUrlOverride\b/, 'It can send requests to another base address.'],
  [/\b(triggerAction|triggerSync|startSync)\b/, 'It can run other functions.'],
  [/\b(setMetadata|updateMetadata)\b/, 'It can change the metadata of the connection.'],
];

export const abilitiesOf = (source: string): string[] =>
  ABILITIES.flatMap(([pattern, sentence]) => (pattern.test(source) ? [sentence] : []));

/** The compiled text as a run takes it. */
export function toRunnable(
  environmentId: number,
  location: FunctionLocation,
  { compiled }: Pick<KnownDraft, 'compiled'>,
): RunnableFunction {
  const { bundle, bundleHash, definition } = compiled;
  return {
    id: 0,
    environmentId,
    integrationKey: location.integration,
    type: location.kind,
    name: location.name,
    origin: 'standalone',
    path: location.path,
    version: definition.version || '0',
    definition,
    bundleHash,
    bundle,
    problems: [],
    hasCompileErrors: false,
    isEnabled: true,
    missingSince: null,
    deployedAt: null,
  };
}
