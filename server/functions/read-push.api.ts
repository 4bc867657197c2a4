import { parseFrequency } from '../contract/frequency.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { referencesOf } from '../platform/lib/model-schema.ts';
import type { DeployBody } from './deploy.contract.ts';
import type { Push, PushedFunction } from './deployments/deployed-bundles.ts';
import type { ParsedAction, ParsedSync } from './deployments/deployed-function.ts';

type SentFlow = DeployBody['flowConfigs'][number];
type SentScript = NonNullable<DeployBody['onEventScriptsByProvider']>[number]['scripts'][number];
type Definitions = NonNullable<SentFlow['models_json_schema']>['definitions'];
type FlowConfig = SentFlow & { models_json_schema: { definitions: Definitions } };

/** Translates the body of a deploy to functions of Homeport (functions.md 2.5). */
export function readPush(environmentId: number, body: DeployBody): Push {
  const { flowConfigs, onEventScriptsByProvider = [], postConnectionScriptsByProvider = [], source } = body;
  const sharedModels = body.jsonSchema?.definitions ?? {};
  return {
    environmentId,
    origin: source,
    removes: whatIsRemoved(body),
    functions: [
      ...flowConfigs.map((flow) => readFlow(withModels(flow, sharedModels), body.sdkVersion)),
      ...onEventScriptsByProvider.flatMap(({ providerConfigKey, scripts }) =>
        scripts.map((script) => readScript(providerConfigKey, script)),
      ),
      ...postConnectionScriptsByProvider.flatMap(({ providerConfigKey, scripts }) =>
        scripts.map((script) => readScript(providerConfigKey, { ...script, event: 'post-connection-creation' })),
      ),
    ],
  };
}

function whatIsRemoved({ reconcile, deployMode, singleDeployMode }: DeployBody): Push['removes'] {
  if (!reconcile || singleDeployMode || deployMode === 'single') return 'nothing';
  return deployMode === 'integration' ? 'integrations' : 'all';
}

/** Adds the shared models to a function: those that it names, and those that they refer to. */
function withModels(flow: SentFlow, shared: Definitions): FlowConfig {
  if (flow.models_json_schema) return { ...flow, models_json_schema: flow.models_json_schema };
  const definitions: Definitions = {};
  const wanted = [...flow.models, flow.input ?? ''];
  for (const model of wanted) {
    const schema = Object.hasOwn(shared, model) ? shared[model] : undefined;
    if (!schema || Object.hasOwn(definitions, model)) continue;
    definitions[model] = schema;
    wanted.push(...referencesOf(schema));
  }
  return { ...flow, models_json_schema: { definitions } };
}

function readFlow(flow: FlowConfig, sdkVersion: string | undefined): PushedFunction {
  const definition = {
    ...(flow.type === 'sync' ? toSync(flow) : toAction(flow)),
    ...(sdkVersion === undefined ? {} : { sdk_version: sdkVersion }),
  };
  const { definitions } = definition.json_schema;
  const missing = definition.usedModels.find((model) => !Object.hasOwn(definitions, model));
  if (missing !== undefined) {
    throw new HomeportError(
      'deploy_missing_json_schema_model',
      `The function ${flow.syncName} names the model "${missing}", which models_json_schema does not define.`,
    );
  }
  return {
    integrationKey: flow.providerConfigKey,
    definition,
    bundle: flow.fileBody.js,
    source: flow.fileBody.ts,
  };
}

function toSync(flow: FlowConfig): ParsedSync {
  if (!flow.runs)
    throw new HomeportError(
      'missing_required_fields_on_deploy',
      `The sync ${flow.syncName} needs a frequency, for example "every hour".`,
    );
  const frequency = parseFrequency(flow.runs);
  if (!frequency.ok) throw new HomeportError(frequency.code, `The sync ${flow.syncName}: ${frequency.message}`);
  const output = flow.models.filter((model) => model !== flow.input);
  return {
    ...sharedParts(flow),
    type: 'sync',
    runs: flow.runs,
    sync_type: flow.sync_type?.toLowerCase() === 'incremental' ? 'incremental' : 'full',
    auto_start: flow.auto_start,
    track_deletes: flow.track_deletes,
    endpoints: endpointsOf(flow),
    input: flow.input || null,
    output,
    usedModels: [...output, ...(flow.input ? [flow.input] : [])],
    webhookSubscriptions: flow.webhookSubscriptions ?? [],
  };
}

function toAction(flow: FlowConfig): ParsedAction {
  const [output] = flow.models;
  if (output === undefined)
    throw new HomeportError('missing_required_fields_on_deploy', `The action ${flow.syncName} names no output model.`);
  const input = flow.input ?? '';
  return {
    ...sharedParts(flow),
    type: 'action',
    endpoint: endpointsOf(flow)[0] ?? null,
    input,
    output: [output],
    usedModels: [...(input === '' ? [] : [input]), output],
  };
}

function sharedParts(flow: FlowConfig) {
  const { attributes = {} } = flow;
  return {
    name: flow.syncName,
    description: flow.metadata?.description ?? '',
    version: flow.version ?? '',
    scopes: flow.metadata?.scopes ?? [],
    json_schema: flow.models_json_schema,
    features: flow.features,
    // Command lines send an empty object.
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
  };
}

/** Reads either form of an endpoint: `{ method, path }` or `{ GET: path }`. */
function endpointsOf({ endpoints = [] }: FlowConfig): ParsedSync['endpoints'] {
  return endpoints.flatMap((endpoint) => {
    if (isWritten(endpoint)) {
      const { method, path, group } = endpoint;
      return [{ method, path, ...(group === undefined ? {} : { group }) }];
    }
    return Object.entries(endpoint).map(([method, path]) => ({ method, path }));
  });
}

type Endpoint = NonNullable<FlowConfig['endpoints']>[number];

function isWritten(endpoint: Endpoint): endpoint is Extract<Endpoint, { path: string }> {
  return 'path' in endpoint;
}

function readScript(integrationKey: string, { name, event, version, fileBody }: SentScript): PushedFunction {
  return {
    integrationKey,
    definition: { type: 'on-event', name, event, description: '', version: version ?? '' },
    bundle: fileBody.js,
    source: fileBody.ts,
  };
}
