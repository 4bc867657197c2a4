/** An entry of `flowConfigs`, as a command line sends it: an action that returns `response`. */
export function pushedAction(name: string, { response = 'pushed', integration = 'practice' } = {}) {
  return {
    type: 'action',
    syncName: name,
    providerConfigKey: integration,
    models: [`ActionOutput_${integration}_${name}`],
    input: `ActionInput_${integration}_${name}`,
    runs: null,
    track_deletes: false,
    auto_start: false,
    attributes: {},
    metadata: { description: 'Pushed by a test', scopes: [] },
    endpoints: [],
    features: [],
    fileBody: {
      js: `exports.default = { type: 'action', exec: async () => ${JSON.stringify(response)} };`,
      ts: `// ${name}`,
    },
    models_json_schema: {
      definitions: {
        [`ActionOutput_${integration}_${name}`]: { type: 'string' },
        [`ActionInput_${integration}_${name}`]: { type: 'null' },
      },
    },
  };
}

/** The same for a sync of the model `Item` that saves one record. */
export function pushedSync(name: string, integration = 'practice') {
  const { input: _none, ...shared } = pushedAction(name, { integration });
  return {
    ...shared,
    type: 'sync',
    models: ['Item'],
    runs: 'every hour',
    sync_type: 'full',
    webhookSubscriptions: [],
    fileBody: {
      js: `exports.default = { type: 'sync', exec: async (nango) => { await nango.batchSave([{ id: '1' }], 'Item'); } };`,
      ts: `// ${name}`,
    },
    models_json_schema: { definitions: { Item: { type: 'object', properties: { id: { type: 'string' } } } } },
  };
}
