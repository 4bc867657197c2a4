import type { OfferedOperation } from '../../renderer/api/contract.ts';
import { FixtureRefusal, type Handler } from './dashboard-fixture-lists.ts';

type Keys =
  | 'GET /api/v1/integrations/:integrationKey/api-description'
  | 'POST /api/v1/integrations/:integrationKey/api-description'
  | 'POST /api/v1/integrations/:integrationKey/described-functions'
  | 'POST /api/v1/integrations/:integrationKey/described-functions/preview';

const HASH = 'a'.repeat(64);

const operationOf = (method: string, path: string, parts: Partial<OfferedOperation>): OfferedOperation => ({
  operation: `${method} ${path}`,
  method,
  path,
  summary: '',
  isDeprecated: false,
  kind: 'action',
  name: path.replaceAll(/[^a-z]+/g, '-').slice(1),
  list: null,
  paging: null,
  idField: null,
  since: null,
  notes: [],
  ...parts,
});

const OPERATIONS = [
  operationOf('GET', '/issues', {
    kind: 'sync',
    name: 'fetch-issues',
    summary: 'Lists issues',
    list: 'data',
    paging: 'cursor from meta.next_cursor',
    idField: 'id',
    since: 'updated_since',
  }),
  operationOf('GET', '/teams/{team_id}/labels', {
    kind: 'sync',
    name: 'fetch-labels',
    summary: 'Lists the labels of a team',
    list: '',
    notes: [
      'The description does not say how the list is paged: check that all of it is read.',
      'The list needs team_id: the sync reads them from the metadata of the connection.',
    ],
  }),
  operationOf('POST', '/issues', { name: 'create-issue', summary: 'Creates an issue' }),
  operationOf('DELETE', '/issues/{id}', { name: 'delete-issue', summary: 'Deletes an issue', isDeprecated: true }),
];

const writtenOf = (integrationKey: string, wishes: Array<{ operation: string; name?: string | undefined }>) =>
  wishes.map(({ name: given, operation }) => {
    const { kind, name: usual = '', notes = [] } = OPERATIONS.find((one) => one.operation === operation) ?? {};
    const name = given ?? usual;
    const type = kind ?? 'action';
    const file = `${integrationKey}/${type}s/${name}.ts`;
    return {
      type,
      name,
      file,
      code: `// ${operation}\nexport default ${name};\n`,
      notes,
      recording: `${integrationKey}/tests/${name}.test.json`,
    };
  });

/** An API description with four operations. The address of another one answers that it cannot be read. */
export const describedHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/integrations/:integrationKey/api-description': () => ({
    address: 'https://api.example.com/openapi.json',
  }),
  'POST /api/v1/integrations/:integrationKey/api-description': ({ body: { address } }) => {
    if (address?.includes('broken'))
      throw new FixtureRefusal(
        400,
        'invalid_body',
        'The API description cannot be used. It is neither JSON nor YAML with an object.',
      );
    return { title: 'Example API', hash: HASH, operations: OPERATIONS };
  },
  'POST /api/v1/integrations/:integrationKey/described-functions/preview': ({ params, body }) => ({
    functions: writtenOf(params.integrationKey, body.operations).map((one) => ({ ...one, problem: null })),
  }),
  'POST /api/v1/integrations/:integrationKey/described-functions': ({ params, body }) => ({
    functions: writtenOf(params.integrationKey, body.operations),
    types: body.withTypes ? `${params.integrationKey}/homeport-api.d.ts` : null,
  }),
};
