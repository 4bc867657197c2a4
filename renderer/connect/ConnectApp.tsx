import { useMemo } from 'react';
import { ConnectFlow } from './ConnectFlow.tsx';
import { isFramed, notifyHost } from './page/host-page.ts';
import type { LoadParams } from './page/load-params.ts';
import { useConnectData } from './page/use-connect-data.ts';
import { Dialog } from './screens/Dialog.tsx';
import { Foot } from './screens/Foot.tsx';
import { LoadingScreen } from './screens/LoadingScreen.tsx';
import { NoticeScreen } from './screens/NoticeScreen.tsx';
import { TextsContext, useTexts } from './texts/texts-context.ts';
import { withOwnTexts } from './texts/translate.ts';

/** The page: the accounts that the session allows a person to connect, or the reason why there are none. */
export function ConnectApp({ params, language }: { params: LoadParams; language: string }) {
  const { loading, showWatermark, texts, retry } = useConnectData(params, language);
  const translate = useTexts();
  const own = useMemo(() => withOwnTexts(translate, texts), [translate, texts]);
  if (loading.phase === 'ready')
    return (
      <TextsContext value={own}>
        <ConnectFlow data={loading.data} showWatermark={showWatermark} />
      </TextsContext>
    );
  const close = isFramed() ? (): void => notifyHost({ type: 'close' }) : undefined;
  return (
    <Dialog
      screen={loading.phase}
      foot={<Foot showWatermark={showWatermark} />}
      {...(close ? { close, closeFromOutside: close } : {})}
    >
      {loading.phase === 'waiting' ? (
        <LoadingScreen />
      ) : (
        <NoticeScreen notice={loading.notice} onRetry={retry} onClose={close} />
      )}
    </Dialog>
  );
}
