import type {
  NewRecordDestinationInput,
  RecordDestinationChangeInput,
  RecordDestinationRow,
} from '../../api/contract.ts';

/** What the form holds. Secrets are empty when a destination is edited: they stay unless they are written again. */
export interface DestinationDraft {
  kind: RecordDestinationRow['kind'];
  name: string;
  connection: string;
  schema: string;
  tls: 'auto' | 'off' | 'encrypt' | 'verify';
  certificate: string;
  isMarking: boolean;
  folder: string;
  url: string;
  token: string;
  integrations: string[];
  models: string[];
  connections: string[];
}

export const NEW_DRAFT: DestinationDraft = {
  kind: 'postgres',
  name: '',
  connection: '',
  schema: 'homeport',
  tls: 'auto',
  certificate: '',
  isMarking: false,
  folder: '',
  url: '',
  token: '',
  integrations: [],
  models: [],
  connections: [],
};

export const destinationDraftOf = (row: RecordDestinationRow): DestinationDraft => ({
  ...NEW_DRAFT,
  kind: row.kind,
  name: row.name,
  schema: row.schema ?? NEW_DRAFT.schema,
  tls: row.tls ?? 'auto',
  certificate: row.certificate ?? '',
  isMarking: row.isMarking,
  folder: row.kind === 'ndjson' ? row.target : '',
  integrations: row.integrations,
  models: row.models,
  connections: row.connections,
});

export function newBody(draft: DestinationDraft): NewRecordDestinationInput {
  const { connections, integrations, models, name } = draft;
  const common = { name, integrations, models, connections };
  if (draft.kind === 'ndjson') return { ...common, kind: 'ndjson', folder: draft.folder.trim() };
  if (draft.kind === 'http')
    return { ...common, kind: 'http', url: draft.url.trim(), token: draft.token.trim() || null };
  return {
    ...common,
    kind: 'postgres',
    connection_string: draft.connection,
    schema: draft.schema.trim(),
    ...(draft.tls === 'auto' ? {} : { tls: draft.tls }),
    ca_certificate: draft.certificate.trim() || null,
    deletions: draft.isMarking ? 'mark' : 'delete',
  };
}

export function changeBody(draft: DestinationDraft): RecordDestinationChangeInput {
  const { connections, integrations, models, name } = draft;
  const common = { name, integrations, models, connections };
  if (draft.kind === 'ndjson') return { ...common, folder: draft.folder.trim() };
  if (draft.kind === 'http')
    return {
      ...common,
      ...(draft.url.trim() === '' ? {} : { url: draft.url.trim() }),
      ...(draft.token.trim() === '' ? {} : { token: draft.token.trim() }),
    };
  return {
    ...common,
    ...(draft.connection.trim() === '' ? {} : { connection_string: draft.connection }),
    schema: draft.schema.trim(),
    ...(draft.tls === 'auto' ? {} : { tls: draft.tls }),
    ca_certificate: draft.certificate.trim() || null,
    deletions: draft.isMarking ? 'mark' : 'delete',
  };
}
