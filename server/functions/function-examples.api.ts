/** Functions in the document's examples: the source, and the same function as compiled by the command line. */

const CODE = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Says hello',
  version: '1.0.0',
  input: z.any(),
  output: z.string(),
  exec: async () => 'hello',
});
`;

export const SENT_CODE = { integration_id: 'practice', function_type: 'action', code: CODE };

export const SENT_BUNDLE = {
  reconciliationScope: { kind: 'integration', integrationId: 'own-none' },
  functions: [{ integrationId: 'own-none', name: 'hello', type: 'action', code: CODE }],
};

const FLOW = {
  type: 'action',
  syncName: 'bye',
  providerConfigKey: 'practice',
  models: ['ActionOutput_practice_bye'],
  runs: null,
  track_deletes: false,
  auto_start: false,
  attributes: {},
  metadata: { description: 'Says bye', scopes: [] },
  endpoints: [],
  features: [],
  fileBody: { js: "exports.default = { type: 'action', exec: async () => 'bye' };", ts: '// bye' },
  models_json_schema: { definitions: { ActionOutput_practice_bye: { type: 'string' } } },
};

export const SENT_PUSH = { flowConfigs: [FLOW], reconcile: false, debug: false, source: 'standalone' };
