/** Metadata of a compiled function (functions.md 2.5), with the names of the wire format. */
export type ParsedDefinition = ParsedSync | ParsedAction | ParsedOnEvent;

export type JsonSchema = Record<string, unknown>;

/** JSON schema (draft 7) per model name. */
export interface JsonSchemaDocument {
  definitions: Record<string, JsonSchema>;
}

export interface ParsedEndpoint {
  method: string;
  path: string;
  group?: string;
}

export type FunctionFeature = 'checkpoints';

/** Facts that only a deploy knows. The compiler sets neither. */
interface DeployedWith {
  attributes?: Record<string, unknown>;
  /** `<x.y.z>-zero` or `-yaml`. */
  sdk_version?: string;
}

export interface ParsedSync extends DeployedWith {
  type: 'sync';
  name: string;
  description: string;
  version: string;
  /** The frequency as the author wrote it. */
  runs: string;
  sync_type: 'full' | 'incremental';
  auto_start: boolean;
  track_deletes: boolean;
  endpoints: ParsedEndpoint[];
  /** Name of the metadata model. */
  input: string | null;
  /** Model names in the order of declaration. */
  output: string[];
  usedModels: string[];
  scopes: string[];
  webhookSubscriptions: string[];
  json_schema: JsonSchemaDocument;
  features: FunctionFeature[];
}

export interface ParsedAction extends DeployedWith {
  type: 'action';
  name: string;
  description: string;
  version: string;
  endpoint: ParsedEndpoint | null;
  /** The author declares that it changes nothing at the provider. */
  read_only?: true;
  /** Whether the author says that the output holds text by strangers. */
  untrusted_output?: boolean;
  /** It has a function that takes back what a call did. */
  undo?: true;
  /** Name of the input model, also when it is void. */
  input: string;
  output: [string];
  usedModels: string[];
  scopes: string[];
  json_schema: JsonSchemaDocument;
  features: FunctionFeature[];
}

export type OnEventName = 'post-connection-creation' | 'pre-connection-deletion' | 'validate-connection';

export interface ParsedOnEvent {
  type: 'on-event';
  name: string;
  description: string;
  version: string;
  event: OnEventName;
}
