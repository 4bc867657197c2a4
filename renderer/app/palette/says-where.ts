import type { SyncOrder } from '../../api/connections/sync-take-back.ts';
import { doneWords } from '../../api/connections/use-sync-actions.ts';
import type { ChangeNotice } from '../../api/use-change.ts';

/** "contacts started on github-1": no screen has to show what was acted on. */
export const SAYS_WHERE: ChangeNotice = {
  done: (_: unknown, order: SyncOrder): string => {
    const { connectionId, variant = 'base' } = order;
    const where = connectionId === undefined ? 'every connection' : connectionId;
    return `${doneWords(_, order)} on ${where}${variant === 'base' ? '' : ` (${variant})`}`;
  },
};
