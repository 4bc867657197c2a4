import { type CompileDiagnostic, isCompileError } from '../../../functions/compiler/compile-diagnostic.ts';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import type { FunctionKey, FunctionOrigin, FunctionRow, FunctionType } from '../functions.store.ts';

/** A function with its live version, if there is one, and the problems of its file. */
export interface DeployedFunction {
  id: number;
  environmentId: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
  origin: FunctionOrigin;
  path: string;
  version: string | null;
  /** Null before a version compiled. */
  definition: ParsedDefinition | null;
  bundleHash: string | null;
  /** Empty when the current file is live and its types are correct; type errors alone do not prevent a deploy. */
  problems: CompileDiagnostic[];
  /** The current file does not compile; an earlier version runs, if there is one. */
  hasCompileErrors: boolean;
  isEnabled: boolean;
  /** When its file was found missing: the function is kept, but neither run nor listed. Null while the file exists. */
  missingSince: number | null;
  deployedAt: number | null;
}

/** A function that can run. */
export interface RunnableFunction extends DeployedFunction {
  version: string;
  definition: ParsedDefinition;
  bundleHash: string;
  bundle: string;
}

/** A change of the functions; schedules and records are adapted to it (syncs-and-records.md 1.12). */
export type DeploymentChange =
  | { kind: 'deployed'; isNew: boolean; function: DeployedFunction; previous: ParsedDefinition | null }
  | { kind: 'broken'; function: DeployedFunction }
  /** The types of the live version were checked: it has type errors, or has none any more. */
  | { kind: 'checked'; function: DeployedFunction }
  /** Its file is missing: it is switched off and kept. */
  | { kind: 'missing'; function: DeployedFunction }
  /** Its file exists again: the function goes on as before. */
  | { kind: 'back'; function: DeployedFunction }
  /** `keptModels`: models that other functions save too, so their records are kept. */
  | { kind: 'removed'; function: DeployedFunction; keptModels?: readonly string[] };

/** Identifies a function within its environment, as a key of maps. */
export function functionMapKey({ integrationKey, type, name }: Omit<FunctionKey, 'environmentId'>): string {
  return JSON.stringify([integrationKey, type, name]);
}

export function toDeployedFunction(row: FunctionRow): DeployedFunction {
  const problems = row.problems === null ? [] : (JSON.parse(row.problems) as CompileDiagnostic[]);
  return {
    id: row.id,
    environmentId: row.environmentId,
    integrationKey: row.integrationKey,
    type: row.type,
    name: row.name,
    origin: row.origin,
    path: row.path,
    version: row.version,
    definition: row.definition === null ? null : (JSON.parse(row.definition) as ParsedDefinition),
    bundleHash: row.bundleHash,
    problems,
    hasCompileErrors: problems.some(isCompileError),
    isEnabled: row.isEnabled,
    missingSince: row.missingSince,
    deployedAt: row.deployedAt,
  };
}

/** Whether the author declares that an action changes nothing. */
export function isReadOnlyFunction(definition: ParsedDefinition): boolean {
  if (definition.type !== 'action') return false;
  const { attributes, endpoint, read_only } = definition;
  // A deploy has no separate member for this.
  return endpoint?.method === 'GET' || read_only === true || attributes?.['read_only'] === true;
}

/** Definitions of one type, for callers that know the type. */
export type {
  ParsedAction,
  ParsedDefinition,
  ParsedEndpoint,
  ParsedOnEvent,
  ParsedSync,
} from '../../../functions/compiler/parsed-definition.ts';
