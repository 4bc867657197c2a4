import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { TemplateRow } from '../../server/functions/dashboard-functions.contract.ts';
import { type Handler, need } from './dashboard-fixture-lists.ts';

type Keys = Extract<DashboardRouteKey, `${string} /api/v1/integrations/:integrationKey/templates${string}`>;

const CONTACT = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Of HubSpot' },
    email: { type: 'string', format: 'email' },
    company: { type: ['string', 'null'] },
  },
  required: ['id', 'email'],
};

const codeOf = (factory: string, description: string): string =>
  `import { ${factory} } from 'homeport';\n\nexport default ${factory}({\n  description: '${description}',\n});\n`;

/** HubSpot's templates; one of them is already in the functions folder, and changed there. */
const TEMPLATES: TemplateRow[] = [
  {
    name: 'add-note',
    type: 'action',
    description: 'Adds a note to the timeline of a contact',
    file: 'hubspot/actions/add-note.ts',
    code: codeOf('createAction', 'Adds a note to the timeline of a contact'),
    ...{ frequency: null, autoStart: false, scopes: ['crm.objects.contacts.write'] },
    ...{ inputSchema: CONTACT, outputSchema: CONTACT, canBeTried: true },
    ...{ isThere: true, ownCode: codeOf('createAction', 'Adds a note of mine'), blockedBy: [] },
  },
  {
    name: 'create-contact',
    type: 'action',
    description: 'Creates a contact; fails with the id of the contact that has the address already',
    file: 'hubspot/actions/create-contact.ts',
    code: codeOf('createAction', 'Creates a contact'),
    ...{ frequency: null, autoStart: false, scopes: ['crm.objects.contacts.write'] },
    ...{ inputSchema: CONTACT, outputSchema: CONTACT, canBeTried: true },
    ...{ isThere: false, ownCode: null, blockedBy: [] },
  },
  {
    name: 'fetch-contacts',
    type: 'sync',
    description: 'Keeps a copy of all contacts: changes by webhook, and what was missed by an hourly search',
    file: 'hubspot/syncs/fetch-contacts.ts',
    code: codeOf('createSync', 'Keeps a copy of all contacts'),
    ...{ frequency: 'every hour', autoStart: true, scopes: ['crm.objects.contacts.read'] },
    ...{ inputSchema: null, outputSchema: CONTACT, canBeTried: true },
    ...{ isThere: false, ownCode: null, blockedBy: [] },
  },
];

const ROWS = [
  { id: '1', email: 'anna@example.com', company: 'Cobalt Cycles' },
  { id: '2', email: 'ben@example.com', company: null },
];

/** Templates of HubSpot; other providers have none. */
export const templateHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/integrations/:integrationKey/templates': ({ params }) => ({
    data: params.integrationKey === 'hubspot' ? TEMPLATES : [],
  }),
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name': ({ params }) => {
    const { file } = need(TEMPLATES.find(({ name }) => name === params.name));
    return { written: [file], kept: [] };
  },
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name/try': ({ params }) => {
    const isSync = params.type === 'sync';
    return {
      error: null,
      durationMs: 38,
      requests: [{ method: isSync ? 'GET' : 'POST', path: '/crm/v3/objects/contacts', status: isSync ? 200 : 201 }],
      input: isSync ? null : JSON.stringify({ email: 'anna@example.com' }),
      output: isSync ? null : JSON.stringify(ROWS[0]),
      records: isSync ? [{ model: 'Contact', saved: 2, deleted: 0, rows: JSON.stringify(ROWS) }] : [],
    };
  },
};
