import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import type { FunctionOrigin, FunctionRow, FunctionType } from '../../stores/functions-store.ts';

/** A function as it stands: its live version, if any, and what is wrong with its file, if anything. */
export interface DeployedFunction {
  id: number;
  environmentId: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
  origin: FunctionOrigin;
  path: string;
  version: string | null;
  /** Null until a version compiled. */
  definition: ParsedDefinition | null;
  bundleHash: string | null;
  /** Empty when the file as it is now is live and its types fit; type errors alone hold nothing back. */
  problems: CompileDiagnostic[];
  isEnabled: boolean;
  /** Since when its file is missing: it is kept, and neither run nor listed. Null while the file is there. */
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

/** What changed in the workspace; schedules and records follow it (syncs-and-records.md 1.12). */
export type DeploymentChange =
  | { kind: 'deployed'; isNew: boolean; function: DeployedFunction; previous: ParsedDefinition | null }
  | { kind: 'broken'; function: DeployedFunction }
  /** The live version has type errors. */
  | { kind: 'checked'; function: DeployedFunction }
  /** Its file is missing: it is switched off and kept. */
  | { kind: 'missing'; function: DeployedFunction }
  /** Its file is there again: it goes on as it was. */
  | { kind: 'back'; function: DeployedFunction }
  /** `keptModels`: other functions save them too, their records stay. */
  | { kind: 'removed'; function: DeployedFunction; keptModels?: readonly string[] };

export function toDeployedFunction(row: FunctionRow): DeployedFunction {
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
    problems: row.problems === null ? [] : (JSON.parse(row.problems) as CompileDiagnostic[]),
    isEnabled: row.isEnabled,
    missingSince: row.missingSince,
    deployedAt: row.deployedAt,
  };
}

/** Definitions of one kind, for callers that know which they have. */
export type {
  ParsedAction,
  ParsedDefinition,
  ParsedEndpoint,
  ParsedOnEvent,
  ParsedSync,
} from '../../../functions/compiler/parsed-definition.ts';
