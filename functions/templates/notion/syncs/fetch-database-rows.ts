import { createSync } from 'homeport';
import * as z from 'zod';
import { Row } from '../models.js';
import { type NotionPage, titleOf } from '../notion-responses.js';
import { plainValue } from '../plain-property.js';

const Choice = z.object({
  /** The 32 hexadecimal digits in the address of the database. */
  databaseId: z.string().min(1),
});

/** A full sync: a query leaves out rows in the trash, so they are marked as deleted. */
export default createSync({
  description: 'Keeps a copy of the rows of the database that is named in the metadata, with plain values',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every 6 hours',
  // Does not start by itself: first the database has to be set in the metadata of the connection.
  autoStart: false,
  models: { Row },
  metadata: Choice,

  exec: async (nango) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Choice, input: await nango.getMetadata() });
    await nango.trackDeletesStart('Row');

    // https://developers.notion.com/reference/post-database-query
    // As of the API version in the catalogue entry, 2022-06-28. Sorted by creation, so that a new row comes last and
    // moves no other one to another page.
    const pages = nango.paginate<NotionPage>({
      method: 'POST',
      endpoint: `/v1/databases/${encodeURIComponent(data.databaseId)}/query`,
      data: { sorts: [{ timestamp: 'created_time', direction: 'ascending' }] },
      paginate: { limit: 100 },
      retries: 3,
    });

    for await (const rows of pages) {
      await nango.batchSave(rows.map(toRow), 'Row');
    }

    await nango.trackDeletesEnd('Row');
  },
});

function toRow(row: NotionPage): z.infer<typeof Row> {
  const properties = Object.entries(row.properties).map(([name, property]) => [name, plainValue(property)]);
  return {
    id: row.id,
    title: titleOf(row),
    url: row.url,
    properties: Object.fromEntries(properties),
    created_at: row.created_time,
    edited_at: row.last_edited_time,
  };
}
