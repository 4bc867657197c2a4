import { useEffect, useState } from 'react';
import type { ConnectData } from './page/connect-data.ts';
import { isFramed, notifyHost } from './page/host-page.ts';
import { Dialog } from './screens/Dialog.tsx';
import { FailureScreen } from './screens/FailureScreen.tsx';
import { Foot } from './screens/Foot.tsx';
import { FormScreen } from './screens/FormScreen.tsx';
import { LeaveQuestion } from './screens/LeaveQuestion.tsx';
import { ListScreen } from './screens/ListScreen.tsx';
import { LoadingScreen } from './screens/LoadingScreen.tsx';
import { NoticeScreen } from './screens/NoticeScreen.tsx';
import { SuccessScreen } from './screens/SuccessScreen.tsx';
import { type ConnectFlowState, useConnectFlow } from './use-connect-flow.ts';

/** The dialog around the steps: closing, going back, and the confirmation before typed values are lost. */
export function ConnectFlow({ data, showWatermark }: { data: ConnectData; showWatermark: boolean }) {
  const flow = useConnectFlow(data);
  const [leaving, setLeaving] = useState<() => void>();
  useLeaveWarning(flow.hasWork && !isFramed());
  // The attempt has ended meanwhile, so the question no longer applies.
  if (leaving && !flow.hasWork) setLeaving(undefined);

  const leave = (go: () => void): void => (flow.hasWork ? setLeaving(() => go) : go());
  const close = (event: 'click:close' | 'click:outside' | 'click:finish') => () =>
    leave(() => {
      data.track(event);
      if (!data.params.isPreview) notifyHost({ type: 'close' });
    });
  const closing = isFramed() ? { close: close('click:close'), closeFromOutside: close('click:outside') } : {};
  return (
    <Dialog
      screen={flow.screen.name}
      foot={<Foot flow={flow} showWatermark={showWatermark} />}
      question={
        leaving && (
          <LeaveQuestion
            onStay={() => setLeaving(undefined)}
            onLeave={() => {
              setLeaving(undefined);
              leaving();
            }}
          />
        )
      }
      {...closing}
      {...(flow.canGoBack ? { back: () => leave(flow.showList) } : {})}
    >
      <FlowScreen
        data={data}
        flow={flow}
        onClose={isFramed() ? close('click:close') : undefined}
        onFinish={isFramed() ? close('click:finish') : undefined}
      />
    </Dialog>
  );
}

/** A tab of its own is closed without the page's buttons: the browser confirms it. */
function useLeaveWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOn]);
}

interface FlowScreenProps {
  data: ConnectData;
  flow: ConnectFlowState;
  /** Undefined in a tab of its own, which only the person can close. */
  onClose: (() => void) | undefined;
  onFinish: (() => void) | undefined;
}

function FlowScreen({ data, flow, onClose, onFinish }: FlowScreenProps) {
  const { screen, chosen } = flow;
  if (screen.name === 'list') return <ListScreen data={data} opening={flow.opening} onChoose={flow.choose} />;
  if (screen.name === 'notice')
    return <NoticeScreen notice={screen.notice} onRetry={flow.startAgain} onClose={onClose} />;
  if (!chosen || screen.name === 'opening') return <LoadingScreen />;
  if (screen.name === 'success')
    return <SuccessScreen chosen={chosen} isPending={screen.result.isPending === true} onFinish={onFinish} />;
  if (screen.name === 'failed')
    return (
      <FailureScreen
        chosen={chosen}
        error={screen.error}
        onBack={() => flow.showForm()}
        onRetry={() => flow.showForm({ startsAtOnce: true })}
      />
    );
  return (
    <FormScreen
      data={data}
      chosen={chosen}
      values={flow.values}
      warning={flow.warning}
      startsAtOnce={screen.name === 'form' && screen.startsAtOnce === true}
      way={flow.way}
      onWay={flow.setWay}
      onChange={flow.setValues}
      onBusy={flow.setBusy}
      onConnected={flow.onConnected}
      onFailed={flow.onFailed}
    />
  );
}
