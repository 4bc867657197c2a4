import { createSync } from 'homeport';
import * as z from 'zod';
import { type GmailMessage, MESSAGE_HEADERS, Message, toMessage } from '../models.js';
import { readRefusal } from '../refusal.js';

interface MessagesPage {
  /** Missing on an empty page. */
  messages?: Array<{ id: string }>;
  nextPageToken?: string;
}

interface Change {
  message: { id: string };
}

interface HistoryPage {
  /** Missing when nothing changed. */
  history?: Array<{
    messagesAdded?: Change[];
    messagesDeleted?: Change[];
    labelsAdded?: Change[];
    labelsRemoved?: Change[];
  }>;
  nextPageToken?: string;
  historyId: string;
}

/** Number of messages that are read at the same time. Gmail allows about 50 per second and user. */
const AT_A_TIME = 10;
const MESSAGE_QUERY = ['format=metadata', ...MESSAGE_HEADERS.map((name) => `metadataHeaders=${name}`)].join('&');

/**
 * The first run reads the mailbox, later runs read its history. Records do not contain the text of a message; an app
 * that needs it reads it from Gmail.
 */
export default createSync({
  description: 'Keeps a copy of the messages of a mailbox or of one label, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 5 minutes',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/gmail.readonly'],
  models: { Message },
  /** A label, for example `INBOX`, limits the sync to its messages. Reset the sync after a change. */
  metadata: z.object({ labelId: z.string().optional() }),
  checkpoint: z.object({ historyId: z.string() }),

  exec: async (nango) => {
    const { labelId } = (await nango.getMetadata()) ?? {};
    const checkpoint = await nango.getCheckpoint();
    const history = checkpoint ? await findHistory(checkpoint.historyId) : undefined;
    // Read before the messages, so that the next run reads again what changes meanwhile.
    const historyId = history?.historyId ?? (await readHistoryId());
    if (!history) await nango.trackDeletesStart('Message');

    for await (const ids of history ? changedIds(history) : listedIds()) {
      const messages = await readMessages(ids);
      const here = messages.filter((message) => isHere(message, labelId));
      const hereIds = new Set(here.map(({ id }) => id));
      await nango.batchSave(here.map(toMessage), 'Message');
      await nango.batchDelete(
        ids.filter((id) => !hereIds.has(id)).map((id) => ({ id })),
        'Message',
      );
    }

    if (!history) await nango.trackDeletesEnd('Message');
    await nango.saveCheckpoint({ historyId });

    /** The first page of the history. Undefined when Gmail no longer has it, so that everything must be read again. */
    async function findHistory(startHistoryId: string): Promise<HistoryPage | undefined> {
      try {
        return await readHistory({ startHistoryId });
      } catch (error) {
        if (readRefusal(error)?.status !== 404) throw error;
        return undefined;
      }
    }

    // Not `paginate`: Gmail leaves out the list of an empty page, and more pages may follow.
    async function* changedIds(first: HistoryPage): AsyncGenerator<string[]> {
      let page = first;
      for (;;) {
        const changes = (page.history ?? []).flatMap((record) => [
          ...(record.messagesAdded ?? []),
          ...(record.messagesDeleted ?? []),
          ...(record.labelsAdded ?? []),
          ...(record.labelsRemoved ?? []),
        ]);
        yield [...new Set(changes.map(({ message }) => message.id))];
        if (!page.nextPageToken) return;
        page = await readHistory({ startHistoryId: checkpoint?.historyId, pageToken: page.nextPageToken });
      }
    }

    async function* listedIds(): AsyncGenerator<string[]> {
      let pageToken: string | undefined;
      do {
        // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/list
        const { data } = await nango.get<MessagesPage>({
          endpoint: '/gmail/v1/users/me/messages',
          params: { maxResults: 100, labelIds: labelId, pageToken },
          retries: 3,
        });
        yield (data.messages ?? []).map(({ id }) => id);
        pageToken = data.nextPageToken;
      } while (pageToken);
    }

    async function readHistory(params: Record<string, string | undefined>): Promise<HistoryPage> {
      // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.history/list
      const { data } = await nango.get<HistoryPage>({
        endpoint: '/gmail/v1/users/me/history',
        params: { maxResults: 100, ...params },
        retries: 3,
      });
      return data;
    }

    async function readHistoryId(): Promise<string> {
      // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile
      const { data } = await nango.get<{ historyId: string }>({ endpoint: '/gmail/v1/users/me/profile', retries: 3 });
      return data.historyId;
    }

    /** Reads the messages that still exist. */
    async function readMessages(ids: string[]): Promise<GmailMessage[]> {
      const messages: Array<GmailMessage | undefined> = [];
      for (let start = 0; start < ids.length; start += AT_A_TIME) {
        messages.push(...(await Promise.all(ids.slice(start, start + AT_A_TIME).map(readMessage))));
      }
      return messages.filter((message) => message !== undefined);
    }

    async function readMessage(id: string): Promise<GmailMessage | undefined> {
      try {
        // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/get
        const { data } = await nango.get<GmailMessage>({
          endpoint: `/gmail/v1/users/me/messages/${id}?${MESSAGE_QUERY}`,
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

/** Gmail's lists leave out spam and trash, but its history includes them. */
function isHere({ labelIds = [] }: GmailMessage, labelId: string | undefined): boolean {
  return !labelIds.includes('SPAM') && !labelIds.includes('TRASH') && (!labelId || labelIds.includes(labelId));
}
