import { createSync } from 'homeport';
import * as z from 'zod';
import { Message } from '../models.js';
import { MESSAGE_PROPERTIES, type OutlookMessage, readRefusal, STABLE_IDS, toMessage } from '../outlook-responses.js';

/** A changed message may contain only the changed properties. */
type ChangedMessage = Pick<OutlookMessage, 'id'> & Partial<OutlookMessage> & { '@removed'?: { reason: string } };

interface MessagesPage {
  value: ChangedMessage[];
  '@odata.nextLink'?: string;
  /** Only on the last page: the link for changes from now on. */
  '@odata.deltaLink'?: string;
}

const READ = { $select: MESSAGE_PROPERTIES.join(',') };
const PREFER = { prefer: `${STABLE_IDS}, odata.maxpagesize=100` };

/**
 * Outlook stores the position: every run sends the link of the previous run and gets the changes since then, deletions
 * included. Records do not contain the text of a message; an app that needs it reads it from Outlook.
 */
export default createSync({
  description: 'Keeps a copy of the messages of one folder, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 5 minutes',
  autoStart: true,
  scopes: ['Mail.Read'],
  models: { Message },
  /** The id of a folder from `fetch-folders`, or a name such as `sentitems`. Default: the inbox. */
  metadata: z.object({ folderId: z.string().optional() }),
  checkpoint: z.object({ folderId: z.string(), changes: z.string() }),

  exec: async (nango) => {
    const { folderId = 'inbox' } = (await nango.getMetadata()) ?? {};
    const checkpoint = await nango.getCheckpoint();
    // A link is valid only for its own folder.
    const firstChanges = checkpoint?.folderId === folderId ? await findChanges(checkpoint.changes) : undefined;
    if (!firstChanges) await nango.trackDeletesStart('Message');

    // https://learn.microsoft.com/en-us/graph/api/message-delta
    const start = `/v1.0/me/mailFolders/${encodeURIComponent(folderId)}/messages/delta`;
    let page = firstChanges ?? (await readPage(start, READ));
    for (;;) {
      const gone = page.value.filter((message) => message['@removed']);
      const here = await completed(page.value.filter((message) => !message['@removed']));
      await nango.batchSave(here.map(toMessage), 'Message');
      await nango.batchDelete(
        gone.map(({ id }) => ({ id })),
        'Message',
      );

      // Not `paginate`, which does not return the link of the last page.
      const next = page['@odata.nextLink'];
      if (!next) break;
      page = await readPage(pathOf(next));
    }

    if (!firstChanges) await nango.trackDeletesEnd('Message');
    const changes = page['@odata.deltaLink'];
    if (changes) await nango.saveCheckpoint({ folderId, changes: pathOf(changes) });

    /** The first page. Undefined when Outlook no longer knows the link, so that everything must be read again. */
    async function findChanges(link: string): Promise<MessagesPage | undefined> {
      try {
        return await readPage(link);
      } catch (error) {
        if (readRefusal(error)?.status !== 410) throw error;
        return undefined;
      }
    }

    async function readPage(endpoint: string, params: Record<string, string> = {}): Promise<MessagesPage> {
      const { data } = await nango.get<MessagesPage>({ endpoint, params, headers: PREFER, retries: 3 });
      return data;
    }

    /** Returns the messages that still exist, with all properties. */
    async function completed(messages: ChangedMessage[]): Promise<OutlookMessage[]> {
      const complete: OutlookMessage[] = [];
      for (const message of messages) {
        const whole = isComplete(message) ? message : await readMessage(message.id);
        if (whole) complete.push(whole);
      }
      return complete;
    }

    async function readMessage(id: string): Promise<OutlookMessage | undefined> {
      try {
        // https://learn.microsoft.com/en-us/graph/api/message-get
        const { data } = await nango.get<OutlookMessage>({
          endpoint: `/v1.0/me/messages/${encodeURIComponent(id)}`,
          params: READ,
          headers: PREFER,
          retries: 3,
        });
        return data;
      } catch (error) {
        if (readRefusal(error)?.status !== 404) throw error;
        return undefined;
      }
    }
  },
});

function isComplete(message: ChangedMessage): message is OutlookMessage {
  return MESSAGE_PROPERTIES.every((name) => name === 'from' || name in message);
}

/** Links are complete addresses; only the path is used, on the host of the connection. */
function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}
