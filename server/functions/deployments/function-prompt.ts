import type { FunctionKind } from '../../../functions/compiler/function-path.ts';
import type { Integration } from '../../integrations/integration.ts';
import { modelSchema } from '../../platform/lib/model-schema.ts';
import type { DeployedFunction } from './deployed-function.ts';

export interface FunctionPromptFacts {
  integration: Pick<Integration, 'uniqueKey' | 'provider'>;
  /** The provider's entry; undefined when the catalogue has none. */
  entry:
    | {
        display_name: string;
        auth_mode: string;
        docs?: string | undefined;
        proxy?: { base_url?: string | undefined } | undefined;
      }
    | undefined;
  /** The scopes that a connection asks for; empty when the provider has none. */
  scopes: readonly string[];
  /** The functions that the integration has already. */
  functions: readonly DeployedFunction[];
  type: FunctionKind;
  name: string;
  /** Where the function belongs, on this computer. */
  path: string;
  /** The file to start from. */
  code: string;
}

/** What an agent needs to know to write a function: the integration, its models, the rules and where the file goes. */
export function functionPrompt(facts: FunctionPromptFacts): string {
  const { code, path, type } = facts;
  return [
    `Write ${KINDS[type]} for Homeport in TypeScript. Save it as\n\n    ${path}\n\nSaving the file deploys it. Do not change other files that exist.`,
    `# The integration\n\n${list(integrationFacts(facts))}`,
    `# What is there already\n\n${list(functionFacts(facts))}`,
    `# Rules\n\n${list([...RULES, ...RULES_OF[type]])}`,
    `# Start from this file\n\n\`\`\`ts\n${code}\`\`\``,
    `# When it is done\n\n${list(CHECKS)}`,
  ].join('\n\n');
}

const KINDS: Record<FunctionKind, string> = {
  sync: 'a sync (it copies records of the provider on a schedule)',
  action: 'an action (an app calls it with an input and gets an output)',
  'on-event': 'an event handler (it runs when a connection is created, checked or deleted)',
};

const RULES: readonly string[] = [
  "Import only from 'homeport', 'zod' and relative files ('../models.js', with the ending .js). There is no Node.js, no fetch and no other package.",
  'The default export is the result of createSync, createAction or createOnEvent, written out in the file.',
  'Requests to the provider go through nango.get, post, put, patch, delete or nango.paginate. The endpoint is a path below the base URL; credentials are added. Give reads `retries: 3`.',
  'Await every call of nango. Log with `await nango.log(text)`; never log a token or a person’s data.',
  'Validate what the provider returns before you use it; say in an error what to do. Leave out fields that nobody asked for.',
  'Set `version` (for example 1.0.0) and raise it with each change.',
];

const RULES_OF: Record<FunctionKind, readonly string[]> = {
  sync: [
    'Each model is a zod object with `id: z.string()`. Its name starts with a capital letter, and no other sync of the integration may use it.',
    'Save each page at once with `await nango.batchSave(rows, model)`; remove with `batchDelete`. A run has a time limit, so do not collect everything in memory.',
    'For providers that can filter by change time, declare `checkpoint: z.object({ … })`, read it with nango.getCheckpoint and write it with nango.saveCheckpoint after each page.',
    'Keep `autoStart: false` until a person has read the code. `frequency` is a text such as "every hour", at least 30 seconds.',
  ],
  action: [
    'Declare `input` and `output` with zod; `z.void()` for no input. The input is checked before the function runs.',
    'Refuse with `throw new nango.ActionError({ message })` when the caller can do something about it.',
    'Do not retry a request that creates something unless the provider recognises repeated ones.',
  ],
  'on-event': [
    "`event` is 'post-connection-creation', 'validate-connection' or 'pre-connection-deletion'.",
    'Only an error that a validate-connection handler throws refuses the connection.',
  ],
};

const CHECKS: readonly string[] = [
  'Read the problems of the function in the dashboard, or run `homeport functions list`: it must compile without errors.',
  'Try it in the playground with a dry run, which stores nothing.',
];

function integrationFacts({ entry, integration, scopes }: FunctionPromptFacts): string[] {
  const { provider, uniqueKey } = integration;
  return [
    `Key: ${uniqueKey}`,
    `Provider: ${entry ? `${entry.display_name} (${provider})` : provider}`,
    ...(entry?.proxy?.base_url
      ? [`Base URL: ${entry.proxy.base_url}`]
      : ['Base URL: none; give each request a `baseUrlOverride`']),
    ...(entry ? [`Sign-in: ${entry.auth_mode}`] : []),
    ...(scopes.length > 0 ? [`Scopes that connections have: ${scopes.join(' ')}`] : []),
    ...(entry?.docs ? [`Documentation: ${entry.docs}`] : []),
  ];
}

function functionFacts({ functions }: FunctionPromptFacts): string[] {
  if (functions.length === 0) return ['No function, so every name and model is free.'];
  return functions.map(({ definition, name, path, type }) => {
    const about = definition?.description ? `: ${definition.description}` : '';
    const models = definition?.type === 'sync' ? definition.output : [];
    const schemas = definition && 'json_schema' in definition ? definition.json_schema.definitions : {};
    const shown = models
      .map((model) => `\n  Model ${model}: ${JSON.stringify(modelSchema(schemas, model) ?? {})}`)
      .join('');
    return `${type} ${name} (${path})${about}${shown}`;
  });
}

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
