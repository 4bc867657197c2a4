import { createHash } from 'node:crypto';
import type { DeployedFunction, ParsedAction } from '../functions/deployments/deployed-function.ts';
import { isReadOnlyFunction } from '../functions/deployments/deployments.service.ts';
import { modelSchema } from '../platform/lib/model-schema.ts';
import type { ToolAnnotations, ToolDescription } from './toolbox.ts';
import { declaredUntrusted } from './untrusted-content.ts';

export type ToolRisk = 'read' | 'write' | 'delete';

/** An action, as MCP clients see it. */
export interface McpTool {
  name: string;
  /** Of a tool that another server offers. */
  title?: string;
  description: string;
  risk: ToolRisk;
  /** What its author, or its server, says to clients. */
  annotations: ToolAnnotations;
  /** Changes with the risk, the code and the input: see `toolFingerprint`. */
  fingerprint: string;
  /** JSON Schema of an object. */
  inputSchema: ObjectSchema;
  /** False for an action without an input; the client's arguments are then ignored. */
  takesInput: boolean;
  /** Absent when the output is not declared as an object. */
  outputSchema?: ObjectSchema;
  /** Whether its author says that the output holds text by strangers; absent when nobody says it. */
  isUntrustedOutput?: boolean;
}

export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, object>;
  required?: string[];
  [keyword: string]: unknown;
}

/**
 * The tool for an action; undefined for functions that are switched off, not actions, or have an input that is not an
 * object.
 */
export function toTool({ bundleHash, definition, isEnabled }: DeployedFunction): McpTool | undefined {
  if (!isEnabled || definition?.type !== 'action') return undefined;
  const input = readInput(definition);
  if (!input) return undefined;
  const { name, description } = definition;
  const risk = riskOf(definition);
  const fingerprint = toolFingerprint(risk, bundleHash ?? '', input.inputSchema);
  const untrusted = declaredUntrusted(definition);
  return {
    name,
    description: description || name,
    risk,
    annotations: annotationsOf(definition, risk),
    fingerprint,
    ...input,
    ...readOutput(definition),
    ...(untrusted === undefined ? {} : { isUntrustedOutput: untrusted }),
  };
}

/** What a permission is bound to (design.md 7.59). `version` has no spaces. */
export function toolFingerprint(risk: ToolRisk, version: string, inputSchema: ObjectSchema): string {
  const input = createHash('sha256').update(JSON.stringify(inputSchema)).digest('base64url').slice(0, 16);
  return `${risk} ${version} ${input}`;
}

/** Whether a permission for one version is one for another. Permissions of older hubs have no part for the input. */
export function coversVersion(allowed: string, current: string): boolean {
  return (
    allowed === current || (allowed !== '' && allowed.split(' ').length === 2 && current.startsWith(`${allowed} `))
  );
}

const RISK_WORDS: Record<ToolRisk, string> = { read: 'only reads', write: 'writes', delete: 'deletes' };

/** What is different since a tool was allowed, for a person who is asked again. */
export function describeChange(allowed: string, current: string): string {
  const [risk, , input] = current.split(' ');
  const [oldRisk, , oldInput] = allowed.split(' ');
  if (risk !== oldRisk && oldRisk && oldRisk in RISK_WORDS)
    return `You allowed it when it ${pastOf(oldRisk as ToolRisk)}. Now it ${RISK_WORDS[risk as ToolRisk]}.`;
  if (oldInput !== undefined && input !== oldInput) return 'Its input has changed since you allowed it.';
  return 'Its code has changed since you allowed it.';
}

function pastOf(risk: ToolRisk): string {
  return { read: 'only read', write: 'wrote', delete: 'deleted' }[risk];
}

/** A tool in the words of the protocol. */
export function describeTool({
  annotations,
  description,
  inputSchema,
  name,
  outputSchema,
  title,
}: McpTool): ToolDescription {
  const optional = { ...(title === undefined ? {} : { title }), ...(outputSchema ? { outputSchema } : {}) };
  return { name, description, inputSchema, ...optional, annotations };
}

/** A repeat of a PUT or DELETE changes nothing more (RFC 9110, 9.2.2). */
function annotationsOf({ endpoint }: ParsedAction, risk: ToolRisk): ToolAnnotations {
  const isIdempotent = risk === 'read' || endpoint?.method === 'PUT' || endpoint?.method === 'DELETE';
  return { readOnlyHint: risk === 'read', destructiveHint: risk === 'delete', idempotentHint: isIdempotent };
}

/** What the author declares; an action without a declaration may do anything. */
function riskOf(definition: ParsedAction): ToolRisk {
  if (isReadOnlyFunction(definition)) return 'read';
  return definition.endpoint?.method === 'DELETE' ? 'delete' : 'write';
}

function readInput({
  input,
  json_schema: { definitions },
}: ParsedAction): Pick<McpTool, 'inputSchema' | 'takesInput'> | undefined {
  const schema = modelSchema(definitions, input);
  if (!schema || schema['type'] === 'null') {
    return { inputSchema: { type: 'object', properties: {} }, takesInput: false };
  }
  // A schema without keywords accepts any value, so also objects.
  const acceptsAny = Object.keys(schema).every((keyword) => keyword === 'description');
  return schema['type'] === 'object' || acceptsAny
    ? { inputSchema: { ...schema, type: 'object' }, takesInput: true }
    : undefined;
}

function readOutput({ output: [model], json_schema: { definitions } }: ParsedAction): Pick<McpTool, 'outputSchema'> {
  const schema = modelSchema(definitions, model);
  return schema?.['type'] === 'object' ? { outputSchema: { ...schema, type: 'object' } } : {};
}
