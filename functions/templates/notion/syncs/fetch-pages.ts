import { createSync } from 'homeport';
import * as z from 'zod';
import { Page } from '../models.js';
import { type NotionPage, refusalOf, toPage } from '../notion-responses.js';

/**
 * https://developers.notion.com/reference/webhooks-events-delivery: an event names the page, but not its current state.
 */
interface NotionEvent {
  type: string;
  entity: { id: string; type: string };
}

/**
 * Runs on a schedule and for Notion's events. The scheduled run finds edited pages; only an event reports a page in the
 * trash.
 */
export default createSync({
  description:
    'Keeps a list of the pages that are shared with the integration: where they are and who edited them last',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Page },
  checkpoint: z.object({ editedSince: z.string() }),
  webhookSubscriptions: [
    'page.created',
    'page.content_updated',
    'page.properties_updated',
    'page.moved',
    'page.undeleted',
    'page.deleted',
  ],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const since = checkpoint?.editedSince ?? '';
    let newest: string | undefined;

    // https://developers.notion.com/reference/post-search
    // The search cannot filter by time, so pages are read newest first until an old one comes.
    const responses = nango.paginate<NotionPage>({
      method: 'POST',
      endpoint: '/v1/search',
      data: {
        filter: { property: 'object', value: 'page' },
        sort: { timestamp: 'last_edited_time', direction: 'descending' },
      },
      paginate: { limit: 100 },
      retries: 3,
    });

    for await (const pages of responses) {
      newest ??= pages[0]?.last_edited_time;
      // Notion's times have no seconds: pages of the checkpoint's own minute may have changed after they were read.
      const changed = pages.filter((page) => page.last_edited_time >= since);
      await nango.batchSave(changed.map(toPage), 'Page');
      if (changed.length < pages.length) break;
    }

    if (newest) {
      await nango.saveCheckpoint({ editedSince: newest });
    }
  },

  onWebhook: async (nango, { type, entity }: NotionEvent) => {
    const page = type === 'page.deleted' ? undefined : await readPage(entity.id);
    if (page && !page.archived) {
      await nango.batchSave([toPage(page)], 'Page');
    } else {
      await nango.batchDelete([{ id: entity.id }], 'Page');
    }

    /** Undefined when the page was deleted or is no longer shared with the integration. */
    async function readPage(id: string): Promise<NotionPage | undefined> {
      try {
        // https://developers.notion.com/reference/retrieve-a-page
        const response = await nango.get<NotionPage>({ endpoint: `/v1/pages/${encodeURIComponent(id)}`, retries: 3 });
        return response.data;
      } catch (error) {
        if (refusalOf(error)?.status === 404) return undefined;
        throw error;
      }
    }
  },
});
