import { Button } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ShownWebhookType } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { failedWebhookCountQueryOptions, type OutgoingFilter } from '../../api/webhooks/webhooks-queries.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { splitList } from '../../lib/search-params.ts';

/** Sends failed webhooks of the filtered list again; hidden while there are none. */
export function ReplayFailed({ filter }: { filter: OutgoingFilter }) {
  const env = useEnv();
  const { data: failed = 0 } = useQuery(failedWebhookCountQueryOptions(env, filter));
  const replay = useChange('POST /api/v1/webhooks/outgoing/replay-failed', { ownError: true });
  const confirm = useConfirm();
  const { search, types, integrations, connections } = filter;
  const isNarrowed = Boolean(search || types || integrations || connections);
  const some = (list: string | undefined): string[] | undefined => (list ? splitList(list) : undefined);
  const ask = (): void =>
    confirm.ask({
      title: isNarrowed ? 'Replay the failed ones of this list?' : 'Replay everything that failed?',
      text: 'Each is sent once, ten per second, to the addresses that did not accept it. Those that were already sent again are left out.',
      action: 'Replay failed',
      isHarmless: true,
      run: async () => {
        const { count } = await replay.mutateAsync({
          body: {
            search: search || undefined,
            types: some(types) as ShownWebhookType[] | undefined,
            integrations: some(integrations),
            connections: some(connections),
          },
        });
        notifyDone(
          count === 0 ? 'All failed webhooks were already sent again.' : `${formatCount(count, 'webhook')} on the way`,
        );
      },
    });
  return (
    <>
      {failed > 0 && (
        <Button variant="default" leftSection={<IconRepeat size={16} stroke={1.6} />} onClick={ask}>
          Replay failed
        </Button>
      )}
      {confirm.dialog}
    </>
  );
}
