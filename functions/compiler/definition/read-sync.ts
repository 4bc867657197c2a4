import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { JsonSchemaDocument, ParsedSync } from '../parsed-definition.ts';
import type { DefinitionInput, ReadDefinition } from './definition-input.ts';
import { type SyncProps, syncProps } from './definition-props.ts';
import { endpointKey } from './endpoint-key.ts';
import { functionModelName, isModelName } from './model-names.ts';
import { optionErrors } from './option-errors.ts';

export function readSync(input: DefinitionInput): ReadDefinition {
  const { raw, source } = input;
  const props = syncProps.safeParse(raw.props);
  if (!props.success) return { diagnostics: optionErrors(source, props.error) };
  // The sandbox reports missing models as an empty list.
  if (!raw.models || !source.mayHave('models'))
    return { diagnostics: [source.error('invalid_definition', 'models is missing.', 'models')] };

  const models = raw.models.map(({ name }) => name);
  const diagnostics = [
    ...frequencyErrors(input, props.data),
    ...endpointErrors(input, props.data, models),
    ...trackDeletesProblems(input, props.data),
    ...modelNameErrors(input, models),
  ];
  return { definition: assemble(input, props.data, models), diagnostics };
}

function frequencyErrors({ source, parseFrequency }: DefinitionInput, { frequency }: SyncProps): CompileDiagnostic[] {
  const parsed = parseFrequency(frequency);
  return parsed.ok ? [] : [source.error(parsed.code, parsed.message, 'frequency')];
}

function endpointErrors({ source }: DefinitionInput, { endpoints }: SyncProps, models: string[]): CompileDiagnostic[] {
  const errors: CompileDiagnostic[] = [];
  if (endpoints.length > 0 && endpoints.length !== models.length) {
    const message = `There must be one endpoint per model: ${models.length} models, ${endpoints.length} endpoints.`;
    errors.push(source.error('endpoint_count_mismatch', message, 'endpoints'));
  }
  const keys = endpoints.map(endpointKey);
  const repeated = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  for (const key of repeated) {
    errors.push(source.error('duplicate_endpoint', `The endpoint "${key}" is given twice.`, 'endpoints'));
  }
  return errors;
}

function trackDeletesProblems({ source }: DefinitionInput, props: SyncProps): CompileDiagnostic[] {
  if (!props.trackDeletes) return [];
  if (props.syncType === 'incremental') {
    const message = 'trackDeletes needs a full sync: an incremental one does not see every record.';
    return [source.error('track_deletes_incremental', message, 'trackDeletes')];
  }
  const message = 'trackDeletes is deprecated. Call nango.trackDeletesStart() and nango.trackDeletesEnd() in exec.';
  return [source.warning('track_deletes_deprecated', message, 'trackDeletes')];
}

function modelNameErrors({ source }: DefinitionInput, models: string[]): CompileDiagnostic[] {
  return models
    .filter((name) => !isModelName(name))
    .map((name) => {
      const message = `The model name "${name}" must start with a capital letter, followed by letters, digits or "_".`;
      return source.error('invalid_model_name', message, `models.${name}`);
    });
}

function assemble({ location, raw, features }: DefinitionInput, props: SyncProps, models: string[]): ParsedSync {
  const metadataModel = raw.metadata ? functionModelName('SyncMetadata', location.integration, location.name) : null;
  const document: JsonSchemaDocument = { definitions: {} };
  for (const { name, schema } of raw.models ?? []) document.definitions[name] = schema;
  if (metadataModel && raw.metadata) document.definitions[metadataModel] = raw.metadata;
  return {
    type: 'sync',
    name: location.name,
    description: props.description,
    version: props.version,
    runs: props.frequency,
    sync_type: props.syncType,
    auto_start: props.autoStart,
    track_deletes: props.trackDeletes,
    endpoints: props.endpoints,
    input: metadataModel,
    output: models,
    usedModels: metadataModel ? [...models, metadataModel] : models,
    scopes: props.scopes,
    webhookSubscriptions: props.webhookSubscriptions,
    json_schema: document,
    features,
  };
}
