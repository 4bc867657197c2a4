import { createSync } from 'homeport';
import type * as z from 'zod';
import { BY_OFFSET, READ_RETRIES, Table } from '../models.js';

/** https://airtable.com/developers/web/api/list-bases */
interface Base {
  id: string;
  name: string;
}

/** https://airtable.com/developers/web/api/get-base-schema */
interface TableSchema {
  id: string;
  name: string;
  description?: string;
  primaryFieldId: string;
  fields: Array<{ id: string; name: string; type: string }>;
}

/** The tables to choose from for `fetch-rows`. */
export default createSync({
  description: 'Keeps a copy of all bases, tables and fields that the token may see',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  scopes: ['schema.bases:read'],
  models: { Table },

  exec: async (nango) => {
    await nango.trackDeletesStart('Table');

    // https://airtable.com/developers/web/api/list-bases. The page size of 1,000 bases is fixed.
    const pages = nango.paginate<Base>({
      endpoint: '/v0/meta/bases',
      paginate: { ...BY_OFFSET, response_path: 'bases' },
      retries: READ_RETRIES,
    });

    for await (const bases of pages) {
      for (const base of bases) {
        // https://airtable.com/developers/web/api/get-base-schema
        const { data } = await nango.get<{ tables: TableSchema[] }>({
          endpoint: `/v0/meta/bases/${encodeURIComponent(base.id)}/tables`,
          retries: READ_RETRIES,
        });
        await nango.batchSave(
          data.tables.map((table) => toTable(table, base)),
          'Table',
        );
      }
    }

    await nango.trackDeletesEnd('Table');
  },
});

function toTable(table: TableSchema, base: Base): z.infer<typeof Table> {
  return {
    id: table.id,
    base_id: base.id,
    base_name: base.name,
    name: table.name,
    description: table.description ?? null,
    primary_field_id: table.primaryFieldId,
    fields: table.fields.map(({ id, name, type }) => ({ id, name, type })),
  };
}
