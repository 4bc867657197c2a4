import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { ParsedAction, ParsedSync } from '../../../functions/compiler/parsed-definition.ts';

export type DeployMode = 'all' | 'integration' | 'single';

/** What a deploy sends of a function. */
export type SentBundle = Pick<CompiledFunction, 'integration' | 'name' | 'definition' | 'bundle' | 'source'>;

export interface DeployPayloadOptions {
  functions: SentBundle[];
  mode: DeployMode;
  /** Replaces the versions in the files. */
  version?: string | undefined;
  /** Version of this program. */
  programVersion: string;
}

/** The body of `POST /sync/deploy/confirmation` (functions.md 2.5). The body of the deploy has one more member. */
export function deployPayload({ functions, mode, version, programVersion }: DeployPayloadOptions) {
  return {
    flowConfigs: functions.flatMap((one) => flowConfig(one, version)),
    onEventScriptsByProvider: onEventScripts(functions, version),
    // The deploy of one function must not remove the others.
    reconcile: mode !== 'single',
    debug: false,
    deployMode: mode,
    sdkVersion: `${programVersion.replace(/-.*/, '')}-zero`,
    source: 'repo',
  };
}

function flowConfig(one: SentBundle, version: string | undefined) {
  const { definition } = one;
  if (definition.type === 'on-event') return [];
  return [
    {
      type: definition.type,
      syncName: one.name,
      providerConfigKey: one.integration,
      models: definition.output,
      ...versionOf(one, version),
      ...(definition.type === 'sync' ? ofSync(definition) : ofAction(definition)),
      metadata: { description: definition.description, scopes: definition.scopes },
      ...(definition.input ? { input: definition.input } : {}),
      fileBody: fileBody(one),
      models_json_schema: definition.json_schema,
      features: definition.features,
    },
  ];
}

/** The hub increments the version when neither the command nor the file gives one. */
function versionOf({ definition }: SentBundle, given: string | undefined): { version?: string } {
  const version = given ?? definition.version;
  return version === '' ? {} : { version };
}

function ofSync({ runs, track_deletes, auto_start, sync_type, endpoints, webhookSubscriptions }: ParsedSync) {
  return { runs, track_deletes, auto_start, sync_type, endpoints, webhookSubscriptions };
}

function ofAction({ endpoint, read_only, undo, untrusted_output }: ParsedAction) {
  const attributes = {
    ...(read_only ? { read_only } : {}),
    ...(undo ? { undo } : {}),
    ...(untrusted_output === undefined ? {} : { untrusted_output }),
  };
  return {
    runs: null,
    track_deletes: false,
    auto_start: false,
    endpoints: endpoint ? [endpoint] : [],
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
  };
}

function onEventScripts(functions: SentBundle[], version: string | undefined) {
  const scripts = functions.flatMap((one) => {
    const { definition, integration, name } = one;
    return definition.type === 'on-event'
      ? [{ integration, name, event: definition.event, ...versionOf(one, version), fileBody: fileBody(one) }]
      : [];
  });
  return [...Map.groupBy(scripts, ({ integration }) => integration)].map(([providerConfigKey, own]) => ({
    providerConfigKey,
    scripts: own.map(({ integration: _key, ...script }) => script),
  }));
}

function fileBody({ bundle, source }: SentBundle): { js: string; ts: string } {
  return { js: bundle, ts: source };
}
